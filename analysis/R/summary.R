# A row per cell, from the cell's folder alone.
#
# There are three sets of latencies, because they answer three questions:
# - latency_*_ms, the primary ones. Closed loop: of right answers, which are 2xx and accepted by
#   the tool; a refused connection is quick, and would make a server that turns its users away
#   look fast. Open loop: of all answers, which is what a histogram holds, counted from when the
#   request was due; that answers are 2xx is its own validity check. In percentiles a failed request is
#   slower than all answers (percentiles.R); mean and maximum are of answers alone.
# - latency_all_*_ms, closed loop alone: over every sample, the failed ones too, as JMeter's
#   aggregate report does and therefore the source's table. To be laid beside that table.
# - latency_uncorrected_*_ms, open loop alone: counted from when the request was really sent, so
#   blind to coordinated omission. To show what that blindness hides.

latency_figures <- c("mean", "sd", "min", names(latency_points), "max")

no_latency <- function() {
  setNames(rep(NA_real_, length(latency_figures)), latency_figures)
}

# Standard deviation over the population, as JMeter and HdrHistogram print it.
latency_of_values <- function(values_ms, failed = 0) {
  if (length(values_ms) == 0) return(no_latency())
  mean_ms <- mean(values_ms)
  points <- setNames(percentiles(values_ms, latency_points, failed), names(latency_points))
  c(
    mean = mean_ms, sd = sqrt(mean((values_ms - mean_ms)^2)), min = min(values_ms),
    points, max = max(values_ms)
  )
}

latency_of_histogram <- function(histogram, failed = 0, quick = 0) {
  if (histogram$count == 0) return(no_latency())
  points <- setNames(histogram_percentiles(histogram, latency_points, failed, quick), names(latency_points))
  c(
    mean = histogram$mean_ms, sd = histogram$sd_ms, min = histogram$steps$value_ms[1],
    points, max = histogram$max_ms
  )
}

latency_columns <- function(set, latency = no_latency()) {
  setNames(as.list(latency), paste0("latency_", set, names(latency), "_ms"))
}

# As JMeter's aggregate report: over all samples, from the start of the first to the end of the
# last of each slice, 1 KB = 1024 bytes.
closed_loop_row <- function(samples) {
  lasted_ms <- samples[, .(ms = max(timeStamp + elapsed) - min(timeStamp)), by = slice]$ms
  duration_s <- if (nrow(samples) == 0) NA_real_ else sum(lasted_ms) / 1000
  right_ms <- samples[is_right(success, responseCode), elapsed]
  c(
    latency_columns("", latency_of_values(right_ms, nrow(samples) - length(right_ms))),
    latency_columns("all_", latency_of_values(samples$elapsed)),
    latency_columns("uncorrected_"),
    list(
      latency_resolution_ms = resolution_of("jmeter")$ms,
      throughput_all_per_s = per(nrow(samples), duration_s),
      received_kib_per_s = per(sum(samples$bytes) / 1024, duration_s),
      sent_kib_per_s = per(sum(samples$sentBytes) / 1024, duration_s)
    )
  )
}

# The open loop's, and those of database tools, whose loop is closed and which leave one histogram.
histogram_row <- function(cell, histogram, uncorrected = NULL) {
  duration_s <- number(cell$load$duration_s)
  failed <- number(cell$load$requests_recorded) - number(cell$load$responses_2xx)
  quick <- sum(0, unlist(cell$load$errors[startsWith(names(cell$load$errors), "http_")]))
  latency <- latency_of_histogram(histogram, failed, quick)
  open <- !is.null(uncorrected)
  c(
    latency_columns("", latency),
    latency_columns("all_", if (open) no_latency() else latency_of_histogram(histogram)),
    latency_columns("uncorrected_", if (open) latency_of_histogram(uncorrected) else no_latency()),
    list(
      latency_resolution_ms = resolution_of(cell$cell$tool)$ms,
      throughput_all_per_s = per(histogram$count, duration_s),
      received_kib_per_s = per(number(cell$load$received_bytes) / 1024, duration_s),
      sent_kib_per_s = per(number(cell$load$sent_bytes) / 1024, duration_s)
    )
  )
}

no_load_row <- function() {
  c(
    latency_columns(""), latency_columns("all_"), latency_columns("uncorrected_"),
    list(
      latency_resolution_ms = NA_real_, throughput_all_per_s = NA_real_,
      received_kib_per_s = NA_real_, sent_kib_per_s = NA_real_
    )
  )
}

