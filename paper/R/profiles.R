# Sentences and tables on profiles: shares of samples, what requests allocate, how threads wait, and what the profiler costs.

#' By which clock profiles were sampled, and of which modes by the coarse one.
#'
#' @param summary rows of the summary; of cells without a profile, too.
#' @return one string; empty where nothing was sampled.
sentence_clocks <- function(summary) {
  clocks <- unique(summary[!is.na(profiler_engine), .(mode, engine = profiler_engine, interval_ms = profiler_interval_ms)])
  if (nrow(clocks) == 0) return("")
  of_clock <- clocks[order(interval_ms), .(told = sprintf(
    "every %s ms by `%s` (%s)", format_number(interval_ms[1]), engine[1], enumerate(as_code(unique(mode)))
  )), by = .(engine, interval_ms)]$told
  paste0("Samples are taken ", paste(of_clock, collapse = " and "), ".")
}

#' How often and how long threads wait for a request, a row per mode, tier and type of event.
#'
#' @param events see read_thread_events(); of valid cells.
#' @return data.table of text.
table_thread_events <- function(events) {
  events[valid == TRUE][order(tier, match(mode, mode_levels(mode)), event), .(
    Tier = tier, Mode = mode, Event = event, Events = plain_number(count), "Per request" = format_number(count / requests),
    "ms a request" = format_number(total_ms / requests), "ms, mean" = format_number(total_ms / count),
    "ms, longest" = format_number(longest_ms)
  )]
}

#' The profiler's cost, study by study: it stands with a study's profiles.
#'
#' @param cost see profiler_cost().
#' @return one string, with a full stop.
sentence_profiler_cost <- function(cost) {
  rows <- cost[statistic == "cpu_us_per_request"]
  if (nrow(rows) == 0) return("No cell has both profiled and plain slices.")
  told <- rows[, .(told = sprintf(
    "%s times the CPU time in %s (median over %s; %s to %s)", format_number(median(estimate)), study,
    count_of(uniqueN(mode), "mode"), format_number(min(estimate)), format_number(max(estimate))
  )), by = study]$told
  sprintf("Under the profiler a request takes %s.", paste(told, collapse = ", "))
}

#' Shares of samples with their 95 % intervals (Wilson's), as text; empty where there are too few samples.
#'
#' @param samples,of vectors of counts.
share_of_samples <- function(samples, of) {
  unname(mapply(function(some, all) {
    if (all < samples_for_shares) return("")
    ends <- prop.test(round(some), round(all), conf.level = confidence, correct = FALSE)$conf.int
    sprintf("%.0f %% [%.0f, %.0f]", 100 * some / all, 100 * ends[1], 100 * ends[2])
  }, samples, of))
}

#' How many samples a bar rests on, and whether they are enough for shares.
count_of_samples <- function(of) {
  paste0("n = ", plain_number(of), ifelse(of < samples_for_shares, ": too few", ""))
}

#' How much of the samples compiling took, which no bar shows.
#'
#' @param cpu_groups see read_cpu_groups().
#' @return one string; empty where nothing was sampled.
sentence_jit <- function(cpu_groups) {
  cells <- cpu_groups[valid & outcome == "completed", .(
    compiling = sum(samples[group == compiler_group]), of = sum(samples)
  ), by = .(study, mode, tier, tool)][of >= samples_for_shares]
  if (nrow(cells) == 0) return("")
  shares <- format_number(100 * range(cells[, compiling / of]))
  sprintf("Bars exclude the JIT compiler, which took %s %% of the samples.", paste(unique(shares), collapse = " to "))
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
