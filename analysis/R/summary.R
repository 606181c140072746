# A row per cell, from the cell's folder alone.
#
# There are four sets of latencies, because they answer four questions:
# - latency_*_ms, the primary ones. Closed loop: of right answers, which are 2xx and accepted by
#   the tool; a refused connection is quick, and would make a server that turns its users away
#   look fast. Open loop: of all answers, which is what a histogram holds, counted from when the
#   request was due; that answers are 2xx is its own validity check. In percentiles a failed request is
#   slower than all answers; mean and maximum are of answers alone.
# - latency_all_*_ms, closed loop alone: over every sample, the failed ones too, as JMeter's
#   aggregate report does and therefore the source's table. To be laid beside that table.
# - latency_mixed_in_p50_ms and _p99_ms, of requests that a mix adds: all others are then of the tier's path alone.
# - latency_uncorrected_p99_ms, open loop alone: counted from when the request was really sent, so
#   blind to coordinated omission. To show what that blindness hides.
# The runner computes them once, from all slices of the cell together (load.latency). What slices have a value of is that of
# the slices that count for it (session_values.R).

latency_values <- c("mean", "sd", "min", names(latency_points), "max")

latency_columns <- function(set, latency, values = latency_values) {
  setNames(lapply(paste0(values, "_ms"), function(name) number(latency[[name]])), paste0("latency_", set, values, "_ms"))
}

load_row <- function(cell) {
  latency <- cell$load$latency
  lasted_s <- number(latency$lasted_s)
  c(
    latency_columns("", latency$right), latency_columns("all_", latency$all, setdiff(latency_values, "p99_9")),
    latency_columns("uncorrected_", latency$uncorrected, "p99"), latency_columns("mixed_in_", latency$mixed_in, c("p50", "p99")),
    list(
      throughput_all_per_s = per(number(latency$count), lasted_s),
      received_kib_per_s = per(number(cell$load$received_bytes) / 1024, lasted_s),
      sent_kib_per_s = per(number(cell$load$sent_bytes) / 1024, lasted_s)
    )
  )
}

# How the cell was measured: its session, warm-up and slices.
session_row <- function(cell) {
  slices <- plain_slices(read_slices_of(cell))
  counted <- cell$load$slices
  list(
    comparison = words(cell$session$comparison), rounds = number(cell$session$rounds),
    warm_up_ended = words(cell$warm_up$ended), warm_up_s = number(cell$warm_up$lasted_s),
    slices_kept = number(counted$kept), slices_repeated = number(counted$repeated),
    rss_mib = mean_of(slices$rss_mib)
  )
}

most_of <- function(values) if (any(is.finite(values))) max(values, na.rm = TRUE) else NA_real_
mean_of <- function(values) if (any(is.finite(values))) mean(values, na.rm = TRUE) else NA_real_

requests_row <- function(cell) {
  load <- cell$load
  asked <- cell$configuration$tool
  errors <- unlist(load$errors)
  errors <- errors[errors > 0]
  list(
    requests_offered = number(load$requests_offered), requests = number(load$requests_recorded),
    errors = paste0(names(errors), "=", errors, recycle0 = TRUE, collapse = ";"),
    error_share = number(load$error_share), error_percent = 100 * number(load$error_share),
    duration_s = number(load$duration_s),
    # The configured rate, where nothing could be offered.
    offered_per_s = number(c(load$offered_per_s, asked$rate_per_s)[1]),
    users = number(c(load$concurrency_offered, asked$users)[1]),
    users_alive = number(load$users_alive),
    connections = number(asked$connections),
    sleep_ms = number(cell$configuration$tier$sleep_ms),
    throughput_per_s = number(load$throughput_per_s),
    answers_per_s = number(load$answers_per_s),
    # Little's law: how many requests the answers account for, on average.
    under_way = if (is.null(asked$mix)) number(load$answers_per_s) * number(load$latency_mean_ms) / 1000 else number(load$in_flight_mean)
  )
}

# Context switches are those of the whole machine in the windows, the generator's too: the kernel
# adds up a process's own only when its threads have ended.
server_row <- function(cell) {
  server <- cell$server
  requests <- number(cell$load$requests_recorded)
  list(
    cpu_us_per_request = number(server$cpu_us_per_request), server_cpus = max(length(cell$provenance$server_cpus), 1),
    compiler_share = number(server$compiler_share), compiler_marked = number(server$compiler_marked),
    threads_idle = number(server$idle_threads), threads_started = number(server$threads_started),
    threads_peak = number(server$peak_threads),
    rss_peak_mib = number(server$peak_rss_bytes) / 2^20, rss_idle_mib = number(server$idle_rss_bytes) / 2^20,
    first_answer_s = number(server$first_answer_s),
    machine_context_switches_per_request = per(number(server$machine_context_switches), requests),
    collections = number(server$collections), full_collections = number(server$full_collections), gc_pause_ms = number(server$gc_pause_ms),
    heap_varied = as.numeric(isTRUE(cell$configuration$mode$heap_varied)),
    listen_overflows = number(server$listen_overflows),
    accept_queue_peak = number(server$peak_accept_queue),
    retransmits = number(server$retransmits), survived = has_survived(cell), start_up_s = number(server$start_up_s)
  )
}

