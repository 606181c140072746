# Tables on profiles: what requests allocate, how threads wait.

#' How often and how long threads wait for a request, a row per mode, tier and type of event.
#'
#' @param events see read_thread_events(); of valid cells.
table_thread_events <- function(events) {
  events[valid == TRUE][order(tier, match(mode, mode_levels(mode)), event), .(
    Tier = tier, Mode = mode, Event = event, Events = plain_number(count), "Per request" = format_number(count / requests),
    "ms a request" = format_number(total_ms / requests), "ms, mean" = format_number(total_ms / count),
    "ms, longest" = format_number(longest_ms)
  )]
}

#' Allocations of a request, a row per mode and tier.
#'
#' @param allocations see read_allocations(); of valid cells.
#' @return data.table of text: Tier, Mode, `KiB a request` with its 95 % interval by sampling.
table_allocations <- function(allocations) {
  reach <- qnorm(1 - (1 - confidence) / 2)
  of_cells <- allocations[valid == TRUE, .(
    kib = sum(bytes_per_request) / 1024, error_kib = reach * sqrt(sum(error_bytes^2)) / 1024
  ), by = .(tier, mode, repetition)]
  of_cells[order(tier, kib), .(Tier = tier, Mode = mode, "KiB a request" = with_interval(kib, pmax(0, kib - error_kib), kib + error_kib))]
}
