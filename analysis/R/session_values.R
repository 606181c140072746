# The values of a cell by themselves: what the comparisons use of it, over all rounds that count. A comparison whose sides have
# the same rounds shows these very values.

#' The summary with the values of the slices that count.
#'
#' @param summary see summarise_cells(); `slices` see read_loads(); `histograms` see as_measured().
with_session_values <- function(summary, slices, histograms) {
  summary <- copy(summary)
  if (nrow(slices) == 0) return(summary)
  cell <- c(cell_place, "session")
  plain <- slices[beside == "" & kind == "plain"]
  of_slices <- intersect(names(summary), estimands[counts %in% c("offered", "completed", "latency"), statistic])
  for (name in union(of_slices, names(percentile_of))) {
    value_of <- estimator_of(histograms, name, TRUE)$of_slices
    summary[valued_slices(plain, name)[, .(found = value_of(.SD)), by = cell], (name) := i.found, on = cell]
  }
  summary[]
}
