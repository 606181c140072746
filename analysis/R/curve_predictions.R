# Predicted latency along a load curve, from the cell's configuration and from primitives alone. Requests arrive
# at random times, so both queues are those of random arrivals: before the threads of a mode (setups.R), and before
# the server's CPUs.
#
# The latency of a request that neither waits nor works is a matter of microseconds which no queue explains; of such a
# load the rate at which the CPUs are used up is predicted, and nothing else.

# ---- Cost of a request ---------------------------------------------------------------------------

# The request of a mode, by its concurrency model: on a new connection; on one that is kept, whose thread must be
# woken; and answered after a sleep. Where there is `awake`, the sleep is what the primitive `asleep` costs more than
# that. No primitive is measured on a mode of a study: workloads/request_primitives.py says how each is.
on_a_pool <- list(
  request = "pool-beside-request", kept = "kept-request-on-one-thread", asleep = "pool-asleep-beside-request"
)
ways <- list(
  "thread-each" = list(
    request = "platform-thread-beside-request", kept = "kept-request-on-one-thread",
    asleep = "platform-thread-asleep-beside-request"
  ),
  "pool" = on_a_pool,
  "virtual" = list(
    request = "virtual-thread-beside-request", kept = "kept-request-on-virtual-thread",
    asleep = "virtual-thread-asleep-beside-request"
  ),
  "event-loop" = list(
    request = "request-through-selector", kept = "kept-request-through-selector",
    asleep = "timed-request-through-selector"
  ),
  # The smallest request to Tomcat has its hand-over in it, to a thread of either kind.
  "tomcat, pool" = list(
    request = "tomcat-request", kept = "tomcat-request",
    asleep = "platform-thread-asleep-beside-request", awake = "platform-thread-beside-request"
  ),
  "tomcat, virtual" = list(
    request = "tomcat-request", kept = "tomcat-request",
    asleep = "virtual-thread-asleep-beside-request", awake = "virtual-thread-beside-request"
  )
)

# NULL for a server without primitives.
way_of <- function(setup) {
  switch(setup$server, "artifact.sockets.mode" = ways[[setup$kind, exact = TRUE]], "artifact.spring" = , "artifact.tomcat" = ways[[paste0("tomcat, ", setup$kind)]])
}

# The cost that a call of a remote adds, by the client. The blocking one keeps the thread of the request; a worker thread is
# started for its call, so that its start is in the difference.
calls <- list(
  "blocking" = list(with = "platform-thread-call-beside-request", without = "platform-thread-beside-request"),
  "worker-threads" = list(with = "platform-thread-call-beside-request", without = "request-on-one-thread"),
  "event-loop" = list(with = "event-loop-call-beside-request", without = "request-on-one-thread")
)

# Ten times as many as when the primitives sleep: each thread has a stack, which is cold when it wakes.
most_asleep <- 2000
least_us <- 1

#' CPU time of a request from primitives: the smallest one to the simplest server of its kind at the rate, and what a
#' sleep, a statement or a call adds to it. It is the more expensive the rarer it is, since its CPU was idle and its
#' caches are cold.
#'
#' @param setup see read_setup(); `primitives` see read_primitives(); `rate_per_s` at which requests come.
#' @return µs; NA where no primitive says it.
request_cost <- function(setup, primitives, rate_per_s) {
  if (!has_primitives(setup)) return(NA_real_)
  way <- way_of(setup)
  at_rate <- function(id) cost_of(primitives, id, rate_per_s)
  asleep <- setup$wait_s > 0 && is.null(way$awake)
  base <- at_rate(if (asleep) way$asleep else if (setup$keep_alive) way$kept else way$request)
  # A thread that waits for a statement, or a remote, is woken by the answer, however long that takes.
  more <- if (setup$holds_connection) {
    list(with = "statement-within-request", without = "request-on-one-thread")
  } else if (!is.null(calls[[setup$call]])) {
    calls[[setup$call]]
  } else if (setup$wait_s > 0 && !asleep) {
    list(with = way$asleep, without = way$awake)
  }
  if (!is.null(more)) base <- base + at_rate(more$with) - at_rate(more$without)
  # A difference of costs that are noisy may come out below any cost.
  pmax(base, least_us) + setup$work_s * 1e6
}

# No primitive writes a file, calls through a pool of connections, or has so many requests asleep.
has_primitives <- function(setup) {
  !grepl("file-test", setup$path) && setup$call != "pooled" && or_else(setup$rate_per_s, 0) * setup$wait_s <= most_asleep
}

# ---- Along the curve -----------------------------------------------------------------------------

#' The setup of a curve's cell at one rate, see read_setup().
setup_at <- function(cell, rate_per_s) {
  cell$configuration$tool$rate_per_s <- rate_per_s
  read_setup(cell)
}

#' Predictions of a curve at one rate.
#'
#' @param cell see read_cell(), of the tool `curve`; `primitives` see read_primitives().
#' @return list: saturation_per_s (the rate that the mode cannot exceed; Inf where nothing bounds it),
#'   latency_p50_ms, latency_p99_ms (NA where no latency is predicted, Inf from saturation on); NULL where the
#'   models do not know the server or what bounds it.
predict_step <- function(cell, primitives, rate_per_s) {
  setup <- setup_at(cell, rate_per_s)
  if (is.null(way_of(setup))) return(NULL)
  # Without primitives the work that a request asks for is what is known of its CPU time: a lower bound.
  cpu_s <- or_else(request_cost(setup, primitives, rate_per_s) / 1e6, setup$work_s)
  inside <- min(setup$most_inside, setup$connections)
  within_s <- setup$wait_s + cpu_s
  bounds_per_s <- c(threads = inside / within_s, cpus = setup$cpus / cpu_s)
  if (anyNA(bounds_per_s)) return(NULL)
  # The part of a request at a remote or a database has no primitive, so the CPU time is not known.
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

#' Predictions of every mode that has a curve.
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
#' @export
no_predicted_curves <- function() typed_table(c("study", "tier", "mode"), predicted_curve_numbers)

predict_curve <- function(cell, primitives) {
  rates <- steps_of_curve(cell)$rate_per_s
  rates <- rates[is.finite(rates) & rates > 0]
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
  if (is.null(cell$sweep$objective_ms)) return(NA_real_)
  too_long <- function(rate) predict_step(cell, primitives, rate)$latency_p99_ms > cell$sweep$objective_ms
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
#' @param path path of results/predicted-sweeps.csv; without it nothing is predicted.
#' @export
read_predicted_curves <- function(path) read_if_there(path, no_predicted_curves())