# A cell without raw data is a result only when it did not complete: a server that never started.
load_row <- function(cell) {
  raw <- function(name) file.path(cell$folder, name)
  samples <- cell$cell$tool == "jmeter"
  open <- identical(cell$load$loop, "open")
  first <- raw(
    if (samples) "samples.csv.gz" else if (open) "latency-corrected.hgrm" else "latency.hgrm"
  )
  if (!file.exists(first) && cell$outcome != "completed") return(no_load_row())
  if (samples) return(closed_loop_row(checked_samples(cell, first)))
  uncorrected <- if (open) read_histogram(raw("latency-uncorrected.hgrm"))
  histogram_row(cell, read_histogram(first), uncorrected)
}

checked_samples <- function(cell, path) {
  samples <- read_samples(path)
  recorded <- number(cell$load$requests_recorded)
  if (!is.na(recorded) && recorded != nrow(samples)) {
    fail_reading(path, nrow(samples), " samples, but cell.json counts ", recorded)
  }
  samples
}

# Ids of machines name no host; the title says what a machine is.
machine_row <- function(cell) {
  machine <- cell$provenance$machine
  if (is.null(machine$id)) return(list(machine = NA_character_, machine_title = "not recorded"))
  title <- sprintf(
    "%s, %d CPU%s, %.0f GiB, Linux %s", machine$cpu_model, machine$cpus, if (machine$cpus == 1) "" else "s",
    machine$memory_bytes / 2^30, machine$kernel
  )
  list(machine = machine$id, machine_title = words(title))
}

# How the cell was measured: its session, warm-up and slices.
session_row <- function(cell) {
  slices <- plain_slices(read_cell_slices(file.path(cell$folder, "slices.csv")))
  counted <- cell$load$slices
  list(
    comparison = words(cell$session$comparison), rounds = number(cell$session$rounds),
    load_share = number(cell$session$load_share),
    warm_up_ended = words(cell$warm_up$ended), warm_up_s = number(cell$warm_up$lasted_s),
    warm_up_requests = number(cell$warm_up$requests),
    warm_up_compiler_share = number(cell$warm_up$compiler_share),
    slices_plain = number(counted$plain), slices_kept = number(counted$kept), slices_left_out = number(counted$left_out),
    slices_repeated = number(counted$repeated),
    idle_neighbors_share = most_of(slices$idle_neighbors_share), rss_mib = mean_of(slices$rss_mib)
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
    requests_2xx = number(load$responses_2xx),
    requests_cut_off = number(load$in_flight_at_end),
    errors = paste0(names(errors), "=", errors, recycle0 = TRUE, collapse = ";"),
    error_share = number(load$error_share), error_percent = 100 * number(load$error_share),
    duration_s = number(load$duration_s),
    # As asked, where nothing could be offered.
    offered_per_s = number(c(load$offered_per_s, asked$rate_per_s)[1]),
    users = number(c(load$concurrency_offered, asked$users)[1]),
    users_alive = number(load$users_alive),
    connections = number(asked$connections), connects = number(load$connects),
    queries = if (length(load$queries) > 0) sum(unlist(load$queries)) else NA_real_,
    sleep_ms = number(cell$configuration$tier$sleep_ms),
    throughput_per_s = number(load$throughput_per_s),
    answers_per_s = number(load$answers_per_s),
    # Little's law: how many requests the answers account for, on average.
    under_way = number(load$answers_per_s) * number(load$latency_mean_ms) / 1000,
    rows_before = number(cell$answers$rows_before), rows_after = number(cell$answers$rows_after)
  )
}

# Context switches are those of the whole machine in the windows, the generator's too: the kernel
# adds up a process's own only when its threads have ended.
server_row <- function(cell) {
  server <- cell$server
  requests <- number(cell$load$requests_recorded)
  list(
    cpu_us_per_request = number(server$cpu_us_per_request),
    compiler_share = number(server$compiler_share), compiler_cpu_s = number(server$compiler_cpu_s),
    cpu_user_s = number(server$cpu_user_s), cpu_system_s = number(server$cpu_system_s),
    threads_idle = number(server$idle_threads), threads_started = number(server$threads_started),
    threads_peak = number(server$peak_threads),
    rss_peak_mib = number(server$peak_rss_bytes) / 2^20, rss_idle_mib = number(server$idle_rss_bytes) / 2^20,
    first_answer_s = number(server$first_answer_s),
    descriptors_peak = number(server$peak_descriptors),
    machine_context_switches_per_request = per(number(server$machine_context_switches), requests),
    gc_pauses = number(server$gc_pauses), gc_pause_ms = number(server$gc_pause_ms),
    listen_overflows = number(server$listen_overflows), listen_drops = number(server$listen_drops),
    accept_queue_peak = number(server$peak_accept_queue),
    retransmits = number(server$retransmits), start_up_s = number(server$start_up_s)
  )
}

