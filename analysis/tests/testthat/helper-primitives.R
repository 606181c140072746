# Costs of primitives, and loads as configurations have them.

# Costs as primitives.csv has them: at one rate, or at the rates 100 and 10,000/s.
primitive_rows <- function(..., rate_per_s = NA_real_) {
  costs <- list(...)
  rbindlist(lapply(names(costs), function(name) {
    data.table(
      primitive = name, rate_per_s = rate_per_s, statistic = "cpu", mean = costs[[name]],
      low = 0.9 * costs[[name]], high = 1.1 * costs[[name]], unit = "us", repetitions = 3L, reason = ""
    )
  }))
}
at_rates <- function(...) primitive_rows(..., rate_per_s = c(100, 10000))

known_primitives <- rbind(
  at_rates(
    "request-on-one-thread" = c(120, 60), "request-through-selector" = c(130, 65),
    "platform-thread-beside-request" = c(160, 90), "pool-beside-request" = c(140, 68),
    "virtual-thread-beside-request" = c(135, 67), "platform-thread-asleep-beside-request" = c(180, 96),
    "virtual-thread-asleep-beside-request" = c(150, 74), "timed-request-through-selector" = c(145, 70),
    "platform-thread-call-beside-request" = c(300, 200),
    "event-loop-call-beside-request" = c(280, 180), "statement-within-request" = c(170, 80), "tomcat-request" = c(400, 100)
  ),
  primitive_rows(
    "kept-request-on-one-thread" = 10, "kept-request-on-virtual-thread" = 15,
    "kept-request-through-selector" = 11, "pool-asleep-beside-request" = 160
  )
)

closed_load <- function(...) modifyList(list(users = 500, duration_s = 4), list(...))
open_load <- function(...) modifyList(list(rate_per_s = 100, connections = 1000), list(...))

# The pool that the source has.
pool_of_20 <- list("core-threads" = 10, threads = 20, queue = 100)

# A cell as far as a setup is read of it.
configured_cell <- function(mode = "fixed-pool", options = pool_of_20, tool = list(), sleep_ms = 0, path = "/work", ..., kind = "pool",
                            holds = NULL, package = "artifact.sockets.mode", cpus = 1) {
  list(
    cell = list(study = "demo", mode = mode, tier = "tier", tool = "tool"),
    configuration = list(
      study = list(server = list(package = package)), tool = tool, mode = list(options = options, kind = kind, ...),
      tier = list(path = path, sleep_ms = sleep_ms, holds = holds)
    ),
    provenance = list(server_cpus = seq_len(cpus))
  )
}
setup_of <- function(...) read_setup(configured_cell(...))
tomcat_cell <- function(tool, options = list(threads = 200), path = "/api/sleep-test", sleep_ms = 100, ...,
                        kind = if (isTRUE(options$virtual)) "virtual" else "pool") {
  configured_cell("tomcat-200", options, tool, sleep_ms, path, ..., kind = kind, package = "artifact.tomcat")
}
tomcat <- function(...) read_setup(tomcat_cell(...))
