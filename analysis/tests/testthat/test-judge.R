# A session of a mode and its baseline at 100/s, with rounds that vary a little.
write_pair <- function(rate, rounds = 4, spread = 0.01) {
  results <- new_folder()
  side <- function(value, ..., up = 1) {
    values <- value * (1 + up * spread * rep_len(c(-1, 1, 0.5, -0.5), rounds))
    write_cell(
      file.path(results, "cells"), tool = "wrk2", histogram_ms = 1:4, session = list(id = "here 1"), load = list(throughput_per_s = value, requests_recorded = 1e6),
      slices = known_slices(throughput_per_s = values, latency_mean_ms = 1e4 / values, requests_recorded = 1e5, rounds = rounds), ...
    )
  }
  side(rate)
  side(100, mode = "thread-per-request", baseline = NULL, up = -1)
  results
}
named <- "demo/fixed-pool/low/wrk2/rep-1"
baseline_cell <- "demo/thread-per-request/low/wrk2/rep-1"
edit_cell <- function(results, name, ...) edit_record(file.path(results, "cells", name, "cell.json"), ...)

# A finding on the pair: the shipped run, in which it is 2, holds that it is better.
guide_of <- function(...) {
  pair <- modifyList(list(mode = "fixed-pool", tier = "low", tool = "wrk2", statistic = "throughput_per_s", holds = "better"), list(...))
  path <- tempfile(fileext = ".yaml")
  yaml::write_yaml(list(situations = list(), findings = list(list(id = "pools", title = "Pools are better", topic = "pools", study = "demo", pairs = list(gain = pair)))), path)
  path
}
shipped <- shipped_from(write_whole_run())
# It offered what the cells of these tests offer.
shipped$summary[, path := "/jmeter/test"]
verdict_lines <- function(results, guide = guide_of(), run = shipped) judge_cell(results, named, list(run), guide)
verdict <- function(lines, which) sub(sprintf("^  %s +(at least|at most|\\S+) .*", which), "\\1", grep(sprintf("^  %s ", which), lines, value = TRUE)[1])
expect_verdicts <- function(lines, finding, ratio) expect_equal(c(verdict(lines, "finding"), verdict(lines, "ratio")), c(finding, ratio))

test_that("other programs are named where they had the CPUs in half of the slices", {
  slices <- data.table(kind = "plain", others_cpu_share = c(0.9, 0.5, 0.02))
  expect_match(others_in_words(slices), "other programs had 50 % of the server's CPUs (median of 3 slices)", fixed = TRUE)
  for (none in list(slices[2:3][, others_cpu_share := 0.1], slices[0], slices[, !"others_cpu_share"])) expect_equal(others_in_words(none), "")
})

test_that("a ratio with one end is a bound, and so is the ratio of a bound to a shipped ratio", {
  row <- list(effect = "ratio", estimate = 0.73, low = 0, high = 0.9)
  expect_equal(bound_or_interval(row), "at most 0.9")
  expect_equal(bound_or_interval(modifyList(row, list(low = 0.5, high = Inf))), "at least 0.5")
  expect_match(bound_or_interval(modifyList(row, list(low = 0.6))), "0.73 [0.6, 0.9]", fixed = TRUE)
  expect_match(bound_or_interval(modifyList(row, list(effect = "difference"))), "[0, 0.9]", fixed = TRUE)
  there <- rows_of_pair(measured_pair(cells_of_pair(write_pair(200), named)), "throughput_per_s")
  expect_match(verdict_of_ratio(there, there)[2], "^1 \\[.* times the shipped 2 \\[")
  expect_match(verdict_of_ratio(with_columns(there, bound = "at_most"), there)[2], "^at most [0-9.]+ times the shipped 2 \\[")
})

test_that("a cell that is as in the shipped run reproduces it, and the finding holds", {
  lines <- verdict_lines(write_pair(200))
  expect_verdicts(lines, "yes", "reproduced")
  expect_match(lines, "throughput: 100 and 200/s, ratio 2 \\[1[.]9[0-9]*, 2[.]0[0-9]*\\], 4 rounds", all = FALSE)
  expect_match(lines, "the finding holds where it is better: Pools are better", all = FALSE)
})

test_that("another size differs although the finding holds, and another direction refutes it", {
  expect_verdicts(verdict_lines(write_pair(300)), "yes", "differs")
  expect_verdicts(verdict_lines(write_pair(50)), "no", "differs")
  expect_match(verdict_lines(write_pair(102, spread = 0.15)), "finding  open +the interval holds both", all = FALSE)
})

