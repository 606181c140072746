# Effects: one mode against another, with their intervals. Every interval of a ratio comes from here.
#
# The unit is the session. Within a session both modes are warm and take turns, slice by slice; the
# effect of a session is the mean over rounds of the log ratio of neighboring slices (of the difference,
# for shares and counts). A session has new processes, so sessions are the replicates (Georges,
# Buytaert and Eeckhout 2007; Kalibera and Jones 2013).
#
# Noise model. The variance of a session's effect is w * phi: w is what its own slices explain (their
# variance over rounds, by the number of rounds, mean over sessions), phi >= 1 what processes add. Three
# sessions say little of phi (2 degrees of freedom), so it is moderated (Smyth 2004) by that of its
# family: the same statistic in the same study under the same tool. Idle and saturated tiers are one
# family, because w takes most of what makes them unlike. The rest has two guards. The family counts for
# at most family_df_most degrees of freedom, and for no more than w itself has. And its phi is the mean
# of its members, not the middle that Smyth's prior shrinks to: the middle makes noisy comparisons look
# quiet. The mean is over values cut at their 90 % quantile, so that one wild comparison does not widen
# all others. coverage.R simulates all this; the report prints what it found.
#
# One session has an interval as well, from its slices alone. It holds for the processes of this
# session, so it is printed and decides nothing.
#
# t supposes that log ratios are roughly normal, which holds for multiplicative noise.

#' @export
confidence <- 0.95
# Within 5 % of each other is the same for an engineer's choice; as a ratio it is symmetric, so
# that exchanging the sides gives the same verdict. For shares: one percentage point, which is
# what the validity check on 2xx allows.
#' @export
equivalence <- list(ratio = log(1.05), difference = 0.01)
# In smaller families chance may make variances look alike that are not.
family_at_least <- 8
#' @export
family_df_most <- 4
family_cut_at <- 0.9

#' Which cells count: the valid ones.
#'
#' @param cells rows of the summary, or of the slices.
#' @return logical vector, one per row.
#' @export
poolable <- function(cells) cells$valid & cells$outcome == "completed"

# ---- Rounding ----------------------------------------------------------------------------------

#' How far below and above a value the truth may lie, by the tool's resolution alone.
#'
#' JMeter subtracts two rounded times. Of latencies that are all alike its high percentiles are the next
#' whole millisecond, and its minimum the last one; a median may be off either way.
#'
#' @param values,tools vectors.
#' @param statistic a column of the summary.
#' @param logs whether of logarithms; down is infinite where the truth may be 0.
#' @return list: down, up; 0 for means, and for all that is no latency.
rounding_reach <- function(values, tools, statistic, logs) {
  if (!grepl("^latency_.*_ms$", statistic) || grepl("(mean|sd)_ms$", statistic)) {
    return(list(down = 0 * values, up = 0 * values))
  }
  resolution <- resolution_of(tools)
  step <- pmax(resolution$ms, resolution$share * values)
  below <- if (grepl("p50", statistic)) 0.5 else if (grepl("min", statistic)) 0 else 1
  below <- fifelse(tools == "jmeter", below, 0.5)
  found <- list(down = below * step, up = (1 - below) * step)
  if (!logs) return(found)
  list(down = -log1p(-pmin(found$down / values, 1)), up = log1p(found$up / values))
}

# The smallest step in which a value can change: a count, or the tool's resolution. 0: it is continuous.
step_of <- function(table, reach, statistic, logs) {
  steps <- switch(statistic, threads_peak = 1, error_share = 1 / table$requests, return(reach$down + reach$up))
  if (logs) log1p(steps / table$value) else steps
}

# ---- Effects of sessions -----------------------------------------------------------------------

# 1: the truth is at least the value, -1: at most, 0: neither.
bound_of <- function(cells, statistic) {
  bound <- if (grepl("^throughput", statistic)) {
    cells$bound_throughput
  } else if (grepl("^latency", statistic)) {
    cells$bound_latency
  } else if (grepl("^capacity", statistic)) {
    cells$bound_capacity
  } else {
    return(rep(0, nrow(cells)))
  }
  fcase(bound == "at_least", 1, bound == "at_most", -1, default = 0)
}

