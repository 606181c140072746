# CPU time and rate: a request costs more the rarer it is, since its CPU was idle and its caches are cold.

#' CPU time of a request against the rate, for the modes of `request-threads` on new connections.
#'
#' @return data.table: series (the mode), rate_per_s, cpu_us; no rows for a mode at one rate.
costs_by_rate <- function(summary) {
  cells <- summary[study == "request-threads" & counts_for(summary) & tool == "wrk2" & !is_variant(mode) & tier %in% c("low", "mid", "high", "extreme")]
  rows <- cells[is.finite(cpu_us_per_request), .(cpu_us = median(cpu_us_per_request)), by = .(series = mode, rate_per_s = offered_per_s)]
  rows[rows[, .(rates = .N), by = series][rates > 1], on = "series", nomatch = NULL][order(series, rate_per_s), .(series, rate_per_s, cpu_us)]
}

#' The same of the mode with most rates, at its lowest and its highest, in a sentence.
sentence_of_cost_by_rate <- function(costs) {
  if (nrow(costs) == 0) return("")
  most <- costs[, .N, by = series][which.max(N)]$series
  ends <- costs[series == most][c(1, .N)]
  sprintf(
    "CPU time per request is no constant: with %s, one request costs %s at the rates %s a second. Compare it at equal rates.",
    in_words(most), enumerate(paste(format_number(ends$cpu_us), "µs")), enumerate(format_number(ends$rate_per_s))
  )
}
