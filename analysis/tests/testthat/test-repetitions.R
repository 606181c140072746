# Undecided comparisons with the given log ratios, as compare_modes() would have them.
undecided <- function(...) {
  tiers <- list(...)
  summary <- rbindlist(lapply(seq_along(tiers), function(index) {
    data.table(
      study = "demo", mode = rep(c("pool", "thread"), each = length(tiers[[index]])),
      versus = rep(c("thread", NA), each = length(tiers[[index]])),
      tier = paste0("tier-", index), tool = "jmeter",
      repetition = rep(seq_along(tiers[[index]]), 2), outcome = "completed", valid = TRUE,
      failed_checks = "",
      latency_mean_ms = 100 * c(exp(tiers[[index]]), rep(1, length(tiers[[index]])))
    )
  }))
  compare_modes(with_cell_columns(summary), no_slices(), compared_statistics[statistic == "latency_mean_ms"])
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
  row <- undecided(c(-0.03, 0.04, -0.01))
  expect_equal(row$verdict, "undecided")
  within <- function(count) qt(0.95, count - 1) * row$spread / sqrt(count) + abs(log(row$estimate))
  expect_lte(within(row$repetitions_needed), log(1.05))
  expect_gt(within(row$repetitions_needed - 1), log(1.05))
})

test_that("what rounding hides, or what lies on the margin, no number settles", {
  expect_equal(undecided(log(1.05) + c(-0.5, 0.01, 0.5))$repetitions_needed, Inf)
  decided <- undecided(c(1, 1.01, 1.02))
  expect_true(is.na(decided$repetitions_needed))
  expect_true(is.na(undecided(0.5)$repetitions_needed))
})

test_that("more pairs than any number that is printed are settled by none", {
  levels <- list(difference = 0.05, equivalence = 0.05)
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
    "1 comparison rests on one session, which decides nothing. `snakemake --cores 4 --config repetitions=3` adds sessions."
  )
  shown <- table_repetitions(rows)
  expect_equal(shown$Repetitions, c(format_number(needed), "more than 100"))
})

test_that("a run that has three repetitions is not advised to have three", {
  lost <- undecided(0.5)[, `:=`(mode_invalid = 2L)]
  expect_match(sentence_repetitions(lost), "In 1 of them more repetitions were measured")
  expect_no_match(sentence_repetitions(lost), "repetitions=3")
})

test_that("noise of few slices is split from noise of processes", {
  rows <- function(within) {
    data.table(
      study = "demo", mode = "pool", tier = "low", tool = "wrk2", statistic = "latency_mean_ms", pairs = 3,
      spread = 0.1, within = within
    )
  }
  expect_equal(noise_levels(rows(0.05))$within_share, 0.25)
  expect_match(sentence_levels(rows(0.01)), "explains 1 % .* more sessions")
  expect_match(sentence_levels(rows(0.2)), "more slices in each session")
  expect_match(sentence_levels(rows(NA_real_)), "No session was repeated")
})

test_that("requests that depend on their neighbors do not pass for noise of processes", {
  set.seed(10)
  # Six slices of 200 latencies each, alike in all sessions but for a queue that goes on for 100 requests.
  slices <- CJ(tier = as.character(1:20), mode = c("pool", "thread"), repetition = 1:3, round = 1:6)
  slices[, latency_mean_ms := replicate(.N, 10 + mean(arima.sim(list(ar = 0.99), 200, sd = 0.05)))]
  slices[, `:=`(
    study = "demo", tool = "wrk2", outcome = "completed", valid = TRUE, failed_checks = "", beside = "",
    kind = "plain", kept = TRUE
  )]
  slices <- with_cell_columns(slices)
  cells <- unique(slices[, !c("round", "latency_mean_ms")])[, latency_mean_ms := 10]
  cells[, versus := ifelse(mode == "pool", "thread", NA)]
  rows <- compare_modes(cells, slices, compared_statistics[statistic == "latency_mean_ms"])
  expect_match(sentence_levels(rows), "more slices")
  # By the variance of single requests over their number it would be about 1 %.
  expect_gt(median(noise_levels(rows)$within_share), 0.8)
})
