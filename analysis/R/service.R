# A service that a reader describes, answered by the report's bounds: Little's law, the utilization law, the bound of a
# limit (bounds.R) and Erlang's C (queues.R). The form of the HTML report computes the same in paper/service.js; its test
# compares both over service_examples().

# In a pool of the size that is named at most this share of the requests waits for a place.
waits_at_most <- 0.01

#' Answers for services.
#'
#' @param services data.frame, a row a service: rate_per_s (offered), wait_ms and cpu_ms (of a request: what it waits for
#'   others, and its CPU time), cpus, threads (or permits; NA for no limit), connections (of a pool; NA for none), held_ms
#'   (how long a request holds one), heap_mib, request_kib (memory that a request in flight holds).
#' @return data.table, a row a service: bound_per_s and bound_by (threads, cpus or connections, whichever allows least;
#'   NA where nothing is a limit), utilization (offered by the bound), in_flight (requests that are served concurrently),
#'   backlog_per_s (offered beyond the bound), doubled_per_s and doubled_backlog_per_s (at twice the rate), virtual_per_s
#'   and virtual_by (the bound without a limit of threads), pinned_per_s (of virtual threads that wait in `synchronized`
#'   on JDK 21, with a carrier a CPU), threads_enough and connections_enough (the smallest pools in which at most 1 % of
#'   the requests wait), threads_useful (more serve no more), heap_needed_mib (of the requests in flight), heap_holds
#'   (requests), fills_s (until the backlog of twice the rate fills the heap; NA where it does not).
answer_services <- function(services) {
  as.data.table(services)[, {
    within_s <- (wait_ms + cpu_ms) / 1000
    limits <- cbind(threads = threads / within_s, cpus = 1000 * cpus / cpu_ms, connections = 1000 * connections / held_ms)
    bound <- least_of(limits)
    virtual <- least_of(limits[, -1, drop = FALSE])
    most <- fcoalesce(bound$bound_per_s, Inf)
    in_flight <- pmin(rate_per_s, most) * within_s
    doubled_backlog_per_s <- pmax(0, 2 * rate_per_s - most)
    heap_holds <- floor(heap_mib * 1024 / request_kib)
    fills_s <- (heap_holds - in_flight) / doubled_backlog_per_s
    data.table(
      bound_per_s = bound$bound_per_s, bound_by = bound$bound_by, utilization = rate_per_s / bound$bound_per_s, in_flight,
      backlog_per_s = pmax(0, rate_per_s - most), doubled_per_s = pmin(2 * rate_per_s, most), doubled_backlog_per_s,
      virtual_per_s = virtual$bound_per_s, virtual_by = virtual$bound_by, pinned_per_s = cpus / within_s,
      threads_enough = vapply(rate_per_s * within_s, pool_enough, 0),
      connections_enough = vapply(rate_per_s * (held_ms / 1000), pool_enough, 0),
      threads_useful = ceiling(virtual$bound_per_s * within_s - 1e-9), heap_needed_mib = in_flight * request_kib / 1024, heap_holds,
      fills_s = fifelse(is.finite(fills_s) & fills_s > 0, fills_s, NA_real_)
    )
  }]
}

# The smallest pool for a load in erlangs in which at most a share of waits_at_most waits.
pool_enough <- function(offered) {
  if (is.na(offered)) return(NA_real_)
  size <- floor(offered) + 1
  while (erlang_c(size, offered) > waits_at_most) size <- size + 1
  size
}

#' Services whose answers the form is tested with: every limit binds in some of them, and none in others.
service_examples <- function() {
  services <- CJ(
    rate_per_s = c(5, 250, 2000), wait_ms = c(0, 40, 1000), cpu_ms = c(0.2, 5), cpus = c(1, 8), threads = c(NA, 1, 200),
    connections = c(NA, 10)
  )
  services[, `:=`(held_ms = fifelse(is.na(connections), NA_real_, 20), heap_mib = 512, request_kib = 100)][]
}

# ---- How well the formulas predict ---------------------------------------------------------------

#' Measured throughputs, by what the formulas predict of them.
#'
#' @param bounds see read_bounds(); of a closed loop, which goes as fast as its bound lets it.
#' @return data.table, a row per formula that has cells: formula (users, admitted, cpu: the bounds; mva: mean value
#'   analysis), cells, and of measured by predicted middle (median), least, most,
#'   near (share of the cells within 10 %).
#' @export
measured_by_formula <- function(bounds) {
  closed <- bounds[is.finite(users)]
  rows <- rbind(
    closed[, .(formula = bound_by, ratio = measured_per_s / bound_per_s)],
    closed[, .(formula = rep("mva", .N), ratio = measured_per_s / mva_per_s)]
  )[is.finite(ratio)]
  rows[, .(cells = .N, middle = median(ratio), least = min(ratio), most = max(ratio), near = mean(abs(ratio - 1) <= 0.1)), by = formula][
    order(match(formula, c("users", "admitted", "cpu", "mva")))
  ]
}
