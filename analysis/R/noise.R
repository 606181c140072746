# The noise floor and the false-alarm rate, from A/A pairs, which are one mode under two names: the second
# one's `baseline` is the mode itself, and every difference is a false alarm.

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

#' The noise floor of each statistic: how far apart two runs of one mode are.
#'
#' @param comparisons see read_comparisons(); `summary` see read_summary().
#' @return data.table, a row per statistic: statistic, title, effect, comparisons and differ (of modes with themselves), pairs (of runs
#'   in them), floor (95 % of the ratios, or differences, of two runs of one mode in a session lie within it; NA without a_a),
#'   floor_between_sessions (of two sessions, from the repetitions of all modes), pairs_apart (whose values differ), higher (pairs whose
#'   second is) and sign_p_value.
noise_floor <- function(comparisons, summary) {
  all <- a_a_comparisons(comparisons)
  a_a <- all[!is.na(estimate)]
  # Curves have a statistic that the cells of other loads have not.
  known <- compared_statistics[statistic %in% c(names(summary), all$statistic)]
  rows <- lapply(seq_len(nrow(known)), function(index) {
    about <- known[index]
    own <- a_a[statistic == about$statistic & is.finite(estimate)]
    means <- on_scale(own$estimate, own$effect)
    within_one <- fifelse(own$pairs > 1, (own$pairs - 1) * own$spread^2, 0)
    squares <- within_one + own$pairs * means^2
    within <- function(variance) {
      distance <- qnorm((1 + confidence) / 2) * sqrt(variance)
      if (about$effect == "ratio") exp(distance) else distance
    }
    data.table(
      about[, .(statistic, title, effect)], comparisons = nrow(own),
      differ = sum(own$p_value <= 1 - confidence, na.rm = TRUE), pairs = sum(own$pairs),
      sign_test(all[statistic == about$statistic, mode_value - baseline_value]),
      floor = within(if (nrow(own) > 0) sum(squares) / sum(own$pairs) else NA_real_),
      floor_between_sessions = within(2 * variance_of_repetitions(summary, about))
    )
  })
  rbindlist(rows)
}

sign_test <- function(differences) {
  apart <- differences[is.finite(differences) & differences != 0]
  data.table(pairs_apart = length(apart), higher = sum(apart > 0), sign_p_value = if (length(apart) > 0) binom.test(sum(apart > 0), length(apart))$p.value else NA_real_)
}

# Pooled over all kinds of cells with two valid ones and more; of logarithms for ratios.
variance_of_repetitions <- function(summary, about) {
  cells <- summary[counts_for(summary, about$statistic)]
  figures <- cells[[about$statistic]]
  usable <- is.finite(figures) & (about$effect != "ratio" | figures > 0)
  if (!any(usable)) return(NA_real_)
  if (about$effect == "ratio") figures <- log(figures)
  cells <- cells[usable, ..cell_place][, figure := figures[usable]]
  spread <- cells[, .(df = .N - 1, squares = sum((figure - mean(figure))^2)), by = cell_place]
  if (sum(spread$df) == 0) NA_real_ else sum(spread$squares) / sum(spread$df)
}
