group_rows <- function(mode, tier, samples, valid = TRUE) {
  data.table(study = "demo", mode = mode, tier = tier, tool = "wrk2", outcome = "completed", valid = valid, group = "write", samples = samples)
}

test_that("bars are drawn where two modes have a hundred samples, without modes that have fewer", {
  groups <- rbind(
    group_rows("thread", c("low", "high"), c(150, 120)), group_rows("pool", c("low", "high"), c(99, 100)), group_rows("loop", "high", 5000, FALSE)
  )
  at <- function(groups) sampled_place(list(cpu_groups = groups), "wrk2", c("thread", "pool", "loop"))
  expect_equal(at(groups)[c("tier", "tool")], list(tier = "high", tool = "wrk2"))
  expect_setequal(at(groups)$modes, c("thread", "pool"))
  expect_null(at(groups[tier == "low"]))
  expect_null(at(groups[0]))
})

step_cells <- function(per_s, outcome = "completed", mode = "virtual") {
  data.table(
    mode = mode, tier = "step", connections = 1000, offered_per_s = 1000, throughput_per_s = per_s, outcome = outcome,
    gc_pause_ms = 700, duration_s = 1
  )
}

test_that("a server that answers nothing is a step with 0, and the collector is named", {
  cells <- answered_of(list(summary = rbind(step_cells(NA, "hung"), step_cells(0), step_cells(5, "beyond_limits"))), "step", "virtual")
  expect_equal(cells$answered, c(0, 0))
  expect_equal(
    sentence_of_collapse(cells),
    "Requests are lost: with 1,000 connections `virtual` answers 0 of 1,000 requests/s (median of 2 sessions; the collector stops it for 70 % of the time)."
  )
  expect_match(sentence_of_collapse(answered_of(list(summary = step_cells(990)), "step", "virtual")), "^Every mode answers")
  expect_s3_class(ggplot2::ggplotGrob(figure_answered(cells)), "gtable")
})

test_that("a mean latency that covers few of the users is warned of, and no other", {
  users <- function(under_way) {
    list(summary = data.table(
      mode = "one", loop = "closed", outcome = "completed", users = 100, users_alive = NA_real_, under_way = under_way, answers_per_s = 1
    ))
  }
  expect_equal(
    sentence_of_the_unanswered(users(2), "one"),
    "Beware the mean latency, 2 s with `one`: by Little's law it covers 2 of 100 users. The others were still waiting when the load ended."
  )
  expect_equal(sentence_of_the_unanswered(users(95), "one"), "")
})
