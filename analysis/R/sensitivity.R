# Sensitivity: what each finding says under other rules than those that judge it. Each variant changes one choice that somebody may doubt, and
# judges all primary comparisons again, as Holm's adjustment takes all of them.

#' Every finding under each variant.
#'
#' @param measured see as_measured(), with capacity; `comparisons` of the same, see read_comparisons().
#' @param findings see read_findings(); `primaries` see read_primaries().
#' @return rows of sensitivity.csv, see tables.yaml, of each finding's first pair; the variant "as it is" is first.
judge_variants <- function(measured, comparisons, findings, primaries) {
  named <- unique(rbind(places_of_pairs(findings), primaries))
  variants <- variants_of(measured, comparisons[named, on = comparison_names, nomatch = NULL])
  rows <- lapply(names(variants), function(name) {
    guarded(cbind(variant = name, first_pairs(decide_findings(findings, add_verdicts(variants[[name]](), primaries)))), "sensitivity")
  })
  rows <- rbindlist(c(list(no_sensitivity()), rows), use.names = TRUE)
  rows[order(match(finding, vapply(findings, `[[`, "", "id")))]
}

first_pairs <- function(decided) decided[, .SD[1], by = finding, .SDcols = setdiff(sensitivity_columns, c("finding", "variant"))]

sensitivity_columns <- c("finding", "variant", "holds", "study", "tier", "tool", "mode", "baseline", "statistic", "estimate", "low", "high", "verdict", "reason")

no_sensitivity <- function() {
  numbers <- c("estimate", "low", "high")
  typed_table(setdiff(sensitivity_columns, numbers), numbers)[, ..sensitivity_columns]
}

#' Reads sensitivity.csv; a run of before has none.
#' @export
read_sensitivity <- function(path) read_if_there(path, no_sensitivity())

# ---- Variants --------------------------------------------------------------------------------------

#' The variants by their names: functions that give the comparisons, see compare_modes().
#'
#' @param rows the comparisons as they are.
variants_of <- function(measured, rows) {
  effects <- effects_of_statistics(measured, rows)
  pooled <- function(pool) function() judge_otherwise(rows, measured, effects, pool)
  changed <- function(change) {
    function() {
      other <- change(measured)
      judge_otherwise(rows, other, effects_of_statistics(other, rows), pool_as_is)
    }
  }
  with_known <- function(known, pool) {
    force(known)
    function() with_capacities_of(judge_otherwise(rows, with_parts(measured, known = known), effects, pool), measured$capacity, known)
  }
  hosts <- sort(unique(measured$known$host))
  c(
    list(
      "as it is" = function() rows, "speed as measured" = changed(with_speed_as_measured), "all slices" = changed(with_all_slices),
      "own noise alone" = with_known(NULL, pool_own_noise), "mean of rounds" = pooled(pool_rounds), "all requests" = pooled(pool_requests)
    ),
    setNames(lapply(hosts, function(name) with_known(measured$known[!host %in% name], pool_as_is)), sprintf("without host %s", hosts))
  )
}

with_capacities_of <- function(rows, capacity, known) {
  again <- rows[statistic == "capacity_per_s", ..comparison_names]
  if (nrow(again) == 0) return(rows)
  rbind(rows[statistic != "capacity_per_s"], compare_capacities(capacity, known)[again, on = comparison_names], fill = TRUE)
}

# Not modifyList(), which replaces column by column.
with_parts <- function(measured, ...) {
  parts <- list(...)
  replace(measured, names(parts), parts)
}

# CPU time is not corrected, and rounds count in which the CPU was slower for one side.
with_speed_as_measured <- function(measured) {
  slices <- copy(measured$slices)
  if ("cpu_us_measured" %in% names(slices)) slices[is.finite(cpu_us_measured), cpu_us_per_request := cpu_us_measured]
  with_parts(measured, slices = slices[, speed_server := NA_real_])
}

# Checks of a cell that count its slices without a disturbance.
checks_of_slices <- c("rounds_kept", "slices_kept")

# No slice is excluded for a disturbance, nor a round for the CPU's speed, nor a cell for the number of its slices.
with_all_slices <- function(measured) {
  cells <- copy(measured$summary)
  cells[grepl(paste(checks_of_slices, collapse = "|"), failed_checks), failed_checks := without_rules(failed_checks, checks_of_slices)]
  cells[failed_checks == "", latency_valid := valid]
  slices <- copy(measured$slices)[, speed_server := NA_real_]
  place <- c(cell_place, "session")
  valid <- cells[latency_valid == TRUE, ..place]
  if (nrow(slices) > 0) slices[valid, latency_valid := TRUE, on = place]
  slices[!grepl(spoils_slice, reason), `:=`(reason = "", kept = TRUE)]
  with_parts(measured, summary = cells, slices = slices)
}

