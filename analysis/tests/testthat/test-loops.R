# One mode under both loops: mean, median and p99 are all `latency_ms`, a session each.
under_both <- function(open_ms, closed_ms, tier = "low") {
  side <- function(tool, latency_ms) {
    rbindlist(lapply(seq_along(latency_ms), function(session) {
      rounds_of("pool",
        tool = tool, tier = tier, session = session, latency_mean_ms = latency_ms[session] * c(0.99, 1, 1.01),
        throughput_per_s = 1000 / latency_ms[session], round = 1:3
      )
    }))
  }
  rbind(side("wrk2", open_ms), side("jmeter", closed_ms))
}
loops_of <- function(slices) compare_loops(measured_of(slices))

test_that("the gap is open over closed, within sessions", {
  rows <- loops_of(under_both(c(200, 404, 804), c(100, 200, 400)))
  row <- rows[statistic == "latency_mean_ms"]
  expect_equal(row$estimate, (2 * 2.02 * 2.01)^(1 / 3))
  expect_equal(row[, c(mode_value, baseline_value)], c((200 * 404 * 804)^(1 / 3), 200))
  expect_equal(row[, c(pairs, rounds)], c(3, 9))
  expect_gt(row$low, 1)
  expect_equal(rows[statistic == "throughput_per_s", estimate], 1 / row$estimate)
  # Slices of two tools are no neighbors: the variance of both sides, not that of pairs.
  expect_equal(row$within, sqrt(2 * 0.01^2 / 3))
  expect_null(row$verdict)
})

test_that("a percentile is known no better than the clock of the tool that is coarser", {
  slices <- under_both(c(10, 10, 10), c(10, 10, 10))
  equal <- histogram_of(rep(list(rep(10, 1000)), 3))
  histograms <- histograms_named(copy(slices)[, mode := tool], list(wrk2 = equal, jmeter = equal))
  names(histograms) <- unique(histogram_key(slices))
  row <- compare_loops(measured_of(slices, histograms = histograms))[statistic == "latency_p99_ms"]
  expect_equal(row$least, sqrt((0.1^2 + 0.0001^2) / 12))
  expect_gt(row$high, 1.05)
})

test_that("a tier with one tool, or a loop without valid cells, has no gap", {
  slices <- under_both(c(2, 2), c(1, 1))
  expect_equal(nrow(loops_of(slices[tool == "wrk2"])), 0)
  rows <- loops_of(copy(slices)[tool == "wrk2", `:=`(valid = FALSE, latency_valid = FALSE)])
  expect_equal(unique(rows$reason), "no valid cell (observed) of the mode")
})

test_that("the profiler costs what profiled slices differ from plain ones", {
  slices <- turns(sessions = 2)
  profiled <- copy(slices)[, `:=`(kind = "profiled", cpu_us_per_request = 110, start_epoch_s = 1000 + start_epoch_s, end_epoch_s = 1000 + end_epoch_s)]
  rows <- profiler_cost(measured_of(rbind(slices, profiled)))
  expect_setequal(rows$mode, c("pool", "thread"))
  expect_equal(rows[statistic == "cpu_us_per_request", estimate], c(1.1, 1.1))
  expect_equal(rows[statistic == "throughput_per_s", estimate], c(1, 1))
  expect_equal(nrow(profiler_cost(measured_of(slices))), 0)
})