# Counts that a server keeps itself; NA where it keeps none. Counters grow from before the generator's warm-up until the last
# answer, so they belong to counted_requests, and not to the requests of the windows. So do threads_started.
counters_row <- function(cell) {
  counters <- cell$server$counters
  waits <- pinned_row(if (counts_pinned(cell)) counters)
  profiled <- if (!none_profiled(cell)) cell$server$profiled
  profiled_waits <- pinned_row(profiled$counters)
  c(
    list(
      counted_requests = counted_requests(cell), pool_waits = number(counters$pool_waits),
      pool_wait_ms = number(counters$pool_wait_ms),
      pool_wait_mean_ms = per(number(counters$pool_wait_ms), number(counters$pool_waits)),
      pool_timeouts = number(counters$pool_timeouts)
    ),
    waits,
    list(
      profiled_slices = number(cell$profile$slices), profiled_kept = number(cell$profile$kept),
      profiled_requests = number(profiled$requests), profiled_counted_requests = number(profiled$counted_requests)
    ),
    setNames(profiled_waits, paste0("profiled_", names(profiled_waits)))
  )
}

# Whether a rule left out every profiled slice: nothing is drawn from them. Older records do not say.
none_profiled <- function(cell) identical(number(cell$profile$kept), 0)

# Virtual threads that waited and kept their carrier.
pinned_row <- function(counters) list(pinned = number(counters[["pinned"]]), pinned_ms = number(counters$pinned_ms))

# Older records, which do not say what their counters belong to, counted pinned waits in profiled slices alone: their
# zeros elsewhere are no counts.
counts_pinned <- function(cell) "counted_requests" %in% names(cell$server)

# Requests of all that the counters cover. Of records that do not say so the same sum is made here.
counted_requests <- function(cell) {
  load <- cell$load
  if (counts_pinned(cell)) return(number(cell$server$counted_requests))
  if (is.null(load$answers_in_warm_up)) return(NA_real_)
  never_sent <- unlist(load$errors[c("connect_refused", "connect_timeout", "ports_exhausted", "unsent")])
  number(load$requests_recorded) + number(load$answers_in_warm_up) + number(load$in_flight_at_end) - sum(0, never_sent)
}

# Threads that a request could have, as the server samples them in profiled slices: the JVM has a thread
# that waits for a remote's bytes as RUNNABLE, one that waits for work as waiting.
threads_free_row <- function(cell) {
  path <- file.path(cell$folder, "thread-states.csv")
  window <- c(number(cell$profile$start_epoch_s), number(cell$profile$end_epoch_s))
  if (!file.exists(path) || anyNA(window) || none_profiled(cell)) {
    return(list(thread_free_share = NA_real_, thread_samples = NA_real_))
  }
  states <- read_thread_states(path)[time_s >= window[1] & time_s <= window[2] & source == "jvm"]
  free <- states[group %in% c("http-nio-exec", "carrier") & state %in% c("WAITING", "TIMED_WAITING") & threads > 0]
  samples <- uniqueN(states$time_s)
  list(thread_free_share = per(uniqueN(free$time_s), samples), thread_samples = samples)
}

# What the server's log says: rejections that no code caught, over the server's life, and rows that the
# database refused as duplicates, within the slices that count; NA without a log.
log_row <- function(cell) {
  lines <- read_server_log(cell)
  if (is.null(lines)) return(list(rejections_uncaught = NA_real_, duplicates_refused = NA_real_))
  duplicates <- grep(" ERROR .*DuplicateKeyException", lines, value = TRUE, useBytes = TRUE)
  at_s <- epoch_s(duplicates)
  slices <- read_cell_slices(file.path(cell$folder, "slices.csv"))[kind == "plain"]
  # As the runner counts requests: of all where none was kept.
  if (any(slices$kept)) slices <- slices[which(kept)]
  within <- vapply(at_s, function(time) any(time >= slices$start_epoch_s & time <= slices$end_epoch_s), NA)
  uncaught <- "^(Exception in thread .*)?java[.]util[.]concurrent[.]RejectedExecutionException"
  list(rejections_uncaught = length(grep(uncaught, lines, useBytes = TRUE)), duplicates_refused = sum(within))
}

