# Load curves and capacity: the highest rate at which the 99th percentile, counted from when a request
# was due, is within the study's objective.
#
# A sweep loads a mode at one planned rate after the other; a step is a slice. A step is beyond the objective where its p99 is, or
# where the server is saturated: it did not sustain the rate, or served less than was due. A single step
# beyond it, with the next one within it again, was disturbed: it moves nothing. The first two in a row end
# the curve (at the highest rate one does), and the capacity lies between the first of them and the step
# before it. What disturbs a load makes its latency longer, never shorter: a step that met its objective
# although a rule on the machine failed counts, too, but for its CPU time, and the first beyond was loaded
# again (by the runner).
#
# Between these two the reciprocal of the excess latency, 1 / (p99 - base), falls linearly with the rate: in
# M/M/1 it is (mu - lambda) / ln 100, and in every queue it reaches 0 where the server is saturated. The base
# is the smallest median of the curve, a request that waits for no other. A saturated step has no p99 of its
# own, because its latency grows as long as it lasts: there the reciprocal is 0, at the rate that was served.
#
# A curve that never breaks the objective gives a bound, and so does one that never keeps it.

#' @export
sweep_tool <- "sweep"
# A server that falls behind by less is not distinguished from one that keeps up: the share of what is due, and
# standard deviations of a Poisson count.
#' @export
behind_from <- 0.03
behind_from_sd <- 2

# ---- One curve -----------------------------------------------------------------------------------

#' The steps of a curve that count, by rate.
#'
#' @param cell see read_cell(), of the tool `sweep`.
#' @return data.table: step, rate_per_s (offered), served_per_s, latency_p50_ms, latency_p99_ms,
#'   cpu_us_per_request, saturated; no rows where nothing was loaded.
steps_of_curve <- function(cell) {
  slices <- read_cell_slices(file.path(cell$folder, "slices.csv"))
  if (nrow(slices) == 0) return(no_steps())
  slices <- require_columns(slices, c("step", "offered_per_s", "sustained", "served_per_s", "due", "reason"), cell$path)
  # A step that was loaded again counts by the last slice that was kept.
  slices <- plain_slices(slices)[order(step, slice)][!duplicated(step, fromLast = TRUE)]
  slices[order(offered_per_s), .(
    step, rate_per_s = offered_per_s, served_per_s, latency_p50_ms, latency_p99_ms,
    cpu_us_per_request = fifelse(reason == "", cpu_us_per_request, NA_real_),
    saturated = (!sustained | is_behind(due, served_per_s * duration_s)) %in% TRUE
  )]
}

is_behind <- function(due, served) due - served > pmax(behind_from * due, behind_from_sd * sqrt(due))

step_values <- c("latency_p50_ms", "latency_p99_ms", "cpu_us_per_request")

no_steps <- function() {
  numbers <- c("step", "rate_per_s", "served_per_s", step_values)
  typed_table(numbers = numbers, flags = "saturated")
}

#' The capacity of one curve.
#'
#' @param steps see steps_of_curve().
#' @param objective_ms for the 99th percentile.
#' @param ended why the mode stopped: not_sustained, highest_rate or generator_limit.
#' @return list: capacity_per_s (NA without steps), bound_capacity (at_least, at_most or empty), why_bounded,
#'   within_per_s and beyond_per_s (the rates between which it was interpolated).
find_capacity <- function(steps, objective_ms, ended = "not_sustained") {
  limited <- ended %in% "generator_limit"
  within <- (!steps$saturated & steps$latency_p99_ms <= objective_ms) %in% TRUE
  first <- which(!within & c(!within[-1], !limited))[1]
  if (is.na(first)) {
    if (!any(within)) return(one_capacity(NA_real_))
    reason <- if (limited) "above what the generator can drive" else "above the highest rate"
    return(one_capacity(max(steps$rate_per_s[within]), "at_least", reason))
  }
  if (first == 1) return(one_capacity(steps$rate_per_s[1], "at_most", "below the lowest rate"))
  base_ms <- min(steps$latency_p50_ms[seq_len(first - 1)])
  ends <- steps[c(first - 1, first)]
  one_capacity(knee_between(ends, base_ms, objective_ms), within = ends$rate_per_s[1], beyond = ends$rate_per_s[2])
}

