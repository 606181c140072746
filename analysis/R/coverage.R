# How often the intervals and verdicts of effects.R are right, on simulated sessions whose truth is known.
# The noise is unlike within a family on purpose. coverage.csv holds what was found; simulate.R writes
# it, the tests repeat it with fewer runs, the report prints it.

#' Pooled effects of three studies as they would be measured: eight tiers, six modes and their baseline,
#' three sessions of `rounds` slices, a quarter of the cells missing.
#'
#' @param noise between sessions: `tiers` (log-normal between tiers, sd 1) or `cells` (.02 or .3 by cell).
#' @param explained by slices: `alike` (what slices explain goes with what sessions add, within a factor of
#'   1.5), `little` (so too, but a tenth of it), `nothing` (all slices vary alike, whatever sessions do),
#'   `no slices` (the statistic exists once per cell).
#' @param moved share of the comparisons whose truth is `size` or its inverse (log ratio); `truth` of all
#'   others.
#' @return data.table, a row per comparison: see pool_sessions(), with `true` and `sd` (of a session).
simulate_effects <- function(noise, explained = "alike", moved = 0.3, size = log(1.2), truth = 0, rounds = 3) {
  rbindlist(lapply(c("a", "b", "c"), function(study) {
    cbind(study = study, tool = "wrk2", simulate_study(noise, explained, moved, size, truth, rounds))
  }))
}

simulate_study <- function(noise, explained, moved, size, truth, rounds, tiers = 8, modes = 6) {
  tier <- rep(seq_len(tiers), each = modes)
  count <- length(tier)
  tier_sd <- 0.05 * exp(rnorm(tiers))
  draw_sd <- function(places) if (noise == "cells") sample(c(0.02, 0.3), length(places), TRUE) else tier_sd[places]
  slice_sd <- function(sd) {
    sqrt(rounds) * switch(explained,
      alike = sd * exp(rnorm(length(sd), 0, 0.4)), little = 0.3 * sd * exp(rnorm(length(sd), 0, 0.4)),
      rep(0.05, length(sd))
    )
  }
  sd_mode <- draw_sd(tier)
  sd_base <- draw_sd(seq_len(tiers))
  mode_slices <- slice_sd(sd_mode)
  base_slices <- slice_sd(sd_base)
  true <- fifelse(runif(count) < moved, size * sample(c(-1, 1), count, TRUE), truth)
  sessions <- lapply(1:3, function(session) {
    base <- rnorm(tiers, 0, sd_base) + matrix(rnorm(tiers * rounds, 0, base_slices), tiers)
    slices <- true + rnorm(count, 0, sd_mode) + matrix(rnorm(count * rounds, 0, mode_slices), count) - base[tier, ]
    slices[runif(count) < 0.25 | (runif(tiers) < 0.25)[tier], ] <- NA
    slices
  })
  effects <- vapply(sessions, rowMeans, numeric(count))
  variances <- vapply(sessions, function(slices) apply(slices, 1, var) / rounds, numeric(count))
  found <- data.table(
    statistic = "throughput_per_s", effect = "ratio", reason = "", true = true,
    sd = sqrt(sd_mode^2 + sd_base[tier]^2 + (mode_slices^2 + base_slices[tier]^2) / rounds),
    centre = rowMeans(effects, na.rm = TRUE), spread = apply(effects, 1, sd, na.rm = TRUE),
    within = sqrt(rowMeans(variances, na.rm = TRUE)), pairs = rowSums(!is.na(effects)), bound = 0, least = 0, worst = NA_real_,
    rounding_low = 0, rounding_high = 0, id = seq_len(count)
  )[, df_within := as.numeric(pairs * (rounds - 1))]
  if (explained == "no slices") found[, c("within", "df_within") := NA_real_]
  found[pairs > 0]
}

#' How right the verdicts are, over so many runs of simulate_effects().
#'
#' @param ... see simulate_effects().
#' @return list of shares, 0 to 1: quiet, noisy (95 % intervals that hold the truth, by halves of the
#'   comparisons), false (of the differences that are reported; mean over runs), found (of the differences
#'   that are there), equivalent (of all), false_equivalent (of what is called equivalent: beyond the
#'   margin or on it).
rates_of <- function(runs, ...) {
  rows <- rbindlist(lapply(seq_len(runs), function(run) decide(simulate_effects(...))[, run := ..run]))[pairs > 1]
  rows[, `:=`(
    holds = log(low) <= true & true <= log(high), told = verdict %in% c("higher", "lower"),
    same = verdict == "equivalent", noisy = rank(sd / sqrt(pairs)) / .N > 0.5
  ), by = run]
  rows[, wrong := told & (true == 0 | (true > 0) != (verdict == "higher"))]
  by_run <- rows[, .(
    false = sum(wrong) / max(1, sum(told)),
    false_equivalent = sum(same & abs(true) > equivalence$ratio - 1e-9) / max(1, sum(same))
  ), by = run]
  list(
    quiet = rows[noisy == FALSE, mean(holds)], noisy = rows[noisy == TRUE, mean(holds)], false = mean(by_run$false),
    found = rows[true != 0, mean(told)], equivalent = mean(rows$same), false_equivalent = mean(by_run$false_equivalent)
  )
}

coverage_settings <- CJ(
  noise = c("tiers", "cells"), explained = c("alike", "little", "nothing", "no slices"), rounds = c(2, 3, 6)
)[explained != "no slices" | rounds == 3]

#' Settings, and the share that is called equivalent where the truth lies on the margin.
#'
#' @param runs of each setting; `settings` rows of coverage_settings.
#' @return data.table, a row per setting: noise, explained, rounds; quiet, noisy, false, found (see
#'   rates_of()); at_margin (share that is called equivalent where all lie on the margin), false_equivalent
#'   (where three in ten do, and the others are equal).
simulate_coverage <- function(runs, settings = coverage_settings) {
  set.seed(1)
  settings[, c(
    rates_of(runs, noise, explained, rounds = rounds)[c("quiet", "noisy", "false", "found")],
    at_margin = rates_of(ceiling(runs / 4), noise, explained, 0, truth = equivalence$ratio, rounds = rounds)$equivalent,
    rates_of(ceiling(runs / 2), noise, explained, size = equivalence$ratio, rounds = rounds)["false_equivalent"]
  ), by = .(noise, explained, rounds)]
}
