# The section on the sources' conclusions: one table of verdicts, and in the page the values that the sources printed.

source_titles <- c(
  "0-threads-vs-pool-jmeter" = "A thread per request or a pool (JMeter)",
  "1-tomcat-blocking-remote-wrk" = "Tomcat before a remote (wrk)",
  "2-mariadb-pools-sysbench" = "MariaDB's thread pool (sysbench)",
  "3-virtual-threads-sleep-jmeter" = "Virtual threads that sleep (JMeter)",
  "4-tomcat-signup-wrk2" = "Signing up with Tomcat (wrk2)"
)

#' How many conclusions have which verdict.
sentence_verdicts <- function(verdicts) {
  missing <- sum(!was_measured(verdicts))
  counts <- table(factor(verdicts[was_measured(verdicts)]$verdict, claim_verdicts))
  told <- counts[counts > 0]
  trimws(paste(
    if (length(told) > 0) sprintf("Verdicts on %s: %s.", count_of(sum(told), "conclusion"), enumerate(sprintf("*%s* %d", names(told), told))),
    if (missing > 0) sprintf("%s more %s of cells that this run did not measure.", count_of(missing, "conclusion"), if (missing == 1) "speaks" else "speak")
  ))
}

#' A row for each conclusion that the run has the cells of: Source (with its first row), Conclusion, Published, Here, Verdict, Why.
#'
#' @param verdicts see read_verdicts().
#' @return data.table of text. ‡ marks a verdict on a treatment that is not the source's; "Why" says in what it differs.
table_claims <- function(verdicts) {
  without_stop <- function(text) sub("[.]$", "", text)
  verdicts[was_measured(verdicts), .(
    Source = fifelse(duplicated(source), "", source_titles[source]), Conclusion = without_stop(claim), Published = published,
    Here = fifelse(ours == "", no_figure, ours), Verdict = paste0(verdict, fifelse(treatment == "substituted", " ‡", "")),
    Why = trimws(paste(why_text(.SD), fifelse(treatment == "substituted", sprintf("Here: %s.", differs), "")))
  ), .SDcols = names(verdicts)]
}

#' Every value that a source printed of a load that this run has, and ours, without a verdict: another machine has other values.
#'
#' @param summary see read_summary(); `published` see read_published().
#' @return data.table of text: Study, Load, Server, Value, Theirs, Ours (median over valid repetitions with their range; † where none is
#'   valid). Ours is of the server as published where there is one.
table_theirs <- function(summary, published) {
  known <- source_figures[published[tier %in% summary$tier], on = "figure", nomatch = NULL]
  known <- unique(known, by = c("study", "tier", "mode", "figure"))
  ours <- function(row) {
    cells <- summary[row, on = c("study", "tier", "tool"), nomatch = NULL]
    cells <- cells[mode == c(intersect(published_forms(row$mode), mode), row$mode)[1]]
    over_repetitions(cells[[row$column]], counts_for(cells, sub("error_percent", "error_share", row$figure)))
  }
  known[, .(
    Study = study, Load = tier, Server = mode, Value = unname(headings(figure)), Theirs = format_number(value),
    Ours = vapply(split(known, seq_len(nrow(known))), ours, "")
  )]
}
