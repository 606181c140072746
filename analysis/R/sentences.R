# Sentences about results, computed from the comparisons and the summary, so that none can say
# something else than the figures do. Modes are set as code, for Markdown.

library(data.table)

as_code <- function(text) paste0("`", text, "`")

#' One comparison.
#'
#' @param comparisons see read_comparisons().
#' @param study,mode,tier,tool,statistic ids.
#' @return data.table of one row. Stops where there is no such comparison.
pick_comparison <- function(comparisons, study, mode, tier, tool, statistic) {
  wanted <- list(study = study, mode = mode, tier = tier, tool = tool, statistic = statistic)
  row <- comparisons[wanted, on = names(wanted), nomatch = NULL]
  if (nrow(row) != 1) stop("no comparison ", paste(wanted, collapse = "/"), call. = FALSE)
  row
}

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
    of_kind(why[overload], "asked for more than the server, or this machine, withstands"),
    of_kind(why[!overload], "measured too little, or were disturbed")
  ), collapse = " ")
}

is_or_are <- function(count) paste(format_number(count), if (count == 1) "is" else "are")

#' Sentences on decided comparisons that rest on fewer sessions than were measured.
#'
#' @param comparisons see read_comparisons().
#' @return one string, with full stops.
sentence_lost <- function(comparisons) {
  decided <- comparisons[verdict %in% c("higher", "lower", "equivalent")]
  lost <- decided[pairs < sessions_measured(decided)]
  if (nrow(lost) == 0) return("All decided comparisons rest on all of their sessions.")
  failed <- lost[!is.na(worst)][, distance := ifelse(effect == "ratio", log(worst), worst)]
  turned <- failed[, sum(fcase(
    verdict == "higher", distance <= 0, verdict == "lower", distance >= 0,
    verdict == "equivalent", abs(distance) > unlist(equivalence)[effect]
  ))]
  sprintf(
    paste(
      "%s of %s on fewer sessions than were measured. In %s of them one side failed in a missing session: at worst, %s",
      "would not hold."
    ),
    format_number(nrow(lost)), count_of(nrow(decided), "decided comparison", "rests", "rest"), format_number(nrow(failed)),
    if (turned == 0) "none of these verdicts" else count_of(turned, "verdict")
  )
}

#' A sentence on the verdicts of all comparisons.
#'
#' @param comparisons see read_comparisons(), or some of its rows.
#' @return one string, with a full stop.
sentence_verdicts <- function(comparisons) {
  counts <- table(factor(comparisons$verdict, verdicts_of_comparisons))
  counts <- counts[counts > 0]
  sprintf(
    "Of %s: %s.", count_of(nrow(comparisons), "comparison"),
    paste(counts, names(counts), collapse = ", ")
  )
}
