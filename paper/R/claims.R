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
  counts <- table(factor(verdicts$verdict, claim_verdicts))
  told <- counts[counts > 0]
  sprintf("Verdicts on %s: %s.", count_of(nrow(verdicts), "conclusion"), enumerate(sprintf("*%s* %d", names(told), told)))
}

#' A row for each conclusion: Source (with its first row), Conclusion, Published, Here, Verdict, Why.
#'
#' @param verdicts see read_verdicts().
#' @return data.table of text. ‡ marks a verdict on a treatment that is not the source's; "Why" says in what it differs.
table_claims <- function(verdicts) {
  without_stop <- function(text) sub("[.]$", "", text)
  verdicts[, .(
    Source = fifelse(duplicated(source), "", source_titles[source]), Conclusion = without_stop(claim), Published = published,
    Here = fifelse(ours == "", no_figure, ours), Verdict = paste0(verdict, fifelse(treatment == "substituted", " ‡", "")),
    Why = trimws(paste(why_text(verdicts), fifelse(treatment == "substituted", sprintf("Here: %s.", differs), "")))
  )]
}
