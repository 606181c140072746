# Signs: what a reader can count on a server of his own to know that a finding is his case (guide.yaml, `sign`). Each is tried on the run's own
# cells: it shows on the side of a pair that has the effect, and not on the other.

#' Whether the signs of findings show in the cells of a run.
#'
#' @param findings see read_findings(); `decided` see decide_findings(), whose rows name the sides; `summary` see read_summary(); `occupancy`
#'   see read_occupancy().
#' @return data.table, a row per finding that has a sign and rows: finding, mode_with and mode_without (the modes with the effect and
#'   without it), value_with and value_without (means over the cells of each), state: shown (the first alone reaches `at_least`), not
#'   shown, not measured.
#' @export
try_signs <- function(findings, decided, summary, occupancy) {
  counted <- merge(summary, occupancy[, c(cell_place, "not_admitted"), with = FALSE], by = cell_place, all.x = TRUE)
  rows <- lapply(Filter(function(finding) !is.null(finding$sign), findings), function(finding) try_sign(finding, decided, counted))
  none <- typed_table(c("finding", "mode_with", "mode_without", "state"), c("value_with", "value_without"))
  rbindlist(c(list(none), rows), use.names = TRUE)
}

try_sign <- function(finding, decided, counted) {
  sign <- finding$sign
  # Not within the table, which has a column of that name.
  is_row <- decided$finding == finding$id & decided$pair == sign$pair
  row <- decided[is_row]
  if (nrow(row) == 0) return(NULL)
  modes <- unlist(row[, c(sign$side, setdiff(c("mode", "baseline"), sign$side)), with = FALSE], use.names = FALSE)
  values <- vapply(modes, function(of) value_of_sign(counted[study == row$study & mode == of & tier == row$tier & tool == row$tool], sign$value), 0)
  reached <- values >= sign$at_least
  state <- if (anyNA(values)) "not measured" else if (reached[1] && !reached[2]) "shown" else "not shown"
  data.table(finding = finding$id, mode_with = modes[1], mode_without = modes[2], state = state, value_with = values[1], value_without = values[2])
}

# The mean of a formula over the columns of cells; NA where a column is missing, or has no finite value.
value_of_sign <- function(cells, formula) {
  formula <- str2lang(formula)
  if (!all(all.vars(formula) %in% names(cells))) return(NA_real_)
  values <- as.numeric(eval(formula, cells))
  mean_of(values[is.finite(values)])
}
