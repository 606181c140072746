# Load curves and capacity: the highest rate at which the 99th percentile, counted from when a request was due, is within the
# study's objective.
#
# A sweep loads a mode several times at each rate of a grid. A load meets the objective where its p99 does and the server is not
# saturated: it sustained the rate, and served what was due. What disturbs a load makes its latency longer, never shorter; so
# one that met the objective counts whatever rule on machine or generator failed, but for its CPU time, and one that did not
# counts only if no rule failed, if the server broke, or if no load of its rate was better.
#
# The chance that a load meets the objective falls with its rate around the capacity, as Student's t with 4 degrees of freedom on
# the log scale: a load may be disturbed, and its long tails let one that contradicts all others move little. The capacity of a
# session is the mean of its likelihood (Pitman 1939), and its error the standard deviation. Where no load contradicts
# another this is the middle of two neighboring rates, and about the standard deviation of a uniform value between them.
#
# A curve whose highest rate keeps the objective gives a bound, and so does one that never keeps it.

# A server that falls behind by less is not distinguished from one that keeps up: the share of what is due, and
# standard deviations of a Poisson count.
#' @export
behind_from <- 0.03
behind_from_sd <- 2
# How sharply loads tell rates apart, as a share of the rate. It is about 0.02 for half a second of a queue. This is more, because the
# rates are a tenth apart and the same in all sessions: their errors have something in common.
#' @export
tolerance <- 0.05

# ---- One curve

#' The loads of a curve that say whether the objective was met, by rate.
#'
#' @param cell see read_cell(), of the tool `sweep`.
#' @return data.table: slice, step, rate_per_s (offered), met, saturated, latency_p50_ms, latency_p99_ms, cpu_us_per_request; and the
#'   attribute late_per_s: rates that were offered too late to say anything.
loads_of_curve <- function(cell) {
  slices <- read_cell_slices(file.path(cell$folder, "slices.csv"))
  if (nrow(slices) == 0) return(typed_table(numbers = c("slice", "step", "rate_per_s", step_values), flags = c("met", "saturated")))
  slices <- require_columns(slices, c("step", "offered_per_s", "sustained", "served_per_s", "due", "reason"), cell$path)[kind == "plain"]
  # An overload may itself be what disturbs: a rate that was lost twice or more, and never kept, is beyond.
  slices[, counts := kept | grepl("not_completed", reason)]
  slices[, lost := !counts & !grepl("generator_healthy|idle_connections", reason)]
  slices[, counts := counts | lost & !any(counts) & sum(lost) > 1, by = step]
  loads <- slices[counts == TRUE][order(offered_per_s, slice), .(
    slice, step, rate_per_s = offered_per_s, latency_p50_ms, latency_p99_ms,
    cpu_us_per_request = fifelse(reason == "", cpu_us_per_request, NA_real_),
    saturated = (grepl("not_completed", reason) | !sustained | is_behind(due, served_per_s * duration_s)) %in% TRUE
  )]
  loads[, met := (!saturated & latency_p99_ms <= number(cell$sweep$objective_ms)) %in% TRUE]
  setattr(loads, "late_per_s", slices[!counts & grepl("generator_healthy", reason), offered_per_s])[]
}

is_behind <- function(due, served) due - served > pmax(behind_from * due, behind_from_sd * sqrt(due))

step_values <- c("latency_p50_ms", "latency_p99_ms", "cpu_us_per_request")

# The rates of a curve, a row a step: latencies of all its requests together, and saturated where most of its loads are.
steps_of_curve <- function(cell) {
  loads <- loads_of_curve(cell)
  histograms <- read_histograms(cell, read_cell_slices(file.path(cell$folder, "slices.csv")))
  together <- function(slices, p, values) fcoalesce(as.numeric(merged_percentile(histograms, slices, p)), median(as.numeric(values)))
  loads[, .(
    rate_per_s = mean(rate_per_s), latency_p50_ms = together(slice, 0.5, latency_p50_ms), latency_p99_ms = together(slice, 0.99, latency_p99_ms),
    cpu_us_per_request = mean(cpu_us_per_request, na.rm = TRUE), saturated = mean(saturated) > 0.5
  ), by = step]
}

