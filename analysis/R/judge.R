# One named cell, judged by itself: nothing here depends on which other cells are there.
#
# The cell and its baseline were loaded in turns. The interval of their ratio is Student's over the rounds of that session, see
# reach_of_rounds(). Three verdicts follow:
# - finding: the outcome of the pair is one that the shipped run's finding names (yes, no, open);
# - ratio: two one-sided tests at 5 % place the change since the shipped run within the factor of the bands (reproduced), or its
#   95 % interval lies beyond that (differs); open is all else;
# - bound: what theory allows the ratio, or that it is a bound, because a side or its generator was at its limit.

#' Judges a named cell against a shipped run.
#'
#' @param results folder of the run; `name` of the cell: study/mode/tier/tool/rep-n; `shipped` see read_shipped(); `guide` path of guide.yaml.
#' @return lines for a terminal.
judge_cell <- function(results, name, shipped, guide) {
  cells <- cells_of_pair(results, name)
  if (is.null(cells$baseline)) return(sprintf("%s: compared with no other mode.", name))
  pair <- measured_pair(cells)
  findings <- findings_of_pair(pair$place, guide, shipped)
  named <- vapply(findings, `[[`, "", "statistic")
  statistics <- unique(c(named, if (length(named) == 0 || pair$place$tool != sweep_tool) judged_statistics_of(pair)))
  c(
    sprintf("%s against %s, compared with the shipped run %s", name, pair$place$baseline, shipped$name),
    unlist(lapply(statistics, function(statistic) lines_of_statistic(pair, statistic, findings[named == statistic], shipped)))
  )
}

judged_statistics_of <- function(pair) if (pair$place$tool == sweep_tool) "capacity_per_s" else c(judged_statistics, "latency_p99_ms")

# ---- The pair ------------------------------------------------------------------------------------

#' A cell and the baseline of the same session: measured beside it, or a cell of its own.
cells_of_pair <- function(results, name) {
  path <- function(name) file.path(results, "cells", name, "cell.json")
  cell <- read_cell(path(name))
  own <- words(cell$labels$mode$baseline)
  candidates <- c(file.path(cell$folder, "baseline", "cell.json"), if (!is.na(own)) path(with(cell$cell, file.path(study, own, tier, tool, paste0("rep-", repetition)))))
  there <- Filter(function(cell_of) session_of(cell_of) == session_of(cell), lapply(Filter(file.exists, candidates), read_cell))
  list(mode = cell, baseline = if (length(there) > 0) there[[1]])
}

# Their values, whatever the checks say: those that failed stand beside what they spoil.
measured_pair <- function(cells) {
  beside <- if (basename(cells$baseline$folder) == "baseline") cells$mode$cell$mode else ""
  both <- cells[c("mode", "baseline")]
  summary <- rbindlist(lapply(both, summarise_cell), fill = TRUE)
  loads <- list(read_load(cells$mode, ""), read_load(cells$baseline, beside))
  slices <- rbindlist(lapply(loads, `[[`, "slices"), fill = TRUE)
  failed <- summary[, .(failed_checks, outcome, valid, latency_valid)]
  for (table in list(summary, slices)) table[, `:=`(valid = TRUE, latency_valid = TRUE)]
  place <- data.table(id = 1L, summary[1, .(study, mode, tier, tool)], baseline = summary$mode[2])
  list(
    cells = both, failed = failed, place = place,
    measured = as_measured(summary, slices, unlist(lapply(loads, `[[`, "histograms"), recursive = FALSE))
  )
}