# The process that the server depends on; NA where there is none.
backend_row <- function(cell) {
  backend <- cell$backend
  cpu_s <- number(backend$cpu_share) * length(backend$cpus) * number(cell$load$duration_s)
  list(
    backend = words(backend$id), backend_cpu_share = number(backend$cpu_share),
    backend_cpu_us_per_request = per(1e6 * cpu_s, number(cell$load$requests_recorded)),
    backend_rss_peak_mib = number(backend$peak_rss_bytes) / 2^20
  )
}

measuring_row <- function(cell) {
  generator <- cell$load$generator
  list(
    generator = words(generator$name), generator_version = words(generator$version),
    generator_cpu_share = number(generator$cpu_share),
    profiler_engine = words(cell$profile$engine),
    profiler_interval_ms = number(cell$profile$interval_ms),
    telemetry_rate_hz = number(cell$telemetry$rate_hz),
    telemetry_cpu_share = number(cell$telemetry$cpu_share),
    others_cpu_share = number(cell$machine$others_cpu_share),
    cpu_pressure_share = number(cell$machine$cpu_pressure_share),
    steal_share = number(cell$machine$steal_share),
    speed_server = number(cell$machine$speed_server),
    speed_generator = number(cell$machine$speed_generator), probe_us = number(cell$machine$probe_us), load_1m = number(cell$machine$load_1m),
    time_wait_before = number(cell$machine$time_wait_before),
    order_position = number(cell$labels$order$position)
  )
}

#' Summarises a cell in one row.
#'
#' @param cell see read_cell().
#' @return data.table of one row: what the cell is, its outcome and validity, the source's twelve
#'   figures and the others, units in the column names; NA where a figure could not be had.
summarise_cell <- function(cell) {
  if (cell$outcome == "beyond_limits") cell <- without_figures(cell)
  row <- c(
    identity_row(cell), session_row(cell), requests_row(cell), load_row(cell), server_row(cell), counters_row(cell),
    threads_free_row(cell), log_row(cell), backend_row(cell), measuring_row(cell), machine_row(cell)
  )
  as.data.table(row)
}

# Of a load that the machine's limits forbade nothing is known but why: its zeros would pass for figures.
without_figures <- function(cell) {
  cell$load <- cell$load["loop"]
  cell$telemetry <- NULL
  cell
}

#' Summarises cells, a row each, in the order given.
#'
#' @param paths paths of cell.json files.
#' @return data.table, see summarise_cell().
summarise_cells <- function(paths) {
  rbindlist(lapply(paths, function(path) summarise_cell(read_cell(path))))
}

text_columns <- c(
  "session", "comparison", "warm_up_ended", "bound_throughput", "bound_latency", "study", "mode", "baseline", "tier", "tool", "mode_title", "tier_title", "path", "loop", "outcome",
  "outcome_reason", "valid", "must_fail", "failed_checks", "errors", "generator",
  "generator_version", "profiler_engine", "commit", "backend", "machine", "machine_title"
)

#' Reads summaries that summarise.R wrote.
#'
#' @param paths paths of results/summary/<study>.csv or results/summary.csv.
#' @return data.table, see summarise_cell().
#' @export
read_summary <- function(paths) {
  tables <- lapply(paths, function(path) {
    if (!file.exists(path)) fail_reading(path, "no such file")
    table <- with_new_names(fread(path, colClasses = "character", na.strings = "", encoding = "UTF-8"))
    require_columns(table, c("study", "mode", "tier", "tool", "repetition", "session", "valid", "must_fail"), path)
    # By name and not by content, or a column that is empty in one study changes its type.
    for (column in setdiff(names(table), text_columns)) {
      set(table, j = column, value = as.numeric(table[[column]]))
    }
    table[, `:=`(repetition = as.integer(repetition), valid = valid == "TRUE", must_fail = must_fail == "TRUE")]
    for (column in c("failed_checks", "errors", "bound_throughput", "bound_latency")) {
      set(table, which(is.na(table[[column]])), column, "")
    }
    table[]
  })
  rbindlist(tables)
}
