# The effect of the workload model on a value, at the same mode and tier: an open loop (requests are due whether or not the
# server answers) against a closed one (users wait), as Schroeder, Wierman and Harchol-Balter (2006) ask for; a tier offers both
# about the same requests.
# And the effect of the profiler: profiled slices against plain ones of the same cell.

loop_statistics <- c("throughput_per_s", "latency_mean_ms", "latency_p50_ms", "latency_p99_ms", "cpu_us_per_request")
profiler_statistics <- c("throughput_per_s", "latency_mean_ms", "cpu_us_per_request")

#' Compares the open loop with the closed one, for each mode and tier that has both.
#'
#' @param measured see as_measured().
#' @return see compare_modes(): open / closed.
compare_loops <- function(measured) compare_tools(measured, "wrk2", "jmeter", loop_statistics)

no_compared_tools <- function() cbind(typed_table(c("study", "tier", "mode", "baseline", "tool", "baseline_tool")), no_comparisons())

# Both tools are of one session. Their slices are no neighbors.
compare_tools <- function(measured, of, baseline_of, statistics) {
  both <- unique(measured$summary[tool %in% c(of, baseline_of), .(study, tier, mode, tool)])
  places <- both[, .N, by = .(study, tier, mode)][N == 2, .(study, tier, mode, baseline = mode)]
  places[, `:=`(id = .I, tool = rep(of, .N), baseline_tool = rep(baseline_of, .N))]
  compare_places(measured, places, compared_statistics[statistic %in% statistics])
}

#' The profiler's cost, for each cell that has profiled slices.
#'
#' @return see compare_modes(): profiled / plain.
profiler_cost <- function(measured) {
  profiled <- unique(measured$slices[kind == "profiled" & beside == "", .(study, tier, tool, mode, baseline = mode)])
  places <- profiled[, `:=`(id = .I, kind = rep("profiled", .N), baseline_kind = rep("plain", .N))]
  compare_places(measured, places, compared_statistics[statistic %in% profiler_statistics])
}
