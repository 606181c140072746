# Comparisons of other runs, by two sessions of six rounds.
comparisons_for_noise <- function(count) {
  data.table(
    place = paste("other", seq_len(count)), spread = 0.02 * abs(rnorm(count)), pairs = 2, within = 0.015, df_within = 10, rounds = 12, least = 0.001
  )
}

test_that("the rule takes four rounds at least, and ends when it is precise, clear of a band, or out of time", {
  open <- c(-Inf, Inf)
  alike <- rep_len(c(-0.01, 0.01), rounds_at_most)
  expect_equal(rounds_decided(alike, 1.05, open, 0), rounds_at_least)
  expect_equal(rounds_decided(40 * alike, 1.05, open, 0), rounds_at_most)
  # Outside of the band, and within it.
  expect_equal(rounds_decided(10 * alike + 2, 1.05, c(-1, 1), 0), rounds_at_least)
  expect_equal(rounds_decided(10 * alike, 1.05, c(-1, 1), 0), rounds_at_least)
  expect_gt(rounds_decided(10 * alike + 1, 1.05, c(-1, 1), 0), rounds_at_least)
  # More rounds would not help where processes differ by more.
  expect_equal(rounds_decided(40 * alike, 1.05, open, 2), rounds_at_least)
})

test_that("it is the rule that ends the rounds", {
  rule <- readLines(file.path(analysis_folder, "../workloads/session/until_decided.py"))
  expect_match(rule, sprintf("^ROUNDS_AT_LEAST, .* = %d,", rounds_at_least), all = FALSE)
  expect_match(rule, sprintf('^PRECISE = \\{"throughput_per_s": %s, "cpu_us_per_request": %s\\}$', precise_from[1], precise_from[2]), all = FALSE)
})

test_that("the rule and the verdict have the same interval of the same rounds", {
  cases <- fread(file.path(analysis_folder, "../workloads/tests/rounds.csv"))
  expect_gte(nrow(cases), 6)
  for (at in seq_len(nrow(cases))) {
    case <- cases[at]
    logs <- as.numeric(strsplit(case$rounds, ";")[[1]])
    reach <- reach_of_session(logs, fcoalesce(case$process_reach, 0.03))
    expect_equal(mean(logs) + c(-1, 1) * reach, c(case$low, case$high), tolerance = 1e-6)
    # The noise of a comparison without others is that of these rounds.
    of_rounds <- data.table(place = "", centre = mean(logs), spread = NA_real_, pairs = 1, within = sd(logs) / sqrt(length(logs)), df_within = length(logs) - 1,
      rounds = length(logs), least = 0, bound = 0)
    judged <- judge_effects(of_rounds, 1)
    expect_equal(judged$high - judged$centre, max(reach_of_session(logs, 0), half_interval(1e-6, length(logs) - 1, 1)), tolerance = 1e-6)
  }
})

test_that("of two sessions the one with less noise never has the wider interval", {
  set.seed(11)
  known <- comparisons_for_noise(40)
  half <- function(spread, within, df_within, pairs = 2) {
    row <- data.table(place = "this", centre = 0, spread = if (pairs > 1) spread else NA_real_, pairs = pairs, within = within, df_within = df_within,
      rounds = pairs * (df_within + 1), least = 0.001, bound = 0)
    judge_effects(row, 1, known)$high
  }
  for (df in c(1, 8)) for (base in c(0.002, 0.2)) {
    noises <- c(0, 0.2, 0.5, 1, 2, 5) * base
    # Rounds and, where there are two, sessions that vary less by the same factor; and sessions alone.
    for (pairs in 1:2) expect_false(is.unsorted(vapply(noises, function(noise) half(noise, noise, df, pairs), 0)))
    expect_false(is.unsorted(vapply(noises, function(spread) half(spread, base, df), 0)))
  }
})

test_that("intervals of named cells hold the truth although the rounds end when they look precise", {
  set.seed(3)
  pairs <- lapply(c(0.02, 0.05, 0.08, 0.15, 0.3), function(sd) list(changes = rnorm(40, 0, sd)))
  found <- simulate_until_decided(pairs, "throughput_per_s", 300)
  expect_gte(found$coverage, 0.93)
  expect_lte(found$coverage, 0.97)
})