# ---- Sessions that are estimated or judged otherwise -----------------------------------------------

# The places of comparisons with their rows, and their sessions' effects, by statistic.
effects_of_statistics <- function(measured, rows) {
  statistics <- intersect(compared_statistics[counts != "sweep"]$statistic, rows$statistic)
  lapply(setNames(nm = statistics), function(name) {
    places <- copy(rows)[, row := .I][statistic == name, .(study, tier, tool, mode, baseline, row)][, id := .I]
    about <- as.list(compared_statistics[statistic == name])
    list(about = about, places = places, found = session_effects(measured, places[, !"row"], name, about$effect == "ratio"))
  })
}

# Reasons that rest on other statistics, or on the threads.
stands_in_all_variants <- function(reason) reason %in% c(throughputs_differ, "more than 1 % of the requests failed", threads_short_lived)

#' Comparisons whose effects are others, or judged by another noise.
#'
#' @param rows see compare_modes(); `effects` see effects_of_statistics(); `pool` function of measured and one of effects, with effects by id, see
#'   judged_effects(); NULL where it changes nothing of the statistic.
judge_otherwise <- function(rows, measured, effects, pool) {
  rows <- copy(rows)
  numbers <- c("estimate", "low", "high", "p_value", "equivalence_p_value")
  for (of_statistic in effects) {
    judged <- if (NROW(of_statistic$found) > 0) pool(measured, of_statistic)
    if (NROW(judged) == 0) next
    from <- if (of_statistic$about$effect == "ratio") exp else identity
    judged[, `:=`(estimate = from(centre), low = from(low), high = from(high))][why != "", (numbers) := NA_real_]
    judged <- of_statistic$places[judged, on = "id"]
    # A bound by disturbed rounds has too few others.
    judged <- judged[!stands_in_all_variants(rows$reason[row]) & !(rounds_too_few(why) & rows$bound[row] != "")]
    rows[judged$row, c("reason", "bound", numbers) := c(list(judged$why, bound_words(judged$bound)), as.list(judged)[numbers])]
  }
  with_reasons(rows)
}

# Judged effects of places; without numbers where why says why.
judged_effects <- function(found, of_statistic, known) {
  about <- of_statistic$about
  judge_pooled(pool_sessions(found, about$effect == "ratio"), of_statistic$places, about, known)
}

pool_as_is <- function(measured, of_statistic) {
  judged_effects(of_statistic$found, of_statistic, lenders_of(measured$known, of_statistic$about$statistic))
}

# Each comparison by its own sessions and rounds, as if there were no other.
pool_own_noise <- function(measured, of_statistic) {
  apart <- split(of_statistic$found, by = "id")
  rbindlist(lapply(apart, judged_effects, of_statistic = of_statistic, known = NULL), fill = TRUE)
}

# The mean of rounds' log ratios in place of the ratio of two sums.
pool_rounds <- function(measured, of_statistic) {
  about <- of_statistic$about
  if (about$effect != "ratio" || about$statistic %in% names(percentile_of)) return(NULL)
  pool_by(measured, of_statistic, function(pairs) {
    changes <- log(pairs$value / pairs$value_baseline)
    list(effect = mean(changes), within = var(changes) / length(changes), df_within = length(changes) - 1)
  })
}

# A percentile of all requests of a session, in place of the mean of those of its blocks. Its error is that of a jackknife over rounds.
pool_requests <- function(measured, of_statistic) {
  p <- percentile_of[of_statistic$about$statistic]
  if (is.na(p)) return(NULL)
  value_of <- function(key, slices, beyond) merged_percentile(measured$histograms[[key[1]]], slices, p, beyond)
  change <- function(pairs, beyond = 0) log(value_of(pairs$key, pairs$slice, beyond) / value_of(pairs$key_baseline, pairs$slice_baseline, beyond))
  pool_by(measured, of_statistic, function(pairs) {
    count <- nrow(pairs)
    without_one <- vapply(seq_len(count), function(at) change(pairs[-at]), 0)
    list(effect = change(pairs, requests_beyond), within = (count - 1)^2 / count * var(without_one), df_within = count - 1)
  })
}

# Sessions whose two sides have rounds in common have the effect that `of_rounds` makes of these; others stay.
pool_by <- function(measured, of_statistic, of_rounds) {
  name <- of_statistic$about$statistic
  found <- copy(of_statistic$found)
  rows <- rounds_of_sides(measured, sides_of_places(of_statistic$places[, !"row"]), name, excluding = TRUE)
  others <- effects_of_rounds(rows, list(of_rounds = of_rounds), alike = counts_of(name) == "latency")
  if (!is.null(others)) {
    found[others[is.finite(effect)], `:=`(effect = i.effect, within = i.within, df_within = as.numeric(i.df_within)), on = unit_of_effect]
  }
  judged_effects(found, of_statistic, lenders_of(measured$known, name))
}
