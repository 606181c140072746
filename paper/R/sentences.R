# Sentences about results, computed from the comparisons and the summary, so that none can say
# something else than the figures do. Modes are set as code, for Markdown.

#' Sentences on how many cells are valid, and why the others are not. What a server did is a result: it excludes no cell.
#'
#' @param comparisons see read_comparisons(), where those are to be counted whose throughput does not count.
sentence_validity <- function(summary, comparisons = NULL) {
  if (nrow(summary) == 0) return("No cell was measured, or none could be read.")
  ran <- summary[outcome != "beyond_limits"]
  beyond <- nrow(summary) - nrow(ran)
  spoiled <- ran[valid == FALSE]
  unsure <- ran[valid == TRUE & latency_valid == FALSE & outcome == "completed"]
  failed <- ran[outcome != "completed"]
  ratios <- lost_at_cpu_limit(comparisons)
  why <- function(rows, column) {
    counts <- sort(table(unlist(strsplit(rows[[column]], ";", fixed = TRUE))), decreasing = TRUE)
    if (length(counts) == 0) return("")
    several <- if (sum(counts) > nrow(rows)) ", some for several reasons" else ""
    sprintf(" (%s%s)", paste0(as_code(names(counts)), " ", counts, collapse = ", "), several)
  }
  paragraph(
    if (nrow(spoiled) + beyond == 0) sprintf("All %s are valid%s.", count_of(nrow(summary), "cell"), if (nrow(unsure) + ratios$lost > 0) ", but not all of their values count" else "") else sprintf(
      "Of %s, %s valid and %s not%s.", count_of(nrow(summary), "cell"), is_or_are(nrow(ran) - nrow(spoiled)), is_or_are(nrow(spoiled) + beyond),
      why(spoiled, "failed_checks")
    ),
    if (beyond > 0) sprintf("%s beyond the limits of this machine.", count_of(beyond, "load", "lies", "lie")),
    if (nrow(unsure) > 0) sprintf(
      "Of %s the latency does not count%s%s.", count_of(nrow(unsure), "valid cell"), why(unsure, "failed_checks"), if (ratios$lost > 0) "" else "; all else does"
    ),
    if (ratios$lost > 0) sprintf("In %s others took the CPU that throughput or CPU time is limited by, so these do not count.", some_of(ratios$lost, ratios$of, "comparison")),
    if (nrow(failed) > 0) sprintf("In %s the server failed, which is a result%s.", count_of(nrow(failed), "cell"), why(failed, "outcome"))
  )
}