#' The effect of one statistic, with the interval of the session's rounds.
#'
#' @param anyway whether CPU times are compared at whatever throughputs.
#' @return list: statistic, effect, unit, mode_value, baseline_value, rounds, bound (1 at least, -1 at most, 0 neither), why (why there is no
#'   effect, or empty), and on the scale of the effect centre, least (error that a count has), error, df, low, high; NA where one round, or a
#'   value that a process has once, says nothing of noise.
effect_of_pair <- function(pair, statistic, anyway = FALSE) {
  at <- match(statistic, compared_statistics$statistic)
  about <- as.list(compared_statistics[at])
  logs <- about$effect == "ratio"
  found <- session_effects(pair$measured, pair$place, statistic, logs)
  if (NROW(found) == 0) found <- session_effects(pair$measured, pair$place, statistic, logs, excluding = FALSE)
  none <- if (NROW(found) == 0) "no values of both sides" else if (statistic == "cpu_us_per_request" && !anyway && serves_otherwise(pair)) throughputs_differ
  if (!is.null(none)) return(c(about, list(why = none, centre = NA_real_, low = NA_real_, high = NA_real_)))
  row <- as.list(pool_sessions(found, logs))
  error <- pmax(error_of_rounds(row$within, row$rounds), row$least)
  c(
    about, row[c("mode_value", "baseline_value", "rounds", "bound", "why", "centre", "least")], list(error = error, df = row$df_within),
    ends_of(row$centre, reach_of_rounds(error, row$df_within), row$bound)
  )
}

# The ends of an interval: open where a bound leaves the effect open, on both sides where both values are bounds.
ends_of <- function(centre, reach, bound) {
  list(low = if (bound %in% c(NA, -1)) -Inf else centre - reach, high = if (bound %in% c(NA, 1)) Inf else centre + reach)
}

# One round says nothing of noise. Where the sessions of the shipped run have one as well, it is as noisy as they are.
with_noise_of <- function(effect, there) {
  if (effect$why != "" || is.finite(effect$error) || !isTRUE(there$rounds <= there$pairs)) return(effect)
  known <- as.list(sides_of_comparisons(there))
  effect$error <- pmax(known$noise, effect$least, na.rm = TRUE)
  effect$df <- fcoalesce(known$df, df_at_most)
  reach <- qt((1 + confidence) / 2, effect$df) * effect$error
  utils::modifyList(effect, c(list(noise_of_shipped = TRUE), ends_of(effect$centre, reach, effect$bound)))
}

serves_otherwise <- function(pair) {
  served <- session_effects(pair$measured, pair$place, "throughput_per_s", excluding = FALSE)
  isTRUE(serve_unlike(served$effect[1]))
}

# The capacity lies between two rates; how far apart sessions are, the shipped run knows.
effect_of_capacities <- function(pair, shipped) {
  row <- compare_capacities(capacities_of(unname(pair$cells)), shipped$comparisons)
  row <- as.list(row[mode == pair$place$mode])
  if (length(row$estimate) != 1) return(list(statistic = "capacity_per_s", effect = "ratio", unit = "1/s", margin = 1.05, why = "no capacity of both sides", centre = NA_real_, low = NA_real_, high = NA_real_))
  bound <- fcase(row$bound == "at_least", 1, row$bound == "at_most", -1, default = 0)
  reach <- log(row[c("low", "high")] |> unlist())
  error <- max(abs(reach - log(row$estimate))[is.finite(reach)], 0) / qt((1 + confidence) / 2, row$df)
  c(row[c("statistic", "effect", "unit", "better", "mode_value", "baseline_value")], list(
    margin = 1.05, rounds = 1, bound = bound, why = row$reason, centre = log(row$estimate), error = error, df = row$df, low = reach[[1]], high = reach[[2]]
  ))
}

# ---- The findings that name it -------------------------------------------------------------------

#' The pairs of findings that a cell is the mode of.
#'
#' @return list, an element per pair: title, statistic, bound, allowed (outcomes with which the finding holds; for a pair without such, that of the
#'   shipped run).
findings_of_pair <- function(place, guide, shipped) {
  decided <- split(decide_findings(read_findings(guide), add_verdicts(shipped$comparisons, read_primaries(guide))), by = "finding")
  unlist(lapply(read_findings(guide), function(finding) {
    is_here <- function(pair) identical(c(finding$study, pair$mode, pair$tier, pair$tool), unlist(place[, .(study, mode, tier, tool)], use.names = FALSE))
    here <- names(Filter(is_here, finding$pairs))
    lapply(here, function(name) told_of_pair(finding, finding$pairs[[name]], name, decided[[finding$id]]))
  }), recursive = FALSE)
}

told_of_pair <- function(finding, pair, name, rows) {
  outcome <- rows$outcome[match(name, rows$pair)]
  list(
    title = finding$title, statistic = pair$statistic, bound = pair$bound,
    allowed = if (is.null(pair$holds)) outcome[!is.na(outcome)] else pair$holds
  )
}

