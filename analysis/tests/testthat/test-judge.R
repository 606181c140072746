# A session of a mode and its baseline at 100/s, with rounds that vary a little.
write_pair <- function(rate, rounds = 4, results = new_folder(), spread = 0.01, ...) {
  common <- list(root = file.path(results, "cells"), tool = "wrk2", histogram_ms = c(1, 2, 3, 4), session = list(id = "here 1"), ...)
  side <- function(value, ..., up = 1) {
    values <- value * (1 + up * spread * rep_len(c(-1, 1, 0.5, -0.5), rounds))
    do.call(write_cell, c(common, list(slices = known_slices(throughput_per_s = values, requests_recorded = 1e5, rounds = rounds), load = list(throughput_per_s = value, requests_recorded = 1e6)), list(...)))
  }
  side(rate)
  side(100, mode = "thread-per-request", baseline = NULL, up = -1)
  results
}
named <- "demo/fixed-pool/low/wrk2/rep-1"

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

test_that("other programs are named where they had the CPUs in half of the slices", {
  slices <- data.table(kind = "plain", others_cpu_share = c(0.9, 0.5, 0.02))
  expect_match(others_in_words(slices), "other programs had 50 % of the server's CPUs (median of 3 slices)", fixed = TRUE)
  expect_equal(others_in_words(slices[2:3][, others_cpu_share := 0.1]), "")
  expect_equal(others_in_words(slices[0]), "")
  expect_equal(others_in_words(slices[, !"others_cpu_share"]), "")
})

test_that("a ratio with one end is a bound", {
  row <- list(effect = "ratio", estimate = 0.73, low = 0, high = 0.9)
  expect_equal(bound_or_interval(row), "at most 0.9")
  expect_equal(bound_or_interval(modifyList(row, list(low = 0.5, high = Inf))), "at least 0.5")
  expect_match(bound_or_interval(modifyList(row, list(low = 0.6))), "0.73 [0.6, 0.9]", fixed = TRUE)
  expect_match(bound_or_interval(modifyList(row, list(effect = "difference"))), "[0, 0.9]", fixed = TRUE)
})

test_that("so is the ratio of a bound to a shipped ratio", {
  there <- rows_of_pair(measured_pair(cells_of_pair(write_pair(200), named)), "throughput_per_s")
  bounded <- copy(there)[, bound := "at_most"]
  expect_match(verdict_of_ratio(there, there)[2], "^1 \\[.* times the shipped 2 \\[")
  expect_match(verdict_of_ratio(bounded, there)[2], "^at most [0-9.]+ times the shipped 2 \\[")
})

test_that("a cell that is as in the shipped run reproduces it, and the finding holds", {
  lines <- verdict_lines(write_pair(200))
  expect_equal(verdict(lines, "finding"), "yes")
  expect_equal(verdict(lines, "ratio"), "reproduced")
  expect_match(lines, "throughput: 100 and 200/s, ratio 2 \\[1[.]9[0-9]*, 2[.]0[0-9]*\\], 4 rounds", all = FALSE)
  expect_match(lines, "the finding holds where it is better: Pools are better", all = FALSE)
})

test_that("another size differs although the finding holds, and another direction refutes it", {
  larger <- verdict_lines(write_pair(300))
  expect_equal(c(verdict(larger, "finding"), verdict(larger, "ratio")), c("yes", "differs"))
  turned <- verdict_lines(write_pair(50))
  expect_equal(c(verdict(turned, "finding"), verdict(turned, "ratio")), c("no", "differs"))
  # Neither within a factor of 1.25 nor beyond it.
  noisy <- verdict_lines(write_pair(230, spread = 0.15))
  expect_equal(c(verdict(noisy, "finding"), verdict(noisy, "ratio")), c("yes", "open"))
  expect_match(verdict_lines(write_pair(102, spread = 0.15)), "finding  open +the interval holds both", all = FALSE)
})

test_that("a CPU time has no ratio where throughputs differ", {
  cpu <- function(rate) grep("^CPU time", verdict_lines(write_pair(rate), guide_of(mode = "another")), value = TRUE)
  expect_match(cpu(200), "no ratio, throughputs differ by more than 20 %")
  expect_match(cpu(110), "ratio")
  expect_no_match(cpu(110), "no ratio")
})

test_that("one round without others that know its noise has no ratio, and no verdict", {
  lines <- verdict_lines(write_pair(200, rounds = 1, spread = 0))
  expect_match(lines, paste("throughput: no ratio,", alone_and_unknown), all = FALSE, fixed = TRUE)
  expect_equal(c(verdict(lines, "finding"), verdict(lines, "ratio")), c("open", "open"))
})

test_that("a pair that differs by less than the margin is the same, and the finding may need that", {
  lines <- verdict_lines(write_pair(98, spread = 0.002), guide_of(holds = "same"))
  expect_match(lines, "finding  yes +same;", all = FALSE)
  expect_match(verdict_lines(write_pair(90, spread = 0.002), guide_of(holds = "same")), "finding  no +worse;", all = FALSE)
})

