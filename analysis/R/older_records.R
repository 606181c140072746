# Records of before, as the rules of today judge them. A rule that changed must not make a new measurement of what is measured.
#
# Validity 19 (PROTOCOL.md): a slice is no longer excluded for its speed, as both sides of a round are compared (effects.R); nor for
# its generator's lateness, unless that used up its CPU, as the latency has two ends then (histograms.R); and a cell's latency counts by
# three slices, in place of half of them.

judged_so_since <- 19
generator_busy_from <- 0.9

is_older <- function(cell) isTRUE(cell$validity$version < judged_so_since) && !cell$cell$tool %in% c(sweep_tool, overload_tool)

#' Slices by today's rules.
#'
#' @param rows see read_cell_slices(); `cell` see read_cell().
#' @return rows with was_late (excluded for its generator's lateness by the rules of its time).
slices_by_todays_rules <- function(rows, cell) {
  rows[, was_late := FALSE]
  if (!is_older(cell) || nrow(rows) == 0) return(rows)
  busy <- if ("generator_cpu_share" %in% names(rows)) rows$generator_cpu_share >= generator_busy_from else FALSE
  rows[, was_late := grepl("generator_healthy", reason) & !busy %in% TRUE]
  rows[, reason := without_rules(reason, "steady_speed")]
  rows[was_late == TRUE, reason := without_rules(reason, "generator_healthy")]
  rows[, kept := reason == "" | stands %in% TRUE][]
}

without_rules <- function(reasons, rules) {
  vapply(strsplit(reasons, ";", fixed = TRUE), function(of_one) paste(setdiff(of_one, rules), collapse = ";"), "")
}

#' A cell whose checks are those of today.
#'
#' @param rows see slices_by_todays_rules().
by_todays_rules <- function(cell, rows) {
  plain <- rows[kind == "plain"]
  others <- Filter(function(check) check$id != "slices_kept", cell$validity$checks)
  needed <- min(rounds_needed_of_both, c(cell$configuration$slices$rounds, nrow(plain))[1])
  enough <- list(
    id = "rounds_kept", concerns = "latency",
    rule = sprintf("at least %d rounds count for latency: completed, undisturbed, with CPU time left to the generator", as.integer(needed)),
    passed = nrow(plain) > 0 && sum(plain$kept) >= needed, values = list(kept = sum(plain$kept))
  )
  cell$validity$checks <- c(others, list(enough))
  cell$validity$latency_valid <- all(vapply(cell$validity$checks, function(check) isTRUE(check$passed), NA))
  if (!is.null(cell$load$slices)) cell$load$slices$kept <- sum(plain$kept)
  cell
}

#' By how much a generator's lateness may have made the latencies of an older cell longer, see lateness_of(): it has both latencies of all
#' slices together.
lateness_of_older <- function(cell, rows) {
  ends <- cell$load$latency
  of <- function(name) fcoalesce(max(0, log(as.numeric(c(ends$right[[name]], NA)[1]) / as.numeric(c(ends$uncorrected[[name]], NA)[1]))), 0)
  statistics <- c("latency_mean_ms", names(percentile_of))
  list(late_slices = rows[was_late == TRUE, slice], lateness = sapply(setNames(sub("^latency_", "", statistics), statistics), of))
}
