# Does a ratio travel? Each machine has its own ratios, from its sessions alone. Pooled over machines
# they are one sample of machines, so the model is one of random effects (DerSimonian and Laird 1986):
# the between-machine variance by Paule and Mandel (1982), which Veroniki et al. (2016) recommend, and
# intervals after Knapp and Hartung (2003), which are honest for few machines, and here never narrower than
# without their correction: two machines that agree by chance would have none. How far machines differ
# is given by tau (a standard deviation of log ratios), I2 (its share of what varies, Higgins 2002) and the
# test Q; the interval of prediction is of one more machine of the same population.

library(data.table)

travel_statistics <- c("throughput_per_s", "latency_p50_ms", "latency_p99_ms", "cpu_us_per_request")
# Instead of a machine, in rows that pool all of them.
pooled_machines <- "all"
travel_places <- c("study", "tier", "tool", "mode", "versus", "statistic")
travel_words <- c("machine", "machine_title", travel_places, "verdict", "bound", "agreement")

#' Cells of before machines were recorded are those of one unknown machine.
machine_of <- function(summary) fcoalesce(as.character(summary$machine), "unknown")

#' Ratios per machine, and pooled over machines.
#'
#' @param summary see read_summary(); `slices` see read_slices(); of several machines.
#' @return data.table, for each comparison that two machines or more have: a row per machine (machine,
#'   machine_title, travel_places, estimate, low, high, verdict, bound, pairs, see compare_modes(); error, the
#'   standard error of the log ratio) and one with machine "all": estimate, low, high (95 %), machines (how
#'   many), tau, i2 (0 to 1), q_p_value and q_p_adjusted (of no difference between machines; after
#'   Benjamini and Hochberg over the comparisons of a statistic), next_low, next_high (95 %: one more machine),
#'   agreement. No rows where there is one machine.
travel <- function(summary, slices) {
  summary <- copy(summary)[, machine := machine_of(summary)]
  statistics <- compared_statistics[statistic %in% travel_statistics]
  rows <- rbindlist(lapply(unique(summary$machine), function(id) {
    own <- summary[machine == id]
    found <- compare_modes(own, slices[session %in% own$session], statistics)
    found[reason == "" & is.finite(estimate)][, `:=`(machine = rep(id, .N), machine_title = own$machine_title[1])]
  }), fill = TRUE)
  if (uniqueN(rows$machine) < 2) return(no_travel())
  rows[, error := fifelse(pairs == 1, within, noise / sqrt(pairs))]
  rows[, machines := .N, by = travel_places]
  rows <- rows[machines > 1, c(travel_columns, "error"), with = FALSE]
  if (nrow(rows) == 0) return(no_travel())
  pooled <- rows[, c(pool_machines(estimate, error, bound), agreement = agreement_of(verdict)), by = travel_places]
  pooled[, q_p_adjusted := p.adjust(q_p_value, "BH"), by = statistic]
  rbind(rows, pooled[, machine := pooled_machines], fill = TRUE)[order(study, tier, tool, mode, statistic)]
}

travel_columns <- c("machine", "machine_title", travel_places, "estimate", "low", "high", "verdict", "bound", "pairs")
pooled_columns <- c("error", "machines", "tau", "i2", "q_p_value", "q_p_adjusted", "next_low", "next_high", "agreement")

no_travel <- function() {
  columns <- c(travel_columns, pooled_columns)
  setNames(as.data.table(rep(list(character()), length(columns))), columns)
}

# Bounds, and ratios without noise, have no standard error and are left out.
pool_machines <- function(estimate, error, bound) {
  usable <- bound == "" & is.finite(error) & error > 0
  none <- list(
    machines = sum(usable), estimate = NA_real_, low = NA_real_, high = NA_real_, tau = NA_real_, i2 = NA_real_,
    q_p_value = NA_real_, next_low = NA_real_, next_high = NA_real_
  )
  if (sum(usable) < 2) return(none)
  fit <- metafor::rma.uni(yi = log(estimate[usable]), sei = error[usable], method = "PM", test = "adhoc")
  further <- predict(fit)
  list(
    machines = fit$k, estimate = exp(further$pred), low = exp(further$ci.lb), high = exp(further$ci.ub),
    tau = sqrt(fit$tau2), i2 = fit$I2 / 100, q_p_value = fit$QEp, next_low = exp(further$pi.lb), next_high = exp(further$pi.ub)
  )
}

agreements <- c("same way", "no difference", "opposite ways", "on some only", "open")

# By the verdicts of the machines, each by itself.
agreement_of <- function(verdicts) {
  fcase(
    all(verdicts == "higher") || all(verdicts == "lower"), "same way", all(verdicts == "equivalent"), "no difference",
    all(c("higher", "lower") %in% verdicts), "opposite ways",
    all(verdicts %in% c("higher", "lower", "equivalent")), "on some only", default = "open"
  )
}

#' Reads what travel.R wrote.
#'
#' @param path path of results/travel.csv.
#' @return data.table, see travel(); without rows where there is no such file.
read_travel <- function(path) {
  if (!file.exists(path)) return(no_travel())
  read_table(path, setdiff(c(travel_columns, pooled_columns), travel_words))
}

#' Which cells from elsewhere were asked for the same as the cells here.
#'
#' @param paths cell.json files from elsewhere; `results` the results folder here.
#' @return logical vector; TRUE where the place was not measured here.
asked_the_same <- function(paths, results) {
  asked <- function(cell) cell$configuration[c("protocol", "study", "mode", "backend", "engine", "tier", "tool")]
  here <- new.env()
  vapply(paths, function(path) {
    cell <- read_cell(path)
    place <- with(cell$cell, file.path(study, mode, tier, tool))
    if (is.null(here[[place]])) {
      found <- Sys.glob(file.path(results, "cells", place, "rep-*", "cell.json"))
      here[[place]] <- if (length(found) > 0) asked(read_cell(found[1])) else FALSE
    }
    isFALSE(here[[place]]) || identical(here[[place]], asked(cell))
  }, NA, USE.NAMES = FALSE)
}
