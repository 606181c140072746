# Time series of cells: each slice, and within it each second of telemetry. The page unpacks and draws them (page.html).

traced_slices <- c("throughput_per_s", "latency_p99_ms")

#' The time series of a study's cells, packed, behind a list of the cells.
#'
#' @return one string of HTML; empty where no cell has slices.
traces_frame <- function(all) {
  traces <- Filter(Negate(is.null), lapply(seq_len(nrow(all$summary)), function(index) series_of(all, all$summary[index])))
  if (length(traces) == 0) return("")
  json <- jsonlite::toJSON(traces, digits = 3, na = "null")
  sprintf(
    "<details class=\"traces\"><summary>Time series of %s</summary>\n<p>Time is that of loads, slice by slice; other modes were loaded between. Dotted slices do not count for latency.</p>\n<label>Cell <select></select></label>\n<div class=\"plots\" data-traces=\"%s\"></div>\n</details>",
    count_of(length(traces), "cell"), packed(charToRaw(enc2utf8(json)))
  )
}

#' The time series of one cell.
#'
#' @param cell its row of the summary.
#' @return list: name; slices: at, length (s of load), kept, traced_slices; seconds: at, length, cpus (in use), rss_mib (resident
#'   memory), threads; NULL without slices.
series_of <- function(all, cell) {
  place <- c("study", "mode", "tier", "tool", "repetition")
  slices <- all$slices[cell[, place, with = FALSE], on = place, nomatch = NULL][beside == ""]
  slices <- slices[is.finite(start_epoch_s) & is.finite(end_epoch_s)][order(start_epoch_s)]
  if (nrow(slices) == 0) return(NULL)
  slices[, length := end_epoch_s - start_epoch_s][, at := cumsum(length) - length]
  name <- sprintf("%s at %s, %s, repetition %d", cell$mode, cell$tier, loop_names[[cell$tool]], cell$repetition)
  list(
    name = name, slices = as.list(slices[, c("at", "length", "kept", traced_slices), with = FALSE]),
    seconds = as.list(seconds_of(file.path(all$results, "cells", cell_path(cell), "telemetry.csv"), slices))
  )
}

# Telemetry second by second, within slices. Shipped and golden cells have none.
seconds_of <- function(path, slices) {
  if (!file.exists(path)) return(data.table())
  samples <- fread(path, select = c("slice", "time_s", "server_cpu_s", "server_rss_bytes", "server_threads"))
  samples <- samples[slices[, .(slice, from = start_epoch_s, to = end_epoch_s, at)], on = "slice", nomatch = NULL]
  samples <- samples[time_s >= from & time_s < to & !is.na(server_cpu_s)]
  if (nrow(samples) == 0) return(data.table())
  seconds <- samples[order(slice, time_s), .(
    length = min(1, to[1] - from[1] - floor(time_s[1] - from[1])), spent_s = diff(range(server_cpu_s)), took_s = diff(range(time_s)),
    rss_mib = mean(server_rss_bytes, na.rm = TRUE) / 2^20, threads = as.numeric(max(c(server_threads, -Inf), na.rm = TRUE))
  ), by = .(slice, at = at + floor(time_s - from))]
  seconds[is.finite(threads) & took_s > 0, .(at, length, cpus = spent_s / took_s, rss_mib, threads)]
}