test_that("one round without others that know its noise has no ratio, and no verdict", {
  lines <- verdict_lines(write_pair(200, rounds = 1, spread = 0))
  expect_match(lines, paste("throughput: no ratio,", alone_and_unknown), all = FALSE, fixed = TRUE)
  expect_verdicts(lines, "open", "open")
})

test_that("a pair that differs by less than the margin is the same, and the finding may need that", {
  expect_match(verdict_lines(write_pair(98, spread = 0.002), guide_of(holds = "same")), "finding  yes +same;", all = FALSE)
})

test_that("bounds on both sides have no ratio, and no error", {
  results <- write_pair(200)
  validity <- list(valid = TRUE, latency_valid = FALSE, checks = list(list(id = "little", passed = FALSE)), bounds = list(latency = "at_least"))
  for (name in c(named, baseline_cell)) edit_cell(results, name, validity = validity)
  lines <- verdict_lines(results, guide_of(statistic = "latency_mean_ms"))
  expect_match(lines, "no ratio, bounds on both sides", all = FALSE)
  expect_match(lines, "finding  open +not valid, mode: little; baseline: little", all = FALSE)
})

test_that("the baseline beside a cell that was measured again is taken, and one of another session is not", {
  results <- write_pair(200)
  beside <- file.path(results, "cells", named, "baseline")
  file.copy(file.path(write_pair(100), "cells", baseline_cell), dirname(beside), recursive = TRUE)
  file.rename(file.path(dirname(beside), "rep-1"), beside)
  edit_rows(file.path(beside, "slices.csv"), function(rows) rows[, throughput_per_s := "50"])
  expect_match(verdict_lines(results), "throughput: 50 and 200/s", all = FALSE)
  unlink(beside, recursive = TRUE)
  edit_cell(results, baseline_cell, session = list(id = "another"))
  expect_match(verdict_lines(results), "compared with no other mode")
})

test_that("a bound is said, with what a side was at its limit of", {
  results <- write_pair(200)
  edit_cell(results, named, validity = list(
    valid = TRUE, latency_valid = FALSE, checks = list(list(id = "generator_healthy", passed = FALSE)), bounds = list(throughput_per_s = "at_least")
  ))
  lines <- verdict_lines(results)
  expect_equal(verdict(lines, "bound"), "at least")
  expect_match(lines, "a side was at its limit (generator_healthy)", fixed = TRUE, all = FALSE)
  expect_equal(verdict(lines, "finding"), "yes")
})

test_that("a cell of another load has no verdict of the shipped one, and says in what it differs", {
  other <- with_columns(shipped$summary, path = "/work?sleep_ms=1")
  lines <- verdict_lines(write_pair(200), run = replace(shipped, "summary", list(other)))
  expect_match(lines, "^  finding  another load +path /jmeter/test in place of /work\\?sleep_ms=1$", all = FALSE)
  expect_equal(length(grep("^  ratio    another load ", lines)), length(grep("^  ratio ", lines)))
})

test_that("a cell that no finding names has the verdicts on its ratios alone", {
  lines <- verdict_lines(write_pair(200), guide_of(tier = "another"))
  expect_false(any(grepl("^  (finding|bound) ", lines)))
  expect_equal(verdict(lines, "ratio"), "reproduced")
  expect_match(lines, "^CPU time per request", all = FALSE)
})

test_that("a named cell has the interval of the run's report, and what a new process adds makes it wider than that of the rounds", {
  results <- write_pair(200, spread = 0.02)
  cells <- cells_of_pair(results, named)
  row_with <- function(known, statistic = "throughput_per_s") rows_of_pair(measured_pair(cells, known), statistic)
  report <- compare_modes(measured_cells(file.path(results, "cells", c(named, baseline_cell), "cell.json")))
  for (wanted in c("throughput_per_s", "latency_mean_ms")) {
    expect_equal(row_with(NULL, wanted)[, .(estimate, low, high)], report[statistic == wanted, .(estimate, low, high)], info = wanted)
  }
  alone <- row_with(NULL)
  expect_equal(log(alone$high / alone$estimate), qt(0.975, 3) * alone$within)
  others <- function(spread) comparison_rows(mode = c("fixed-pool", paste0("other-", 1:4)), baseline = "thread-per-request", estimate = 2, spread = c(spread, rep(0.01, 4)))
  wide <- row_with(others(0.2))
  expect_gt(wide$high, alone$high)
  # That of the same comparison counts most.
  expect_gt(wide$high, row_with(others(0.02))$high)
})
