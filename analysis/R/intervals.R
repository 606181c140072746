# Intervals of effects. Every interval of a comparison comes from here.
#
# The noise of a session's effect has two parts that add, as variances. Its rounds show the first. The second is what a new process
# adds, which one session cannot show; it shows in how far sessions of a comparison lie apart beyond what their rounds explain. A
# comparison has few sessions, but a statistic has many comparisons, and shipped runs have the same ones. So what processes add is
# taken as a share of what a round of the comparison usually varies by, in the runs that have it. The share has a prior, which is the
# most likely distribution on a grid (Kiefer and Wolfowitz 1956, by EM) given all comparisons of shipped runs. All sessions of a comparison, in whichever
# run, then weigh the grid for it. Each part has a half-width with the degrees of freedom of its own variance, and that of the interval
# is the root of the sum of their squares (Zou and Donner 2008), so less noise never makes a wider one. An interval depends on no other
# comparison of its run, where shipped runs have some; workloads/session/until_decided.py ends the rounds of a named cell by the same.
#
# A percentile has few blocks of rounds, and a variance of few values may be far from the true one. So that of its rounds is moderated: it is
# averaged with that of the same comparison in other runs, which weighs as many degrees of freedom as runs are found to agree by
# (Smyth 2004, Statistical Applications in Genetics and Molecular Biology 3(1)).
#
# No variance is below the quantum of what was counted, and neither is the error, as a quantum is the same in all sessions.

#' @export
confidence <- 0.95
# Beyond this many degrees of freedom t is normal.
df_at_most <- 30
#' An interval that spans more than this factor says nothing.
#' @export
span_at_most <- 4
columns_of_noise <- c("spread", "pairs", "within", "df_within", "rounds", "least")
# Shares of a round's variance that a process may add.
process_shares <- c(0, exp(seq(log(0.01), log(100), length.out = 24)))
# The same as a variance, of values that have no rounds.
process_variances <- exp(seq(log(1e-6), 0, length.out = 25))^2
# Fewer comparisons say nothing of others.
comparisons_for_prior <- 3
# The t that stands for the sum of both parts has its half-widths at these confidences.
tails <- c(confidence, 0.99)
# Standard deviation of what is the same to all digits.
smallest <- 1e-6

#' The noise of effects: the standard deviation of one session's, and its degrees of freedom.
#'
#' @param rows data.table: place (names the comparison), spread (standard deviation over sessions), pairs (sessions), within (standard error of
#'   one by its rounds; NA where there are none), df_within, rounds (of all sessions), least.
#' @param known such rows of other runs, or NULL, and where they do not lend both, lends: rounds or processes; `moderated` whether these moderate
#'   the variances of rounds.
#' @return list of vectors: noise and df, those of the t that has the interval; NA where nothing is known of either part.
noise_of_effects <- function(rows, known = NULL, moderated = FALSE) {
  if (nrow(rows) == 0) return(list(noise = numeric(), df = numeric()))
  if (moderated) rows <- with_moderated_rounds(rows, known)
  found <- rbindlist(lapply(by_kind(rows, known), noise_of_kind))[order(own)]
  list(noise = found$noise, df = found$df)
}

#' Half of the 95 % interval of what a new process adds to the effect of a session.
#'
#' @param rows,known see noise_of_effects().
#' @return numeric vector; NA where nothing is known of processes.
reach_of_new_process <- function(rows, known) {
  found <- rbindlist(lapply(by_kind(rows, known), function(of_kind) {
    weights <- weights_of_shares(of_kind)
    mine <- of_kind[!is.na(own)]
    mine[, .(own, reach = if (is.null(weights)) NA_real_ else reach_of_processes(mine, weights, confidence))]
  }))
  found[order(own)]$reach
}

# Degrees of freedom that other runs may be worth.
prior_dfs <- c(0.5, 1, 1.5, 2:10, 15, 20, 30)
# Fewer other runs of a comparison do not moderate it.
runs_for_moderation <- 2

# Changes within and df_within of rows whose comparison other runs have. An estimate of one block has theirs alone.
with_moderated_rounds <- function(rows, known) {
  prior <- prior_of_rounds(known)
  if (is.null(prior)) return(rows)
  rows <- prior[rows, on = "place"]
  rows[!is.na(prior) & rounds > 0, c("within", "df_within") := {
    own_df <- fifelse(is.finite(within), fcoalesce(as.numeric(df_within), 0), 0)
    own <- fifelse(own_df > 0, own_df * within^2, 0)
    list(sqrt((prior_df * prior / rounds_of_session(.SD) + own) / (prior_df + own_df)), prior_df + own_df)
  }]
  rows[, c("prior", "prior_df") := NULL][]
}

