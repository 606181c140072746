# The decision guide: for an engineer's situation, which mode wins and by how much. `guide` is what
# compare_guide() decided.

not_decided <- "not decided"

#' One situation and statistic: which mode wins, and by how much.
#'
#' @param rows rows of the guide: at least one.
#' @return list of Markdown: best, by (ratio to the baseline).
guide_winner <- function(rows) {
  baseline <- as_code(rows$baseline[1])
  named <- enumerate(as_code(rows[best == 1]$mode), " or ")
  if (any(rows$standing == "alone")) return(list(best = named, by = paste(baseline, "does not keep up")))
  wins <- rows[standing == "better"]
  if (nrow(wins) > 0) return(list(best = named, by = effect_with_interval(wins[1])))
  best <- if (all(rows$standing == "none")) {
    "not comparable"
  } else if ("open" %in% rows$standing) {
    not_decided
  } else if ("same" %in% rows$standing) {
    "no difference"
  } else {
    baseline
  }
  # A baseline that wins has its ratio too: that of the mode that comes nearest.
  worse <- rows[standing == "worse"]
  list(best = best, by = if (best == baseline && nrow(worse) > 0) effect_with_interval(worse[1]) else no_figure)
}

guide_winners <- function(rows) lapply(split(rows, by = "statistic"), guide_winner)

#' The guide's table: a row per situation, and one for each further metric that is decided.
#'
#' @return data.table of Markdown: Situation, Baseline, Metric, Best, Ratio (to the baseline).
table_guide <- function(guide) {
  rbindlist(lapply(split(guide, by = "situation"), function(rows) {
    winners <- guide_winners(rows)
    is_open <- vapply(winners, `[[`, "", "best") == not_decided
    winners <- winners[!is_open | seq_along(winners) == 1]
    rest <- rep("", length(winners) - 1)
    data.table(
      Situation = c(rows$situation[1], rest), Baseline = c(as_code(rows$baseline[1]), rest),
      Metric = title_of(names(winners)), Best = vapply(winners, `[[`, "", "best"),
      Ratio = vapply(winners, `[[`, "", "by")
    )
  }))
}
