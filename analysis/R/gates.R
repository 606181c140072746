# The rules that a cell must pass, as the cells themselves tell them.

library(data.table)

#' How often each rule was applied, and how often it caught a cell.
#'
#' @param cells list of read_cell().
#' @return data.table, a row per rule in the order of the rules: id, rule (its text; the most
#'   frequent one, where numbers in it differ from study to study), judged, caught (cells).
count_gates <- function(cells) {
  checks <- rbindlist(lapply(cells, function(cell) {
    rbindlist(lapply(cell$validity$checks, `[`, c("id", "rule", "passed")))
  }))
  if (nrow(checks) == 0) {
    return(data.table(id = character(), rule = character(), judged = integer(), caught = integer()))
  }
  checks[, .(
    rule = names(which.max(table(rule))), judged = .N, caught = sum(!passed)
  ), by = id]
}

#' The rules and how often they caught a cell.
#'
#' @param cells list of read_cell().
#' @return data.table of text: `Gate`, `Rule`, `Cells judged`, `Caught`.
table_gates <- function(cells) {
  count_gates(cells)[, .(
    Gate = id, Rule = rule, "Cells judged" = format_number(judged), Caught = format_number(caught)
  )]
}
