# A chain whose links can be made to hold or not.

# Cells of one side: `figures` by column, a row per repetition.
side_cells <- function(mode, tier = "fresh", outcome = "completed", valid = TRUE, ...) {
  with_cell_columns(data.table(
    study = "demo", mode = mode, versus = NA_character_, tier = tier, tool = "wrk2", repetition = 1:3,
    outcome = outcome, valid = valid, failed_checks = ifelse(valid, "", "share_2xx"), errors = "", ...
  ))
}

# A thread a request costs twice the pool's CPU, and as much once connections are kept.
demo_summary <- function(kept_cpu = c(101, 99, 101)) {
  rbind(
    side_cells("threads", cpu_us_per_request = c(202, 198, 201), threads_started = 1000, requests = 1000),
    side_cells("pool", cpu_us_per_request = c(101, 99, 100), threads_started = 2, requests = 1000),
    side_cells("threads", "kept", cpu_us_per_request = kept_cpu, threads_started = 1, requests = 1000),
    side_cells("pool", "kept", cpu_us_per_request = c(100, 100, 101), threads_started = 1, requests = 1000)
  )
}

demo_cause <- function(rule = "removed") {
  list(
    id = "start", title = "Starting threads", study = "demo", mechanism = "Starting costs.",
    difference = list(
      tool = "wrk2", tier = "fresh", mode = "threads", versus = "pool", statistic = "cpu_us_per_request"
    ),
    counters = list(list(title = "threads started per request", figure = "threads_started / requests")),
    interventions = list(list(does = "connections are kept", changes = list(tier = "kept"), rule = rule))
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
followed <- function(summary = demo_summary(), cause = demo_cause()) trace_cause(cause, summary, no_slices(), no_groups())

# The chains as the report reads them.
written <- function(traced, results = new_folder()) {
  write_table(cause_rows(traced), file.path(results, "causes.csv"))
  write_table(counter_rows(traced), file.path(results, "cause-counters.csv"))
  read_traced(results, lapply(traced, function(cause) {
    cause$interventions <- lapply(cause$interventions, `[`, c("does", "changes", "rule"))
    cause[setdiff(names(cause), c("before", "counted"))]
  }))
}

first_of <- function(traced) traced$interventions[[1]]
counted_means <- function(counted) c(counted[[1]]$mode$mean, counted[[1]]$versus$mean)