# Whether the server answered after the load as before; one that still holds requests of its load is not asked, and the answers of some
# vary.
has_survived <- function(cell) {
  still_holds <- nzchar(c(cell$outcome_reason, "")[1])
  varies <- isTRUE(cell$configuration$mode$answers_vary)
  as.numeric(cell$outcome == "completed" && (still_holds || varies || identical(cell$answers$before, cell$answers$after)))
}

# Counts that a server keeps itself; NA where it keeps none. Counters grow from before the generator's warm-up until the last
# answer, so they belong to counted_requests, and not to the requests of the windows. So do threads_started. Pinned are waits of
# virtual threads that kept their carrier.
counters_row <- function(cell) {
  counters <- cell$server$counters
  list(
    counted_requests = number(cell$server$counted_requests), pool_waits = number(counters$pool_waits), pool_wait_ms = number(counters$pool_wait_ms),
    pool_wait_mean_ms = per(number(counters$pool_wait_ms), number(counters$pool_waits)),
    pinned = number(counters[["pinned"]]), pinned_ms = number(counters$pinned_ms)
  )
}

# The process that the server depends on; NA where there is none.
backend_row <- function(cell) {
  backend <- cell$backend
  cpu_s <- number(backend$cpu_share) * length(backend$cpus) * number(cell$load$duration_s)
  list(
    backend = words(backend$id), backend_cpu_us_per_request = per(1e6 * cpu_s, number(cell$load$requests_recorded))
  )
}

measuring_row <- function(cell) {
  generator <- cell$load$generator
  list(
    generator = words(generator$name), generator_version = words(generator$version),
    generator_cpu_share = number(generator$cpu_share),
    profiler_engine = words(cell$profile$engine),
    others_cpu_share = number(cell$machine$others_cpu_share),
    steal_share = number(cell$machine$steal_share),
    probe_us = number(cell$machine$probe_us)
  )
}

#' Summarises a cell, see read_cell(), in one row, units in the column names; NA where a value could not be had.
summarise_cell <- function(cell) {
  if (cell$outcome == "beyond_limits") cell <- without_figures(cell)
  as.data.table(c(
    identity_row(cell), session_row(cell), requests_row(cell), load_row(cell), server_row(cell), counters_row(cell),
    backend_row(cell), measuring_row(cell), machine = words(cell$provenance$machine$id)
  ))
}

# Nothing is known of a load that the machine's limits forbade, but why: its zeros would pass for values.
without_figures <- function(cell) {
  replace(cell, "load", list(cell$load["loop"]))
}

#' The summary without a cell; its columns have types.
no_cells <- function() {
  place <- list(study = "", mode = "", tier = "", tool = "", repetition = NA)
  summarise_cell(list(cell = place, outcome = "", folder = ""))[0]
}

#' Summarises the cells of these cell.json files, a row each.
summarise_cells <- function(paths) {
  rbindlist(c(list(no_cells()), lapply(paths, function(path) summarise_cell(read_cell(path)))), fill = TRUE)
}

text_columns <- c(
  "session", "comparison", "warm_up_ended", "bound_throughput", "bound_latency", "study", "mode", "baseline", "tier", "tool", "tier_title", "path", "loop", "outcome",
  "outcome_reason", "valid", "latency_valid", "failed_checks", "errors", "generator",
  "generator_version", "profiler_engine", "commit", "backend", "machine",
  # Those that older runs have.
  "mode_title", "machine_title"
)

#' Reads results/summary.csv, see summarise_cell().
#' @export
read_summary <- function(path) {
  needed <- c("study", "mode", "tier", "tool", "repetition", "session", "valid", "failed_checks")
  table <- read_required(path, needed, colClasses = "character", na.strings = "")
  # By name and not by content, or a column that is empty in one study changes its type.
  for (column in setdiff(names(table), text_columns)) set(table, j = column, value = as.numeric(table[[column]]))
  table[, `:=`(repetition = as.integer(repetition), valid = valid == "TRUE", latency_valid = latency_valid == "TRUE")]
  for (column in c("failed_checks", "errors", "bound_throughput", "bound_latency")) set(table, which(is.na(table[[column]])), column, "")
  table[]
}
