# The decision guide: for an engineer's situation, which mode wins and by how much. `guide` is what
# compare_guide() found.

#' One situation and statistic that is decided: which mode wins, and by how much.
#'
#' @param rows rows of the guide, the best first: at least one.
#' @return list: best (Markdown), values (of the baseline and of the mode), by (their ratio), row (they are of). NULL where it is not decided.
guide_winner <- function(rows) {
  shown <- function(best, row) {
    if (nrow(row) == 0) return(list(best = best, values = no_figure, by = no_figure, row = row))
    list(best = best, values = values_of_both(row[1]), by = effect_with_interval(row[1]), row = row[1])
  }
  wins <- rows[standing == "better"]
  if (nrow(wins) > 0) return(shown(enumerate(as_code(wins$mode), ", then "), wins))
  # Modes without a verdict stand where their intervals do, and leave nothing open.
  if (any(rows$primary == 1, na.rm = TRUE)) rows <- rows[primary == 1]
  if (any(rows$standing == "open") || all(rows$standing == "none")) return(NULL)
  alike <- rows[standing %in% c("same", "fixed")]
  if (nrow(alike) > 0) return(shown(if (all(alike$standing == "fixed")) "the load is the limit" else "no difference", alike))
  # A baseline that wins has its ratio too: that of the mode that comes nearest.
  shown(as_code(rows$baseline[1]), rows[standing == "worse"])
}

#' The guide's table: a row per situation whose first metric is decided, and one for each further metric that is.
#'
#' @return data.table of Markdown: Situation, Baseline, Metric, Best, Values (of the baseline and of the first that is named), GC
#'   (see collections_text(); where any row has it), Ratio.
table_guide <- function(guide) {
  parts <- lapply(split(guide, by = "situation"), function(rows) {
    winners <- lapply(split(rows, by = "statistic"), guide_winner)
    if (is.null(winners[[1]])) return(NULL)
    winners <- Filter(Negate(is.null), winners)
    rest <- rep("", length(winners) - 1)
    column <- function(name) vapply(winners, `[[`, "", name)
    data.table(
      Situation = c(rows$situation[1], rest), Baseline = c(as_code(rows$baseline[1]), rest),
      Metric = title_of(names(winners)), Best = column("best"), Values = column("values"),
      GC = vapply(winners, function(winner) c(collections_text(winner$row), "")[1], ""), Ratio = column("by")
    )
  })
  table <- rbindlist(parts)
  table[, setdiff(names(table), if (!any(nzchar(table$GC))) "GC"), with = FALSE]
}

#' The situations whose first metric is not decided.
sentence_open_situations <- function(guide) {
  open <- setdiff(guide$situation, table_guide(guide)$Situation)
  if (length(open) == 0) return("")
  sprintf("%s not decided in the first metric (@sec-primaries).", count_of(length(open), "situation", "is", "are"))
}

# ---- The primary comparisons -------------------------------------------------------------------

verdicts_decided <- c("higher", "lower", "same", "fixed")

#' How many of the primary comparisons are decided.
#'
#' @param comparisons see read_comparisons(); `primaries` see read_primaries().
sentence_primaries <- function(comparisons, primaries) {
  rows <- comparisons[primary == 1]
  if (nrow(rows) == 0) return("This run measured none of the primary comparisons.")
  counts <- table(factor(rows$verdict, c(verdicts_decided, "undecided", "not comparable")))
  told <- c(
    sprintf("%d differ", sum(counts[c("higher", "lower")])), sprintf("%d are the same", counts[["same"]]),
    sprintf("%d are fixed by the load", counts[["fixed"]]), sprintf("%d are undecided", counts[["undecided"]]),
    sprintf("%d have no ratio", counts[["not comparable"]])
  )
  sprintf(
    "%s names %s before they are measured; this run has the cells of %d and decides %d: %s.", as_code("analysis/guide.yaml"),
    count_of(nrow(primaries), "primary comparison"), nrow(rows), sum(counts[verdicts_decided]), enumerate(told[!grepl("^0 ", told)])
  )
}

#' The primary comparisons, those that are decided first.
#'
#' @return data.table of text: Tier, Mode, Baseline, Metric, Values (of the baseline and of the mode), GC (see collections_text(); where any
#'   row has it), Ratio, Verdict (with the reason where there is none).
table_primaries <- function(comparisons) {
  rows <- comparisons[primary == 1]
  rows <- rows[order(match(verdict, c("higher", "lower", verdicts_decided, "undecided", "not comparable")), study, tier)]
  table <- rows[, .(
    Tier = tier, Mode = mode, Baseline = baseline, Metric = unname(about_statistics(statistic)$short),
    Values = values_of_both(rows), Ratio = ifelse(is.na(estimate), no_figure, effect_with_interval(rows)), Verdict = verdict_of(rows)
  )]
  with_collections(table, rows, "Values")
}

verdict_of <- function(rows) {
  none <- as.numeric(rows$effect == "ratio")
  fcase(
    rows$verdict == "fixed", "same: fixed by the load",
    rows$verdict == "not comparable", rows$reason,
    rows$verdict == "undecided" & rows$low <= none & rows$high >= none, paste("undecided: interval holds", none),
    rows$verdict == "undecided", sprintf("undecided: p = %s", format_number(signif(rows$p_adjusted, 2))),
    rows$verdict == "same", "same",
    rep(TRUE, nrow(rows)), ifelse(rows$verdict == rows$better, "better", "worse")
  )
}
