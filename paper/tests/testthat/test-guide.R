test_that("the guide names the winner of a situation, and a further metric only where it is decided", {
  rows <- data.table(
    situation = "Short requests", baseline = "thread-per-request", statistic = c("cpu_us_per_request", "latency_p99_ms"), mode = "fixed-pool",
    best = c(1, 0), standing = c("better", "open"), estimate = 0.5, low = 0.4, high = 0.6, bound = "", verdict = c("lower", "undecided")
  )
  expect_equal(
    unlist(table_guide(rows)),
    c(Situation = "Short requests", Baseline = "`thread-per-request`", Metric = "CPU time per request", Best = "`fixed-pool`", Ratio = "0.5 [0.4, 0.6]")
  )
  # The first metric stands even where it is open.
  expect_equal(table_guide(rows[2])$Best, "not decided")
})