# The variance of a round by place (prior), and the degrees of freedom that it is worth (prior_df): those by which each run is most likely, given the
# other runs of its comparison. Variances of few values are skewed, so their logarithms are levelled.
prior_of_rounds <- function(known) {
  if (NROW(known) == 0) return(NULL)
  rows <- lending(known, "rounds")[is.finite(within) & df_within > 0]
  rows[, `:=`(round = variance_of_round(rows), df = as.numeric(df_within))]
  rows[, level := log(round) - skew_of_log(df)]
  rows[, `:=`(runs = .N, of_others = (sum(level) - level) / (.N - 1)), by = place]
  rows <- rows[runs >= runs_for_moderation]
  several <- rows[runs > runs_for_moderation]
  if (uniqueN(several$place) < comparisons_for_prior) return(NULL)
  likelihood <- function(prior_df) {
    scale <- exp(several$of_others + skew_of_log(prior_df))
    sum(df(several$round / scale, several$df, prior_df, log = TRUE) - log(scale))
  }
  prior_df <- prior_dfs[which.max(vapply(prior_dfs, likelihood, 0))]
  rows[, .(prior = exp(mean(level) + skew_of_log(..prior_df)), prior_df = ..prior_df), by = place]
}

# By how much the mean logarithm of a variance is off its own.
skew_of_log <- function(df) digamma(df / 2) - log(df / 2)

lending <- function(known, what) if ("lends" %in% names(known)) known[lends %in% c("both", what)] else known

rounds_of_session <- function(rows) rows[, pmax(fcoalesce(as.numeric(rounds), 0) / pairs, 1)]

variance_of_round <- function(rows) rows[, pmax(within, least, smallest)^2] * rounds_of_session(rows)

# All rows with what is known of them, those with rounds and those without.
by_kind <- function(rows, known) {
  columns <- c("place", columns_of_noise)
  all <- rbind(rows[, ..columns][, own := .I], if (NROW(known) > 0) lending(known, "processes")[, ..columns], fill = TRUE)
  all <- with_round_variances(all)
  split(all[by_rounds %in% all[!is.na(own)]$by_rounds], by = "by_rounds")
}

# Adds by_rounds (whether rounds show their part), by_session (variance over sessions), count (rounds of a session), round (variance of one) with
# its df, and usual: that of a round in other runs, or in this one where it is alone (borrowed is FALSE). What has no rounds has one part: all
# of its variance is that of processes.
with_round_variances <- function(rows) {
  rows[, `:=`(least = fcoalesce(as.numeric(least), 0), count = rounds_of_session(rows))]
  rows[, by_rounds := (is.finite(within) & df_within > 0) %in% TRUE]
  rows[, `:=`(by_session = pmax(spread, least, smallest)^2, round = fifelse(by_rounds, variance_of_round(rows), 1))]
  rows[, df_round := fifelse(by_rounds, as.numeric(df_within), Inf)]
  rows[, borrowed := anyNA(own), by = .(place, by_rounds)]
  usual <- rows[is.na(own) | !borrowed, .(usual = exp(mean(log(round))), df_usual = sum(df_round)), by = .(place, by_rounds)]
  usual[rows, on = c("place", "by_rounds")]
}

# Noise and df of this run's rows.
noise_of_kind <- function(rows) {
  mine <- rows[!is.na(own)]
  weights <- weights_of_shares(rows)
  if (is.null(weights)) return(noise_by_itself(mine, rows[is.na(own) & pairs > 1 & is.finite(spread)]))
  cbind(mine[, .(own)], as_t(half_widths(mine, weights)))
}

# How likely each share of the grid is, a row per row of this run; NULL where too few comparisons say what is usual.
weights_of_shares <- function(rows) {
  mine <- rows[!is.na(own)]
  several <- rows[pairs > 1 & is.finite(spread)]
  telling <- if (uniqueN(several[is.na(own)]$place) >= comparisons_for_prior) several[is.na(own)] else several
  if (uniqueN(telling$place) < comparisons_for_prior) return(NULL)
  likelihoods <- function(table) rowsum(likelihoods_of_shares(table), table$place)
  priors <- priors_of_studies(likelihoods(telling), unique(study_of(mine$place)))[study_of(mine$place), , drop = FALSE]
  of_place <- likelihoods(several)
  at <- match(mine$place, rownames(of_place))
  told <- which(!is.na(at))
  if (length(told) > 0) priors[told, ] <- posterior(of_place[at[told], , drop = FALSE], priors[told, , drop = FALSE])
  priors
}

# The study is the first word of a place.
study_of <- function(places) sub("\r.*", "", places)