# ---- Verdicts ------------------------------------------------------------------------------------

#' The outcome of a pair by itself, as standing() has those of a run: better, worse, same (also where it differs by less than the margin), fixed,
#' open, none.
outcome_of <- function(effect, is_fixed) {
  margin <- if (effect$effect == "ratio") log(effect$margin) else effect$margin
  changed <- if (isTRUE(effect$low > 0)) "higher" else if (isTRUE(effect$high < 0)) "lower" else ""
  if (effect$why != "") "none" else
    if (is_fixed) "fixed" else
      if (lies_within(effect, margin)) "same" else
        if (changed != "") (if (changed == effect$better) "better" else "worse") else "open"
}

# Two one-sided tests at 5 %.
lies_within <- function(effect, margin) {
  if (!effect$bound %in% 0 || !is.finite(effect$error) || is.na(effect$df)) return(FALSE)
  max(tail_beyond(margin - effect$centre, effect$error, effect$df), tail_beyond(margin + effect$centre, effect$error, effect$df)) <= 1 - confidence
}

#' The verdict on a ratio, and why.
#'
#' @param effect see effect_of_pair(); `there` its row of the shipped comparisons.
verdict_of_ratio <- function(effect, there) {
  none <- fcase(
    nrow(there) == 0, "the shipped run has no such comparison", any(there$reason != ""), sprintf("the shipped run has no ratio: %s", there$reason[1]),
    effect$why != "", effect$why, default = ""
  )
  if (none != "") return(c("open", none))
  change <- change_since(effect, there)
  margin <- reproduction_margins[[effect$effect]]
  outside <- isTRUE(change$low > margin) || isTRUE(change$high < -margin)
  c(if (lies_within(change, margin)) "reproduced" else if (outside) "differs" else "open", change_words(effect, change, there))
}

change_words <- function(effect, change, there) {
  back <- if (effect$effect == "ratio") exp else identity
  paste0(
    with_interval(back(change$centre), back(change$low), back(change$high)), if (effect$effect == "ratio") " times" else " more than", " the shipped ",
    with_interval(there$estimate, there$low, there$high), if (!is.finite(effect$error)) paste0("; ", no_noise)
  )
}

no_noise <- "one round says nothing of noise"

# From the shipped run to here, on the scale of the effect. Both have noise (Welch 1947).
change_since <- function(effect, there) {
  there <- as.list(sides_of_comparisons(there))
  variance <- c(max(there$noise^2 / there$pairs, there$least^2, na.rm = TRUE), effect$error^2)
  df <- welch_df(variance[1], fcoalesce(there$df, df_at_most), variance[2], effect$df)
  error <- sqrt(sum(variance))
  change <- effect$centre - there$centre
  reach <- suppressWarnings(qt((1 + confidence) / 2, df)) * error
  bound <- bound_of_change(there$bound, effect$bound)
  c(list(centre = change, error = error, df = df, bound = fcoalesce(bound, 1)), ends_of(change, reach, bound))
}

verdict_of_finding <- function(finding, effect, is_fixed) {
  outcome <- outcome_of(effect, is_fixed)
  said <- sprintf("%s; the finding holds where it is %s: %s", outcome, paste(finding$allowed, collapse = " or "), finding$title)
  if (length(finding$allowed) == 0) return(c("open", paste("the shipped run does not decide it:", finding$title)))
  if (outcome == "none") return(c("open", effect$why))
  # A finding may allow a pair to be open; that is nothing that a cell could show.
  if (outcome == "open") return(c("open", if (is.finite(effect$error)) "the interval holds both" else no_noise))
  c(if (outcome %in% finding$allowed) "yes" else "no", said)
}

