# Bands: where the ratios of a shipped run lie elsewhere, too, if they are reproduced.

# The factor by which average bioequivalence is decided (FDA 2001).
reproduced_within <- 1.25

# The rounds of a named cell end when these are decided.
judged_statistics <- c("throughput_per_s", "cpu_us_per_request")

#' The band of each ratio that ends the rounds of a named cell: its interval, and a factor of 1.25 on both sides.
#'
#' @param comparisons see read_comparisons(); `known` those of all shipped runs, see with_hosts().
#' @return data.table: comparison_names, low, high, process_reach (half of the 95 % interval of what a new process adds, as a logarithm). A
#'   bound has an open end.
bands_of <- function(comparisons, known) {
  rows <- comparisons[effect == "ratio" & reason == "" & is.finite(estimate) & statistic %in% judged_statistics & !is.na(low) & !is.na(high)]
  rows[, place := name_of_place(rows[, .(study, tier, tool, mode, baseline)])]
  rows[, process_reach := reach_of_new_process(as_one_session(.SD), lenders_of(known, .BY$statistic)), by = statistic]
  rows[, `:=`(low = low / reproduced_within, high = high * reproduced_within)]
  rows[, c(comparison_names, "low", "high", "process_reach"), with = FALSE]
}

# A cell that is still to be measured: its sessions say nothing.
as_one_session <- function(rows) copy(rows)[, `:=`(rounds = rounds / pairs, pairs = 1, spread = NA_real_)]

#' Writes the bands of a run beside its tables.
write_bands <- function(comparisons, known, folder) write_shortened(bands_of(comparisons, known), file.path(folder, "bands.csv"))
