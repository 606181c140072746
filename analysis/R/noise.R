# The noise floor and the false-alarm rate, from modes that were measured under two names: the
# second is called `<mode>-again`, its `versus` is the first, and every difference is a false alarm.

library(data.table)

#' The comparisons of a mode with itself.
#'
#' @param comparisons see read_comparisons().
#' @return its rows; those whose cells are not valid have no estimate, those of one repetition no
#'   interval.
twin_comparisons <- function(comparisons) {
  comparisons[mode == paste0(versus, "-again")]
}

#' How often a mode was told apart from itself.
#'
#' @param comparisons see read_comparisons().
#' @return list: `comparisons`, `told_apart` (by the verdict), `share`, `low`, `high` (its 95 %
#'   interval, Clopper and Pearson's; as if figures of one pair of cells were independent),
#'   `unadjusted` (told apart by an interval of 95 % alone, before the correction for many
#'   comparisons), `places` (study, tier and tool of such a pair). NULL where there is no interval of
#'   a mode with itself.
false_alarms <- function(comparisons) {
  twins <- twin_comparisons(comparisons)[!is.na(estimate) & pairs > 1]
  if (nrow(twins) == 0) return(NULL)
  told_apart <- sum(twins$verdict %in% c("higher", "lower"))
  interval <- binom.test(told_apart, nrow(twins))$conf.int
  list(
    comparisons = nrow(twins), told_apart = told_apart, share = told_apart / nrow(twins),
    low = interval[1], high = interval[2],
    unadjusted = sum(twins$p_value <= 1 - confidence),
    places = nrow(unique(twins[, .(study, tier, tool, mode)]))
  )
}

#' The noise floor of each statistic: how far apart two runs of one mode are.
#'
#' @param comparisons see read_comparisons().
#' @param summary see read_summary().
#' @return data.table, a row per statistic: statistic, title, effect, comparisons and told_apart (of
#'   modes with themselves), pairs (of runs in them), floor (95 % of the ratios of two runs of one
#'   mode in one block lie within this factor, or of their differences within this distance; NA
#'   without twins), floor_between_blocks (the same of two runs of one mode in different blocks,
#'   from the repetitions of all modes).
noise_floor <- function(comparisons, summary) {
  twins <- twin_comparisons(comparisons)[!is.na(estimate)]
  rows <- lapply(seq_len(nrow(compared_statistics)), function(index) {
    about <- compared_statistics[index]
    ratio <- about$effect == "ratio"
    own <- twins[statistic == about$statistic]
    means <- if (ratio) log(own$estimate) else own$estimate
    within_one <- fifelse(own$pairs > 1, (own$pairs - 1) * own$spread^2, 0)
    squares <- within_one + own$pairs * means^2
    within <- function(variance) {
      distance <- qnorm((1 + confidence) / 2) * sqrt(variance)
      if (ratio) exp(distance) else distance
    }
    data.table(
      about[, .(statistic, title, effect)], comparisons = nrow(own),
      told_apart = sum(own$verdict %in% c("higher", "lower")), pairs = sum(own$pairs),
      floor = within(if (nrow(own) > 0) sum(squares) / sum(own$pairs) else NA_real_),
      floor_between_blocks = within(2 * variance_of_repetitions(summary, about))
    )
  })
  rbindlist(rows)
}

# Pooled over all kinds of cells with two valid ones and more; of logarithms for ratios.
variance_of_repetitions <- function(summary, about) {
  cells <- summary[poolable(summary)]
  figures <- cells[[about$statistic]]
  usable <- is.finite(figures) & (about$effect != "ratio" | figures > 0)
  if (!any(usable)) return(NA_real_)
  if (about$effect == "ratio") figures <- log(figures)
  cells <- cells[usable, .(study, mode, tier, tool, figure = figures[usable])]
  spread <- cells[, .(df = .N - 1, squares = sum((figure - mean(figure))^2)),
    by = .(study, mode, tier, tool)
  ]
  if (sum(spread$df) == 0) NA_real_ else sum(spread$squares) / sum(spread$df)
}

#' A sentence on the false-alarm rate.
#'
#' @param comparisons see read_comparisons().
#' @return one string, with a full stop.
sentence_false_alarms <- function(comparisons) {
  twins <- twin_comparisons(comparisons)
  if (nrow(twins) == 0) return("No mode was measured against itself.")
  if (all(is.na(twins$estimate))) {
    return("The same mode was measured under two names, but in no repetition are both of its cells valid.")
  }
  found <- false_alarms(comparisons)
  if (is.null(found)) {
    return("The same mode was measured under two names, but one repetition has no interval that could be a false alarm.")
  }
  share <- function(value) format_number(100 * value)
  sprintf(
    paste(
      "The same mode measured under two names was told apart in %d of %s (%s %%, 95 %% interval",
      "%s to %s %%; by intervals alone, without the correction for many comparisons, in %d) of %s."
    ),
    found$told_apart, count_of(found$comparisons, "comparison"), share(found$share),
    share(found$low), share(found$high), found$unadjusted, count_of(found$places, "such pair")
  )
}

#' The noise floor in words and figures.
#'
#' @param floor see noise_floor().
#' @return data.table of text: `Figure`, `Told apart`, `Same block`, `Different blocks`.
table_noise <- function(floor) {
  limit <- function(values, effect) {
    shown <- ifelse(
      effect == "ratio", paste("×", format_number(values)),
      paste("±", format_number(100 * values), "points")
    )
    ifelse(is.na(values), no_figure, shown)
  }
  floor[, .(
    Figure = title, "Told apart" = paste(told_apart, "of", comparisons),
    "Same block" = limit(floor, effect), "Different blocks" = limit(floor_between_blocks, effect)
  )]
}