#' The bound of the ratio here: a side that was at its limit, or what theory allows the two modes.
verdict_of_bound <- function(pair, effect, bound, there) {
  # Without a ratio there is none to bound.
  if (effect$why != "") return(NULL)
  if (effect$bound %in% c(1, -1)) {
    as_there <- nrow(there) > 0 && there$bound == bound_words(effect$bound)
    limits <- unique(unlist(strsplit(pair$failed$failed_checks, ";", fixed = TRUE)))
    return(c(gsub("_", " ", bound_words(effect$bound)), paste0("a side was at its limit (", paste(limits, collapse = ", "), ")", if (as_there) ", as in the shipped run")))
  }
  if (effect$statistic != "throughput_per_s") return(NULL)
  allowed <- if (is.null(bound)) bounds_of_pair(pair) else list(ratio = bound_ratio(bound), why = paste(format_number(unlist(bound)), gsub("_", " ", names(bound)), collapse = ", "))
  if (is.null(allowed)) return(NULL)
  # A bound may be written the other way round.
  turned <- if ((allowed$ratio > 1) == (effect$centre > 0)) 1 else -1
  c(format_number(allowed$ratio), sprintf("%s; measured %s", allowed$why, format_number(exp(turned * effect$centre))))
}

bounds_of_pair <- function(pair) {
  bounds <- bound_modes(unname(pair$cells), pair$measured$summary)
  own <- bounds[match(c(pair$place$mode, pair$place$baseline), mode)]
  if (anyNA(own$bound_per_s)) return(NULL)
  list(ratio = own$bound_per_s[1] / own$bound_per_s[2], why = sprintf("%s/s (%s) against %s/s (%s)", format_number(own$bound_per_s[1]), own$bound_by[1], format_number(own$bound_per_s[2]), own$bound_by[2]))
}

# ---- Lines ---------------------------------------------------------------------------------------

lines_of_statistic <- function(pair, statistic, findings, shipped) {
  place <- data.table(pair$place, statistic = statistic)
  there <- shipped$comparisons[place, on = comparison_keys, nomatch = NULL]
  effect <- if (statistic == "capacity_per_s") effect_of_capacities(pair, shipped) else with_noise_of(effect_of_pair(pair, statistic), there)
  is_fixed <- effect$why == "" && is_fixed_by_load(data.table(place, mode_value = effect$mode_value, baseline_value = effect$baseline_value), pair$measured$summary)
  spoiled <- marks_of_pair(pair, effect$statistic)
  judged <- function(verdict) if (nzchar(spoiled)) c("open", spoiled) else verdict
  verdicts <- list(
    finding = if (length(findings) > 0) judged(verdict_of_finding(findings[[1]], effect, is_fixed)), ratio = judged(verdict_of_ratio(effect, there)),
    bound = if (length(findings) > 0) verdict_of_bound(pair, effect, findings[[1]]$bound, there)
  )
  verdicts <- Filter(Negate(is.null), verdicts)
  c("", line_of_effect(effect), sprintf("  %-8s %-11s %s", names(verdicts), vapply(verdicts, `[`, "", 1), vapply(verdicts, `[`, "", 2)))
}

line_of_effect <- function(effect) {
  title <- title_of(effect$statistic)
  if (effect$why != "") return(sprintf("%s: no ratio, %s", title, effect$why))
  back <- if (effect$effect == "ratio") exp else identity
  sprintf(
    "%s: %s and %s%s, %s %s, %s", title, format_number(effect$baseline_value), format_number(effect$mode_value), sub("^ 1/", "/", paste("", effect$unit)),
    if (effect$effect == "ratio") "ratio" else "difference", with_interval(back(effect$centre), back(effect$low), back(effect$high)),
    rounds_in_words(effect)
  )
}

rounds_in_words <- function(effect) {
  if (effect$statistic == "capacity_per_s") return("one session")
  if (effect$rounds > 1) return(sprintf("%d rounds", as.integer(effect$rounds)))
  paste0("ONE ROUND", if (isTRUE(effect$noise_of_shipped)) ", the noise is the shipped run's")
}

# Checks that failed, where they concern the statistic.
marks_of_pair <- function(pair, statistic) {
  ok <- pair$failed$valid & (counts_of(statistic) != "latency" | pair$failed$latency_valid)
  if (all(ok)) return("")
  sides <- pair$failed[!ok, paste0(c("mode", "baseline")[!ok], ": ", fifelse(outcome == "completed", failed_checks, outcome))]
  paste("not valid,", paste(sides, collapse = "; "))
}
