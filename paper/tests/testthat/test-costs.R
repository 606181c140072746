test_that("costs by rate are those of modes at several rates, and a sentence has the ends of one", {
  cells <- data.table(
    study = "request-threads", mode = c(rep("fixed-pool", 3), "event-loop", "event-loop"), tier = c("low", "high", "extreme-kept", "low", "mid"),
    tool = "wrk2", outcome = "completed", valid = TRUE, latency_valid = TRUE,
    cpu_us_per_request = c(70, 30, 5, 60, NA), offered_per_s = c(499, 4999, 9973, 499, 997)
  )
  rows <- costs_by_rate(cells)
  expect_equal(rows, data.table(series = "fixed-pool", rate_per_s = c(499, 4999), cpu_us = c(70, 30)))
  expect_said(sentence_of_cost_by_rate(rows), "one request costs 70 µs and 30 µs at the rates 499 and 4,999 a second")
})
