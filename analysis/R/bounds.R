# Bounds: the throughput that theory allows each mode under each load, and the measured one.
#
# A request that waits for W seconds is in the server for at least W. So a mode that serves n requests concurrently,
# for N users, answers at most min(N, n) / W requests a second (Little 1961), and its CPUs allow at most their number
# by the CPU time of a request (the utilization law). CPU time falls with the rate, so only a closed loop, which goes
# as fast as the server lets it, has a bound by its CPUs. Exact mean value analysis (Reiser and Lavenberg 1980) has
# both: min(N, n) requests circulate between a delay of W and the CPUs. Several CPUs are taken for one that is as many
# times as fast.

bound_numbers <- c("users", "admitted", "wait_ms", "bound_per_s", "mva_per_s", "measured_per_s")
no_bounds <- function() typed_table(c(cell_place, "bound_by"), bound_numbers)

#' Bounds of throughput.
#'
#' @param cells list of read_cell(); `summary` see read_summary(), whose valid cells give CPU times and throughputs.
#' @return data.table, a row per study, mode, tier and tool that has a bound. NA: users of an open loop, admitted where nothing limits them,
#'   mva_per_s but of users of a closed loop who wait, measured_per_s without a valid session.
bound_modes <- function(cells, summary) {
  if (length(cells) == 0) return(no_bounds())
  from_setup <- c(cell_place, "users", "most_inside", "wait_s", "cpus", "shares_cpus", "steady")
  setups <- rbindlist(lapply(cells, function(cell) read_setup(cell)[from_setup]))
  rows <- measured_medians(summary)[unique(setups, by = cell_place), on = cell_place]
  # A database on the server's CPUs takes its share of them.
  rows[shares_cpus == TRUE & is.finite(backend_us), cpu_us := cpu_us + backend_us]
  rows[steady == FALSE, cpu_us := NA]
  rows[, c("bound_per_s", "bound_by") := least_bound(users, most_inside, wait_s, 1e6 * cpus / cpu_us)]
  rows[, mva_per_s := fifelse(wait_s == 0, NA_real_, mapply(mean_value, pmin(users, most_inside), wait_s, cpu_us / 1e6 / cpus))]
  rows[, `:=`(admitted = fifelse(is.finite(most_inside), most_inside, NA_real_), wait_ms = 1000 * wait_s)]
  rows[!is.na(bound_per_s), names(no_bounds()), with = FALSE]
}

# A time of 0 or less is none.
measured_medians <- function(summary) {
  above_0 <- function(values) as.numeric(median(values[is.finite(values) & values > 0]))
  summary[counts_for(summary), .(
    cpu_us = above_0(cpu_us_per_request), backend_us = above_0(backend_cpu_us_per_request),
    measured_per_s = as.numeric(median(throughput_per_s, na.rm = TRUE))
  ), by = cell_place]
}

# The least of what users, admission and CPUs allow: bound_per_s and bound_by. NA or Inf where there is no such limit; NA where there is
# none.
least_bound <- function(users, admitted, wait_s, cpus_per_s) {
  least_of(cbind(users = users / wait_s, admitted = admitted / wait_s, cpu = cpus_per_s))
}

# The least of limits that are the columns of a matrix, a row a case; see least_bound().
least_of <- function(limits) {
  limits[!is.finite(limits)] <- Inf
  least <- apply(limits, 1, which.min)
  per_s <- limits[cbind(seq_along(least), least)]
  list(
    bound_per_s = fifelse(is.finite(per_s), per_s, NA_real_),
    bound_by = fifelse(is.finite(per_s), colnames(limits)[least], NA_character_)
  )
}

mean_value <- function(customers, wait_s, demand_s) {
  if (!is.finite(customers) || is.na(demand_s)) NA_real_ else closed_throughput(customers, wait_s, demand_s)
}

#' Reads bounds.csv, see bound_modes().
#' @export
read_bounds <- function(path) read_typed(path, no_bounds())