# A row per study: the prior of its own comparisons, with one more that is like those of all studies. Processes differ most where they are what
# a request starts.
priors_of_studies <- function(likelihoods, studies) {
  overall <- most_likely(likelihoods, rep(1 / ncol(likelihoods), ncol(likelihoods)))
  of_study <- function(study) most_likely(likelihoods[study_of(rownames(likelihoods)) == study, , drop = FALSE], overall)
  t(vapply(studies, of_study, overall))
}

# Without other comparisons sessions have their own spread, and one alone the noise of its rounds, or that of the same comparison elsewhere.
noise_by_itself <- function(rows, lenders) {
  elsewhere <- lenders[, .(noise = sqrt(mean(by_session)), df = sum(pairs - 1)), by = place][rows, on = "place"]
  # The loads of a capacity are no rounds.
  has_rounds <- rows[, by_rounds & rounds > 0]
  rows[, .(
    own,
    noise = fcase(pairs > 1, pmax(sqrt(by_session), within, na.rm = TRUE), has_rounds, pmax(within, smallest), rep(TRUE, .N), pmax(elsewhere$noise, within, na.rm = TRUE)),
    df = fcase(pairs > 1, as.numeric(pairs - 1), has_rounds, df_round, rep(TRUE, .N), as.numeric(elsewhere$df))
  )][is.na(df), noise := NA_real_]
}

# Variances that processes add, a row per comparison and a column per share.
variances_of_processes <- function(rows) outer(rows$usual, if (any(rows$by_rounds)) process_shares else process_variances)

variances_of_rounds <- function(rows) rows[, fifelse(by_rounds, round / count, 0)]

# Logarithms; the spread of sessions and the sum of variances are both estimates, so their ratio is Fisher's.
likelihoods_of_shares <- function(rows) {
  by_rounds <- variances_of_rounds(rows)
  by_process <- variances_of_processes(rows)
  # Where a comparison is alone, both parts are of the same rounds.
  same <- fifelse(rows$borrowed, 0, 1)
  variance <- by_rounds + by_process
  df_of_sum <- variance^2 / ((by_rounds + by_process * same)^2 / rows$df_round + (by_process * (1 - same))^2 / rows$df_usual)
  suppressWarnings(df(rows$by_session / variance, rows$pairs - 1, pmin(df_of_sum, 1e6), log = TRUE)) - log(variance)
}

# The most likely weights of the grid, by EM. One comparison more, of which nothing but `base` is known, may be unlike all others.
most_likely <- function(likelihoods, base) {
  if (nrow(likelihoods) == 0) return(base)
  scaled <- scaled_likelihoods(likelihoods)
  prior <- base
  for (step in 1:200) {
    better <- (colSums(shares_of_rows(scaled * rep(prior, each = nrow(scaled)))) + base) / (nrow(scaled) + 1)
    if (max(abs(better - prior)) < 1e-4) break
    prior <- better
  }
  better
}

# `priors` has a row per row of the likelihoods.
posterior <- function(likelihoods, priors) shares_of_rows(scaled_likelihoods(likelihoods) * priors)

scaled_likelihoods <- function(likelihoods) exp(likelihoods - apply(likelihoods, 1, max))

shares_of_rows <- function(weights) weights / rowSums(weights)

# Half-widths of one session's interval at both confidences, a row each.
half_widths <- function(rows, weights) {
  vapply(tails, function(level) {
    # The quantum is known, and not estimated.
    by_rounds <- rows[, fifelse(by_rounds, pmax(suppressWarnings(qt((1 + level) / 2, df_round)) * within, qnorm((1 + level) / 2) * least), 0)]
    sqrt(by_rounds^2 + reach_of_processes(rows, weights, level)^2)
  }, numeric(nrow(rows))) |> matrix(ncol = length(tails))
}

# How far the middle part of what processes add reaches: a mixture of t distributions, by halving.
reach_of_processes <- function(rows, weights, level) {
  errors <- sqrt(variances_of_processes(rows))
  low <- rep(0, nrow(errors))
  high <- apply(errors, 1, max) * 1e3
  for (step in 1:50) {
    middle <- (low + high) / 2
    beyond <- rowSums(weights * 2 * pt(-middle / errors, rows$df_usual))
    low <- fifelse(beyond > 1 - level, middle, low)
    high <- fifelse(beyond > 1 - level, high, middle)
  }
  high
}

# The t that has these half-widths: noise of one value, and df.
as_t <- function(ends) {
  known_df <- seq(1, df_at_most, by = 0.1)
  ratios <- qt((1 + tails[2]) / 2, known_df) / qt((1 + tails[1]) / 2, known_df)
  df <- approx(rev(ratios), rev(known_df), ends[, 2] / ends[, 1], rule = 2)$y
  data.table(noise = ends[, 1] / qt((1 + tails[1]) / 2, df), df = df)
}

