# The primary comparisons, which alone have verdicts.

verdicts_decided <- c("higher", "lower", "same", "fixed")

#' How many of the primary comparisons are decided.
sentence_primaries <- function(comparisons, primaries) {
  rows <- comparisons[primary == 1]
  if (nrow(rows) == 0) return("This run measured none of the primary comparisons.")
  counts <- table(factor(rows$verdict, c(verdicts_decided, "undecided", "not comparable")))
  told <- c(
    sprintf("%d differ", sum(counts[c("higher", "lower")])), sprintf("%d are the same", counts[["same"]]),
    sprintf("%d are fixed by the load", counts[["fixed"]]), sprintf("%d are undecided", counts[["undecided"]]),
    sprintf("%d %s no ratio", counts[["not comparable"]], if (counts[["not comparable"]] == 1) "has" else "have")
  )
  sprintf(
    "%s names %s before they are measured; this run has the cells of %d and decides %d: %s.", as_code("analysis/guide.yaml"),
    count_of(nrow(primaries), "primary comparison"), nrow(rows), sum(counts[verdicts_decided]), enumerate(told[!grepl("^0 ", told)])
  )
}

#' The primary comparisons, those that are decided first.
#'
#' @param undecided see lacking(): what each undecided one lacks, with the command that measures its cell.
#' @return data.table of text: Tier, Mode, Baseline, Metric, Values (of the baseline and of the mode), GC (see collections_text(); where any
#'   row has it), Ratio, Verdict (with the reason where there is none).
table_primaries <- function(comparisons, undecided = NULL) {
  rows <- comparisons[primary == 1]
  rows <- rows[order(match(verdict, c("higher", "lower", verdicts_decided, "undecided", "not comparable")), study, tier)]
  table <- rows[, .(
    Tier = tier, Mode = mode, Baseline = baseline, Metric = unname(about_statistics(statistic)$short),
    Values = values_of_both(rows), Ratio = ifelse(is.na(estimate), no_figure, effect_with_interval(rows)), Verdict = paste0(verdict_of(rows), lacks_of(rows, undecided))
  )]
  with_collections(table, rows, "Values")
}

verdict_of <- function(rows) {
  none <- as.numeric(rows$effect == "ratio")
  fcase(
    rows$verdict == "fixed", "same: fixed by the load",
    rows$verdict == "not comparable", why_missing(rows$reason),
    rows$verdict == "undecided" & rows$low <= none & rows$high >= none, paste("undecided: interval holds", none),
    rows$verdict == "undecided", sprintf("undecided: p = %s", format_number(signif(rows$p_adjusted, 2))),
    rows$verdict == "same", "same",
    rep(TRUE, nrow(rows)), ifelse(rows$verdict == rows$better, "better", "worse")
  )
}

# The rest of an undecided verdict, "; about 14 rounds by itself: 6 min, `snakemake …`"; empty for all others.
lacks_of <- function(rows, undecided) {
  if (NROW(undecided) == 0) return(rep("", nrow(rows)))
  found <- undecided[rows, on = comparison_keys, mult = "first"]
  command <- sprintf("`snakemake --cores 4 -f results/cells/%s/%s/%s/%s/rep-1/cell.json`", rows$study, rows$mode, rows$tier, rows$tool)
  minutes <- sprintf("%s min", format_number(pmax(1, round(found$minutes))))
  text <- fcase(
    found$lacks == "rounds", sprintf("; about %s rounds by itself would do: %s, %s", format_number(found$rounds_needed), minutes, command),
    found$lacks == "sessions", sprintf("; about %s sessions would do: %s", format_number(found$sessions_needed), minutes),
    found$lacks == "more", "; processes differ by more than it", default = ""
  )
  fifelse(rows$verdict == "undecided", text, "")
}
