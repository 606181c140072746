for (file in list.files(file.path(analysis_folder, "..", "paper", "R"), full.names = TRUE)) {
  source(file, local = TRUE)
}
# Of this file alone: a result whose ratio has this interval.
interval <- c(1, 1)
tier_levels <- function(summary) "t"
throughput_between <- function(...) {
  data.table(
    estimate = sqrt(prod(interval)), low = interval[1], high = interval[2], verdict = "undecided", bound = "", reason = ""
  )
}

test_that("a claim says which interventions on its cause were shown, and which were not", {
  chain <- function(...) {
    steps <- lapply(c(...), function(verdict) list(verdict = verdict, does = paste("do", verdict)))
    list(one = list(title = "Room", difference = list(tier = "t"), interventions = steps))
  }
  expect_equal(sentence_chain("one", chain("shown")), "By intervention at `t` (@sec-causes, *Room*): shown.")
  expect_equal(
    sentence_chain("one", chain("shown", "not shown", "shown")),
    "By intervention at `t` (@sec-causes, *Room*): 2 of 3 shown (do shown; do shown), 1 of 3 not shown (do not shown)."
  )
  expect_equal(sentence_chain("", list()), "")
})

test_that("a wide interval agrees with no source, though it holds the source's ratio", {
  published <- data.table(tier = "t", mode = "thread-pool-4", figure = "throughput_ratio", value = 4)
  reading <- function(low, high) {
    interval <<- c(low, high)
    table_readings(list(), published)$Verdict
  }
  expect_equal(reading(3.5, 4.5), "agrees")
  expect_equal(reading(1.57, 13.8), "not decided")
  expect_equal(reading(1.1, 2), "differs")
})
