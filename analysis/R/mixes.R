# Short requests next to long ones: the latency that queueing theory predicts of each, beside the measured one.
#
# Requests arrive at random and take a CPU for as long as their path says, plus what the server adds, so that the server is an
# M/G/n queue of its n CPUs with two kinds of service. The order of service decides who waits. Virtual threads are served first come, first
# served: each keeps its carrier until it blocks. Threads of the kernel share the CPU, in the limit of short time slices evenly
# (processor sharing). Both are ends of one model: at most k requests share the CPUs, and the others wait in the order of their
# arrival. k is the number of carriers, or of the pool's threads; a generator on the same CPUs is not in the model. No formula gives percentiles of either kind for any k, so they are
# simulated. Inputs are rates, paths and the CPU time per request; no latency is among them.

no_mixes <- function() {
  numbers <- c("rate_per_s", "cpus", "share", "short_ms", "long_ms", "at_a_time", "stated_utilization", "utilization")
  typed_table(cell_place, c(numbers, paste0(rep(c("predicted_", "measured_"), each = 3), c("p50_ms", "p99_ms", "long_p50_ms"))))
}

#' Latencies of loads that mix two paths.
#'
#' @param cells list of read_cell(); `summary` see read_summary(), whose valid cells give CPU times and latencies.
#' @return rows of mixes.csv, see tables.yaml, for mixes of CPU time; at_a_time is NA where the mode serves the long ones apart, and all
#'   is NA where nothing was measured.
predict_mixes <- function(cells, summary) {
  mixed <- Filter(is_mix_of_computing, cells)
  if (length(mixed) == 0) return(no_mixes())
  setups <- unique(rbindlist(lapply(mixed, setup_of_mix)), by = cell_place)
  middle <- function(values) as.numeric(median(values, na.rm = TRUE))
  measured <- summary[counts_for(summary), .(cpu_ms = middle(cpu_us_per_request) / 1000), by = cell_place]
  latencies <- summary[counts_for(summary, "latency_p99_ms"), .(
    measured_p50_ms = middle(latency_p50_ms), measured_p99_ms = middle(latency_p99_ms), measured_long_p50_ms = middle(latency_mixed_in_p50_ms)
  ), by = cell_place]
  rows <- latencies[measured[setups, on = cell_place], on = cell_place]
  rows[, stated_ms := (1 - share) * short_ms + share * long_ms]
  rows[, `:=`(stated_utilization = rate_per_s * stated_ms / 1000 / cpus, utilization = rate_per_s * cpu_ms / 1000 / cpus)]
  predicted <- c("predicted_p50_ms", "predicted_p99_ms", "predicted_long_p50_ms")
  # The rest of the measured CPU time is the server's own, the same for both kinds.
  rows[, more_ms := pmax(0, cpu_ms - stated_ms)]
  rows[, (predicted) := mix_percentiles_ms(rate_per_s, share, more_ms + short_ms, more_ms + long_ms, at_a_time, cpus), by = seq_len(nrow(rows))]
  rows[, names(no_mixes()), with = FALSE]
}

# A path that asks for anything else than CPU time has no service time that its cell names.
is_mix_of_computing <- function(cell) {
  mix <- cell$configuration$tool$mix
  !is.null(mix) && number_in_path(mix$path, "cpu_us") > 0
}

setup_of_mix <- function(cell) {
  setup <- read_setup(cell)
  mode <- cell$configuration$mode
  mix <- cell$configuration$tool$mix
  apart <- any(c("long-threads", "long-yields-us", "long-rests-ms") %in% names(mode$options))
  at_a_time <- switch(setup$kind, virtual = or_else(mode$carriers, setup$cpus), pool = setup$most_inside, NA_real_)
  c(setup[c(cell_place, "rate_per_s", "cpus")], list(
    share = mix$share, short_ms = 1000 * setup$work_s, long_ms = number_in_path(mix$path, "cpu_us") / 1000,
    at_a_time = if (apart) NA_real_ else as.numeric(at_a_time)
  ))
}

simulated_requests <- 50000

#' The percentiles that are predicted of a mix.
#'
#' @param rate_per_s of random arrivals; `share` of the long ones; `short_ms`, `long_ms` CPU time of each; `at_a_time` and
#'   `cpus` see shared_sojourns().
#' @return list: p50 and p99 of the short ones, p50 of the long ones, ms; NA where an input is, Inf from saturation on. A p99
#'   repeats within 5 % with other random numbers, first come, first served within 10 %.
#' @export
mix_percentiles_ms <- function(rate_per_s, share, short_ms, long_ms, at_a_time, cpus = 1) {
  if (anyNA(c(rate_per_s, share, short_ms, long_ms, at_a_time, cpus))) return(as.list(rep(NA_real_, 3)))
  if (rate_per_s * ((1 - share) * short_ms + share * long_ms) >= 1000 * cpus) return(as.list(rep(Inf, 3)))
  # The same requests whatever the mode, so that their differences are not of chance.
  set.seed(1)
  arrives <- cumsum(-log(runif(simulated_requests)) * 1000 / rate_per_s)
  long <- runif(simulated_requests) <= share
  lasts <- shared_sojourns(arrives, fifelse(long, long_ms, short_ms), at_a_time, cpus)
  list(quantile(lasts[!long], 0.5, names = FALSE), quantile(lasts[!long], 0.99, names = FALSE), quantile(lasts[long], 0.5, names = FALSE))
}

#' How many carriers let short requests pass long ones on one CPU, by rule of thumb: as many as long requests are in flight, but for one moment in
#' 10,000. Where all share the CPU, the number of long ones is geometric, with l / (1 - s) for the next (Kelly 1979, Reversibility and
#' Stochastic Networks).
#'
#' @param short,long shares of the CPU that each kind takes; together below 1.
#' @return numeric vector, whole numbers from 1.
#' @export
carriers_that_suffice <- function(short, long) pmax(1, ceiling(log(10000) / log((1 - short) / long)))

#' @export
read_mixes <- function(path) read_if_there(path, no_mixes())
