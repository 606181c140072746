# The false-alarm rate, from A/A pairs, which are one mode under two names: the second one's `baseline` is the mode itself, and every
# difference is a false alarm.

#' The comparisons of a mode with itself.
#' @export
a_a_comparisons <- function(comparisons) comparisons[is_control(mode) & baseline == base_of(mode)]

#' How often a mode was reported to differ from itself.
#'
#' @param comparisons see read_comparisons().
#' @return list: `comparisons` (that could differ), `differ` (p-value at most 5 %, by which 5 % of them would by chance),
#'   `share`, `low`, `high` (95 % interval of Clopper and Pearson; statistics of one pair of cells are not independent). NULL
#'   where there is none.
#' @export
false_alarms <- function(comparisons) {
  a_a <- a_a_comparisons(comparisons)[reason == "" & !fixed & is.finite(p_value)]
  if (nrow(a_a) == 0) return(NULL)
  differ <- a_a[, sum(p_value <= 1 - confidence)]
  interval <- binom.test(differ, nrow(a_a))$conf.int
  list(comparisons = nrow(a_a), differ = differ, share = differ / nrow(a_a), low = interval[1], high = interval[2])
}
