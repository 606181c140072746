# Capacities over sessions, and their ratios.
#
# A session says that the capacity lies between two rates that were loaded, and no more: censored.R has the mean over
# sessions. The scale of sessions is one for all places (study, tier and mode) of a run. Where each place has one
# session, it is that of a shipped run. A session that is a bound counts in a place where others have both ends; where
# none has, the place is a bound. No error is below the quantum, the standard deviation of a uniform value in the brackets:
# sessions that load the same rates have the same brackets, however many they are.

capacity_places <- c("study", "tier", "mode")

#' The brackets of all sessions, as logarithms.
#'
#' @param capacity see read_capacity().
#' @return data.table: study, tier, mode, session, objective_ms, bound, why_bounded, low, high (one of them infinite for a bound),
#'   bracketed (whether any session of the place has both ends).
capacity_brackets <- function(capacity) {
  log_of <- function(values) suppressWarnings(log(values))
  rows <- capacity[counts_for(capacity, "capacity_per_s") & is.finite(capacity_per_s), .(
    study, tier, mode, session, objective_ms, bound = bound_capacity, why_bounded,
    low = log_of(fcase(bound_capacity == "", within_per_s, bound_capacity == "at_least", capacity_per_s, default = 0)),
    high = log_of(fcase(bound_capacity == "", beyond_per_s, bound_capacity == "at_most", capacity_per_s, default = Inf))
  )]
  rows[low < high & (is.finite(low) | is.finite(high))][, bracketed := any(bound == ""), by = capacity_places][]
}

#' How far apart the capacities of sessions are, on the log scale.
#'
#' @param capacity see read_capacity(), of this run or of a shipped one.
#' @return list: scale, df; see censored_scale().
#' @export
capacity_scale <- function(capacity) {
  rows <- capacity_brackets(capacity)[bracketed == TRUE]
  censored_scale(rows$low, rows$high, rows[, paste(study, tier, mode, sep = "/")])
}

# A row per place: sessions, objective_ms, bound (1, -1, 0; NA both ways), why_bounded, and on the log scale centre, error, df,
# quantum, reach (half of the interval), value (NA where it is not measured well enough, or bounded both ways).
capacities_of_places <- function(capacity, scale = NULL) {
  known <- if (is.null(scale)) capacity_scale(capacity) else scale
  places <- capacity_brackets(capacity)[, c(
    list(objective_ms = objective_ms[1], sessions = .N, why_bounded = if (isTRUE(bracketed[1])) "" else paste(unique(why_bounded), collapse = ", ")),
    if (isTRUE(bracketed[1])) within_brackets(low, high, known$scale) else at_bounds(low, high, known$scale)
  ), by = capacity_places]
  places[, `:=`(error = pmax(error, quantum), df = known$df)]
  places[, reach := reach_of(error, df)]
  places[(bound != 0 | is.na(reach) | 2 * reach <= log(span_at_most)) %in% TRUE, value := exp(centre)][]
}

within_brackets <- function(low, high, scale) {
  width <- high - low
  c(censored_mean(low, high, scale), list(bound = 0, quantum = mean(width[is.finite(width)]) / sqrt(12)))
}

at_bounds <- function(low, high, scale) {
  list(
    centre = mean(fifelse(is.finite(low), low, high)), error = deviation_of(scale) / sqrt(length(low)),
    bound = direction(fifelse(is.finite(low), 1, -1)), quantum = 0
  )
}

reach_of <- function(error, df) suppressWarnings(qt((1 + confidence) / 2, df)) * error

#' The capacity of each mode over its sessions.
#'
#' @param capacity see read_capacity(); `scale` see capacity_scale(): of the whole run, where these are of a part of it.
#' @return data.table, a row per study, tier and mode whose capacity is measured well enough, or bounded: objective_ms,
#'   sessions, bound (at_least, at_most or empty), why_bounded, capacity_per_s, low, high (95 %; NA where no scale is known,
#'   and for a bound).
#' @export
pool_capacity <- function(capacity, scale = NULL) {
  capacities_of_places(capacity, scale)[!is.na(value), .(
    study, tier, mode, objective_ms, sessions, bound = bound_words(bound), why_bounded, capacity_per_s = value,
    low = fifelse(bound == 0, exp(centre - reach), NA_real_), high = fifelse(bound == 0, exp(centre + reach), NA_real_)
  )]
}

