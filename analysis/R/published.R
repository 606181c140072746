# Values that the sources printed, next to ours.

#' The sources' names of values, and the column of the summary that has ours: over all samples, as the source's tool computes them.
#' @export
source_figures <- fread(
  "figure,             column
   latency_mean_ms,    latency_all_mean_ms
   latency_p50_ms,     latency_all_p50_ms
   latency_p90_ms,     latency_all_p90_ms
   latency_p95_ms,     latency_all_p95_ms
   latency_p99_ms,     latency_all_p99_ms
   latency_min_ms,     latency_all_min_ms
   latency_max_ms,     latency_all_max_ms
   latency_sd_ms,      latency_all_sd_ms
   error_percent,      error_percent
   throughput_per_s,   throughput_all_per_s
   received_kib_per_s, received_kib_per_s
   sent_kib_per_s,     sent_kib_per_s"
)

#' Our tool that stands for a source's, by the end of the source's name. wrk is a closed loop.
tools_for_sources <- c(jmeter = "jmeter", wrk = "jmeter", wrk2 = "wrk2", sysbench = "sysbench")

#' Reads what the sources printed.
#'
#' @param paths paths of analysis/published/<study>.csv.
#' @return data.table: source, tier, mode (ours that stands for what it measured), figure, value, study, tool (ours that stands for the
#'   source's). Where a source printed requests and a duration alone, their ratio is the throughput.
#' @export
read_published <- function(paths) {
  columns <- c("source", "tier", "mode", "figure", "value")
  rbindlist(lapply(paths, function(path) {
    printed <- read_required(path, columns)
    printed[, `:=`(study = sub("[.]csv$", "", basename(path)), tool = tools_for_sources[sub(".*-", "", source)])]
    places <- c("source", "study", "tier", "tool", "mode")
    rates <- printed[figure == "requests"][printed[figure == "duration_s"], on = places, nomatch = NULL]
    rates <- rates[, `:=`(figure = "throughput_per_s", value = value / i.value)][, names(printed), with = FALSE]
    rbind(printed, rates[!printed[figure == "throughput_per_s"], on = places])
  }))
}
