# What theory predicts along a load curve, from the cell's configuration and from primitives alone, as
# predictions.R does for a single load. Requests arrive at random times, so both queues are those of random
# arrivals: before the threads that a mode lets in, and before the server's CPUs.
#
# The latency of a request that neither waits nor works is a matter of microseconds which no queue explains;
# of such a load the rate at which the CPUs are used up is predicted, and nothing else.

library(data.table)

#' The setup of a curve's cell at one rate, see read_setup().
setup_at <- function(cell, rate_per_s) {
  asked <- cell$configuration$tool
  cell$configuration$tool$rate_per_s <- rate_per_s
  cell$configuration$tool$duration_s <- or_else(asked$duration_s, asked$step_s)
  read_setup(cell)
}

#' What is predicted of a curve at one rate.
#'
#' @param cell see read_cell(), of the tool `curve`; `primitives` see read_primitives().
#' @return list: saturation_per_s (the rate that the mode cannot exceed; Inf where nothing bounds it),
#'   latency_p50_ms, latency_p99_ms (NA where no latency is predicted, Inf from saturation on); NULL where the
#'   models do not know the server or what bounds it.
predict_step <- function(cell, primitives, rate_per_s) {
  setup <- setup_at(cell, rate_per_s)
  if (is.na(setup$handling) || setup$handling == "database") return(NULL)
  cpu_s <- total_s(setup, request_cost(setup, primitives, rate_per_s), "mean")
  inside <- min(setup$most_inside, setup$connections)
  within_s <- setup$wait_s + cpu_s
  bounds_per_s <- c(threads = inside / within_s, cpus = setup$cpus / cpu_s)
  # What a request asks of a remote or a database has no primitive, so the CPU time is not known.
  if (!is.null(cell$configuration$backend) && which.min(bounds_per_s) == 2) return(NULL)
  quantile_ms <- function(p) {
    if (asks_nothing(setup)) return(NA_real_)
    # Work lasts as long as was asked for; the rest of the CPU time varies as if it were exponential.
    varies <- if (cpu_s > 0) ((cpu_s - setup$work_s) / cpu_s)^2 else 0
    on_cpus_s <- if (setup$work_s == 0) {
      sojourn_quantile_s(p, rate_per_s, setup$cpus, cpu_s)
    } else {
      cpu_s + queue_wait_quantile_s(p, rate_per_s, setup$cpus, cpu_s, 1, varies)
    }
    1000 * (setup$wait_s + on_cpus_s + queue_wait_quantile_s(p, rate_per_s, inside, within_s, 1, 0))
  }
  list(
    saturation_per_s = min(bounds_per_s), latency_p50_ms = quantile_ms(0.5),
    latency_p99_ms = quantile_ms(0.99)
  )
}

predicted_points <- 30

#' What is predicted of every mode that has a curve.
#'
#' @param cells list of cells of the tool `curve`; `primitives` see read_primitives().
#' @return data.table, a row per study, tier, mode and rate: rate_per_s, saturation_per_s, latency_p50_ms and
#'   latency_p99_ms at the rate, capacity_per_s (at the objective; that of saturation where no latency is
#'   predicted). Modes without a model have no rows.
predict_curves <- function(cells, primitives) {
  places <- vapply(cells, function(cell) paste(cell$cell[c("study", "tier", "mode")], collapse = "/"), "")
  rows <- lapply(cells[!duplicated(places)], predict_curve, primitives)
  rbindlist(c(list(no_predicted_curves()), rows))
}

predicted_curve_numbers <- c("rate_per_s", "saturation_per_s", "latency_p50_ms", "latency_p99_ms", "capacity_per_s")
no_predicted_curves <- function() typed_table(c("study", "tier", "mode"), predicted_curve_numbers)

predict_curve <- function(cell, primitives) {
  rates <- steps_of_curve(cell)$rate_per_s
  if (length(rates) == 0) return(NULL)
  at <- exp(seq(log(min(rates)), log(max(rates)), length.out = predicted_points))
  points <- lapply(at, function(rate) predict_step(cell, primitives, rate))
  if (any(vapply(points, is.null, NA))) return(NULL)
  points <- cbind(as.data.table(cell$cell[c("study", "tier", "mode")]), rate_per_s = at, rbindlist(points))
  points[, capacity_per_s := predicted_capacity(cell, primitives, points)]
  points[, c("study", "tier", "mode", predicted_curve_numbers), with = FALSE]
}

# Where the predicted 99th percentile meets the objective.
predicted_capacity <- function(cell, primitives, points) {
  saturation <- points$saturation_per_s[nrow(points)]
  if (anyNA(points$latency_p99_ms) || !is.finite(saturation)) return(saturation)
  too_long <- function(rate) predict_step(cell, primitives, rate)$latency_p99_ms > cell$curve$objective_ms
  if (too_long(saturation / 1000)) return(NA_real_)
  ends <- c(saturation / 1000, saturation)
  # A bisection: beyond saturation there is no number to follow.
  for (step in seq_len(40)) {
    middle <- sqrt(prod(ends))
    ends[1 + too_long(middle)] <- middle
  }
  ends[1]
}

#' Reads the table that predict_curves.R wrote.
#'
#' @param path path of results/predicted-curves.csv; without it nothing is predicted.
read_predicted_curves <- function(path) {
  if (file.exists(path)) read_typed(path, no_predicted_curves()) else no_predicted_curves()
}
