# Effects: one mode against another in each session, and over sessions. intervals.R makes their intervals.
#
# The unit is the session. A value of a session is one of all its slices together: a sum over a sum, or a percentile of merged histograms.
# Both sides have the same rounds: those that both have; a session without one takes all rounds of each side. The effect is the log ratio of
# both values (their difference, for shares). So the values that stand next to a ratio divide to it.

#' Measured values of a run.
#'
#' @param summary see read_summary(); `slices` see read_slices(); `histograms` list of read_histograms(), named by histogram_key(); `known`
#'   rows of other runs' comparisons, which lend their noise.
as_measured <- function(summary, slices = no_slices(), histograms = list(), known = NULL) {
  place <- c("study", "tier", "tool")
  of_tier <- unique(summary[, .(study, tier, tool, loop, sleep_ms)], by = place)
  list(summary = summary, slices = of_tier[slices, on = place], histograms = histograms, known = known)
}

# ---- Values of rounds

place_of_side <- c("study", "mode", "tier", "tool", "kind")

#' Both sides of places, a row each.
#'
#' @param places data.table: id, study, mode, tier, tool, baseline, and where they are others baseline_tier, kind
#'   and baseline_kind (of slices: plain or profiled).
sides_of_places <- function(places) {
  either <- function(name, otherwise) if (name %in% names(places)) fcoalesce(places[[name]], otherwise) else otherwise
  kind <- either("kind", rep("plain", nrow(places)))
  baseline <- places[, .(id, study, mode = baseline)]
  baseline[, `:=`(tier = either("baseline_tier", places$tier), tool = places$tool, kind = either("baseline_kind", kind))]
  own <- places[, .(id, study, mode, tier, tool)][, kind := ..kind]
  in_turns <- own$tier == baseline$tier & own$kind == baseline$kind
  rbind(cbind(own, side = "mode", in_turns), cbind(baseline, side = "baseline", in_turns))
}

# Slices that count with their value, its weight among others, and the name of their cell's histograms.
valued_slices <- function(slices, statistic, excluding = TRUE) {
  rows <- slices_for(slices, statistic, excluding)
  rows[, answers := answers_per_s * (end_epoch_s - start_epoch_s)]
  # Percentiles that are no estimands have the weight of those that are.
  weight <- fcoalesce(estimands$weight[match(statistic, estimands$statistic)], "requests_recorded")
  rows[, `:=`(value = as.numeric(get(statistic)), weight = as.numeric(get(weight)), key = histogram_key(rows))]
  rows[weight > 0 & !is.na(value)]
}

# A row per slice of a side: see valued_slices(), and what its value is counted in.
rounds_of_sides <- function(measured, sides, statistic, excluding) {
  of_sides <- measured$slices[sides[, unique(.SD), .SDcols = place_of_side], on = place_of_side, nomatch = NULL]
  rows <- valued_slices(of_sides, statistic, excluding)
  rows[, `:=`(bound = bound_of(rows, statistic), least = quantum_of(rows, statistic))]
  rows[, `:=`(requests = as.numeric(requests_recorded), speed_server = speed_of(rows))]
  kept <- c(place_of_side, "session", "repetition", "slice", "round", "value", "weight", "bound", "least", "key", "requests", "speed_server")
  rows[, kept, with = FALSE][sides, on = place_of_side, nomatch = NULL, allow.cartesian = TRUE]
}

# 1: the truth is at least the value, -1: at most, 0: neither.
bound_of <- function(cells, statistic) {
  column <- sub("^(throughput|latency|capacity)_.*", "bound_\\1", statistic)
  bound <- if (column %in% names(cells)) cells[[column]] else ""
  rep_len(sign_of_bound(bound), nrow(cells))
}

# The smallest step in which a slice's value can change, as a share of it (for shares: as it is). A closed loop whose requests wait is
# answered in batches, of which a window has one more or one less. A clock of whole milliseconds rounds percentiles.
quantum_of <- function(rows, statistic) {
  if (statistic == "error_share") return(1 / rows$requests_recorded)
  if (statistic == "throughput_per_s") {
    batch <- fifelse(rows$loop %in% "closed", fcoalesce(rows$sleep_ms, 0) / 1000 / rows$duration_s, 0)
    return(pmax(1 / rows$requests_recorded, batch))
  }
  if (!statistic %in% names(percentile_of)) return(rep(0, nrow(rows)))
  resolution <- resolution_of(rows$tool)
  pmax(resolution$ms / rows[[statistic]], resolution$share)
}

