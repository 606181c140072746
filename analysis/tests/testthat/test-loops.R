# A summary of one mode under both loops: mean, median and p99 are all `latency_ms`.
under_both <- function(open_ms, closed_ms, tier = "low") {
  side <- function(tool, latency_ms, resolution) {
    data.table(
      study = "demo", mode = "pool", versus = NA_character_, tier = tier, tool = tool,
      repetition = seq_along(latency_ms), outcome = "completed", valid = TRUE, failed_checks = "",
      latency_resolution_ms = resolution, latency_mean_ms = latency_ms,
      latency_p50_ms = latency_ms, latency_p99_ms = latency_ms, cpu_us_per_request = 100
    )
  }
  rbind(side("wrk2", open_ms, 0.001), side("jmeter", closed_ms, 1))
}

test_that("the gap is open over closed, within repetitions", {
  rows <- compare_loops(under_both(c(200, 404, 804), c(100, 200, 400)))
  row <- rows[statistic == "latency_p99_ms"]
  expect_equal(row$estimate, (2 * 2.02 * 2.01)^(1 / 3))
  expect_equal(row$verdict, "higher")
  expect_equal(row[, c(pairs, mode_median, versus_median)], c(3, 404, 200))
  expect_equal(rows[statistic == "cpu_us_per_request", verdict], "equivalent")
})

test_that("only the closed loop's clock widens the interval by more than a thousandth", {
  row <- compare_loops(under_both(c(10, 10, 10), c(10, 10, 10)))[statistic == "latency_p99_ms"]
  expect_equal(row$high, 1 / (1 - 0.05) / (1 - 0.00005))
})

test_that("a tier with one tool, or a loop without valid cells, has no gap", {
  one_tool <- under_both(c(2, 2), c(1, 1))[tool == "wrk2"]
  expect_equal(nrow(compare_loops(one_tool)), 0)
  expect_equal(sentence_loops(compare_loops(one_tool)), "No mode was measured validly under both loops at one tier.")
  invalid <- under_both(c(2, 2), c(1, 1))[tool == "wrk2", `:=`(valid = FALSE, failed_checks = "little")]
  rows <- compare_loops(invalid)
  expect_equal(unique(rows$reason), "no valid cells of the mode (little)")
})

test_that("sentence and table say what the gap is", {
  loops <- compare_loops(rbind(
    under_both(c(200, 201, 199), c(100, 100, 100)),
    under_both(c(300, 301, 299), c(100, 100, 100), tier = "high")
  ))
  expect_match(
    sentence_loops(loops),
    "99th percentile of latency was higher .* in 2 of 2 .* `pool` at `high`: a factor of 3 \\["
  )
  shown <- table_loop_gap(loops)
  expect_equal(shown$Open, c("200", "300"))
  expect_match(shown[["Open / closed"]][2], "^3 \\[")
})
