# The effect of the tool on a value, at the same mode and tier. Two questions:
# - the workload model: an open loop (requests are due whether or not the server answers) against a closed one
#   (users wait), as Schroeder, Wierman and Harchol-Balter (2006) ask for; a tier offers both about the same requests;
# - the generator: the program wrk2 against the project's own, at the same rate.

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
#' @param of,baseline_of ids of tools; `statistics` ids.
#' @return data.table as of compare_modes(), without `tool` and `baseline`: estimate is of / baseline_of,
#'   mode_* are of the first tool, baseline_* of the second.
compare_tools <- function(summary, slices, of, baseline_of, statistics) {
  both <- unique(summary[tool %in% c(of, baseline_of), .(study, tier, mode, tool)])
  places <- both[, .N, by = .(study, tier, mode)][N == 2, .(study, tier, mode)][, id := .I]
  terms <- rbind(
    places[, .(id, study, mode, tier, tool = rep(of, .N), sign = rep(1, .N))],
    places[, .(id, study, mode, tier, tool = rep(baseline_of, .N), sign = rep(-1, .N))]
  )
  compare_places(summary, slices, places, terms, compared_statistics[statistic %in% intersect(statistics, names(summary))])
}
