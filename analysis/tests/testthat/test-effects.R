# ---- Noise, simulated ------------------------------------------------------------------------

#' Pooled effects of three studies as they would be measured: eight tiers, six modes and their baseline, three
#' sessions of `rounds` slices, a quarter of the cells missing.
#'
#' @param noise between sessions: `tiers` (log-normal between tiers, sd 1) or `cells` (.02 or .3 by cell).
#' @param explained by slices: `alike` (what slices explain goes with what sessions add, within a factor of
#'   1.5), `little` (so too, but a tenth of it), `nothing` (all slices vary alike, whatever sessions do).
#' @param moved share of the comparisons whose truth is 1.2 or its inverse; `truth` of all others.
simulate_effects <- function(noise, explained = "alike", moved = 0.3, truth = 0, rounds = 3) {
  tiers <- 8
  modes <- 6
  rbindlist(lapply(c("a", "b", "c"), function(study) {
    tier <- rep(seq_len(tiers), each = modes)
    draw_sd <- function(places) {
      if (noise == "cells") sample(c(0.02, 0.3), length(places), TRUE) else tier_sd[places]
    }
    tier_sd <- 0.05 * exp(rnorm(tiers))
    sd_mode <- draw_sd(tier)
    sd_base <- draw_sd(seq_len(tiers))
    slice_sd <- function(sd) {
      switch(explained,
        alike = sd * exp(rnorm(length(sd), 0, 0.4)), little = 0.3 * sd * exp(rnorm(length(sd), 0, 0.4)),
        nothing = rep(0.05, length(sd))
      ) * sqrt(rounds)
    }
    mode_slices <- slice_sd(sd_mode)
    base_slices <- slice_sd(sd_base)
    true <- fifelse(runif(tiers * modes) < moved, log(1.2) * sample(c(-1, 1), tiers * modes, TRUE), truth)
    sessions <- lapply(1:3, function(session) {
      base <- rnorm(tiers, 0, sd_base)[tier]
      base_slice <- matrix(rnorm(tiers * rounds, 0, base_slices), tiers)[tier, ]
      slices <- true + rnorm(length(tier), 0, sd_mode) - base +
        matrix(rnorm(length(tier) * rounds, 0, mode_slices), length(tier)) - base_slice
      gone <- runif(length(tier)) < 0.25 | (runif(tiers) < 0.25)[tier]
      slices[gone, ] <- NA
      slices
    })
    effects <- vapply(sessions, rowMeans, numeric(length(tier)))
    variances <- vapply(sessions, function(slices) apply(slices, 1, var) / rounds, numeric(length(tier)))
    data.table(
      study = study, tool = "wrk2", statistic = "throughput_per_s", effect = "ratio", reason = "", true = true,
      sd = sqrt(sd_mode^2 + sd_base[tier]^2 + (mode_slices^2 + base_slices[tier]^2) / rounds),
      centre = rowMeans(effects, na.rm = TRUE), spread = apply(effects, 1, sd, na.rm = TRUE),
      within = sqrt(rowMeans(variances, na.rm = TRUE)), pairs = rowSums(!is.na(effects)), bound = 0,
      rounding_low = 0, rounding_high = 0, bootstrap_low = NA_real_, bootstrap_high = NA_real_
    )[, df_within := as.numeric(pairs * (rounds - 1))][pairs > 0]
  }))
}

#' How the verdicts are, over so many runs: coverage of 95 % intervals (quiet and noisy half), the false among the
#' reported differences (mean over runs), the share that is reported of what is there, and the share called equivalent.
rates_of <- function(runs, ...) {
  rows <- rbindlist(lapply(seq_len(runs), function(run) decide(simulate_effects(...))[, run := ..run]))[pairs > 1]
  rows[, `:=`(
    holds = log(low) <= true & true <= log(high), told = verdict %in% c("higher", "lower"),
    noisy = rank(sd / sqrt(pairs)) / .N > 0.5
  ), by = run]
  rows[, wrong := told & (true == 0 | (true > 0) != (verdict == "higher"))]
  false <- rows[, .(share = sum(wrong) / max(1, sum(told))), by = run]$share
  list(
    quiet = rows[noisy == FALSE, mean(holds)], noisy = rows[noisy == TRUE, mean(holds)], false = mean(false),
    found = rows[abs(true) > 0.1, mean(told)], equivalent = rows[, mean(verdict == "equivalent")]
  )
}

