# How many repetitions would settle what is not decided, and where the noise comes from.

library(data.table)

# Two have an interval, but one so wide that it decides next to nothing.
repetitions_at_least <- 3
# Beyond it the answer is a better experiment, not a longer one.
repetitions_at_most <- 100

# How many pairs it takes until the interval of an effect of this size leaves 0, or stays within
# the margin. `levels`: the p-values asked for, see levels_asked(); `df`: those of the pairs that
# there are, each further one adds one.
pairs_needed <- function(size, noise, rounding, margin, levels, pairs, df) {
  counts <- seq_len(repetitions_at_most)
  counts <- counts[counts > pairs]
  half <- function(level) qt(1 - level, df + counts - pairs) * noise / sqrt(counts) + rounding
  decided <- size - half(levels$difference / 2) > 0 | size + half(levels$equivalence) <= margin
  if (any(decided)) counts[which(decided)[1]] else Inf
}

# What one more verdict of a family must have for a p-value, by Benjamini and Hochberg's rule.
levels_asked <- function(rows) {
  asked <- function(adjusted, level) {
    count <- sum(!is.na(adjusted))
    level * min(1, (sum(adjusted <= level, na.rm = TRUE) + 1) / max(1, count))
  }
  rows[, .(
    difference = asked(p_adjusted, 1 - confidence),
    equivalence = asked(equivalence_p_adjusted, 1 - confidence)
  ), by = statistic]
}

#' Repetitions that would settle each undecided comparison.
#'
#' The effect and its spread are taken to be those seen, so it is about an even bet that so many
#' settle it. Where cells are invalid, as many more repetitions are counted in.
#'
#' @param rows comparisons with their verdicts, see compare_modes().
#' @return numeric vector: repetitions of each cell in all; Inf for more than 100; NA where it is
#'   decided, not comparable, a bound, or of one session, which has no spread.
repetitions_needed <- function(rows) {
  levels <- levels_asked(rows)
  vapply(seq_len(nrow(rows)), function(index) {
    row <- rows[index]
    if (row$verdict != "undecided") return(NA_real_)
    needed <- pairs_needed(
      abs(if (row$effect == "ratio") log(row$estimate) else row$estimate), row$noise, max(row$rounding_low, row$rounding_high), equivalence[[row$effect]],
      levels[statistic == row$statistic], row$pairs, row$df
    )
    ceiling(needed * (row$mode_valid + row$mode_invalid + row$mode_missing) / row$pairs)
  }, 0)
}

#' The command that adds repetitions; only the new ones are measured.
command_repetitions <- function(repetitions) {
  sprintf("snakemake --cores 4 --config repetitions=%d", as.integer(repetitions))
}

#' Sentences on what would settle the comparisons without a decision.
#'
#' @param comparisons see read_comparisons(), or some of its rows.
#' @return one string of Markdown: one or two sentences, with their full stops.
sentence_repetitions <- function(comparisons) {
  single <- comparisons[verdict == "one session"]
  # More repetitions were measured, and lost.
  lost <- single[mode_valid + mode_invalid + mode_missing >= repetitions_at_least, .N]
  needed <- comparisons[verdict == "undecided", repetitions_needed]
  told <- c(
    if (nrow(single) > 0) sprintf("%s on one session, which decides nothing.", count_of(nrow(single), "comparison", "rests", "rest")),
    if (lost > 0) sprintf("In %s of them more repetitions were measured, but only one has valid cells of both sides.", format_number(lost)),
    if (nrow(single) > lost) sprintf("`%s` adds sessions.", command_repetitions(repetitions_at_least)),
    if (length(needed) > 0) sentence_undecided(needed)
  )
  if (is.null(told)) "No comparison is undecided." else paste(told, collapse = " ")
}

sentence_undecided <- function(needed) {
  within <- needed[needed <= repetitions_at_most]
  opening <- sprintf(
    "Of %s, %s would be settled by up to %d repetitions, if effect and spread are those seen",
    count_of(length(needed), "undecided comparison"), format_number(length(within)),
    repetitions_at_most
  )
  if (length(within) == 0) return(paste0(opening, "."))
  half <- ceiling(median(within))
  sprintf(
    "%s; %s of them by %d: `%s` adds what is missing.", opening,
    format_number(sum(within <= half)), half, command_repetitions(half)
  )
}

#' The undecided comparisons and what would settle them, the nearest first.
#'
#' @param comparisons see read_comparisons(), or some of its rows.
#' @return data.table of text: `Study`, `Tier`, `Tool`, `Mode`, `Baseline`, `Figure`, `Effect` with
#'   its 95 % interval, `Repetitions` (see command_repetitions()).
table_repetitions <- function(comparisons) {
  rows <- comparisons[verdict == "undecided"][order(repetitions_needed)]
  rows[, .(
    Study = study, Tier = tier, Tool = tool, Mode = mode, Baseline = versus,
    Figure = title_of(statistic),
    Effect = effect_with_interval(.SD),
    Repetitions = ifelse(
      is.finite(repetitions_needed), format_number(repetitions_needed),
      paste("more than", repetitions_at_most)
    )
  )]
}

#' Where the noise comes from: how much of the variance between sessions the slices within each
#' explain. Slices are seconds apart, with other modes between them; requests, whose latencies depend on
#' their neighbors', would explain too little.
#'
#' @param comparisons see read_comparisons().
#' @return data.table, a row per comparison of two sessions and more: study, mode, tier, tool, statistic,
#'   pairs, spread (between sessions), within_share (0 to 1: of that variance, what the finite number
#'   of slices explains).
noise_levels <- function(comparisons) {
  comparisons[pairs > 1 & spread > 0 & !is.na(within), .(
    study, mode, tier, tool, statistic, pairs, spread, within_share = pmin(1, within^2 / spread^2)
  )]
}

#' A sentence on whether more sessions or more slices would make the intervals narrower.
#'
#' @param comparisons see read_comparisons().
#' @return one string, with a full stop.
sentence_levels <- function(comparisons) {
  levels <- noise_levels(comparisons)
  if (nrow(levels) == 0) return("No session was repeated, so the noise cannot be split.")
  share <- median(levels$within_share)
  sprintf(
    paste(
      "Of the variance of effects between sessions, their finite number of slices explains %s %% (median",
      "of %s): more %s make the intervals narrower."
    ),
    format_number(100 * share), count_of(nrow(levels), "comparison"),
    if (share < 0.5) "sessions" else "slices in each session"
  )
}