test_that("bounds on both sides have no ratio, and no error", {
  results <- write_pair(200)
  for (mode in c("fixed-pool", "thread-per-request")) {
    path <- file.path(results, "cells/demo", mode, "low/wrk2/rep-1/cell.json")
    validity <- list(valid = TRUE, latency_valid = FALSE, checks = list(list(id = "little", passed = FALSE)), bounds = list(latency = "at_least"))
    writeLines(jsonlite::toJSON(edited(jsonlite::read_json(path), validity = validity), auto_unbox = TRUE, null = "null", digits = NA), path)
  }
  lines <- verdict_lines(results, guide_of(statistic = "latency_mean_ms"))
  expect_match(lines, "no ratio, bounds on both sides", all = FALSE)
  expect_match(lines, "finding  open +not valid, mode: little; baseline: little", all = FALSE)
})

test_that("a cell's verdicts do not depend on which others are there", {
  results <- write_pair(200, spread = 0.05)
  alone <- verdict_lines(results)
  for (n in 1:5) write_cell(file.path(results, "cells"), mode = "fixed-pool", tier = paste0("other-", n), tool = "wrk2", histogram_ms = 1:4)
  expect_equal(verdict_lines(results), alone)
})

test_that("the baseline beside a cell that was measured again is taken, and one of another session is not", {
  results <- write_pair(200)
  cell <- file.path(results, "cells/demo/fixed-pool/low/wrk2/rep-1")
  write_cell(folder = file.path(cell, "baseline"), mode = "thread-per-request", tool = "wrk2", baseline = NULL, histogram_ms = 1:4, session = list(id = "here 1"), slices = known_slices(throughput_per_s = 50 * c(0.99, 1, 1, 1.01)), load = list(throughput_per_s = 50))
  expect_match(verdict_lines(results), "throughput: 50 and 200/s", all = FALSE)
  unlink(file.path(cell, "baseline"), recursive = TRUE)
  other <- file.path(results, "cells/demo/thread-per-request/low/wrk2/rep-1/cell.json")
  writeLines(sub('"here 1"', '"another"', readLines(other)), other)
  expect_match(verdict_lines(results), "compared with no other mode")
})

test_that("a bound is said, with what a side was at its limit of", {
  validity <- list(valid = TRUE, latency_valid = FALSE, checks = list(list(id = "generator_healthy", passed = FALSE)), bounds = list(throughput_per_s = "at_least"))
  results <- new_folder()
  write_pair(200, results = results)
  path <- file.path(results, "cells", named, "cell.json")
  cell <- jsonlite::read_json(path)
  writeLines(jsonlite::toJSON(edited(cell, validity = validity), auto_unbox = TRUE, null = "null", digits = NA), path)
  lines <- verdict_lines(results)
  expect_equal(verdict(lines, "bound"), "at least")
  expect_match(lines, "a side was at its limit (generator_healthy)", fixed = TRUE, all = FALSE)
  expect_equal(verdict(lines, "finding"), "yes")
  # Its latency does not count.
  expect_match(verdict_lines(results, guide_of(statistic = "latency_mean_ms")), "finding  open +not valid, mode: generator_healthy", all = FALSE)
})

test_that("a cell of another load has no verdict of the shipped one, and says in what it differs", {
  other <- copy(shipped$summary)[, path := "/work?sleep_ms=1"]
  lines <- verdict_lines(write_pair(200), run = replace(shipped, "summary", list(other)))
  expect_match(lines, "^  finding  another load +path /jmeter/test in place of /work\\?sleep_ms=1$", all = FALSE)
  expect_equal(length(grep("^  ratio    another load ", lines)), length(grep("^  ratio ", lines)))
  expect_no_match(verdict_lines(write_pair(200)), "another load")
})

test_that("a cell that no finding names has the verdicts on its ratios alone", {
  lines <- verdict_lines(write_pair(200), guide_of(tier = "another"))
  expect_false(any(grepl("^  (finding|bound) ", lines)))
  expect_equal(verdict(lines, "ratio"), "reproduced")
  expect_match(lines, "^CPU time per request", all = FALSE)
})

test_that("what a new process adds makes the interval wider than that of the rounds", {
  row_with <- function(known) rows_of_pair(measured_pair(cells_of_pair(write_pair(200, spread = 0.02), named), known), "throughput_per_s")
  alone <- row_with(NULL)
  expect_equal(log(alone$high / alone$estimate), qt(0.975, 3) * alone$within)
  lender <- function(spread, mode = "fixed-pool") {
    data.table(study = "demo", tier = "low", tool = "wrk2", mode = mode, baseline = "thread-per-request", statistic = "throughput_per_s", effect = "ratio",
      reason = "", bound = "", estimate = 2, spread = spread, pairs = 3, within = 0.01, df_within = 9, rounds = 12, least = 0)
  }
  others <- function(spread) rbindlist(c(list(lender(spread)), Map(lender, 0.01, paste0("other-", 1:4))))
  wide <- row_with(others(0.2))
  expect_gt(wide$high, alone$high)
  # That of the same comparison counts most.
  expect_gt(wide$high, row_with(others(0.02))$high)
})