settings <- CJ(noise = c("tiers", "cells"), explained = c("alike", "little"))

test_that("95 % of intervals hold the truth, in the quiet half and the noisy half, and 5 % of differences are false", {
  # With 300 runs of each, and 2, 3 or 6 rounds: quiet 0.939 to 0.964, noisy 0.950 to 0.971, false 0.015 to 0.037.
  set.seed(1)
  found <- settings[, rates_of(200, noise, explained), by = .(noise, explained)]
  expect_gte(min(found$quiet), 0.93)
  expect_gte(min(found$noisy), 0.93)
  expect_lte(max(found$false), 0.05)
  # What it is worth: Student's t alone would find at most 4 % of them.
  expect_gt(min(found$found), 0.1)
  expect_gt(max(found$found), 0.35)
  for (rounds in c(2, 6)) {
    found <- settings[, rates_of(50, noise, explained, rounds = ..rounds), by = .(noise, explained)]
    expect_gte(min(mean(found$quiet), mean(found$noisy)), 0.93)
    expect_lte(mean(found$false), 0.05)
  }
})

test_that("of what lies on the margin, at most 5 % is called equivalent", {
  set.seed(2)
  for (index in seq_len(nrow(settings))) {
    expect_lte(do.call(rates_of, c(runs = 25, settings[index], moved = 0, truth = log(1.05)))$equivalent, 0.05)
  }
})

test_that("where slices say nothing of the noise of sessions, coverage of the noisy half is missed by this much", {
  set.seed(3)
  tiers <- rates_of(60, "tiers", "nothing")
  cells <- rates_of(60, "cells", "nothing")
  expect_gt(min(tiers$quiet, cells$quiet), 0.95)
  # The goal is 0.93; with 150 runs 0.925 and 0.903.
  expect_gt(min(tiers$noisy, cells$noisy), 0.89)
  expect_lt(max(tiers$false, cells$false), 0.08)
})

# ---- Noise, by hand --------------------------------------------------------------------------

test_that("what sessions add to their slices is shared by a family", {
  set.seed(4)
  spread <- replicate(40, sd(rnorm(3, 0, 0.2)))
  found <- moderate(spread, rep(3, 40), rep(0.1, 40), rep(15, 40))
  expect_equal(median(found$noise), 0.2, tolerance = 0.15)
  expect_lt(diff(range(found$noise)), diff(range(spread)) / 2)
  expect_equal(found$df, rep(2 + family_df_most, 40))
  # A family says no more than what slices explain is known, and the noise of both goes together.
  few <- moderate(spread, rep(3, 40), rep(0.1, 40), rep(3, 40))
  expect_equal(few$df, rep(2 + 3, 40))
  unlike <- moderate(spread * c(1, 10), rep(3, 40), 0.1 * rep(c(1, 10), 20), rep(15, 40))
  expect_equal(unlike$noise, found$noise * c(1, 10))
})

test_that("sessions vary by no less than their slices explain", {
  set.seed(5)
  found <- moderate(replicate(40, sd(rnorm(3, 0, 0.05))), rep(3, 40), rep(0.1, 40), rep(6, 40))
  expect_true(all(found$noise >= 0.1))
})

test_that("a few values, such as do not vary, and such without slices are no family", {
  spread <- c(2, 3, 2, 4, 3, 2, 3)
  alone <- list(noise = spread, df = rep(2, 7))
  expect_equal(moderate(spread, rep(3, 7), rep(1, 7), rep(6, 7)), alone)
  still <- c(rep(0, 20), 1)
  expect_equal(moderate(still, rep(3, 21), rep(1, 21), rep(6, 21))$noise, still)
  expect_equal(moderate(rep(spread, 3), rep(3, 21), rep(NA_real_, 21), rep(NA_real_, 21))$noise, rep(spread, 3))
})

