# The cell's own summary and what the comparisons take of its slices.
values_of <- function(path) {
  slices <- slices_of_cells(path)
  with_session_values(summarise_cells(path), slices, histograms_of_cells(path))
}

# Cells whose record pools each metric over the slices that count for it. Before, one rule excluded a slice from all of them.
pools_by_metric_from <- 13

test_that("on golden cells the values are those that the runner recorded", {
  checked <- 0
  for (path in Sys.glob(file.path(golden, "cells", "*", "*", "*", "*", "rep-1", "cell.json"))) {
    cell <- read_cell(path)
    if (cell$cell$tool %in% c("sweep", "database-client") || !isTRUE(cell$validity$valid)) next
    slices <- slices_of_cells(path)
    if (cell$validity$version < pools_by_metric_from) slices <- slices[kept == TRUE]
    if (nrow(slices) == 0) next
    ours <- with_session_values(summarise_cells(path), slices, histograms_of_cells(path))
    expect_equal(ours$throughput_per_s, cell$load$throughput_per_s, tolerance = 1e-6, info = path)
    expect_equal(ours$error_share, cell$load$error_share, tolerance = 1e-6, info = path)
    expect_equal(ours$cpu_us_per_request, number(cell$server$cpu_us_per_request), tolerance = 1e-6, info = path)
    checked <- checked + 1
    if (!isTRUE(cell$validity$latency_valid)) next
    expect_equal(ours$latency_mean_ms, cell$load$latency_mean_ms, tolerance = 1e-6, info = path)
    recorded <- number(cell$load$latency$right$p99_ms)
    # Lines of an .hgrm err to the slow side.
    exact <- file.exists(file.path(cell$folder, "latencies.csv.gz")) || cell$cell$tool == "jmeter"
    if (exact && is.finite(recorded)) expect_equal(ours$latency_p99_ms, recorded, tolerance = 1e-6, info = path)
  }
  expect_gt(checked, 5)
})

test_that("a cell has the values that its comparison has, where both sides have the same rounds", {
  set.seed(6)
  slices <- turns(list(round = 1:4), sessions = 2)
  for (column in c("throughput_per_s", "error_share", "latency_mean_ms")) {
    set(slices, j = column, value = runif(nrow(slices), 1, 2) * slices[[column]])
  }
  slices[, requests_recorded := sample(5000, .N)]
  histograms <- setNames(lapply(1:4, function(cell) histogram_of(replicate(4, rexp(1000), simplify = FALSE))), unique(histogram_key(slices)))
  summary <- with_session_values(summary_of_slices(slices), slices, histograms)
  rows <- compare_modes(as_measured(summary, slices, histograms))
  for (wanted in c("throughput_per_s", "latency_mean_ms", "latency_p50_ms", "latency_p99_ms")) {
    of <- function(which) summary[mode == which, exp(mean(log(get(wanted))))]
    expect_equal(rows[statistic == wanted, c(mode_value, baseline_value)], c(of("pool"), of("thread")), info = wanted)
  }
})

test_that("an excluded slice counts for throughput and CPU time, and not for latency", {
  slices <- turns(list(kept = c(TRUE, TRUE, FALSE), reason = c("", "", "compiled"), latency_mean_ms = c(10, 10, 90), throughput_per_s = c(10, 10, 40)))
  row <- with_session_values(summary_of_slices(slices), slices, list())[mode == "pool"]
  expect_equal(row[, c(latency_mean_ms, throughput_per_s)], c(10, 20))
  # Profiled slices and those beside another cell are others.
  more <- rbind(slices, rounds_of("pool", kind = "profiled", throughput_per_s = 9e9), rounds_of("pool", beside = "loop", throughput_per_s = 9e9))
  expect_equal(with_session_values(summary_of_slices(slices), more, list())[mode == "pool", throughput_per_s], 20)
})

test_that("a cell without slices keeps its record's values", {
  slices <- turns()
  summary <- summary_of_slices(slices)[, throughput_per_s := 7]
  expect_equal(with_session_values(summary, slices[0], list()), summary)
})
