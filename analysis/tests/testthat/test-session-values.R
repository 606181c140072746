# Values of a golden cell as the runner recorded them, and as its slices have them. Latency, where a slice counts for it; whether
# the cell's is valid is another question.
golden_values <- function(path) {
  cell <- read_cell(path)
  loads <- read_loads(path)
  slices <- loads$slices[, latency_valid := TRUE]
  if (cell$cell$tool %in% c("sweep", "database-client") || !isTRUE(cell$validity$valid) || nrow(slices) == 0) return(NULL)
  # The slices that the rules of its time took.
  by_record <- read_cell_slices(file.path(dirname(path), "slices.csv"))[kind == "plain" & kept]
  slices[kind == "plain", kept := slice %in% by_record$slice][, reason := sub("undisturbed", "", reason)]
  ours <- with_session_values(summarise_cells(path), slices, loads$histograms)
  recorded <- c(unlist(cell$load[c("throughput_per_s", "error_share", "latency_mean_ms")]), unlist(cell$server["cpu_us_per_request"]))
  rows <- data.table(path, statistic = names(recorded), recorded, ours = unlist(ours[, names(recorded), with = FALSE]))
  has_latency <- slices[kind == "plain", any(kept & !grepl(spoils_slice, reason))]
  rows[is.finite(recorded) & (has_latency | !startsWith(statistic, "latency"))]
}

test_that("on golden cells the values are those that the runner recorded", {
  rows <- rbindlist(lapply(Sys.glob(file.path(golden, "cells", "*", "*", "*", "*", "rep-1", "cell.json")), golden_values))
  expect_equal(rows[!mapply(function(a, b) isTRUE(all.equal(a, b, tolerance = 1e-6)), ours, recorded)], rows[0])
  expect_gt(rows[statistic == "cpu_us_per_request", .N], 5)
  expect_gt(rows[statistic == "latency_mean_ms", .N], 3)
})

test_that("a cell has the values that its comparison has, where both sides have the same rounds", {
  set.seed(6)
  slices <- turns(list(round = 1:4), sessions = 2)
  for (column in c("throughput_per_s", "error_share", "latency_mean_ms")) {
    set(slices, j = column, value = runif(nrow(slices), 1, 2) * slices[[column]])
  }
  slices[, requests_recorded := sample(1000:5000, .N)]
  histograms <- setNames(lapply(1:4, function(cell) histogram_of(replicate(4, rexp(1000), simplify = FALSE))), unique(histogram_key(slices)))
  summary <- with_session_values(summary_of_slices(slices), slices, histograms)
  rows <- compare_modes(as_measured(summary, slices, histograms))
  for (wanted in c("throughput_per_s", "latency_mean_ms", "latency_p50_ms", "latency_p99_ms")) {
    of <- function(which) summary[mode == which, exp(mean(log(get(wanted))))]
    expect_equal(rows[statistic == wanted, c(mode_value, baseline_value)], c(of("pool"), of("thread")), info = wanted)
  }
})

test_that("slices under the profiler, and those beside another cell, are none of a cell's, which keeps its record's values without any", {
  slices <- turns(list(throughput_per_s = c(10, 10, 40)))
  summary <- summary_of_slices(slices)[, throughput_per_s := 7]
  more <- rbind(slices, rounds_of("pool", kind = "profiled", throughput_per_s = 9e9), rounds_of("pool", beside = "loop", throughput_per_s = 9e9))
  expect_equal(with_session_values(summary, more, list())[mode == "pool", throughput_per_s], 20)
  expect_equal(with_session_values(summary, slices[0], list()), summary)
})