#' The capacity of one curve.
#'
#' @param loads see loads_of_curve().
#' @return list: capacity_per_s (NA without loads), bound_capacity (at_least, at_most or empty), why_bounded, within_per_s and
#'   beyond_per_s (ends of the uniform distribution that has the error of the capacity).
find_capacity <- function(loads) {
  if (nrow(loads) == 0) return(one_capacity(NA_real_))
  highest <- max(loads$rate_per_s)
  if (!any(loads$met)) return(one_capacity(min(loads$rate_per_s), "at_most", "below the lowest rate"))
  if (all(loads[rate_per_s == highest]$met)) {
    late <- any(attr(loads, "late_per_s") > highest)
    return(one_capacity(highest, "at_least", if (late) "above what the generator can drive" else "above the highest rate"))
  }
  found <- likely_capacity(log(loads$rate_per_s), loads$met)
  ends <- exp(found$centre + c(-1, 1) * sqrt(3) * found$error)
  one_capacity(exp(found$centre), within = ends[1], beyond = ends[2])
}

one_capacity <- function(per_s, bound = "", why = "", within = NA_real_, beyond = NA_real_) {
  list(capacity_per_s = per_s, bound_capacity = bound, why_bounded = why, within_per_s = within, beyond_per_s = beyond)
}

# Mean and standard deviation of the likelihood, from well below all rates to well above.
likely_capacity <- function(log_rates, met) {
  at <- seq(min(log_rates) - 10 * tolerance, max(log_rates) + 10 * tolerance, by = tolerance / 5)
  # A row per load, a column per capacity.
  above <- outer(log_rates, at, function(log_rate, capacity) capacity - log_rate)
  logs <- colSums(pt(ifelse(met, 1, -1) * above / tolerance, tolerance_df, log.p = TRUE))
  weights <- exp(logs - max(logs)) / sum(exp(logs - max(logs)))
  centre <- sum(weights * at)
  list(centre = centre, error = sqrt(sum(weights * (at - centre)^2)))
}

# ---- All curves

#' The capacity of every curve.
#'
#' @param cells list of cells of the tool `sweep`, see read_cell().
#' @return data.table, a row per cell: the columns that a comparison reads of a cell, objective_ms, calibrated_per_s, out_of_memory (the server's log says so: a limit of the heap, and not of the CPUs or of a pool), see find_capacity().
capacities_of <- function(cells) {
  rows <- lapply(cells, function(cell) as.data.table(capacity_row(cell)))
  rbindlist(c(list(no_capacities()), rows), fill = TRUE)[, names(no_capacities()), with = FALSE]
}

no_capacities <- function() {
  words <- c(
    cell_place, "session", "outcome", "failed_checks", "baseline", "tier_title", "bound_capacity", "why_bounded", "bound_throughput", "bound_latency"
  )
  numbers <- c("repetition", "objective_ms", "calibrated_per_s", "capacity_per_s", "within_per_s", "beyond_per_s", "requests", "error_share")
  typed_table(words, numbers, c("valid", "latency_valid", "out_of_memory"))
}

capacity_row <- function(cell) {
  c(identity_row(cell), find_capacity(loads_of_curve(cell)), list(
    objective_ms = number(cell$sweep$objective_ms), calibrated_per_s = number(cell$sweep$calibrated_per_s),
    out_of_memory = any(grepl("java.lang.OutOfMemoryError", read_server_log(cell), fixed = TRUE)),
    requests = number(cell$load$requests_recorded), error_share = number(cell$load$error_share)
  ))
}