# A failed request never ended: to a percentile it is slower than all others. Where more failed than the
# percentile leaves out, the largest right answer is recorded, and the truth is at least that.
beyond_percentile <- function(table, statistic) {
  point <- latency_points[sub("^latency_(.*)_ms$", "\\1", statistic)]
  if (is.na(point)) return(rep(FALSE, nrow(table)))
  table$error_share > 1 - point + 1e-9 & !table$must_fail
}

# The common sign; NA where both are there.
direction <- function(signs) {
  if (anyNA(signs) || (any(signs > 0) && any(signs < 0))) NA_real_ else sign(sum(signs))
}

# Values that count or bound, of cells or slices.
readings <- function(table, statistic, counts) {
  counted <- counts(table)
  of_slices <- "round" %in% names(table)
  bound <- fifelse(counted, 0, bound_of(table, statistic))
  bound <- fifelse(counted & beyond_percentile(table, statistic), 1, bound)
  table[, .(
    study, mode, tier, tool, session, repetition,
    beside = if (of_slices) beside else rep("", .N), round = if (of_slices) as.numeric(round) else rep(NA_real_, .N),
    value = as.numeric(get(statistic)), requests = if (of_slices) requests_recorded else requests, bound = bound
  )][(counted | bound != 0) & is.finite(value)]
}

#' The effect of each session.
#'
#' Terms at the same tier under the same tool are paired round by round, where there are slices of the
#' statistic. All else (another tier, another loop, a value of one cell alone) is of whole cells; what
#' their slices vary by is their noise within the session.
#'
#' @param summary see read_summary().
#' @param slices see read_slices(); without rows all is of whole cells.
#' @param terms data.table: id (of the effect), study, mode, tier, tool, sign (1, or -1 for what it
#'   is divided by or subtracted).
#' @param statistic a column of the summary.
#' @param logs whether logarithms are summed: ratios.
#' @param counts which rows count, see poolable(). Others enter where they bound the statistic, if
#'   fewer than two sessions are without.
#' @return data.table, a row per id and session: id, session, repetition, effect, within (variance
#'   of the effect by its slices; NA where unknown), rounds, low, high (how far rounding may move it), least
#'   (variance of a value that may lie anywhere within its step), bound (1 at least, -1 at most, 0), zero
#'   (some value has no logarithm).
session_effects <- function(summary, slices, terms, statistic, logs = TRUE, counts = poolable) {
  keys <- c("study", "mode", "tier", "tool")
  terms <- copy(terms)[, together := .N, by = .(id, tier, tool)]
  terms[, places := uniqueN(paste(tier, tool)), by = id]
  # The rows of the terms alone first: counting is slow.
  reading_of <- function(table, wanted, these = identity) {
    rows <- these(table[unique(wanted[, ..keys]), on = keys, nomatch = NULL])
    readings(rows, statistic, counts)[wanted, on = keys, nomatch = NULL, allow.cartesian = TRUE]
  }
  of_cells <- function(wanted) reading_of(summary, wanted)
  by_slice <- statistic %in% slice_statistics && nrow(slices) > 0
  of_slices <- function(wanted) reading_of(slices, wanted, plain_slices)
  in_turns <- if (by_slice) of_slices(terms[together > 1]) else of_cells(terms[together > 1])
  alone <- of_cells(terms[together == 1])
  parts <- rbind(
    summed_terms(in_turns, statistic, logs)[, .(
      effect = mean(effect), within = if (by_slice) var(effect) / .N else NA_real_,
      rounds = if (by_slice) .N else NA_integer_, low = mean(low), high = mean(high), least = mean(least), bound = direction(bound), zero = any(zero)
    ), by = .(id, places, tier, tool, session, repetition)],
    with_slice_noise(
      summed_terms(alone, statistic, logs), if (by_slice) of_slices(terms[together == 1])[beside == ""], logs
    )
  )
  found <- parts[, .(
    whole = .N == places[1], effect = sum(effect), within = sum(within), rounds = min(rounds, Inf),
    low = sum(low), high = sum(high), least = sum(least), bound = direction(bound), zero = any(zero)
  ), by = .(id, session, repetition)]
  without_needless_bounds(found[whole & !is.na(bound)][, whole := NULL])
}

