# What the tool does to a value, at the same mode and tier. Two questions:
# - the workload model: an open loop (requests are due whether or not the server answers) against a closed one
#   (users wait), as Schroeder, Wierman and Harchol-Balter (2006) ask for; a tier offers both about the same requests;
# - the generator: the program wrk2 against the project's own, at the same rate.

library(data.table)

#' The statistics in which the loops are compared, and the tools that make them.
loop_statistics <- c("throughput_per_s", "latency_mean_ms", "latency_p50_ms", "latency_p99_ms", "cpu_us_per_request")

#' Compares the open loop with the closed one, for each mode and tier that has both.
#'
#' @param summary see read_summary(); `slices` see read_slices().
#' @return see compare_tools(): open / closed.
compare_loops <- function(summary, slices) compare_tools(summary, slices, "wrk2", "jmeter", loop_statistics)

#' Compares the program wrk2 with the project's own generator, for each mode and tier that both loaded.
#'
#' @return see compare_tools(): wrk2 / own.
compare_generators <- function(summary, slices) {
  compare_tools(summary, slices, "wrk2-itself", "wrk2", c(loop_statistics, "error_share"))
}

#' Compares two tools, for each mode and tier that has both.
#'
#' Both are of one session. Their slices are no neighbors, so whole cells are compared.
#'
#' @param of,versus_of ids of tools; `statistics` ids.
#' @return data.table as of compare_modes(), without `tool` and `versus`: estimate is of / versus_of,
#'   mode_* are of the first tool, versus_* of the second.
compare_tools <- function(summary, slices, of, versus_of, statistics) {
  both <- unique(summary[tool %in% c(of, versus_of), .(study, tier, mode, tool)])
  places <- both[, .N, by = .(study, tier, mode)][N == 2, .(study, tier, mode)][, id := .I]
  terms <- rbind(
    places[, .(id, study, mode, tier, tool = rep(of, .N), sign = rep(1, .N))],
    places[, .(id, study, mode, tier, tool = rep(versus_of, .N), sign = rep(-1, .N))]
  )
  compare_places(summary, slices, places, terms, compared_statistics[statistic %in% intersect(statistics, names(summary))])
}

#' A sentence on the gap between the loops.
#'
#' @param loops see compare_loops(), or some of its rows.
#' @param statistic one of loop_statistics.
#' @return one string, with a full stop.
sentence_loops <- function(loops, statistic = "latency_p99_ms") {
  wanted <- checked_loop_statistic(statistic)
  rows <- loops[statistic == wanted & !is.na(estimate)]
  if (nrow(rows) == 0) return(sprintf("No mode has a valid %s under both loops at one tier.", title_of(wanted)))
  widest <- rows[which.max(abs(log(estimate)))]
  sprintf(
    paste(
      "Under the open loop the %s was higher than under the closed one in %d of %d modes and tiers,",
      "lower in %d, equivalent in %d; the widest gap is that of %s at %s: a factor of %s."
    ),
    title_of(wanted), sum(rows$verdict == "higher"), nrow(rows), sum(rows$verdict == "lower"),
    sum(rows$verdict == "equivalent"), as_code(widest$mode), as_code(widest$tier),
    effect_with_interval(widest)
  )
}

#' The gap between the loops, mode by mode.
#'
#' @param loops see compare_loops().
#' @param statistic one of loop_statistics.
#' @return data.table of text: `Study`, `Tier`, `Mode`, `Open`, `Closed` (medians), `Open / closed`
#'   with its 95 % interval, `Sessions`, `Verdict`.
table_loop_gap <- function(loops, statistic = "latency_p99_ms") {
  wanted <- checked_loop_statistic(statistic)
  rows <- loops[statistic == wanted]
  rows[, .(
    Study = study, Tier = tier, Mode = mode, Open = format_number(mode_median),
    Closed = format_number(versus_median), Ratio = effect_with_interval(.SD),
    Sessions = pairs, Verdict = verdict_text(verdict, reason)
  )][, setnames(.SD, "Ratio", "Open / closed")]
}

#' How far the program wrk2 and the project's own generator agree.
#'
#' @param generators see compare_generators().
#' @return one string, with a full stop.
sentence_generators <- function(generators) {
  places <- uniqueN(generators[, .(study, tier, mode)])
  if (places == 0) return("No wrk2 was on the PATH of this run, so the project's own generator made all open loops.")
  rows <- generators[!is.na(estimate)]
  lost <- uniqueN(generators[is.na(estimate) & grepl("valid", reason), .(study, tier, mode)])
  count <- function(wanted) sum(rows$verdict == wanted)
  sprintf(
    paste(
      "The program wrk2 loaded %s of a mode and a tier beside the project's own generator. Of %s between the two",
      "%s equivalent, %s higher by wrk2, %s lower, and %s not decided.%s"
    ),
    count_of(places, "pair"), count_of(nrow(rows), "comparison"),
    is_or_are(count("equivalent")), is_or_are(count("higher")), is_or_are(count("lower")), is_or_are(count("undecided")),
    if (lost > 0) sprintf(" Of %s one of the two has no valid cell.", count_of(lost, "pair")) else ""
  )
}

#' Both generators, mode by mode.
#'
#' @param generators see compare_generators().
#' @return data.table of text: `Tier`, `Mode`, `Metric`, `wrk2`, `Own` (medians), `wrk2 / own` with its interval,
#'   `Sessions`, `Verdict`.
table_generators <- function(generators) {
  generators[, .(
    Tier = tier, Mode = mode, Metric = headings(statistic), wrk2 = format_number(mode_median), Own = format_number(versus_median),
    Ratio = effect_with_interval(.SD), Sessions = pairs, Verdict = verdict_text(verdict, reason)
  )][, setnames(.SD, "Ratio", "wrk2 / own")]
}

checked_loop_statistic <- function(statistic) {
  if (!statistic %in% loop_statistics) stop("loops are not compared in ", statistic, call. = FALSE)
  statistic
}