# ---- Effects of sessions

#' The effect of each session.
#'
#' @param measured see as_measured(); a session without slices has the values of its cells. `places` see sides_of_places().
#' @param logs whether effects are log ratios; `excluding` FALSE: no slice is excluded for a disturbance.
#' @return data.table, a row per id and session: id, session, repetition, mode_value, baseline_value, effect, within (variance of the effect
#'   by its rounds; NA for one), df_within, rounds, least (standard deviation of what may lie anywhere within its quantum), bound (1 at
#'   least, -1 at most, NA both), late and late_baseline (by how much the generator's own lateness may have made either side longer, on the
#'   scale of logarithms), few (why its rounds are too few, or empty), requests and requests_baseline.
session_effects <- function(measured, places, statistic, logs = TRUE, excluding = TRUE) {
  sides <- sides_of_places(places)
  if (identical(counts_of(statistic), "process")) return(effects_of_cells(first_loads(measured), sides, statistic, logs))
  of_cells <- function(cells) effects_of_cells(cells[counts_for(cells, statistic)], sides, statistic, logs)
  if (!statistic %in% names(measured$slices)) return(of_cells(measured$summary))
  rows <- rounds_of_sides(measured, sides, statistic, excluding)
  estimator <- estimator_of(measured$histograms, statistic, logs)
  paired <- effects_of_rounds(rows, estimator, excluding && counts_of(statistic) == "latency")
  apart <- effects_apart(rows, paired, estimator)
  found <- rbind(paired, apart, fill = TRUE)
  if (excluding) found <- without_few_rounds(found, rows, loaded_rounds(measured, sides, statistic), statistic)
  rbind(found, of_cells(measured$summary[!session %in% measured$slices$session]), fill = TRUE)
}

unit_of_effect <- c("id", "session", "repetition")

# Effects of sessions by the rounds that both sides have; where speeds are to be alike, by those in which the CPU was as fast for both.
effects_of_rounds <- function(rows, estimator, alike) {
  turns <- rows[in_turns == TRUE]
  pairs <- merge(turns[side == "mode"], turns[side == "baseline"], by = c(unit_of_effect, "round"), suffixes = c("", "_baseline"))
  if (alike) pairs <- pairs[is_alike(speed_server, speed_server_baseline)]
  if (nrow(pairs) > 0) pairs[, estimator$of_rounds(.SD), by = unit_of_effect]
}

# The fixed computation beside a slice took at most so much longer than beside the other side's, where both have one: a CPU that
# nothing leaves idle has none.
speeds_alike <- 1.15
speed_of <- function(slices) if ("speed_server" %in% names(slices)) as.numeric(slices$speed_server) else rep(NA_real_, nrow(slices))
is_alike <- function(speed, other) !(abs(log(speed / other)) > log(speeds_alike)) %in% TRUE

# Sides that were not loaded in turns, or have no round in common, have all rounds of each.
effects_apart <- function(rows, paired, estimator) {
  rest <- function(table) if (is.null(paired)) table else table[!paired, on = unit_of_effect]
  own <- rest(rows[side == "mode"])
  other <- rest(rows[side == "baseline"])
  apart <- unique(own[, ..unit_of_effect])[unique(other[, ..unit_of_effect]), on = unit_of_effect, nomatch = NULL]
  of_unit <- function(at) c(apart[at], estimator$of_sides(own[apart[at], on = unit_of_effect], other[apart[at], on = unit_of_effect]))
  rbindlist(lapply(seq_len(nrow(apart)), of_unit))
}

# ---- Rounds that are too few

#' Whether a reason is that rounds are too few.
#' @export
rounds_too_few <- function(why) grepl("rounds count on both sides", why, fixed = TRUE)

# How many rounds both sides were loaded in, and how many were lost to a disturbance, by unit.
loaded_rounds <- function(measured, sides, statistic) {
  rows <- measured$slices[sides[in_turns == TRUE, c(place_of_side, "id"), with = FALSE], on = place_of_side, nomatch = NULL, allow.cartesian = TRUE]
  rows[, lost := is_lost(rows, statistic)]
  rows[, .(loaded = uniqueN(round), lost = uniqueN(round[lost]), why = most_frequent(reason[lost])), by = unit_of_effect]
}

