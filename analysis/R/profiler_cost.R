profiler_statistics <- c("throughput_per_s", "latency_mean_ms", "cpu_us_per_request")

#' The profiler's cost, for each cell that has profiled slices.
#'
#' @return see compare_modes(): profiled / plain.
profiler_cost <- function(measured) {
  profiled <- unique(measured$slices[kind == "profiled" & beside == "", .(study, tier, tool, mode, baseline = mode)])
  places <- profiled[, `:=`(id = .I, kind = rep("profiled", .N), baseline_kind = rep("plain", .N))]
  compare_places(measured, places, compared_statistics[statistic %in% profiler_statistics])
}
