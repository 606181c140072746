# The table next to the form that answers for the reader's own service.

formula_titles <- c(
  users = "Bound by users: N ÷ wait (Little's law)",
  admitted = "Bound by threads, permits, connections or carriers: n ÷ wait",
  cpu = "Bound by CPUs: CPUs ÷ CPU time (utilization law)",
  mva = "Users or threads between wait and CPUs (mean value analysis)"
)

#' How well the form's formulas predict what was measured.
#'
#' @param all see read_results().
#' @return data.table of text: Formula, Cells, Median, Lowest, Highest, Within 10 %; no rows where no cell has a bound.
table_predicting <- function(all) {
  found <- measured_by_formula(read_bounds(file.path(all$results, "bounds.csv")))
  found[, .(
    Formula = unname(formula_titles[formula]), Cells = cells, Median = format_number(middle), Lowest = format_number(least),
    Highest = format_number(most), "Within 10 %" = percent(near)
  )]
}