# The rules that lost most slices, in order.
most_frequent <- function(reasons) {
  counts <- sort(table(unlist(strsplit(reasons, ";", fixed = TRUE))), decreasing = TRUE)
  paste(names(counts), counts, recycle0 = TRUE, collapse = ", ")
}

# Adds few, and takes the effect of those that have it.
without_few_rounds <- function(found, rows, loaded, statistic) {
  if (NROW(found) == 0) return(found)
  found <- loaded[found, on = unit_of_effect]
  common <- rows[in_turns == TRUE, .(sides = uniqueN(side)), by = c(unit_of_effect, "round")][sides == 2, .(common = .N), by = unit_of_effect]
  found[common, common := i.common, on = unit_of_effect]
  found[, count := fifelse(is.na(common), 0, pmin(common, rounds))]
  is_few <- found[, (lost > 0 | counts_of(statistic) == "latency") & count < pmin(rounds_needed_of_both, loaded)] %in% TRUE
  found[, lost_to := fifelse(why == "", "", sprintf(" (lost: %s)", why))]
  found[, few := fifelse(is_few, sprintf("%.0f of %d rounds count on both sides%s", count, loaded, lost_to), "")]
  found[, c("loaded", "lost", "why", "common", "count", "lost_to") := NULL][]
}

# ---- Estimators

# How the effect of a session is estimated: a list of functions of_rounds (of pairs of slices of a round) and of_sides (of slices of each
# side), which give the columns of session_effects(), and of_slices, which gives the value of one side.
#
# A mean is one of all slices, by weight. A percentile is that of a block of rounds, as many as it takes, and the value of a session is the
# geometric mean of its blocks: one disturbed round of six would decide a percentile of all. Both sides have the same blocks.
estimator_of <- function(histograms, statistic, logs) {
  p <- percentile_of[statistic]
  late <- function(rows) if (counts_of(statistic) == "latency") lateness_of(histograms[[rows$key[1]]], rows$slice, statistic) else 0
  mean_of_slices <- function(rows) sum(rows$value * rows$weight) / sum(rows$weight)
  percentile_of_slices <- function(rows, beyond = requests_beyond) merged_percentile(histograms[[rows$key[1]]], rows$slice, p, beyond)
  of_slices <- if (is.na(p)) mean_of_slices else function(rows) geometric_mean(values_of_blocks(rows, percentile_of_slices, blocks_of(rows$weight, p)))
  common <- function(own, other) {
    list(
      rounds = as.numeric(min(nrow(own), nrow(other))), least = sqrt((mean(own$least)^2 + mean(other$least)^2) / 12),
      bound = direction(c(own$bound, -other$bound)), late = late(own), late_baseline = late(other), requests = sum(own$requests),
      requests_baseline = sum(other$requests)
    )
  }
  of_rounds <- function(pairs) {
    own <- of_side(pairs, "")
    other <- of_side(pairs, "_baseline")
    effect <- if (is.na(p)) effect_of_means(own, other, mean_of_slices, logs) else effect_of_blocks(own, other, percentile_of_slices, p, logs)
    c(effect, common(own, other))
  }
  of_sides <- function(own, other) {
    variance <- function(rows) var(relative(rows$value, rows$weight, logs)) / nrow(rows)
    spread <- list(within = variance(own) + variance(other), df_within = nrow(own) + nrow(other) - 2)
    c(effect_of_values(of_slices(own), of_slices(other), logs), spread, common(own, other))
  }
  list(of_rounds = of_rounds, of_sides = of_sides, of_slices = of_slices)
}

# Numbers of blocks of rounds: each has requests enough for the percentile, and the last has what is left over. One block where all rounds
# together are hardly enough.
blocks_of <- function(requests, p) {
  beyond <- requests * (1 - p) + 1e-6
  blocks <- rep(1L, length(requests))
  if (sum(beyond) < requests_beyond) return(blocks)
  held <- 0
  for (at in seq_along(requests)) {
    if (held >= requests_beyond_of_block) {
      blocks[at:length(blocks)] <- blocks[at] + 1L
      held <- 0
    }
    held <- held + beyond[at]
  }
  if (held < requests_beyond_of_block) pmin(blocks, max(1L, blocks[length(blocks)] - 1L)) else blocks
}

# The value of each block; where one of them has none, of all rounds.
values_of_blocks <- function(rows, value_of, blocks) {
  values <- vapply(split(rows, blocks), function(block) value_of(block, requests_beyond_of_block), 0)
  if (length(values) > 1 && all(is.finite(values) & values > 0)) values else value_of(rows)
}

