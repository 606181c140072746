# Load curves of servers whose capacity is known.

# Loads around an estimate, in two rounds of the grid, whose p99 rises through the objective at a capacity, but for chance and for a tenth
# of them that are disturbed.
drawn_loads <- function(capacity_per_s, estimate_per_s) {
  steps <- ceiling(log(0.6 * estimate_per_s, 1.1)):floor(log(1.1 * estimate_per_s, 1.1))
  rates <- rep(1.1^steps, 2)
  above <- rates * exp(rnorm(length(rates), 0, 0.02)) > capacity_per_s | runif(length(rates)) < 0.1
  loads_with(ifelse(above, 90, 10), FALSE, rates)
}

# Loads with the given latencies, of an objective of 20 ms.
loads_with <- function(p99_ms, saturated = FALSE, rate_per_s = 100 * seq_along(p99_ms)) {
  data.table(
    step = seq_along(p99_ms), rate_per_s, latency_p50_ms = 1, latency_p99_ms = p99_ms, cpu_us_per_request = 50, saturated
  )[, met := !saturated & latency_p99_ms <= 20][]
}

# Writes the cell of a curve, see write_cell(), of such loads.
write_curve <- function(root, loads, ...) {
  slices <- if (nrow(loads) == 0) known_slices()[0] else known_slices(
    rounds = nrow(loads), step = loads$step, offered_per_s = loads$rate_per_s, sustained = tolower(!loads$saturated),
    served_per_s = loads$rate_per_s, due = loads$rate_per_s / 2, latency_p50_ms = loads$latency_p50_ms,
    latency_p99_ms = loads$latency_p99_ms, cpu_us_per_request = loads$cpu_us_per_request
  )
  sweep <- list(calibrated_per_s = 1000, objective_ms = 20)
  write_cell(root, tool = "sweep", slices = slices, sweep = sweep, ...)
}

# Rows of capacity.csv, one per value, which is the middle of its ends; a bound where it is said. `width` is the upper end by the lower.
capacities_with <- function(mode, values, baseline = NA, bound = "", tier = "low", width = 1.02) {
  rows <- with_cell_columns(data.table(
    study = "demo", mode, tier, tool = "sweep", repetition = seq_along(values), baseline = as.character(baseline),
    outcome = "completed", valid = TRUE, failed_checks = "", objective_ms = 20, capacity_per_s = values,
    bound_capacity = bound, why_bounded = ifelse(bound == "", "", "above the highest rate")
  ))
  rows[bound_capacity == "", `:=`(within_per_s = capacity_per_s / sqrt(width), beyond_per_s = capacity_per_s * sqrt(width))][]
}
