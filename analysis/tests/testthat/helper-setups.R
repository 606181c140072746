# Loads and modes as configurations have them.

closed_load <- function(...) modifyList(list(users = 500, duration_s = 4), list(...))
open_load <- function(...) modifyList(list(rate_per_s = 100, connections = 1000), list(...))

# A cell as far as a setup is read of it, by default of the pool that the source has.
configured_cell <- function(mode = "fixed-pool", options = list("core-threads" = 10, threads = 20, queue = 100), tool = list(), sleep_ms = 0,
                            path = "/work", ..., kind = "pool", holds = NULL, cpus = 1) {
  list(
    cell = list(study = "demo", mode = mode, tier = "tier", tool = "tool"),
    configuration = list(
      tool = tool, mode = list(options = options, kind = kind, ...), tier = list(path = path, sleep_ms = sleep_ms, holds = holds)
    ),
    provenance = list(server_cpus = seq_len(cpus))
  )
}
setup_of <- function(...) read_setup(configured_cell(...))
tomcat_cell <- function(tool, options = list(threads = 200), path = "/api/sleep-test", sleep_ms = 100, ...,
                        kind = if (isTRUE(options$virtual)) "virtual" else "pool") {
  configured_cell("tomcat-200", options, tool, sleep_ms, path, ..., kind = kind)
}
tomcat <- function(...) read_setup(tomcat_cell(...))
