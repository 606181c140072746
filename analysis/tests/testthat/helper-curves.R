# Load curves of servers whose capacity is known.

# Shares of the calibrated capacity.
planned <- c(0.05, 0.17, 0.60, 0.72, 0.84, 0.96, 1.08, 1.20)

#' Latencies (ms) of M/M/1 over a step, from an empty queue.
mm1_step <- function(rate_per_s, saturation_per_s, lasts_s = 0.5, stall_s = 0) {
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

#' The steps of M/M/1 over the planned steps.
mm1_steps <- function(saturation_per_s, calibrated_per_s = saturation_per_s, stall_s = 0 * planned) {
  rbindlist(lapply(seq_along(planned), function(step) {
    rate <- planned[step] * calibrated_per_s
    seen <- mm1_step(rate, saturation_per_s, stall_s = stall_s[step])
    data.table(
      step, rate_per_s = rate, served_per_s = seen$served_per_s, saturated = is_behind(seen$due, 0.5 * seen$served_per_s),
      latency_p50_ms = percentiles(seen$latency_ms, 0.5), latency_p99_ms = percentiles(seen$latency_ms, 0.99),
      cpu_us_per_request = 1e6 / saturation_per_s
    )
  }))
}

# Where the 99th percentile of M/M/1 meets the objective.
mm1_capacity <- function(saturation_per_s, objective_ms) saturation_per_s - 1000 * log(100) / objective_ms

# Steps with the given latencies.
steps_with <- function(p99_ms, saturated = FALSE, rate_per_s = 100 * seq_along(p99_ms), p50_ms = 1) {
  data.table(
    step = seq_along(p99_ms), rate_per_s, served_per_s = rate_per_s, latency_p50_ms = p50_ms, latency_p99_ms = p99_ms,
    cpu_us_per_request = 50, saturated
  )
}

#' Writes the cell of a curve, see write_cell().
#'
#' @param steps see steps_with().
write_curve <- function(root, steps, objective_ms = 20, ended = "not_sustained", planned = nrow(steps), ...) {
  slices <- if (nrow(steps) == 0) known_slices()[0] else known_slices(
    rounds = nrow(steps), step = steps$step, offered_per_s = steps$rate_per_s, sustained = tolower(!steps$saturated),
    served_per_s = steps$served_per_s, due = steps$rate_per_s / 2, latency_p50_ms = steps$latency_p50_ms,
    latency_p99_ms = steps$latency_p99_ms, cpu_us_per_request = steps$cpu_us_per_request
  )
  sweep <- list(
    calibrated_per_s = 1000, ended = ended, arrivals = "poisson", seed = 1, objective_ms = objective_ms,
    steps = nrow(steps), steps_planned = planned
  )
  write_cell(root, tool = "sweep", slices = slices, sweep = sweep, ...)
}

#' Rows of capacity.csv, one per value, which is the middle of its bracket; a bound where it is said.
#'
#' @param width of a bracket: its upper end by its lower.
capacities_with <- function(mode, values, baseline = NA, bound = "", tier = "low", width = 1.02) {
  rows <- with_cell_columns(data.table(
    study = "demo", mode, tier, tool = "sweep", repetition = seq_along(values), baseline = as.character(baseline),
    outcome = "completed", valid = TRUE, failed_checks = "", objective_ms = 20, capacity_per_s = values,
    bound_capacity = bound, why_bounded = ifelse(bound == "", "", "above the highest rate")
  ))
  rows[bound_capacity == "", `:=`(within_per_s = capacity_per_s / sqrt(width), beyond_per_s = capacity_per_s * sqrt(width))][]
}
