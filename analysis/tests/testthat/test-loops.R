# A summary of one mode under both loops: mean, median and p99 are all `latency_ms`.
under_both <- function(open_ms, closed_ms, tier = "low") {
  side <- function(tool, latency_ms) {
    data.table(
      study = "demo", mode = "pool", baseline = NA_character_, tier = tier, tool = tool,
      repetition = seq_along(latency_ms), outcome = "completed", valid = TRUE, failed_checks = "",
      latency_mean_ms = latency_ms, latency_p50_ms = latency_ms, latency_p99_ms = latency_ms,
      cpu_us_per_request = 100, throughput_per_s = 1000 / latency_ms
    )
  }
  with_cell_columns(rbind(side("wrk2", open_ms), side("jmeter", closed_ms)))
}

test_that("the gap is open over closed, within sessions", {
  rows <- compare_loops(under_both(c(200, 404, 804), c(100, 200, 400)), no_slices())
  row <- rows[statistic == "latency_p99_ms"]
  expect_equal(row$estimate, (2 * 2.02 * 2.01)^(1 / 3))
  expect_equal(row$verdict, "higher")
  expect_equal(row[, c(pairs, mode_median, baseline_median)], c(3, 404, 200))
  expect_equal(rows[statistic == "cpu_us_per_request", verdict], "equivalent")
})

test_that("the program wrk2 is compared with our own generator, and only with it", {
  of_ours <- under_both(c(100, 200, 400), c(1, 1, 1))
  by_itself <- of_ours[tool == "wrk2"][, `:=`(tool = "wrk2-itself", latency_p50_ms = 4 * latency_p50_ms)]
  rows <- compare_generators(rbind(of_ours, by_itself), no_slices())
  expect_equal(rows[statistic == "latency_p50_ms", c(estimate, mode_median, baseline_median)], c(4, 800, 200))
  expect_equal(rows[statistic == "throughput_per_s", verdict], "equivalent")
})

test_that("only the closed loop's clock widens the interval by more than a thousandth", {
  row <- compare_loops(under_both(c(10, 10, 10), c(10, 10, 10)), no_slices())[statistic == "latency_p99_ms"]
  # JMeter gives the next whole millisecond, so that the closed loop's may have been 9.
  expect_equal(row$high, 1.00005 / 0.9)
  expect_equal(row$low, 1 - 0.00005)
})

test_that("a tier with one tool, or a loop without valid cells, has no gap", {
  one_tool <- under_both(c(2, 2), c(1, 1))[tool == "wrk2"]
  expect_equal(nrow(compare_loops(one_tool, no_slices())), 0)
  invalid <- under_both(c(2, 2), c(1, 1))[tool == "wrk2", `:=`(valid = FALSE, failed_checks = "little")]
  rows <- compare_loops(invalid, no_slices())
  expect_equal(unique(rows$reason), "no valid cells of the mode (little)")
})

test_that("throughput is compared, too", {
  loops <- compare_loops(under_both(c(200, 201, 199), c(100, 100, 100)), no_slices())
  expect_equal(loops[statistic == "throughput_per_s"]$verdict, "lower")
})
