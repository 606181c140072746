# Slices with known values, and what the comparisons make of them.

#' Slices of a cell in one session, a row per round.
#'
#' @param ... columns, a value per round or one for all; `session` its number.
rounds_of <- function(mode, ..., session = 1, count = max(lengths(list(...)), 1)) {
  usual <- list(
    study = "demo", mode = mode, tier = "low", tool = "wrk2", repetition = session, session = paste0("session-", session), beside = "",
    outcome = "completed", valid = TRUE, latency_valid = TRUE, bound_throughput = "", bound_latency = "", slice = seq_len(count),
    round = seq_len(count), kind = "plain", kept = TRUE, reason = "", start_epoch_s = 10 * seq_len(count), duration_s = 1,
    requests_recorded = 1000, responses_2xx = 1000, error_share = 0, throughput_per_s = 1000, answers_per_s = 1000, latency_mean_ms = 10,
    latency_p50_ms = 10, latency_p90_ms = 10, latency_p99_ms = 10, latency_p99_9_ms = 10, cpu_us_per_request = 100, threads_peak = 20,
    rss_mib = 100, machine_context_switches_per_request = 4, compiler_share = 0
  )
  table <- as.data.table(lapply(modifyList(usual, list(...)), rep_len, count))
  table[, end_epoch_s := start_epoch_s + duration_s][]
}

# Both sides of one session or several: `pool` and `thread` are lists of columns.
turns <- function(pool = list(), thread = list(), sessions = 1) {
  count <- max(lengths(c(pool, thread)), 3)
  of <- function(mode, columns, session) do.call(rounds_of, c(list(mode, session = session, count = count), columns))
  rbindlist(lapply(seq_len(sessions), function(session) rbind(of("pool", pool, session), of("thread", thread, session))))
}

#' A row per cell of slices: by default an open loop that never offers what a server could not serve.
summary_of_slices <- function(slices, baselines = c(pool = "thread"), ...) {
  cells <- slices[beside == "", c(.SD[1], list(requests = sum(requests_recorded))),
    by = .(study, mode, tier, tool, repetition, session, outcome, valid, latency_valid),
    .SDcols = c("bound_throughput", "bound_latency")
  ]
  # The values of slices.
  cells[, (setdiff(slice_statistics, "rss_mib")) := NA_real_]
  cells[, `:=`(baseline = unname(baselines[mode]), failed_checks = fifelse(valid, "", "observed"))]
  with_cell_columns(cbind(cells, as.data.table(list(...))))
}

measured_of <- function(slices, ..., histograms = list(), known = NULL) as_measured(summary_of_slices(slices, ...), slices, histograms, known)

place_of <- function(...) {
  usual <- list(id = 1L, study = "demo", mode = "pool", baseline = "thread", tier = "low", tool = "wrk2")
  as.data.table(modifyList(usual, list(...)))
}

# The effect of each session, and over sessions.
effects_of <- function(slices, wanted = "throughput_per_s", ..., place = place_of(), excluding = TRUE) {
  session_effects(measured_of(slices, ...), place, wanted, compared_statistics[statistic == wanted, effect == "ratio"], excluding)
}

# Comparisons with usual values in the columns that are not given.
comparison_rows <- function(...) {
  usual <- list(
    study = "demo", tier = "low", tool = "wrk2", mode = "pool", baseline = "thread", statistic = "throughput_per_s", unit = "1/s", better = "higher",
    effect = "ratio", reason = "", bound = "", fixed = 0, pairs = 3, within = 0.01, df_within = 9, rounds = 12, least = 0
  )
  as.data.table(modifyList(usual, list(...)))
}

#' The histogram of a cell: `latencies_ms` of each slice, all of them right but for `failed` more.
histogram_of <- function(latencies_ms, failed = 0) {
  failed <- rep_len(failed, length(latencies_ms))
  values <- sort(unique(unlist(latencies_ms)))
  counts <- vapply(latencies_ms, function(of_slice) tabulate(match(of_slice, values), length(values)) + 0, numeric(length(values)))
  counts <- matrix(counts, length(values), dimnames = list(NULL, seq_along(latencies_ms)))
  right <- lengths(latencies_ms)
  list(values_ms = values, counts = counts, recorded = right + failed, right = right)
}

# Named as the comparisons look for them.
histograms_named <- function(slices, of_mode) {
  keys <- unique(slices[, .(mode, key = histogram_key(slices))])
  setNames(of_mode[keys$mode], keys$key)
}
