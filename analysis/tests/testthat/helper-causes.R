# A cause whose effect can be made to go or to stay, and a dose with its response.

# Cells of one side: values by column, a row per repetition.
side_cells <- function(mode, tier = "fresh", outcome = "completed", valid = TRUE, tool = "wrk2", ...) {
  with_cell_columns(data.table(
    study = "demo", mode = mode, baseline = NA_character_, tier = tier, tool = tool, repetition = 1:3,
    outcome = outcome, valid = valid, failed_checks = ifelse(valid, "", "share_2xx"), errors = "",
    latency_mean_ms = 10, pool_wait_mean_ms = NA_real_, pool_wait_ms = NA_real_, pinned = NA_real_, pinned_ms = NA_real_, ...
  ))
}

# A thread a request takes twice the pool's CPU time, and as much once connections are kept.
demo_summary <- function(kept_cpu = c(101, 99, 101)) {
  rbind(
    side_cells("threads", cpu_us_per_request = c(202, 198, 201), threads_started = 1000, counted_requests = 1000),
    side_cells("pool", cpu_us_per_request = c(101, 99, 100), threads_started = 2, counted_requests = 1000),
    side_cells("threads", "kept", cpu_us_per_request = kept_cpu, threads_started = 1, counted_requests = 1000),
    side_cells("pool", "kept", cpu_us_per_request = c(100, 100, 101), threads_started = 1, counted_requests = 1000)
  )
}

demo_cause <- function(...) {
  modifyList(list(
    id = "start", title = "Starting threads", study = "demo", tool = "wrk2", tier = "fresh", mechanism = "Starting costs.",
    difference = list(
      mode = "threads", baseline = "pool", statistic = "cpu_us_per_request", mode_words = "a thread each", baseline_words = "a pool"
    ),
    counter = list(title = "threads started", unit = "per request", value = "threads_started / counted_requests"),
    swaps = list(list(does = "connections are kept", changes = list(tier = "kept")))
  ), list(...))
}

# Pools of 5, 10 and 50 before a page that sleeps 20 ms; `reached` of what the law allows.
dose_summary <- function(reached = c(1, 0.97, 0.94)) {
  rbindlist(lapply(c(5, 10, 50), function(size) {
    side_cells(
      paste0("pool-", size), throughput_per_s = size / 0.02 * reached * c(0.99, 1, 1.01), sleep_ms = 20,
      cpu_us_per_request = 1, threads_started = 0, counted_requests = 1000
    )
  }))
}

dose_cause <- function() {
  list(
    id = "size", title = "Size", study = "demo", tool = "wrk2", tier = "fresh", mechanism = "Each is held.",
    doses = list(of = "connections", modes = lapply(c(5, 10, 50), function(size) list(dose = size, mode = paste0("pool-", size))))
  )
}

# 100 µs, then 130 by another client and 80 by another server behind that; 190 by a third client.
stepped_modes <- c("server", "other-client", "other-server", "third-client")
stepped_summary <- function() {
  of_mode <- function(mode, us, switches) side_cells(mode, cpu_us_per_request = us, machine_context_switches_per_request = switches)
  rbindlist(Map(of_mode, stepped_modes, list(c(99, 100, 101), c(131, 130, 129), c(80, 79, 81), c(188, 191, 191)), c(10, 16, 4, 20)))
}

stepped_cause <- function() {
  demo_cause(
    id = "parts", title = "The client or the server", swaps = NULL,
    counter = list(title = "switches", unit = "per request", value = "machine_context_switches_per_request"),
    difference = list(
      mode = "other-server", baseline = "server", statistic = "cpu_us_per_request", mode_words = "the other server", baseline_words = "the server"
    ),
    steps = list(
      list(part = "client", does = "another client", mode = "other-client"), list(part = "server", does = "another server", mode = "other-server")
    ),
    pairs = list(list(part = "third", does = "a third client", baseline = "other-client", mode = "third-client"))
  )
}

groups_of <- function(mode, start_us, samples) {
  data.table(
    study = "demo", mode = mode, tier = "fresh", tool = "wrk2", repetition = 1L, outcome = "completed",
    valid = TRUE, profiler_engine = "itimer", group = c("thread start", "write", unseen_group),
    samples = samples, share = NA_real_, cpu_us_per_request = c(start_us, 50, 1)
  )
}

no_groups <- function() groups_of("threads", 0, 0)[0]
traced_of <- function(summary = demo_summary(), cause = demo_cause(), slices = no_slices()) trace_causes(list(cause), summary, slices)
