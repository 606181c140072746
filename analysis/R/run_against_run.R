# Coverage of intervals, by data: two whole runs compared the same modes. If the noise of both is right, 95 % of the
# intervals of a change hold "no change". Between machines of one kind nothing else changes. Between others something does,
# and the share says how far results travel.
#
# A change is the log ratio of two ratios, or a difference of differences. Its error is Welch's (1947). Nothing is supposed
# of how noise is distributed over rounds, sessions and modes, as a simulation must (coverage.R).

#' How often the interval of a change between two runs holds "no change".
#'
#' @param a,b comparisons of two runs, see read_comparisons(). Those count that both have, by one session or more, that are no bound,
#'   and that could have differed: not what the load fixes, nor what is exactly the same in both runs, as no request failed.
#' @return data.table, a row per statistic, and one for `all`: statistic, comparisons, held, share, low, high (95 % of the share, Clopper
#'   and Pearson 1934).
#' @export
run_against_run <- function(a, b) {
  rows <- changes_between(a, b)
  share_held(rbind(rows, copy(rows)[, statistic := rep("all", .N)]))
}

# A row per comparison of both: statistic, and whether the interval of its change holds 0.
changes_between <- function(a, b) {
  rows <- merge(errors_of(a), errors_of(b), by = comparison_keys, suffixes = c("_a", "_b"))
  rows[, error := sqrt(variance_a + variance_b)]
  rows[error > 0 & (centre_a != 0 | centre_b != 0), .(
    statistic, held = abs(centre_b - centre_a) <= qt((1 + confidence) / 2, welch_df(variance_a, df_a, variance_b, df_b)) * error
  )]
}

# On the scale of effects. No error is below the quantum of what was counted, where a run says it.
errors_of <- function(comparisons) {
  rows <- comparisons[is.finite(estimate) & is.finite(noise) & df > 0 & bound == "" & !fixed %in% 1]
  rows[, `:=`(centre = on_scale(estimate, effect), variance = pmax(noise^2 / pairs, fcoalesce(least, 0)^2))]
  rows[is.finite(centre), c(comparison_keys, "df", "centre", "variance"), with = FALSE]
}

share_held <- function(rows) {
  if (nrow(rows) == 0) return(cbind(rows[, .(statistic)], typed_table(numbers = c("comparisons", "held", "share", "low", "high"))))
  rows[, {
    interval <- binom.test(sum(held), .N)$conf.int
    list(comparisons = .N, held = sum(held), share = mean(held), low = interval[1], high = interval[2])
  }, by = statistic]
}
