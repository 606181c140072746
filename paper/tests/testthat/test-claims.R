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