# The signed sum over the terms that are together, where all of them are there.
summed_terms <- function(rows, statistic, logs) {
  to <- if (logs) function(values) suppressWarnings(log(values)) else identity
  reach <- rounding_reach(rows$value, rows$tool, statistic, logs)
  rows <- copy(rows)[, `:=`(
    term = sign * to(value), low = fifelse(sign > 0, reach$down, reach$up),
    high = fifelse(sign > 0, reach$up, reach$down), step = step_of(rows, reach, statistic, logs)
  )]
  rows[, .(
    sides = .N, effect = sum(term), low = sum(low), high = sum(high), least = sum(step^2) / 12, bound = direction(sign * bound),
    zero = logs && any(value <= 0)
  ), by = .(id, places, together, tier, tool, session, repetition, round)][sides == together]
}

# Of cells whose baseline is not in their turns. What rounding can do is all that is allowed for where they
# are equal in all sessions.
with_slice_noise <- function(cells, slices, logs) {
  cells <- cells[, .(id, places, tier, tool, session, repetition, effect, low, high, least = rep(0, .N), bound, zero)]
  if (is.null(slices)) return(cells[, `:=`(within = NA_real_, rounds = NA_integer_)])
  noise <- slices[!logs | value > 0, .(
    within = var(if (logs) log(value) else value) / .N, rounds = .N
  ), by = .(id, tier, tool, session)]
  noise[cells, on = c("id", "tier", "tool", "session")]
}

# Bounds are for what would have no two sessions otherwise, and only where they point the same way.
without_needless_bounds <- function(found) {
  found[, exact := sum(bound == 0), by = id]
  found <- found[bound == 0 | exact < 2]
  found[, both_ways := is.na(direction(bound)), by = id]
  found[bound == 0 | !both_ways][, c("exact", "both_ways") := NULL][]
}

#' Effects over their sessions.
#'
#' @param found see session_effects().
#' @return data.table, a row per id: id, centre (mean), spread (standard deviation over sessions; NA for
#'   one), within (standard error of a session's effect by its slices), df_within, pairs (sessions),
#'   rounds (in all), rounding_low, rounding_high, least (see session_effects(); a standard deviation), bound (1, -1, 0), zero, hidden (rounding may have made
#'   any value of it).
pool_sessions <- function(found) {
  found[, .(
    centre = mean(effect), spread = sd(effect), within = sqrt(mean(within)),
    df_within = as.numeric(sum(rounds - 1)), pairs = .N, rounds = as.numeric(sum(rounds)),
    rounding_low = mean(low), rounding_high = mean(high), least = sqrt(mean(least)), bound = direction(bound),
    zero = any(zero), hidden = any(is.infinite(c(low, high)))
  ), by = id]
}

# ---- Noise -------------------------------------------------------------------------------------

