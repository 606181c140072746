# CPU time at the usual speed of the machine's CPUs.
#
# A shared CPU changes its speed by up to a factor of 1.7, and a request takes more CPU time on a slow one. Cycles would not change, but
# virtual machines seldom count them. So a probe computes the same thing beside every slice (profiles/watch/speed.py), and the part of a
# request's CPU time that goes with the probe's is taken out: a control variate (Lavenberg and Welch 1981). The exponent is fitted to slices
# of one cell in one session, which differ by nothing but the machine's state. It is 0, and nothing is changed, where no relation is shown.

# Changes nothing.
no_law <- list(exponent = 0, low = NA_real_, high = NA_real_, usual_us = NA_real_, slices = 0, cells = 0, spread_measured = NA_real_, spread_usual = NA_real_)

# With fewer slices beyond the first of their cells, a fit is chance.
slices_for_law <- 30

#' How a request's CPU time goes with the probe's, within cells.
#'
#' @param slices see read_loads(), of one machine.
#' @return list, see cpu-speed.csv in tables.yaml; usual_us is NA without a probe, and nothing is fitted to few slices.
speed_law <- function(slices) {
  # A slice that was left out for its speed is the one that tells most.
  rows <- slices[kind == "plain" & reason %in% c("", "steady_speed") & beside == ""]
  rows <- rows[is.finite(cpu_us_per_request) & cpu_us_per_request > 0 & is.finite(probe_us) & probe_us > 0]
  usual_us <- if (nrow(rows) > 0) median(rows$probe_us) else NA_real_
  cell <- c(cell_place, "session")
  rows <- rows[, .(cpu = log(cpu_us_per_request), probe = log(probe_us), several = .N > 1), by = cell]
  rows <- rows[several == TRUE][, `:=`(cpu = cpu - mean(cpu), probe = probe - mean(probe)), by = cell]
  cells <- uniqueN(rows, by = cell)
  found <- modifyList(no_law, list(usual_us = usual_us, slices = nrow(rows), cells = cells))
  df <- nrow(rows) - cells - 1
  if (df < slices_for_law || !any(rows$probe != 0)) return(found)
  fitted <- rows[, sum(cpu * probe) / sum(probe^2)]
  error <- rows[, sqrt(sum((cpu - fitted * probe)^2) / df / sum(probe^2))]
  reach <- half_interval(error, df, 1)
  found$low <- fitted - reach
  found$high <- fitted + reach
  if (found$low > 0) found$exponent <- min(1, fitted)
  spread <- function(values) sqrt(sum(values^2) / (nrow(rows) - cells))
  found$spread_measured <- spread(rows$cpu)
  found$spread_usual <- spread(rows$cpu - found$exponent * rows$probe)
  found
}

#' CPU time as it would have been with the CPUs at their usual speed.
#'
#' @param cpu_us as measured, `probe_us` meanwhile: vectors. Without a probe it stays as it was measured.
#' @param law see speed_law().
at_usual_speed <- function(cpu_us, probe_us, law) {
  if (law$exponent == 0) return(cpu_us)
  fifelse((is.finite(probe_us) & probe_us > 0) %in% TRUE, cpu_us * (law$usual_us / probe_us)^law$exponent, cpu_us)
}

#' The same of the cpu_us_per_request of slices; cpu_us_measured is what it was.
#'
#' A round has one speed, the geometric mean of the probes of its modes, so no ratio of two modes changes. A probe of its own would tell
#' how idle a mode leaves the CPU: next to a busy pool it never ends, and only the other side would be corrected.
with_usual_speed <- function(slices, law) {
  if (nrow(slices) == 0) return(slices)
  slices <- copy(slices)[, cpu_us_measured := cpu_us_per_request]
  slices[, probe := exp(mean(log(probe_us[is.finite(probe_us) & probe_us > 0]))), by = .(study, tier, tool, session, kind, round)]
  slices[, cpu_us_per_request := at_usual_speed(cpu_us_per_request, probe, law)][, probe := NULL][]
}
