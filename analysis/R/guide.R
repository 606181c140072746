# Findings, primary comparisons and predictions: guide.yaml says what is compared, and the comparisons decide.

read_predictions <- function(path) yaml::read_yaml(path)$predictions

#' Reads the findings, see guide.yaml; each pair is whole, with what its finding says once (`at`).
#' @export
read_findings <- function(path) {
  lapply(yaml::read_yaml(path)$findings, function(finding) {
    whole <- function(pair) modifyList(as.list(finding$at), pair)
    finding$pairs <- lapply(finding$pairs, whole)
    finding$alternatives <- lapply(finding$alternatives, function(rival) modifyList(rival, list(pair = whole(rival$pair))))
    finding
  })
}

#' Predictions of swaps, and whether a run bears them out.
#'
#' @param predictions of guide.yaml; `comparisons` see add_verdicts().
#' @return data.table, a row per prediction that was measured: of (its words), at_least or at_most (the bound; NA for the other), refuted
#'   (whether it lies beyond), the columns of the comparisons.
judge_predictions <- function(predictions, comparisons) {
  rows <- lapply(predictions, function(each) {
    bounds <- list(of = each$of, at_least = as.numeric(or_else(each$at_least, NA)), at_most = as.numeric(or_else(each$at_most, NA)))
    cbind(as.data.table(bounds), row_of(each, each, comparisons))
  })
  none <- copy(comparisons[0])[, of := character()][, c("at_least", "at_most") := numeric()]
  rbindlist(c(list(none), rows), use.names = TRUE, fill = TRUE)[is.finite(estimate)][, refuted := (estimate < at_least | estimate > at_most) %in% TRUE][]
}

#' The primary comparisons of guide.yaml: the pairs of the findings, but for those without a verdict, and the modes of its situations.
#'
#' @return data.table: comparison_names, each once.
#' @export
read_primaries <- function(path) {
  of_findings <- places_of_pairs(read_findings(path), function(pair) !isTRUE(pair$without_verdict))
  of_situations <- lapply(yaml::read_yaml(path)$situations, function(situation) setnames(as.data.table(situation), "modes", "mode"))
  unique(rbindlist(c(list(of_findings), of_situations), use.names = TRUE))[, comparison_names, with = FALSE]
}

# The comparisons that pairs of findings name, of those pairs that are wanted.
places_of_pairs <- function(findings, wanted = function(pair) TRUE) {
  rows <- lapply(findings, function(finding) rbindlist(lapply(Filter(wanted, finding$pairs), place_of_pair, finding)))
  rbindlist(c(list(typed_table(comparison_names)), rows), use.names = TRUE)
}

# A pair is of its finding's study, but where it names another.
place_of_pair <- function(pair, finding) as.data.table(c(study = c(pair[["study"]], finding[["study"]])[1], pair[setdiff(comparison_names, "study")]))

# The comparison of a pair; where it is not there, a row with the reason.
row_of <- function(pair, finding, comparisons) {
  wanted <- place_of_pair(pair, finding)
  row <- comparisons[wanted, on = names(wanted), nomatch = NULL]
  if (nrow(row) > 1) stop("two comparisons of ", paste(wanted[, c("study", "mode", "tier", "tool", "statistic")], collapse = "/"), call. = FALSE)
  if (nrow(row) == 0) absent_row(comparisons, wanted, no_cell_of_it) else row
}

#' Whether each finding holds.
#'
#' @param findings see read_findings(); `comparisons` see add_verdicts(); `facts` see facts_of_loads().
#' @return data.table, a row per pair of a finding: finding (its id), pair (its name), outcome (see standing()), expected (the outcomes of
#'   the pair with which the finding holds, by spaces; empty where it only gives values), holds (of the finding: yes, no, open; unmeasured
#'   where a pair has no cell), bound_ratio (what theory allows of a pair that is `bounded`), the columns of with_facts() and of the
#'   comparisons.
#' @export
decide_findings <- function(findings, comparisons, facts = no_facts()) {
  rows <- lapply(findings, function(finding) {
    guarded(decide_finding(finding, comparisons, facts), "findings", function(message) undecided_finding(finding, comparisons, not_computed(message)))
  })
  none <- with_facts(copy(comparisons[0]), facts)[, c("finding", "pair", "outcome", "expected", "holds") := character()][, bound_ratio := numeric()]
  rbindlist(c(list(none), rows), use.names = TRUE, fill = TRUE)
}

