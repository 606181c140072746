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