#' The noise of effects, moderated by that of all of them: a family.
#'
#' @param spread standard deviations over sessions, `pairs` numbers of sessions, `within` standard errors
#'   of one session by its slices; where there are none a value is left to itself, for noise that
#'   slices do not explain is too unlike to be shared. df_within their degrees of freedom.
#' @return list of vectors: noise (standard deviation of a session's effect), df; NA where there is
#'   one session.
moderate <- function(spread, pairs, within, df_within) {
  variance <- spread^2
  df <- pairs - 1
  scale <- within^2
  known <- df > 0 & is.finite(variance)
  told <- known & is.finite(scale) & scale > 0
  found <- list(noise = fifelse(known, spread, NA_real_), df = fifelse(known, as.numeric(df), NA_real_))
  # Values that are the same in most sessions, as a number of threads is, share no noise.
  if (sum(told) < family_at_least || median(variance[told]) == 0) return(found)
  phi <- variance[told] / scale[told]
  # It warns that it takes variances of 0 for very small ones.
  fit <- suppressWarnings(limma::squeezeVar(phi, df[told]))
  prior_df <- pmin(fit$df.prior, family_df_most, df_within[told])
  # Where all are alike, cutting makes the mean too small, and Smyth's prior is right.
  prior <- pmax(fit$var.prior, mean(pmin(phi, quantile(phi, family_cut_at))))
  phi <- pmax(1, (prior_df * prior + df[told] * phi) / (prior_df + df[told]))
  found$noise[told] <- sqrt(phi * scale[told])
  found$df[told] <- pmin(df[told] + prior_df, sum(df[told]))
  found
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

# One-sided: the chance to see an effect so far on the right side of a limit if it were on it.
tail_beyond <- function(distance, error, df) {
  fifelse(error == 0, as.numeric(distance <= 0), suppressWarnings(pt(-distance / error, df)))
}

#' Intervals and p-values of effects.
#'
#' @param centre means of effects; `error` their standard errors, `df` the degrees of freedom of
#'   these; `rounding_low`, `rounding_high` how far rounding may have moved them.
#' @param margin half-width of the region of equivalence around 0.
#' @return list of vectors: low, high, p_value (of no difference), equivalence_p_value (the larger
#'   of Schuirmann's two one-sided tests), all against what rounding can do.
judge_effects <- function(centre, error, df, rounding_low, rounding_high, margin) {
  reach <- suppressWarnings(qt((1 + confidence) / 2, df)) * error
  beyond <- pmax(centre - rounding_low, -centre - rounding_high, 0)
  list(
    low = centre - reach - rounding_low, high = centre + reach + rounding_high,
    p_value = pmin(1, 2 * tail_beyond(beyond, error, df)),
    equivalence_p_value = pmax(
      tail_beyond(margin - centre - rounding_high, error, df),
      tail_beyond(margin + centre - rounding_low, error, df)
    )
  )
}

#' Adds to pooled effects what they become in their family: noise, df, low, high, p_value,
#' equivalence_p_value, on the scale of the effects.
#'
#' One session has the interval within it and no p-value. The open end of a bound is infinite.
#'
#' @param pooled see pool_sessions(); all of one family.
#' @param margin see judge_effects().
#' @return pooled with the columns.
judge_family <- function(pooled, margin) {
  pooled <- copy(pooled)
  pooled[, c("noise", "df") := moderate(spread, pairs, within, df_within)]
  # Three equal counts may still vary by less than one.
  pooled[noise == 0, noise := least]
  one <- pooled$pairs == 1
  error <- fifelse(one, pooled$within, pooled$noise / sqrt(pooled$pairs))
  df <- fifelse(one, pooled$df_within, pooled$df)
  df[df %in% 0] <- NA
  found <- pooled[, judge_effects(centre, error, ..df, rounding_low, rounding_high, margin)]
  found[one, c("p_value", "equivalence_p_value") := NA_real_]
  found[pooled$bound > 0, `:=`(high = Inf, equivalence_p_value = NA_real_)]
  found[pooled$bound < 0, `:=`(low = -Inf, equivalence_p_value = NA_real_)]
  found[pooled$bound * pooled$centre < 0, p_value := 1]
  cbind(pooled, found)
}

# The terms of every mode against its baseline. The id of a term is what it belongs to.
comparison_terms <- function(places) {
  rbind(
    places[, .(id, study, mode, tier, tool, sign = rep(1, .N))],
    places[, .(id, study, mode = baseline, tier, tool, sign = rep(-1, .N))]
  )
}

#' One effect with its interval, judged in its family as the comparisons are.
#'
#' @param summary,slices,statistic,counts see session_effects().
#' @param terms see session_effects(), without id.
#' @param effect ratio or difference.
#' @return list: estimate, low, high (95 %; of one session: within it), verdict (higher, lower,
#'   equivalent, undecided, one session, bounded, not comparable: by the interval alone, before any
#'   correction for many), bound (at_least, at_most or empty), reason, pairs (sessions), rounds,
#'   centre, noise, df, rounding_low, rounding_high (on the scale of the effects), effects (see
#'   session_effects()) and family (pooled effects that lend their noise; NULL for none).
effect_between <- function(summary, slices, terms, statistic, effect = "ratio", counts = poolable) {
  logs <- effect == "ratio"
  own <- session_effects(summary, slices, copy(terms)[, id := 0L], statistic, logs, counts)
  if (nrow(own) == 0) return(no_effect("no session has this value on both sides"))
  pooled <- pool_sessions(own)
  reason <- why_no_ratio(pooled)
  if (nzchar(reason)) return(no_effect(reason))
  # What is not measured in turns has another noise than what is.
  in_turns <- all(terms[, .N, by = .(tier, tool)]$N == 2)
  family <- if (in_turns) family_of(summary, slices, terms, statistic, logs)
  margin <- equivalence[[effect]]
  row <- judge_family(rbind(pooled, family), margin)[1]
  back <- if (logs) exp else identity
  c(
    list(
      estimate = back(row$centre), low = back(row$low), high = back(row$high),
      verdict = verdict_alone(row, margin), bound = bound_words(row$bound), reason = ""
    ),
    as.list(row[, .(pairs, rounds, centre, noise, df, rounding_low, rounding_high)]),
    list(effects = own, family = family)
  )
}

bound_words <- function(bound) fcase(bound > 0, "at_least", bound < 0, "at_most", default = "")

no_effect <- function(reason) {
  list(
    estimate = NA_real_, low = NA_real_, high = NA_real_, verdict = "not comparable", bound = "",
    reason = reason, pairs = 0L, rounds = 0,
    effects = data.table(session = character(), repetition = integer(), effect = numeric())
  )
}

why_no_ratio <- function(pooled) {
  fcase(pooled$zero, "a value of 0 has no ratio", pooled$hidden, "below the resolution of the tool", default = "")
}

#' The verdict by an interval alone.
verdict_alone <- function(row, margin) {
  if (row$pairs < 2) return("one session")
  if (row$low >= -margin && row$high <= margin) return("equivalent")
  if (row$low > 0) return("higher")
  if (row$high < 0) return("lower")
  if (row$bound != 0) "bounded" else "undecided"
}

# The comparisons of the study under the tool, without the one that the terms are themselves.
family_of <- function(summary, slices, terms, statistic, logs) {
  at <- terms[1]
  places <- unique(summary[
    study == at$study & tool == at$tool & !is.na(baseline), .(study, tier, tool, mode, baseline)
  ])
  if (nrow(terms) == 2) {
    places <- places[!(tier == terms$tier[1] & tier == terms$tier[2] & mode == terms$mode[1] & baseline == terms$mode[2])]
  }
  if (nrow(places) == 0) return(NULL)
  places[, id := seq_len(.N)]
  pooled <- pool_sessions(session_effects(summary, slices, comparison_terms(places), statistic, logs))
  pooled[!zero & !hidden]
}

#' One mode against another at a tier, for the report's readings.
#'
#' @param all list with `summary` and `slices`.
#' @param study,tier,tool,mode,baseline ids; `statistic` a compared statistic.
#' @return see effect_between().
ratio_between <- function(all, study, tier, tool, mode, baseline, statistic) {
  terms <- data.table(study = study, mode = c(mode, baseline), tier = tier, tool = tool, sign = c(1, -1))
  effect_between(all$summary, all$slices, terms, statistic, about_statistics(statistic)$effect)
}

# Mean and 95 % interval over repetitions on the log scale; the interval is NA at one repetition.
#' @export
geometric <- function(values) {
  interval <- exp(t_interval(log(values)))
  list(middle = exp(mean(log(values))), low = interval[1], high = interval[2])
}