test_that("one session has no noise between sessions, whatever its family says", {
  set.seed(6)
  found <- moderate(c(NA, abs(rnorm(20))), c(1, rep(3, 20)), rep(0.5, 21), rep(6, 21))
  expect_true(is.na(found$noise[1]) && is.na(found$df[1]))
  expect_false(anyNA(found$noise[-1]))
})

# ---- Intervals -------------------------------------------------------------------------------

test_that("intervals and p-values are those of t tests, less what rounding can do", {
  judged <- function(effects, widen, margin) {
    count <- length(effects)
    df <- if (count > 1) count - 1 else NA_real_
    judge_effects(mean(effects), sd(effects) / sqrt(count), df, widen, widen, margin)
  }
  effects <- c(0.2, 0.25, 0.4, 0.31)
  found <- judged(effects, 0, 0.5)
  expect_equal(c(found$low, found$high), c(t.test(effects)$conf.int))
  expect_equal(found$p_value, t.test(effects)$p.value)
  expect_equal(found$equivalence_p_value, t.test(effects, mu = 0.5, alternative = "less")$p.value)
  # Equivalent at 5 %: the interval of 90 % lies within the margin.
  expect_equal(judged(effects, 0, max(t.test(effects, conf.level = 0.9)$conf.int))$equivalence_p_value, 0.05)
  expect_equal(judged(effects, 0.1, 0.5)$p_value, t.test(effects - 0.1)$p.value)
  expect_equal(judged(effects, 1, 0.5)$p_value, 1)
  p_values <- function(...) unlist(judged(...)[c("p_value", "equivalence_p_value")], use.names = FALSE)
  expect_equal(p_values(c(0, 0, 0), 0, 0.05), c(1, 0))
  expect_equal(p_values(c(0.3, 0.3), 0, 0.05), c(0, 1))
  expect_true(all(is.na(p_values(0.3, 0, 0.05))))
})

test_that("rounding goes the way of the tool", {
  reach <- function(...) unlist(rounding_reach(..., logs = FALSE))
  expect_equal(reach(10, "jmeter", "latency_p50_ms"), c(down = 0.5, up = 0.5))
  # Latencies of 9.05 ms: of a hundred, one is recorded as 10 and most as 9.
  expect_equal(reach(10, "jmeter", "latency_p99_ms"), c(down = 1, up = 0))
  expect_equal(reach(10, "wrk2", "latency_p99_ms"), c(down = 0.0005, up = 0.0005))
  # Steps of 1.8 %.
  expect_equal(reach(10, "sysbench", "latency_p99_ms"), c(down = 0.09, up = 0.09))
  expect_equal(reach(10, "jmeter", "latency_mean_ms"), c(down = 0, up = 0))
  expect_equal(rounding_reach(1, "jmeter", "latency_p99_ms", logs = TRUE)$down, Inf)
})

test_that("effect sizes are Hedges' g, whose correction takes away the bias of few values", {
  set.seed(5)
  sizes <- replicate(4000, effect_size(rnorm(6, mean = 2)))
  expect_equal(mean(sizes), 2, tolerance = 0.05)
  expect_true(is.na(effect_size(c(1, 2))))
})

test_that("the bootstrap repeats itself, stays within what was seen, and comes close to t with many values", {
  set.seed(3)
  effects <- rnorm(40)
  expect_equal(bootstrap_interval(effects), bootstrap_interval(effects))
  expect_equal(bootstrap_interval(effects), t_interval(effects), tolerance = 0.15)
  three <- bootstrap_interval(effects[1:3])
  expect_true(three[1] >= min(effects[1:3]) && three[2] <= max(effects[1:3]))
})
