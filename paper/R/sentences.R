# Sentences about results, computed from the comparisons and the summary, so that none can say
# something else than the figures do. Modes are set as code, for Markdown.

as_code <- function(text) sprintf("`%s`", text)

#' Verdicts, each with its reason where it has one.
verdict_text <- function(verdict, reason) ifelse(reason == "", verdict, paste0(verdict, ": ", reason))

#' A number with its noun, and its verb where one is given.
count_of <- function(count, noun, one = NULL, several = NULL) {
  paste(c(paste0(format_number(count), " ", noun, if (count == 1) "" else "s"), if (count == 1) one else several), collapse = " ")
}

# Of checks_of_servers those that a load explains which is too much for the server. As outcomes but
# `completed` do, they say what it withstands; the others say that a cell was not measured well enough.
checks_of_overload <- c("share_2xx", "settled")

#' Sentences on how many cells are valid, and why the others are not.
#'
#' @param summary see read_summary().
#' @return one string, with full stops.
sentence_validity <- function(summary) {
  usable <- poolable(summary)
  if (all(usable)) return(sprintf("All %s are valid.", count_of(nrow(summary), "cell")))
  why <- strsplit(summary[!usable, ifelse(outcome == "completed", failed_checks, outcome)], ";")
  overload <- vapply(why, function(checks) any(checks %in% checks_of_overload), TRUE) | summary[!usable, outcome != "completed"]
  of_kind <- function(reasons, says) {
    if (length(reasons) == 0) return(NULL)
    counts <- sort(table(unlist(reasons)), decreasing = TRUE)
    sprintf("%s %s: %s.", format_number(length(reasons)), says, paste0(as_code(names(counts)), " (", counts, ")", collapse = ", "))
  }
  paste(c(
    sprintf("Of %s, %s valid and %s not.", count_of(nrow(summary), "cell"), is_or_are(sum(usable)), is_or_are(sum(!usable))),
    of_kind(why[overload], "exceed the server or this machine"),
    of_kind(why[!overload], "were measured too little or disturbed")
  ), collapse = " ")
}

is_or_are <- function(count) paste(format_number(count), if (count == 1) "is" else "are")