one_capacity <- function(per_s, bound = "", why = "", within = NA_real_, beyond = NA_real_) {
  list(
    capacity_per_s = per_s, bound_capacity = bound, why_bounded = why, within_per_s = within,
    beyond_per_s = beyond
  )
}

# `ends`: the last step within the objective and the first beyond it.
knee_between <- function(ends, base_ms, objective_ms) {
  room <- 1 / (ends$latency_p99_ms - base_ms)
  rates <- ends$rate_per_s
  if (ends$saturated[2]) {
    room[2] <- 0
    rates[2] <- max(rates[1], min(rates[2], ends$served_per_s[2], na.rm = TRUE))
  }
  # Where all latencies are alike up to the knee, the room is endless, and the knee at the second end.
  if (is.infinite(room[1])) return(rates[2])
  rates[2] - diff(rates) * (1 / (objective_ms - base_ms) - room[2]) / (room[1] - room[2])
}

# ---- All curves ------------------------------------------------------------------------------------

capacity_words <- c(
  "study", "mode", "tier", "tool", "session", "outcome", "failed_checks", "baseline", "mode_title", "tier_title",
  "path", "ended", "arrivals", "bound_capacity", "why_bounded", "bound_throughput", "bound_latency"
)
capacity_flags <- c("valid", "latency_valid", "out_of_memory")
capacity_numbers <- c(
  "repetition", "objective_ms", "steps", "calibrated_per_s", "capacity_per_s", "within_per_s", "beyond_per_s",
  "requests", "error_share"
)

#' The capacity of every curve.
#'
#' @param cells list of cells of the tool `sweep`, see read_cell().
#' @return data.table, a row per cell: study, mode, tier, tool, repetition, session, outcome, valid and the
#'   other columns that a comparison reads of a cell; objective_ms, arrivals, ended, steps (that count),
#'   calibrated_per_s, out_of_memory (the server's log says so: a limit of the heap, and not of the CPUs or
#'   of a pool), then see find_capacity().
capacities_of <- function(cells) {
  rows <- lapply(cells, function(cell) as.data.table(capacity_row(cell)))
  empty <- typed_table(capacity_words, capacity_numbers, capacity_flags)
  rbindlist(c(list(empty), rows), fill = TRUE)[, names(empty), with = FALSE]
}

capacity_row <- function(cell) {
  curve <- cell$sweep
  steps <- steps_of_curve(cell)
  c(identity_row(cell), find_capacity(steps, number(curve$objective_ms), words(curve$ended)), list(
    objective_ms = number(curve$objective_ms), arrivals = words(curve$arrivals), ended = words(curve$ended),
    steps = nrow(steps), calibrated_per_s = number(curve$calibrated_per_s),
    out_of_memory = any(grepl("java.lang.OutOfMemoryError", read_server_log(cell), fixed = TRUE)),
    requests = number(cell$load$requests_recorded), error_share = number(cell$load$error_share)
  ))
}

#' The steps of all valid curves, over sessions.
#'
#' A planned step has the same share of the calibrated capacity in every session, so steps of one
#' position are the same point of the curve; those that a session loaded between two of them are not. Behind
#' the first session to end there are none: their mean would be that of the sessions that are left.
#'
#' @param cells list of cells, see capacities_of().
#' @return data.table, a row per study, tier, mode and step: sessions, saturated (in any of them), rate_per_s
#'   (geometric mean), and of latency_p50_ms, latency_p99_ms and cpu_us_per_request the geometric mean
#'   with _low and _high: the lowest and the highest session (NA for one session). What is decided is decided by
#'   the capacity; 95 % intervals of three sessions would hide the curves.
pool_steps <- function(cells) {
  steps <- rbindlist(lapply(cells, function(cell) {
    steps <- steps_of_curve(cell)
    planned <- number(cell$sweep$steps_planned)
    steps <- steps[is.na(planned) | step <= planned]
    cbind(as.data.table(identity_of(cell))[rep(1, nrow(steps))], steps)
  }))
  if (nrow(steps) > 0) steps <- steps[counts_for(steps)]
  if (nrow(steps) == 0) return(no_pooled_steps())
  steps[, ends_at := max(step), by = .(study, tier, mode, session)]
  reached <- steps[, .SD[step <= min(ends_at)], by = .(study, tier, mode)]
  pooled <- reached[, c(
    list(sessions = .N, saturated = any(saturated), rate_per_s = geometric(rate_per_s)$middle),
    unlist(lapply(step_values, function(name) named_range(name, .SD[[name]])), recursive = FALSE)
  ), by = .(study, tier, mode, step), .SDcols = step_values]
  setcolorder(pooled, names(no_pooled_steps()))[order(study, tier, mode, step)]
}

