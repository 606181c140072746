# Costs of primitives, and loads as configurations have them.

# Costs with intervals of ±10 %, as primitives.csv has them.
primitive_rows <- function(...) {
  means <- c(...)
  data.table(
    primitive = names(means), rate_per_s = NA_real_, statistic = "cpu", mean = means,
    low = 0.9 * means, high = 1.1 * means, unit = "us", forks = 3L
  )
}

known_primitives <- rbind(
  primitive_rows(
    "platform-thread-start" = 30, "virtual-thread-start" = 1, "pool-hand-off" = 8,
    "platform-park" = 6, "virtual-park" = 0.5, "kept-request" = 20
  ),
  primitive_rows("platform-thread-start" = 45, "pool-hand-off" = 9)[, statistic := "wall"],
  data.table(
    primitive = "tomcat-request", rate_per_s = c(100, 1000), statistic = "cpu", mean = c(400, 100),
    low = c(380, 95), high = c(420, 105), unit = "us", forks = 3L
  ),
  data.table(
    primitive = "request-on-one-thread", rate_per_s = c(100, 10000, 100, 10000),
    statistic = c("cpu", "cpu", "latency", "latency"), mean = c(120, 60, 200, 100),
    low = c(110, 55, 190, 95), high = c(130, 65, 210, 105), unit = "us", forks = 3L
  )
)

closed_load <- function(...) modifyList(list(threads = 500, ramp_up_s = 0, loops = 10), list(...))
open_load <- function(...) {
  load <- list(rate_per_s = 100, connections = 1000, duration_s = 10, warm_up_s = 0.5)
  modifyList(load, list(...))
}
