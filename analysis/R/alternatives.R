# Rivals: other explanations of a finding, each with the comparison that would come out otherwise if it were right (guide.yaml,
# `alternatives`). Their verdicts are a family of their own: Holm over the rivals, as many as the run measured. A rival that this run does
# not exclude may be excluded by another shipped run, judged alike.

# The comparisons that decide rivals, each once.
read_rivals <- function(findings) {
  rows <- lapply(findings, function(finding) rbindlist(lapply(finding$alternatives, function(rival) place_of_pair(rival$pair, finding))))
  unique(rbindlist(c(list(typed_table(comparison_names)), rows), use.names = TRUE))
}

#' The words for a rival; with "left" the outcome says whether undecided, or as the rival would have it.
#' @export
rival_states <- c("excluded", "left", "not measured")

#' Whether each rival is excluded.
#'
#' @param findings see read_findings(); `comparisons` see compare_modes(), with or without verdicts of the primaries; `others` named list of
#'   those of other runs.
#' @return data.table, a row per rival: finding (its id), rival and swap (words), excluded_by (outcomes, by spaces), outcome (see
#'   standing(), by the verdict among the rivals), state (see rival_states; "excluded by run NAME (2 of 8)" where only others do, two of the
#'   eight that measured it; of what none excludes and this one does not measure "left by run NAME" where another decides as the rival would
#'   have it, else "left undecided by run NAME"), the columns of the comparisons, of the run that is named.
decide_alternatives <- function(findings, comparisons, others = list()) {
  decided <- states_of_rivals(findings, comparisons)
  there <- lapply(others, function(rows) guarded(states_of_rivals(findings, rows), "alternatives", decided[0]))
  there <- Filter(function(rows) nrow(rows) == nrow(decided), there)
  values <- setdiff(names(decided), c("finding", "rival", "swap", "excluded_by", "outcome", "state"))
  measured <- Reduce(`+`, lapply(there, function(rows) rows$outcome != "none"), 0)
  # The first run of which it is so, with its values, and of how many; what this run decides stands.
  name_run <- function(from, words, is_so) {
    so <- Reduce(`+`, lapply(there, is_so), 0)
    for (name in names(there)) {
      rows <- which(decided$state %in% from & decided$outcome %in% c("open", "none") & is_so(there[[name]]))
      decided[rows, (values) := there[[name]][rows, values, with = FALSE]]
      decided[rows, state := sprintf("%s by run %s (%d of %d)", words, name, so[rows], measured[rows])]
    }
  }
  name_run(c("left", "not measured"), "excluded", function(rows) rows$state == "excluded")
  name_run("not measured", "left", function(rows) rows$state == "left" & rows$outcome != "open")
  name_run("not measured", "left undecided", function(rows) rows$outcome == "open")
  decided[]
}

states_of_rivals <- function(findings, comparisons) {
  family <- add_verdicts(comparisons, read_rivals(findings))
  rows <- lapply(findings, function(finding) {
    rbindlist(lapply(finding$alternatives, function(rival) {
      row <- row_of(rival$pair, finding, family)
      about <- list(finding = finding$id, rival = rival$rival, swap = rival$swap, excluded_by = paste(rival$excluded_by, collapse = " "))
      cbind(as.data.table(about), row, outcome = standing(row))
    }), use.names = TRUE, fill = TRUE)
  })
  none <- copy(family[0])[, c("finding", "rival", "swap", "excluded_by", "outcome") := character()]
  found <- rbindlist(c(list(none), rows), use.names = TRUE, fill = TRUE)
  found[, state := fcase(outcome == "none", "not measured", is_met(outcome, excluded_by), "excluded", default = "left")][]
}

no_alternatives <- function() decide_alternatives(list(), no_judged())

#' Reads alternatives.csv, see decide_alternatives(); a run of before has none.
#' @export
read_alternatives <- function(path) if (file.exists(path)) read_comparisons(path) else no_alternatives()