# Half of the interval of a mean of so many values with this noise, that of so many degrees of freedom.
half_interval <- function(noise, df, count) qt((1 + confidence) / 2, df) * noise / sqrt(count)

#' Student's t interval of the mean of single values; ratios have judge_effects().
#'
#' @param values numeric vector, one per session.
#' @return low and high; NA where there are fewer than two.
t_interval <- function(values) {
  count <- length(values)
  if (count < 2) return(c(NA_real_, NA_real_))
  mean(values) + c(-1, 1) * half_interval(sd(values), count - 1, count)
}

# Mean and 95 % interval over repetitions on the log scale; the interval is NA at one repetition.
geometric <- function(values) {
  interval <- exp(t_interval(log(values)))
  list(middle = exp(mean(log(values))), low = interval[1], high = interval[2])
}

# One-sided: the chance to see an effect so far on the right side of a limit if it were on it.
tail_beyond <- function(distance, error, df) {
  fifelse(error == 0, as.numeric(distance <= 0), suppressWarnings(pt(-distance / error, df)))
}

#' Adds to pooled effects their noise, df, error, low, high, p_value (of no difference) and equivalence_p_value (the larger of
#' Schuirmann's two one-sided tests, 1987), on the scale of the effects. The open end of a bound is infinite.
#'
#' @param pooled see pool_sessions() and noise_of_effects(); all of one statistic. Either side's value may be shorter by late and late_baseline,
#'   which the interval holds.
#' @param margin half-width of the region of equivalence; `known` and `moderated` see noise_of_effects().
judge_effects <- function(pooled, margin, known = NULL, moderated = FALSE) {
  pooled <- copy(pooled)
  if (!"place" %in% names(pooled)) pooled[, place := as.character(.I)]
  for (column in setdiff(c("late", "late_baseline"), names(pooled))) set(pooled, j = column, value = 0)
  pooled[, c("noise", "df") := noise_of_effects(pooled, known, moderated)]
  # The quantum is known, and not estimated.
  pooled[, `:=`(error = pmax(noise / sqrt(pairs), least), df = fifelse(noise / sqrt(pairs) < least, df_at_most, df))]
  reach <- suppressWarnings(qt((1 + confidence) / 2, pooled$df)) * pooled$error
  pooled[, `:=`(lowest = centre - late, highest = centre + late_baseline)]
  pooled[, `:=`(
    low = lowest - reach, high = highest + reach, p_value = pmin(1, 2 * tail_beyond(pmax(lowest, -highest), error, df)),
    equivalence_p_value = pmax(tail_beyond(margin - highest, error, df), tail_beyond(margin + lowest, error, df))
  )][, c("lowest", "highest") := NULL]
  pooled[bound > 0, `:=`(high = Inf, equivalence_p_value = NA_real_)]
  pooled[bound < 0, `:=`(low = -Inf, equivalence_p_value = NA_real_)]
  pooled[bound * centre < 0, p_value := 1][]
}

# ---- Shares --------------------------------------------------------------------------------------

#' The exact interval of a share (Clopper and Pearson 1934).
#'
#' @param count of `of` requests; vectors.
#' @return list: low, high.
#' @export
binomial_ends <- function(count, of, level = confidence) {
  miss <- (1 - level) / 2
  list(
    low = fifelse(count <= 0, 0, qbeta(miss, pmax(count, 1e-9), of - count + 1)),
    high = fifelse(count >= of, 1, qbeta(1 - miss, count + 1, pmax(of - count, 1e-9)))
  )
}

#' The interval of the difference of two shares by those of both (Newcombe 1998, method 10, with exact ones).
binomial_difference <- function(rows, level = confidence) {
  mode <- with(rows, binomial_ends(mode_value * requests, requests, level))
  baseline <- with(rows, binomial_ends(baseline_value * requests_baseline, requests_baseline, level))
  list(
    low = rows$centre - sqrt((rows$mode_value - mode$low)^2 + (baseline$high - rows$baseline_value)^2),
    high = rows$centre + sqrt((mode$high - rows$mode_value)^2 + (rows$baseline_value - baseline$low)^2)
  )
}

# Differences of shares are never better known than by the number of their requests: 0 of 1,400 is at most 0.3 %.
with_binomial_ends <- function(rows, margin) {
  rows <- copy(rows)
  ends <- binomial_difference(rows)
  narrow <- binomial_difference(rows, 2 * confidence - 1)
  rows[, `:=`(low = pmax(pmin(low, ends$low, na.rm = TRUE), -1), high = pmin(pmax(high, ends$high, na.rm = TRUE), 1))]
  rows[ends$low <= 0 & ends$high >= 0, p_value := pmax(p_value, 1 - confidence + 1e-9, na.rm = TRUE)]
  rows[narrow$low < -margin | narrow$high > margin, equivalence_p_value := 1][]
}