geometric_mean <- function(values) if (length(values) > 1) exp(mean(log(values))) else values

effect_of_blocks <- function(own, other, value_of, p, logs) {
  blocks <- blocks_of(pmin(own$weight, other$weight), p)
  values <- lapply(list(own, other), values_of_blocks, value_of = value_of, blocks = blocks)
  if (length(unique(lengths(values))) > 1) values <- list(value_of(own), value_of(other))
  changes <- if (logs) log(values[[1]] / values[[2]]) else values[[1]] - values[[2]]
  c(effect_of_values(geometric_mean(values[[1]]), geometric_mean(values[[2]]), logs), variance_of_mean(changes))
}

effect_of_means <- function(own, other, value_of, logs) {
  changes <- relative(own$value, own$weight, logs) - relative(other$value, other$weight, logs)
  c(effect_of_values(value_of(own), value_of(other), logs), variance_of_mean(changes))
}

variance_of_mean <- function(changes) list(within = suppressWarnings(var(changes)) / length(changes), df_within = length(changes) - 1)

of_side <- function(pairs, suffix) {
  columns <- c("value", "weight", "slice", "key", "least", "bound", "requests")
  setnames(pairs[, paste0(columns, suffix), with = FALSE], columns)
}

# Values as shares of their mean: what they change is what logarithms change, and a value of 0 has one too.
relative <- function(values, weights, logs) {
  if (!logs) return(values)
  values <- replace(values, is.infinite(values), NA)
  values / (sum(values * weights, na.rm = TRUE) / sum(weights[!is.na(values)]))
}

effect_of_values <- function(mode, baseline, logs) {
  effect <- if (logs) suppressWarnings(log(mode / baseline)) else mode - baseline
  list(mode_value = mode, baseline_value = baseline, effect = effect)
}

# Effects of values that a cell has once.
effects_of_cells <- function(cells, sides, statistic, logs) {
  if (nrow(cells) == 0 || !statistic %in% names(cells)) return(NULL)
  cells <- copy(cells)[, `:=`(value = as.numeric(get(statistic)), bound = bound_of(cells, statistic))]
  beyond <- 1 - percentile_of[statistic]
  if (!is.na(beyond)) cells[, value := fcase(requests * beyond < requests_beyond, NA_real_, error_share > beyond, Inf, rep(TRUE, .N), value)]
  cells <- cells[!is.na(value) | !is.na(beyond)][, `:=`(least = quantum_of_cells(.SD, statistic), within = variance_of_cells(.SD, statistic))]
  cells[, requests := if ("requests" %in% names(cells)) as.numeric(requests) else 0]
  columns <- c(cell_place, "session", "repetition", "value", "bound", "least", "within", "requests")
  rows <- cells[, ..columns][sides[kind == "plain"], on = cell_place, nomatch = NULL, allow.cartesian = TRUE]
  both <- merge(rows[side == "mode"], rows[side == "baseline"], by = unit_of_effect, suffixes = c("", "_baseline"))
  both[, c(
    effect_of_values(value, value_baseline, logs),
    list(
      within = within + within_baseline, df_within = if (statistic == "capacity_per_s") 2 * tolerance_df else NA_real_, rounds = 0,
      requests = requests, requests_baseline = requests_baseline, least = sqrt((least^2 + least_baseline^2) / 12),
      bound = as.numeric(direction(c(bound, -bound_baseline)))
    )
  ), by = unit_of_effect]
}

# How far a value may be off by its own loads; a capacity alone says so, by the ends of a uniform distribution; 0 of a bound.
variance_of_cells <- function(cells, statistic) {
  if (statistic != "capacity_per_s") return(rep(NA_real_, nrow(cells)))
  fcoalesce(suppressWarnings(log(cells$beyond_per_s / cells$within_per_s))^2 / 12, 0)
}

#' Degrees of freedom of the t by which a load tells a capacity, see likely_capacity(); the capacity's error has as many.
#' @export
tolerance_df <- 4

