# What the workload model does to a value: the same mode and tier under an open loop (requests are
# due whether or not the server answers) against a closed one (users wait), as Schroeder, Wierman
# and Harchol-Balter (2006) ask for. A tier offers both about the same requests.

library(data.table)

#' The statistics in which the loops are compared, and the tools that make them.
loop_statistics <- c("throughput_per_s", "latency_mean_ms", "latency_p50_ms", "latency_p99_ms", "cpu_us_per_request")
loop_tools <- c(closed = "jmeter", open = "wrk2")

#' Compares the open loop with the closed one, for each mode and tier that has both.
#'
#' Both are of one session. Their slices are no neighbors, so whole cells are compared.
#'
#' @param summary see read_summary(); `slices` see read_slices().
#' @return data.table as of compare_modes(), without `tool` and `versus`: estimate is open / closed,
#'   mode_* are of the open loop, versus_* of the closed one.
compare_loops <- function(summary, slices) {
  both <- unique(summary[tool %in% loop_tools, .(study, tier, mode, tool)])
  places <- both[, .N, by = .(study, tier, mode)][N == 2, .(study, tier, mode)][, id := .I]
  terms <- rbind(
    places[, .(id, study, mode, tier, tool = rep(loop_tools[["open"]], .N), sign = rep(1, .N))],
    places[, .(id, study, mode, tier, tool = rep(loop_tools[["closed"]], .N), sign = rep(-1, .N))]
  )
  compare_places(summary, slices, places, terms, compared_statistics[statistic %in% loop_statistics])
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
    Sessions = pairs, Verdict = ifelse(reason == "", verdict, paste0(verdict, ": ", reason))
  )][, setnames(.SD, "Ratio", "Open / closed")]
}

checked_loop_statistic <- function(statistic) {
  if (!statistic %in% loop_statistics) stop("loops are not compared in ", statistic, call. = FALSE)
  statistic
}
