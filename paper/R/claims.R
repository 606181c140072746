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
  paragraph(
    if (length(told) > 0) sprintf("Verdicts on %s: %s.", count_of(sum(told), "conclusion"), enumerate(sprintf("*%s* %d", names(told), told))),
    if (missing > 0) sprintf(
      "%s of cells that this run did not measure; the HTML report names them.", count_of(missing, "conclusion", "more speaks", "more speak")
    )
  )
}

#' How many conclusions hold, do not, and stay open, for the first page; empty where none was measured.
sentence_of_totals <- function(verdicts) {
  counts <- table(factor(verdicts[was_measured(verdicts)]$verdict, claim_verdicts))
  held <- sum(counts[c("holds", "same direction, other size")])
  refuted <- counts[["does not hold"]]
  open <- sum(counts) - held - refuted
  if (sum(counts) == 0) return("")
  sized <- counts[["same direction, other size"]]
  parts <- c(
    if (held > 0) sprintf("%d hold%s%s", held, if (held == 1) "s" else "", if (sized > 0) sprintf(" (%d in another size)", sized) else ""),
    if (refuted > 0) sprintf("%d do%s not", refuted, if (refuted == 1) "es" else ""),
    if (open > 0) sprintf("%d stay%s open", open, if (open == 1) "s" else "")
  )
  sprintf("Of %s of five published experiments, %s (@sec-claims).", count_of(sum(counts), "conclusion"), enumerate(parts))
}

#' A row for each conclusion that the run has the cells of: Source (with its first row), Conclusion, Published, Here, Verdict, Why.
#'
#' @param verdicts see read_verdicts(); `comparisons` see read_comparisons(), which say where CPU times are those at the CPU's limit.
#' @return data.table of text. ‡ marks a verdict on a treatment that is not the source's; "Why" says in what it differs.
table_claims <- function(verdicts, comparisons = NULL) {
  measured <- copy(verdicts[was_measured(verdicts)])[, reason := said_once(reason_in_words(reason))]
  measured <- with_cpu_limits(measured, comparisons)
  measured[, .(
    Source = fifelse(duplicated(source), "", source_titles[source]), Conclusion = sub("[.]$", "", claim), Published = published,
    Here = fifelse(ours == "", no_figure, ours), Verdict = paste0(verdict, fifelse(treatment == "substituted", " ‡", "")),
    Why = trimws(paste(why_text(.SD), fifelse(treatment == "substituted", sprintf("Here: %s.", differs), "")))
  ), .SDcols = names(measured)]
}

#' The conclusions that the run has not the cells of, with the cells that they take, as a list.
list_of_unmeasured <- function(verdicts) {
  absent <- verdicts[!was_measured(verdicts)]
  bullets(absent[, sprintf("%s: not measured here; it takes %s.", plain(sub("[.]$", "", claim)), as_code(cells))])
}

# CPU times of servers that use up their CPU are marked.
with_cpu_limits <- function(verdicts, comparisons) {
  if (is.null(comparisons) || !is_readable(comparisons)) return(verdicts)
  limited <- comparisons[statistic == "cpu_us_per_request" & cpu_limited %in% 1 & reason == ""]
  pairs <- limited[, sprintf("%s/%s/%s/%s : %s/%s/%s/%s", study, mode, tier, tool, study, baseline, tier, tool)]
  marked <- function(text) sub("(CPU time per request[^;]*)", "\\1, at the CPU's limit", text)
  copy(verdicts)[cells %in% pairs, `:=`(ours = fifelse(statistic == "cpu_us_per_request", marked(ours), ours), also = marked(also))][]
}

# The same reason on both sides, once.
said_once <- function(reasons) sub("^(no (?:valid )?cell[^;]*) of the mode; \\1 of its baseline$", "\\1 on either side", reasons, perl = TRUE)

#' Every value that a source printed of a load that this run has, and ours, without a verdict: another machine has other values.
#'
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
