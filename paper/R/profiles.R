# Tables on profiles: shares of samples, what requests allocate, how threads wait.

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

#' Shares of samples with their 95 % intervals (Wilson's), as text; empty where there are too few samples.
share_of_samples <- function(samples, of) {
  unname(mapply(function(some, all) {
    if (all < samples_for_shares) return("")
    ends <- prop.test(round(some), round(all), conf.level = confidence, correct = FALSE)$conf.int
    sprintf("%.0f %% [%.0f, %.0f]", 100 * some / all, 100 * ends[1], 100 * ends[2])
  }, samples, of))
}

#' Allocations of a request, a row per mode and tier.
#'
#' @param allocations see read_allocations(); of valid cells.
#' @return data.table of text: Tier, Mode, `KiB a request` with its 95 % interval by sampling, `Most by` (the three
#'   groups that allocate most, with their shares where there are samples enough).
table_allocations <- function(allocations) {
  reach <- qnorm(1 - (1 - confidence) / 2)
  of_cells <- allocations[valid == TRUE, {
    most <- head(order(-bytes_per_request), 3)
    total <- sum(bytes_per_request)
    error <- reach * sqrt(sum(error_bytes^2))
    # Poisson's: the relative error of so many samples.
    samples <- fifelse(error_bytes > 0, (bytes_per_request / error_bytes)^2, 0)
    .(total = total, error = error, most = paste(trimws(paste(group, share_of_samples(samples, sum(samples)))[most]), collapse = ", "))
  }, by = .(tier, mode, repetition)]
  of_cells[order(tier, total), .(
    Tier = tier, Mode = mode,
    "KiB a request" = sprintf(
      "%s [%s, %s]", format_number(total / 1024), format_number(pmax(0, total - error) / 1024), format_number((total + error) / 1024)
    ),
    "Most by" = most
  )]
}
