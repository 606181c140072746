# Bands: where the ratios of a shipped run lie elsewhere, too, if they are reproduced.

# The factor by which average bioequivalence is decided (FDA 2001).
reproduced_within <- 1.25

# The rounds of a named cell end when these are decided.
judged_statistics <- c("throughput_per_s", "cpu_us_per_request")

#' The band of each ratio that ends the rounds of a named cell: its interval, and a factor of 1.25 on both sides.
#'
#' @param comparisons see read_comparisons().
#' @return data.table: comparison_names, low, high. A bound has an open end.
bands_of <- function(comparisons) {
  rows <- comparisons[effect == "ratio" & reason == "" & is.finite(estimate) & statistic %in% judged_statistics]
  rows[!is.na(low) & !is.na(high), c(comparison_names, "low", "high"), with = FALSE][, `:=`(low = low / reproduced_within, high = high * reproduced_within)][]
}

#' Writes the bands of a run beside its tables.
write_bands <- function(comparisons, folder) {
  path <- file.path(folder, "bands.csv")
  write_table(bands_of(comparisons), path)
  write_table(shortened_numbers(path), path)
}
