# The values of a cell by themselves: what the comparisons use of it, over all rounds that count. A comparison whose sides have
# the same rounds shows these very values.

#' The summary with the values of the slices that count.
#'
#' @param summary see summarise_cells(); `slices` see slices_of_cells(); `histograms` see as_measured().
with_session_values <- function(summary, slices, histograms) {
  summary <- copy(summary)
  if (nrow(slices) == 0) return(summary)
  cell <- c("study", "mode", "tier", "tool", "session")
  for (name in setdiff(intersect(names(summary), estimands[counts %in% c("offered", "completed", "latency"), statistic]), names(percentile_of))) {
    values <- slices_for(slices[beside == "" & kind == "plain"], name)
    values[, `:=`(answers = answers_per_s * (end_epoch_s - start_epoch_s), value = as.numeric(get(name)))]
    values[, weight := as.numeric(get(estimands[statistic == name, weight]))]
    summary[values[weight > 0 & !is.na(value), .(value = sum(value * weight) / sum(weight)), by = cell], (name) := i.value, on = cell]
  }
  for (name in names(percentile_of)) {
    values <- slices_for(slices[beside == "" & kind == "plain"], name)
    values[, key := histogram_key(values)]
    values <- values[, .(value = merged_percentile(histograms[[key[1]]], slice, percentile_of[name])), by = c(cell, "key")]
    summary[values, (name) := i.value, on = cell]
  }
  summary[]
}
