# Verdicts: on the primary comparisons alone, which guide.yaml names before they are measured. All other comparisons are
# ratios with intervals.
#
# A difference is reported where its p-value, adjusted after Holm (1979) over the primaries, is at most 5 %: the chance of one false
# report in the whole list stays below that. Two modes are called the same where two one-sided tests (Schuirmann 1987) at that level
# place their ratio within the statistic's margin, each pair by itself: the chance to miss a difference as large as the margin is below
# 5 % for each. What the load fixes cannot differ and is not tested. Intervals of the primaries that are reported are those of a
# selection (Benjamini and Yekutieli 2005): of all intervals that are printed because something was found, 5 % miss on the average.

#' Adds verdicts to comparisons.
#'
#' @param rows see compare_modes(); `primaries` see read_primaries().
#' @return rows with primary (whether it is one), p_adjusted, fcr_low, fcr_high and verdict: higher, lower,
#'   same, fixed (by the load), undecided, not comparable; empty for what is no primary.
#' @export
add_verdicts <- function(rows, primaries) {
  force(primaries)
  rows <- copy(rows)[, `:=`(primary = FALSE, verdict = "", fixed = fixed == 1)]
  rows[primaries, primary := TRUE, on = comparison_names]
  rows[, tested := primary & reason == "" & !fixed]
  rows[tested == TRUE, p_adjusted := p.adjust(p_value, "holm")]
  level <- 1 - confidence
  rows[primary == TRUE, verdict := fcase(
    reason != "", "not comparable",
    fixed, "fixed",
    (equivalence_p_value <= level) %in% TRUE, "same",
    (p_adjusted <= level) %in% TRUE & estimate > as.numeric(effect == "ratio"), "higher",
    (p_adjusted <= level) %in% TRUE, "lower",
    default = "undecided"
  )]
  with_selected_intervals(rows)[, tested := NULL][]
}

# The place of a comparison, which names it.
comparison_names <- c("study", "tier", "tool", "mode", "statistic")

# R of m tests are reported: their intervals have a confidence of 1 - R · 5 % / m.
with_selected_intervals <- function(rows) {
  tested <- rows[, sum(tested)]
  reported <- rows[, tested & verdict %in% c("higher", "lower", "same")]
  miss <- max(sum(reported), 1) * (1 - confidence) / max(tested, 1)
  wider <- rows[, suppressWarnings(qt(1 - miss / 2, df) / qt((1 + confidence) / 2, df))]
  widened <- function(end) rows[, fifelse(effect == "ratio", estimate * (end / estimate)^wider, estimate + (end - estimate) * wider)]
  rows[, `:=`(fcr_low = fifelse(reported, widened(low), NA_real_), fcr_high = fifelse(reported, widened(high), NA_real_))][]
}

no_judged <- function() {
  add_verdicts(cbind(typed_table(comparison_place), no_comparisons()), typed_table(comparison_names))
}