decide_finding <- function(finding, comparisons, facts) {
  pairs <- rbindlist(lapply(finding$pairs, function(pair) {
    row <- with_facts(row_of(pair, finding, comparisons), facts)
    cbind(row, bound_ratio = if (isTRUE(pair$bounded)) bound_ratio(row) else NA_real_, expected = paste(pair$holds, collapse = " "))
  }), idcol = "pair")
  # Not within the table, where pairs is a column.
  outcome <- standing(pairs)
  holds <- if (any(pairs$reason == no_cell_of_it)) "unmeasured" else whether_holds(outcome, pairs$expected)
  data.table(finding = finding$id, pairs, outcome, holds = holds)
}

# A finding whose pairs have a reason each in place of a value.
undecided_finding <- function(finding, comparisons, reason) {
  rows <- lapply(names(finding$pairs), function(name) {
    absent_row(comparisons, c(finding["study"], finding$pairs[[name]]["mode"], list(pair = name)), reason)
  })
  rbindlist(rows)[, `:=`(finding = finding$id, outcome = "none", expected = "", holds = "open")][]
}

no_cell_of_it <- "no cell of the mode"

# The row of a comparison that is not there.
absent_row <- function(comparisons, place, reason) {
  rbind(comparisons[0], as.data.table(c(place, list(effect = "", verdict = "", reason = reason))), fill = TRUE)
}

# One that is refuted outweighs those that are not decided.
whether_holds <- function(outcome, expected) {
  if (any(is_refuted(outcome, expected))) return("no")
  if (all(expected == "" | is_met(outcome, expected))) "yes" else "open"
}

is_met <- function(outcome, expected) mapply(`%in%`, outcome, strsplit(expected, " ", fixed = TRUE))

#' Whether pairs of findings are decided otherwise than their findings need; `outcome` and `expected` see decide_findings().
#' @export
is_refuted <- function(outcome, expected) {
  expected != "" & outcome %in% c("better", "worse", "same", "fixed") & !is_met(outcome, expected)
}

#' The requests in flight that each side of a pair admits: no more than there are users. NA where they are not known.
#' @export
most_in_flight <- function(rows) {
  of <- function(limit) fifelse(is.na(rows$users), NA_real_, pmin(rows$users, limit, na.rm = TRUE))
  list(mode = of(rows$mode_admitted), baseline = of(rows$baseline_admitted))
}

# The ratio that they allow: by Little's law throughput is what is in flight over the time that each waits.
bound_ratio <- function(rows) {
  sides <- most_in_flight(rows)
  exp(abs(log(sides$mode / sides$baseline)))
}

#' How a mode does against the baseline in each comparison.
#'
#' @return character vector: better, worse, same, fixed (by the load), open (not decided), none (nothing can be compared). What is no
#'   primary comparison stands where its interval does.
standing <- function(rows) {
  verdict <- rows[, fcase(
    verdict != "", verdict, reason != "", "not comparable", fixed %in% 1, "fixed",
    (equivalence_p_value <= 1 - confidence) %in% TRUE, "same",
    low > (effect == "ratio"), "higher", high < (effect == "ratio"), "lower", default = "undecided"
  )]
  fcase(
    verdict %in% c("same", "fixed"), verdict, verdict %in% c("higher", "lower"), fifelse(verdict == as.character(rows$better), "better", "worse"),
    verdict == "undecided", "open", default = "none"
  )
}