#' The steps of all valid curves, over sessions: all load the rates of one grid.
#'
#' @param cells see capacities_of().
#' @return data.table, a row per study, tier, mode and step: sessions, saturated (in any of them), and geometric means, with _low and _high
#'   of the lowest and the highest session (NA for one): 95 % intervals of three sessions would hide the curves, and the capacity decides.
pool_steps <- function(cells) {
  steps <- rbindlist(lapply(cells, function(cell) {
    steps <- steps_of_curve(cell)
    cbind(as.data.table(identity_of(cell))[rep(1, nrow(steps))], steps)
  }))
  if (nrow(steps) > 0) steps <- steps[counts_for(steps)]
  if (nrow(steps) == 0) return(no_pooled_steps())
  pooled <- steps[, c(
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

#' Reads capacity.csv, see capacities_of().
#' @export
read_capacity <- function(path) read_typed(path, no_capacities())

#' Reads sweeps.csv, see pool_steps().
#' @export
read_load_curves <- function(path) read_typed(path, no_pooled_steps())

# ---- Comparing

# The rows with the column counts: a session that is a bound counts where none of its mode is measured.
counted_capacities <- function(capacity) {
  rows <- copy(capacity)[, counts := counts_for(capacity, "capacity_per_s") & (capacity_per_s > 0 & is.finite(capacity_per_s)) %in% TRUE]
  rows[, counts := counts & (bound_capacity == "" | !any(counts & bound_capacity == "")), by = .(study, tier, mode)][]
}

#' The capacity of each mode over its sessions.
#'
#' @param capacity see read_capacity(), of a whole run: modes lend each other their noise.
#' @return data.table, a row per study, tier and mode whose capacity is measured well enough, or bounded: objective_ms, sessions, bound
#'   (at_least, at_most or empty), why_bounded, capacity_per_s, low, high (95 %; NA where no noise is known, and for a bound).
#' @export
pool_capacity <- function(capacity) {
  rows <- counted_capacities(capacity)[counts == TRUE]
  rows[, `:=`(value = log(capacity_per_s), bound = bound_of(rows, "capacity_per_s"), variance = variance_of_cells(rows, "capacity_per_s"))]
  pooled <- rows[, .(
    objective_ms = objective_ms[1], pairs = .N, why_bounded = paste(setdiff(why_bounded, ""), collapse = ", "), bound = direction(bound), centre = mean(value),
    spread = sd(value), within = sqrt(mean(variance)), df_within = tolerance_df * .N, rounds = 0, least = 0
  ), by = .(study, tier, mode)][!is.na(bound)]
  judged <- judge_effects(pooled, 0)[bound != 0, c("low", "high") := NA_real_]
  judged[(high - low <= log(span_at_most)) | is.na(high), .(
    study, tier, mode, objective_ms, sessions = pairs, bound = bound_words(bound), why_bounded, capacity_per_s = exp(centre), low = exp(low), high = exp(high)
  )]
}

#' Compares the capacity of every mode with that of its baseline, see compare_modes(). A session's effect is never taken to be better known
#' than its loads say, see find_capacity().
#'
#' @param capacity see read_capacity(); `known` comparisons of shipped runs, which lend their noise.
compare_capacities <- function(capacity, known = NULL) {
  places <- unique(capacity[!is.na(baseline), .(study, tier, tool, mode, baseline)])[, id := .I]
  # A sweep offers no rate that would fix a throughput; its share of errors is one of all rates.
  cells <- counted_capacities(capacity)[, `:=`(loop = "open", sleep_ms = NA_real_, users = NA_real_, offered_per_s = NA_real_, error_share = NULL)]
  cells[counts == FALSE, `:=`(valid = FALSE, failed_checks = fifelse(failed_checks == "", "no capacity found", failed_checks))]
  compare_places(list(summary = cells, known = known), places, compared_statistics[counts == "sweep"])
}

#' The summary with capacities as rows: a bound is no valid value.
#' @export
with_capacities <- function(summary, capacity) {
  rows <- counted_capacities(capacity)[counts == FALSE, bound_capacity := ""][, counts := NULL]
  rbind(summary, rows[bound_capacity != "", `:=`(valid = FALSE, failed_checks = why_bounded)], fill = TRUE)
}
