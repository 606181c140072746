# Undecided comparisons with the given log ratios, as compare_modes() would have them.
undecided <- function(...) {
  tiers <- list(...)
  summary <- rbindlist(lapply(seq_along(tiers), function(index) {
    data.table(
      study = "demo", mode = rep(c("pool", "thread"), each = length(tiers[[index]])),
      versus = rep(c("thread", NA), each = length(tiers[[index]])),
      tier = paste0("tier-", index), tool = "jmeter",
      repetition = rep(seq_along(tiers[[index]]), 2), outcome = "completed", valid = TRUE,
      failed_checks = "", latency_resolution_ms = 1, latency_sd_ms = 50, requests_2xx = 100,
      latency_mean_ms = 100 * c(exp(tiers[[index]]), rep(1, length(tiers[[index]])))
    )
  }))
  compare_modes(summary, compared_statistics[statistic == "latency_mean_ms"])
}

test_that("so many repetitions settle it, and one fewer would not", {
  effects <- c(0.2, 0.4, 0.9)
  row <- undecided(effects)
  expect_equal(row$verdict, "undecided")
  low <- function(count) mean(effects) - qt(0.975, count - 1) * sd(effects) / sqrt(count)
  expect_gt(low(row$repetitions_needed), 0)
  expect_lt(low(row$repetitions_needed - 1), 0)
})

test_that("small effects are settled by showing that they are small", {
  row <- undecided(c(-0.02, 0.03, -0.01))
  expect_equal(row$verdict, "undecided")
  within <- function(count) qt(0.975, count - 1) * row$spread / sqrt(count) + abs(log(row$estimate))
  expect_lte(within(row$repetitions_needed), log(1.05))
  expect_gt(within(row$repetitions_needed - 1), log(1.05))
})

test_that("what rounding hides, or what lies on the margin, no number settles", {
  expect_equal(undecided(log(1.05) + c(-0.5, 0.01, 0.5))$repetitions_needed, Inf)
  decided <- undecided(c(1, 1.01, 1.02))
  expect_true(is.na(decided$repetitions_needed))
  expect_true(is.na(undecided(0.5)$repetitions_needed))
})

test_that("more pairs than any number that is told are settled by none", {
  levels <- list(difference = 0.05, equivalence = 0.025)
  expect_equal(pairs_needed(0.1, 1, 0, 0.05, levels, pairs = repetitions_at_most, df = 99), Inf)
})

test_that("invalid cells are made up for", {
  rows <- undecided(c(0.2, 0.4, 0.9))
  rows[, `:=`(mode_invalid = 3, mode_valid = 3)]
  expect_equal(repetitions_needed(rows), 2 * rows$repetitions_needed)
})

test_that("sentence and table name the command", {
  rows <- undecided(c(0.2, 0.4, 0.9), log(1.05) + c(-0.5, 0.01, 0.5), c(1, 1.01, 1.02))
  needed <- rows$repetitions_needed[1]
  command <- sprintf("snakemake --cores 4 --config repetitions=%d", needed)
  expect_match(sentence_repetitions(rows), "Of 2 undecided comparisons, 1 would be settled by up to 100")
  expect_match(sentence_repetitions(rows), command, fixed = TRUE)
  expect_equal(sentence_repetitions(rows[3]), "No comparison is undecided.")
  expect_equal(
    sentence_repetitions(undecided(0.5)),
    "1 comparison rests on one repetition, which has no interval: `snakemake --cores 4 --config repetitions=3` gives it one."
  )
  shown <- table_repetitions(rows)
  expect_equal(shown$Repetitions, c(format_number(needed), "more than 100"))
})

test_that("noise of few requests is told from noise of processes", {
  cells <- function(means_ms, sd_ms) {
    data.table(
      study = "demo", mode = "pool", tier = "low", tool = "wrk2", outcome = "completed",
      valid = TRUE, repetition = seq_along(means_ms), latency_mean_ms = means_ms,
      latency_sd_ms = sd_ms, requests_2xx = 100
    )
  }
  # The mean of 100 requests with a deviation of 10 % is off by 1 %.
  processes <- noise_levels(cells(100 * exp(c(-0.1, 0, 0.1)), 10))
  expect_equal(processes$between, 0.1)
  expect_equal(processes$within_share, 0.01, tolerance = 0.02)
  expect_match(sentence_levels(cells(100 * exp(c(-0.1, 0, 0.1)), 10)), "more server processes")
  expect_match(sentence_levels(cells(100 * exp(c(-0.01, 0, 0.01)), 10)), "a longer load")
  expect_match(sentence_levels(cells(100, 10)), "No cell was repeated")
})