#' Compares the capacity of every mode with that of its baseline.
#'
#' @param capacity see read_capacity(); `scale` see capacity_scale(), of a shipped run: taken where no place has two sessions here.
#' @return data.table, a row per comparison, as compare_modes() has them. mode_value and baseline_value are those of pool_capacity(),
#'   and divide to the estimate; least is the quantum of both sides, spread that of ratios of the middles of brackets.
compare_capacities <- function(capacity, scale = NULL) {
  rows <- unique(capacity[!is.na(baseline), .(study, tier, tool, mode, baseline)])[, statistic := "capacity_per_s"]
  rows <- cbind(rows, about_statistics(rows$statistic)[, .(unit, better, effect)], common_sessions(capacity, rows))
  own <- capacity_scale(capacity)
  places <- capacities_of_places(capacity, if (own$df > 0) own else scale)
  of_mode <- places[rows, on = capacity_places]
  of_baseline <- places[rows, on = c("study", "tier", mode = "baseline")]
  rows[, `:=`(
    mode_value = of_mode$value, baseline_value = of_baseline$value, sign = bound_of_change(of_baseline$bound, of_mode$bound),
    error = sqrt(of_mode$error^2 + of_baseline$error^2), df = of_mode$df, least = sqrt(of_mode$quantum^2 + of_baseline$quantum^2),
    rounds = 0, within = NA_real_, df_within = NA_real_, fixed = FALSE
  )]
  rows[, `:=`(estimate = mode_value / baseline_value, noise = error * sqrt(pairs), bound = bound_words(fcoalesce(sign, 0)))]
  rows[, c("low", "high", "p_value", "equivalence_p_value") := judge_capacities(log(estimate), error, df, sign)]
  rows[, reason := lacking_sides(capacity, rows)]
  rows[reason == "", reason := fcase(
    pairs == 0, "no session has values of both sides", is.na(sign), "both sides are bounds",
    is.na(error), alone_and_unknown,
    is.na(estimate) | (sign == 0 & high / low > span_at_most), not_measured_well, default = ""
  )]
  numbers <- c("estimate", "low", "high", "p_value", "equivalence_p_value")
  rows[reason != "", (numbers) := NA_real_][, estimate_all := estimate]
  rows[, c("sign", "error") := NULL][]
}

# On the scale of ratios; the open end of a bound is infinite, or 0.
judge_capacities <- function(centre, error, df, sign) {
  margin <- log(estimands[statistic == "capacity_per_s", margin])
  reach <- reach_of(error, df)
  bounded <- fcoalesce(sign, 0)
  list(
    low = fifelse(bounded < 0, 0, exp(centre - reach)), high = fifelse(bounded > 0, Inf, exp(centre + reach)),
    p_value = fifelse(bounded * centre < 0, 1, pmin(1, 2 * tail_beyond(abs(centre), error, df))),
    equivalence_p_value = fifelse(bounded == 0, tail_beyond(margin - abs(centre), error, df), NA_real_)
  )
}

# For each pair of sides: pairs (sessions that both have) of sessions, and spread.
common_sessions <- function(capacity, sides) {
  brackets <- capacity_brackets(capacity)[, .(study, tier, mode, session, middle = (low + high) / 2)]
  rows <- lapply(split(sides, seq_len(nrow(sides))), function(side) {
    at <- function(table, which) table[study == side$study & tier == side$tier & mode == which]
    both <- merge(at(brackets, side$mode), at(brackets, side$baseline), by = "session")
    list(
      pairs = nrow(both), sessions = uniqueN(c(at(capacity, side$mode)$repetition, at(capacity, side$baseline)$repetition)),
      spread = both[is.finite(middle.x) & is.finite(middle.y), sd(middle.x - middle.y)]
    )
  })
  rbindlist(c(list(typed_table(numbers = c("pairs", "sessions", "spread"))), rows))
}

# Why a side of each comparison has no capacity, or empty.
lacking_sides <- function(capacity, sides) {
  known <- capacity_brackets(capacity)
  of_side <- function(which, name) {
    mapply(function(a_study, a_tier, a_mode) {
      at <- function(table) table[study == a_study & tier == a_tier & mode == a_mode]
      cells <- at(capacity)
      if (nrow(at(known)) > 0) return("")
      if (nrow(cells) == 0) return(paste("no cell of", name))
      why <- cells[, setdiff(fifelse(outcome == "completed", failed_checks, outcome), "")]
      sprintf("no valid cell of %s (%s)", name, if (length(why) > 0) paste(why, collapse = ", ") else "no capacity found")
    }, sides$study, sides$tier, sides[[which]])
  }
  trimws(paste(of_side("mode", "the mode"), of_side("baseline", "its baseline"), sep = "; ")[seq_len(nrow(sides))], whitespace = "[; ]")
}
