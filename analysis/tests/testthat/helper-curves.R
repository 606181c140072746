# Load curves of servers whose capacity is known.

# Rates of the grid between two shares of an estimate, each in two rounds.
grid_per_s <- function(estimate_per_s, rounds = 2) rep(1.1^(ceiling(log(0.6 * estimate_per_s, 1.1)):floor(log(1.1 * estimate_per_s, 1.1))), rounds)

#' Latencies (ms) of M/M/1 over a load, from an empty queue.
mm1_load <- function(rate_per_s, saturation_per_s, lasts_s = 0.5, stall_s = 0) {
  due_s <- sort(runif(rpois(1, rate_per_s * lasts_s), 0, lasts_s))
  service_s <- rexp(length(due_s), saturation_per_s)
  # A stall in the middle: the request that meets it takes so much longer.
  if (stall_s > 0) service_s[which(due_s > lasts_s / 2)[1]] <- stall_s
  worked_s <- cumsum(service_s)
  done_s <- worked_s + cummax(due_s - c(0, worked_s[-length(worked_s)]))
  list(latency_ms = 1000 * (done_s - due_s), served_per_s = served(done_s), due = length(due_s))
}

# From when a hundredth was answered until all but a hundredth were, as the runner has it.
served <- function(done_s) {
  ends <- sort(done_s)[ceiling(c(0.01, 0.99) * length(done_s))]
  0.98 * length(done_s) / diff(ends)
}

#' The loads of M/M/1 around an estimate of its capacity, of which a share is disturbed.
mm1_loads <- function(saturation_per_s, objective_ms = 20, estimate_per_s = saturation_per_s, disturbed = 0) {
  rates <- grid_per_s(estimate_per_s)
  seen <- lapply(rates, function(rate) mm1_load(rate, saturation_per_s, stall_s = if (runif(1) < disturbed) 0.03 else 0))
  at <- function(p) vapply(seen, function(load) percentiles(load$latency_ms, p), 0)
  behind <- vapply(seen, function(load) is_behind(load$due, 0.5 * load$served_per_s), NA)
  loads_with(at(0.99), behind, rates, at(0.5), objective_ms = objective_ms)[, step := round(log(rates, 1.1))]
}

#' Loads around an estimate whose p99 rises through the objective at a capacity, but for chance.
drawn_loads <- function(capacity_per_s, estimate_per_s, chance = 0.02, disturbed = 0.1) {
  rates <- grid_per_s(estimate_per_s)
  above <- rates * exp(rnorm(length(rates), 0, chance)) > capacity_per_s | runif(length(rates)) < disturbed
  loads_with(ifelse(above, 90, 10), FALSE, rates)
}

# Where the 99th percentile of M/M/1 meets the objective.
mm1_capacity <- function(saturation_per_s, objective_ms) saturation_per_s - 1000 * log(100) / objective_ms

# Loads with the given latencies.
loads_with <- function(p99_ms, saturated = FALSE, rate_per_s = 100 * seq_along(p99_ms), p50_ms = 1, objective_ms = 20) {
  data.table(
    step = seq_along(p99_ms), rate_per_s, latency_p50_ms = p50_ms, latency_p99_ms = p99_ms, cpu_us_per_request = 50, saturated
  )[, met := !saturated & latency_p99_ms <= objective_ms][]
}

#' Writes the cell of a curve, see write_cell().
#'
#' @param loads see loads_with().
write_curve <- function(root, loads, objective_ms = 20, ...) {
  slices <- if (nrow(loads) == 0) known_slices()[0] else known_slices(
    rounds = nrow(loads), step = loads$step, offered_per_s = loads$rate_per_s, sustained = tolower(!loads$saturated),
    served_per_s = loads$rate_per_s, due = loads$rate_per_s / 2, latency_p50_ms = loads$latency_p50_ms,
    latency_p99_ms = loads$latency_p99_ms, cpu_us_per_request = loads$cpu_us_per_request
  )
  sweep <- list(calibrated_per_s = 1000, growth = 1.1, arrivals = "poisson", seed = 1, objective_ms = objective_ms, lowest = 0.6, highest = 1.1)
  write_cell(root, tool = "sweep", slices = slices, sweep = sweep, ...)
}

#' Rows of capacity.csv, one per value, which is the middle of its ends; a bound where it is said.
#'
#' @param width between the ends: the upper by the lower.
capacities_with <- function(mode, values, baseline = NA, bound = "", tier = "low", width = 1.02) {
  rows <- with_cell_columns(data.table(
    study = "demo", mode, tier, tool = "sweep", repetition = seq_along(values), baseline = as.character(baseline),
    outcome = "completed", valid = TRUE, failed_checks = "", objective_ms = 20, capacity_per_s = values,
    bound_capacity = bound, why_bounded = ifelse(bound == "", "", "above the highest rate")
  ))
  rows[bound_capacity == "", `:=`(within_per_s = capacity_per_s / sqrt(width), beyond_per_s = capacity_per_s * sqrt(width))][]
}
