# Costs of the parts of serving a request.

#' Pools the slices of each primitive, and repetitions where a run of before 26 November 2026 has several.
#'
#' @param paths of results/primitives/costs.csv: primitive, rate_per_s (empty where a primitive has none), statistic
#'   (cpu, wall, server, latency), value, unit, probe_us (of the speed probe meanwhile; empty where there was
#'   none), and of before a repetition; a row per slice.
#' @param law see speed_law().
#' @return data.table: primitive, rate_per_s, statistic, mean (geometric), low, high (95 %, t on
#'   logarithms; NA for one repetition), unit, repetitions, reason (empty; where there is no mean, why).
summarise_primitives <- function(paths, law = no_law) {
  columns <- c("primitive", "rate_per_s", "statistic", "value", "unit")
  # A run may leave them out.
  if (length(paths) == 0) return(no_primitives())
  costs <- rbindlist(lapply(paths, function(path) {
    if (!file.exists(path)) fail_reading(path, "no such file")
    costs <- require_columns(fread(path, encoding = "UTF-8"), columns, path)
    if (!"probe_us" %in% names(costs)) costs[, probe_us := NA]
    if (!"repetition" %in% names(costs)) costs[, repetition := 1L]
    costs[, c("rate_per_s", "value", "probe_us") := lapply(.(rate_per_s, value, probe_us), as.numeric)]
  }))
  costs[statistic == "cpu", value := at_usual_speed(value, probe_us, law)]
  # Slices of one repetition share its processes.
  costs <- costs[, .(value = mean(value)), by = .(primitive, rate_per_s, statistic, repetition, unit)]
  # A cost by difference may come out below 0, and has no logarithm then. Without that repetition the mean would be
  # that of the larger costs.
  costs[, {
    lost <- sum(!is.finite(value) | value <= 0)
    logs <- if (lost == 0) log(value) else NA_real_
    interval <- exp(t_interval(logs))
    list(
      mean = exp(mean(logs)), low = interval[1], high = interval[2], unit = unit[1], repetitions = .N,
      reason = if (lost == 0) "" else sprintf("not measured well enough: above 0 in %d of %d repetitions", .N - lost, .N)
    )
  }, by = .(primitive, rate_per_s, statistic)]
}

no_primitives <- function() typed_table(c("primitive", "statistic", "unit", "reason"), c("rate_per_s", "mean", "low", "high", "repetitions"))

#' Reads the primitives that primitives.R wrote.
#'
#' @param path path of results/primitives/primitives.csv.
#' @return data.table, see summarise_primitives().
#' @export
read_primitives <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  columns <- c("primitive", "rate_per_s", "statistic", "mean", "low", "high", "unit", "repetitions", "reason")
  require_columns(read_table(path, c("rate_per_s", "mean", "low", "high", "repetitions")), columns, path)[]
}

#' Reads what waiting threads hold.
#'
#' @param path path of results/primitives/thread-memory.csv.
#' @return data.table: kind, threads, and the growth of rss_bytes, nmt_thread_reserved_bytes,
#'   nmt_thread_committed_bytes, heap_bytes that so many threads brought.
#' @export
read_thread_memory <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  numbers <- c(
    "threads", "rss_bytes", "nmt_thread_reserved_bytes", "nmt_thread_committed_bytes", "heap_bytes"
  )
  memory <- require_columns(fread(path, encoding = "UTF-8"), c("kind", numbers), path)
  # Reserved stacks pass 2^31, where fread would choose integer64.
  memory[, (numbers) := lapply(.SD, as.numeric), .SDcols = numbers][]
}

#' The CPU time of a primitive.
#'
#' @param primitives see read_primitives().
#' @param id of one that is measured at several rates: its cost lies on the line between its neighbors over the
#'   logarithm of the rate, and stays that of the last one beyond them.
#' @return µs; NA where it was not measured.
cost_of <- function(primitives, id, rate_per_s) {
  rows <- primitives[primitive == id & statistic == "cpu" & is.finite(mean)]
  several <- rows[is.finite(rate_per_s) & rate_per_s > 0]
  if (nrow(several) < 2) return(c(rows$mean, NA_real_)[1])
  at <- min(max(rate_per_s, min(several$rate_per_s)), max(several$rate_per_s))
  approx(log(several$rate_per_s), several$mean, log(at))$y
}
