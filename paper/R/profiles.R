# What profiles say: shares of samples, what requests allocate, and what the profiler costs.

#' What the profiler costs, study by study: it stands with a study's profiles.
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

#' What a request allocates, a row per mode and tier.
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
