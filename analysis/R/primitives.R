# What the parts of serving a request cost: a mean and its interval from the repetitions, which are
# processes of their own and some time apart, as those of the cells are.

library(data.table)

#' Pools the repetitions of each primitive.
#'
#' @param paths of results/primitives/costs-1.csv and so on: primitive, rate_per_s (empty where a primitive
#'   has none), statistic (cpu, wall, server, latency), repetition, value, unit, probe_us (of the speed probe
#'   meanwhile; empty where there was none); a row per slice.
#' @param law see speed_law().
#' @return data.table: primitive, rate_per_s, statistic, mean (geometric), low, high (95 %, t on
#'   logarithms; NA for one repetition), unit, repetitions.
summarise_primitives <- function(paths, law = no_law) {
  columns <- c("primitive", "rate_per_s", "statistic", "repetition", "value", "unit")
  costs <- rbindlist(lapply(paths, function(path) {
    if (!file.exists(path)) fail_reading(path, "no such file")
    costs <- with_probe(require_columns(fread(path, encoding = "UTF-8"), columns, path))
    # Nothing to take a logarithm of: fewer CPU ticks than one in a whole repetition.
    if (any(costs$value <= 0)) fail_reading(path, "a cost is not above 0")
    costs
  }))
  costs[, value := as.numeric(value)]
  costs[statistic == "cpu", value := at_usual_speed(value, probe_us, law)]
  # Slices of one repetition share its processes.
  costs <- costs[, .(value = mean(value)), by = .(primitive, rate_per_s, statistic, repetition, unit)]
  costs[, {
    interval <- exp(t_interval(log(value)))
    list(
      mean = exp(mean(log(value))), low = interval[1], high = interval[2], unit = unit[1], repetitions = .N
    )
  }, by = .(primitive, rate_per_s, statistic)]
}

#' Reads the primitives that primitives.R wrote.
#'
#' @param path path of results/primitives/primitives.csv.
#' @return data.table, see summarise_primitives().
read_primitives <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  columns <- c("primitive", "rate_per_s", "statistic", "mean", "low", "high", "unit", "repetitions")
  primitives <- require_columns(fread(path, encoding = "UTF-8"), columns, path)
  for (column in c("rate_per_s", "mean", "low", "high")) {
    set(primitives, j = column, value = as.numeric(primitives[[column]]))
  }
  primitives[]
}

#' Reads what waiting threads hold.
#'
#' @param path path of results/primitives/thread-memory.csv.
#' @return data.table: kind, threads, and the growth of rss_bytes, nmt_thread_reserved_bytes,
#'   nmt_thread_committed_bytes, heap_bytes that so many threads brought.
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
  if (nrow(rows) < 2) return(c(rows$mean, NA_real_)[1])
  at <- min(max(rate_per_s, min(rows$rate_per_s)), max(rows$rate_per_s))
  approx(log(rows$rate_per_s), rows$mean, log(at))$y
}