# The same of cells, whose slices are as long as each other.
quantum_of_cells <- function(cells, statistic) {
  if (statistic == "threads_peak") return(1 / cells$value)
  if (!statistic %in% c("throughput_per_s", "error_share", names(percentile_of))) return(rep(0, nrow(cells)))
  slices <- pmax(fcoalesce(cells$slices_kept, 1), 1)
  rows <- cells[, c("loop", "sleep_ms", "tool", "requests", "duration_s", intersect(statistic, names(cells))), with = FALSE]
  quantum_of(rows[, `:=`(duration_s = duration_s / ..slices, requests_recorded = requests / ..slices)], statistic)
}

# Memory and threads of each process at its first load, before any profiler: later loads add to what earlier ones left. A first load that
# does not count leaves its process without a value.
first_loads <- function(measured) {
  process <- c("study", "mode", "session", "beside")
  slices <- copy(measured$slices)
  if (nrow(slices) == 0) return(slices)
  slices[, profiled_from := min(c(start_epoch_s[kind == "profiled"], Inf)), by = process]
  slices <- slices[kind == "plain" & start_epoch_s < profiled_from]
  slices[, first := start_epoch_s == min(start_epoch_s), by = process]
  first <- unique(slices[first == TRUE], by = process)[valid & outcome == "completed", c(process, "tier", "tool"), with = FALSE]
  own <- slices[first, on = names(first)]
  own[, c(.SD[1], list(rss_mib = most_of(rss_mib), threads_peak = most_of(threads_peak))), by = c(process, "tier", "tool", "repetition"),
    .SDcols = c("bound_throughput", "bound_latency")
  ]
}

# The common sign; NA where both are there.
direction <- function(signs) if (anyNA(signs) || any(signs > 0) && any(signs < 0)) NA_real_ else sign(sum(signs))

# 1: the change is at least what it seems, -1: at most, 0: neither; NA where the sides are bounded against each other.
bound_of_change <- function(there, here) {
  fcase(there == 0, here, here == 0, -there, there == -here, here, default = NA_real_)
}

# ---- Over sessions

#' Effects over their sessions.
#'
#' @param found see session_effects(); `logs` whether effects are log ratios: values are then geometric means.
#' @return data.table, a row per id: id, centre (mean effect), mode_value, baseline_value (their ratio or difference is the centre), spread
#'   (standard deviation over sessions; NA for one), within (standard error of a session's effect by its rounds), df_within, pairs
#'   (sessions), rounds, least, late, late_baseline, requests, requests_baseline, bound, why (why there is no effect, or empty).
pool_sessions <- function(found, logs = TRUE) {
  if (NROW(found) == 0) return(no_effects())
  middle <- if (logs) function(values) exp(mean(log(values))) else mean
  found <- copy(found)
  for (column in setdiff(c("late", "late_baseline", "requests", "requests_baseline"), names(found))) set(found, j = column, value = 0)
  found[, few := if ("few" %in% names(found)) fcoalesce(few, "") else ""]
  found[, why := fifelse(few != "", few, why_no_effect(mode_value, baseline_value, effect))]
  # A session that is too short leaves it to the others.
  found[, short := why == too_few | few != ""]
  found <- found[, .SD[short == FALSE | all(short)], by = id]
  found[, .(
    centre = mean(effect), mode_value = middle(mode_value), baseline_value = middle(baseline_value), spread = sd(effect),
    within = sqrt(mean_of(within)), df_within = sum(df_within, na.rm = TRUE), pairs = .N, rounds = sum(rounds), least = sqrt(mean(least^2)),
    late = mean(fcoalesce(late, 0)), late_baseline = mean(fcoalesce(late_baseline, 0)), requests = sum(requests),
    requests_baseline = sum(requests_baseline), bound = direction(c(0, bound)),
    why = c(setdiff(why, ""), if (anyNA(bound)) "bounds on both sides", "")[1]
  ), by = id]
}

no_effects <- function() {
  typed_table("why", c(
    "centre", "mode_value", "baseline_value", "spread", "within", "df_within", "pairs", "rounds", "least", "late", "late_baseline",
    "requests", "requests_baseline", "bound"
  ))[, id := integer()]
}

too_few <- "too few requests for this percentile"

why_no_effect <- function(mode, baseline, effect) {
  fcase(
    is.na(mode) | is.na(baseline), too_few,
    is.infinite(mode) & is.infinite(baseline), "not reached on either side: more requests failed",
    is.infinite(mode), "not reached by the mode: more requests failed",
    is.infinite(baseline), "not reached by its baseline: more requests failed",
    !is.finite(effect), "a value of 0 has no ratio",
    default = ""
  )
}