named_range <- function(name, values) {
  values <- values[is.finite(values) & values > 0]
  middle <- if (length(values) > 0) geometric(values)$middle else NA_real_
  ends <- if (length(values) > 1) range(values) else c(NA_real_, NA_real_)
  setNames(list(middle, ends[1], ends[2]), paste0(name, c("", "_low", "_high")))
}

no_pooled_steps <- function() {
  ends <- paste0(rep(step_values, each = 3), c("", "_low", "_high"))
  typed_table(c("study", "tier", "mode"), c("step", "sessions", "rate_per_s", ends), "saturated")
}

#' Reads the tables that capacity.R wrote.
#'
#' @param path path of results/capacity.csv, or of results/sweeps.csv.
#' @return data.table, see capacities_of() or pool_steps(); without rows where there is no curve.
#' @export
read_capacity <- function(path) {
  read_typed(path, typed_table(capacity_words, capacity_numbers, capacity_flags))
}

#' @export
read_load_curves <- function(path) read_typed(path, no_pooled_steps())

# ---- Comparing -------------------------------------------------------------------------------------

#' Capacities as comparisons read cells: a bound is no valid value, but bounds the ratio.
#'
#' Where one session of a mode is a bound, they all are: the capacities below the lowest rate's top, without
#' the one above it, would make the mean too low.
#'
#' @param capacity see read_capacity().
capacity_cells <- function(capacity) {
  cells <- copy(capacity)[!counts_for(capacity), bound_capacity := ""]
  cells[counts_for(cells), `:=`(
    bound_capacity = common_bound(bound_capacity), why_bounded = paste(setdiff(why_bounded, ""), collapse = ", ")
  ), by = .(study, tier, mode)]
  cells[bound_capacity != "", `:=`(valid = FALSE, failed_checks = why_bounded)][]
}

#' The summary with the capacities of curves, as rows of the tool `sweep`.
#'
#' @param summary see read_summary(); `capacity` see read_capacity().
#' @export
with_capacities <- function(summary, capacity) rbind(summary, capacity_cells(capacity), fill = TRUE)

# Bounds both ways leave nothing.
common_bound <- function(bounds) paste(setdiff(bounds, ""), collapse = " and ")

#' Situations of the guide that the curves decide: one per tier and baseline, as the guide has them.
#'
#' @param capacity see read_capacity(); `comparisons` see read_comparisons().
curve_situations <- function(capacity, comparisons) {
  about <- unique(capacity[, .(study, tier, tier_title, objective_ms)], by = c("study", "tier"))
  decided <- comparisons[statistic == "capacity_per_s" & !is_variant(mode)]
  places <- about[unique(decided[, .(study, tier, baseline)]), on = c("study", "tier"), nomatch = NULL]
  lapply(split(places, seq_len(nrow(places))), function(place) {
    title <- sub("^(.)", "\\U\\1", place$tier_title, perl = TRUE)
    c(as.list(place[, .(study, baseline, tier)]), list(
      title = sprintf("%s: 99th percentile within %s ms", title, format_number(place$objective_ms)),
      tool = sweep_tool, statistics = "capacity_per_s", loads = character(), mind = ""
    ))
  })
}
