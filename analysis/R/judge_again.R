# Shipped tables by today's rules. A run whose cells are not shipped has no slices to analyse again, but its comparisons have what an
# interval is made of: the values of both sides, how far sessions and rounds vary, and the quantum. What rests on slices stays as it was:
# which of them count, how a percentile is estimated, and that CPU times of older runs are corrected for the CPU's speed on either side alone.

#' The comparisons of a shipped run with intervals and verdicts of today.
#'
#' @param run see read_shipped(); `others` other runs, which lend their noise; `primaries` see read_primaries().
#' @return see add_verdicts().
judge_again <- function(run, others, primaries) {
  known <- with_hosts(others)
  rows <- with_centres(copy(run$comparisons))[, id := .I]
  rows[, place := name_of_place(rows[, .(study, tier, tool, mode, baseline)])]
  judged <- rbindlist(lapply(split(rows, by = "statistic"), function(of_one) judge_statistic_again(of_one, known, run$summary)), fill = TRUE)
  judged <- judged[order(id)][, cpu_limited := are_cpu_limited(judged, run$summary)]
  kept <- c(c("study", "tier", "tool", "mode", "baseline"), comparison_columns)
  add_verdicts(with_reasons(judged)[, kept, with = FALSE], primaries)
}

# Reasons that an interval gives are given again.
reasons_of_intervals <- function(reason) reason %in% c(alone_and_unknown, not_measured_well, throughputs_differ)

# Adds centre and the sign of the bound, and takes away reasons of intervals.
with_centres <- function(rows) {
  rows[reasons_of_intervals(reason), reason := ""]
  rows[, centre := fifelse(effect == "ratio", suppressWarnings(log(mode_value / baseline_value)), mode_value - baseline_value)]
  rows[, bound := fcase(bound == "at_least", 1, bound == "at_most", -1, default = 0)][]
}

judge_statistic_again <- function(rows, known, summary) {
  about <- as.list(compared_statistics[statistic == rows$statistic[1]])
  logs <- about$effect == "ratio"
  margin <- if (logs) log(about$margin) else about$margin
  usable <- rows[reason == "" & pairs > 0 & is.finite(centre)]
  judged <- judge_effects(usable, margin, lenders_of(known, about$statistic))
  if (about$statistic == "error_share") judged <- with_binomial_ends(with_requests(judged, summary), margin)
  if (logs) judged[, `:=`(low = exp(low), high = exp(high))]
  judged[, estimate := if (logs) exp(centre) else centre][, bound := bound_words(bound)]
  rest <- rows[!usable, on = "id"][, bound := bound_words(bound)]
  rest[reason == "", reason := alone_and_unknown]
  rbind(judged, rest, fill = TRUE)
}

# The requests of both sides in the sessions that both have; a cell of a session is one row of the summary.
with_requests <- function(rows, summary) {
  counted <- summary[counts_for(summary, "error_share"), .(requests = sum(requests)), by = .(study, mode, tier, tool)]
  of_side <- function(modes) fcoalesce(counted[rows[, .(study, mode = ..modes, tier, tool)], on = c("study", "mode", "tier", "tool")]$requests, 1)
  rows[, `:=`(requests = of_side(mode), requests_baseline = of_side(baseline))][]
}

#' Comparisons of several shipped runs together, with the host of each.
with_hosts <- function(runs) rbindlist(lapply(runs, function(run) copy(run$comparisons)[, host := host_of(run)]), use.names = TRUE, fill = TRUE)

#' The host of a run: what run.json shows of the machine before anything is measured.
host_of <- function(run) paste(unlist(run$facts$machine[c("cpu_model", "cpu_version", "id")]), collapse = ", ")
