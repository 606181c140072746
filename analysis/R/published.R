# What the sources printed, next to what was measured here.

library(data.table)

#' Our tool that stands for a source's, by the end of the source's name. wrk is a closed loop.
tools_for_sources <- c(jmeter = "jmeter", wrk = "jmeter", wrk2 = "wrk2", sysbench = "sysbench")

#' Reads the values of all sources.
#'
#' @param paths paths of analysis/published/<study>.csv.
#' @return see read_published(), with study and tool (ours that stands for the source's). Of a source that printed requests
#'   and a duration alone, their ratio is the throughput.
read_all_published <- function(paths) {
  rbindlist(lapply(paths, function(path) {
    printed <- read_published(path)[, `:=`(study = sub("[.]csv$", "", basename(path)), tool = tools_for_sources[sub(".*-", "", source)])]
    places <- c("source", "study", "tier", "tool", "mode")
    rates <- printed[figure == "requests"][printed[figure == "duration_s"], on = places, nomatch = NULL]
    rates <- rates[, `:=`(figure = "throughput_per_s", value = value / i.value)][, names(printed), with = FALSE]
    rbind(printed, rates[!printed[figure == "throughput_per_s"], on = places])
  }))
}

#' Every value that a source printed of a load, and ours, without a verdict: another machine has other values.
#'
#' @param summary see read_summary(); `published` see read_all_published().
#' @return data.table of text: Study, Load, Server, Value, Theirs, Ours (median over valid repetitions with their range; † where none is
#'   valid). Ours is of the server as published where there is one.
table_theirs <- function(summary, published) {
  known <- source_figures[figure != "requests"][published, on = "figure", nomatch = NULL]
  known <- unique(known, by = c("study", "tier", "mode", "figure"))
  ours <- function(row) {
    cells <- summary[row, on = c("study", "tier", "tool"), nomatch = NULL]
    cells <- cells[mode == c(intersect(published_forms(row$mode), mode), row$mode)[1]]
    over_repetitions(cells[[row$column]], poolable(cells))
  }
  known[, .(
    Study = study, Load = tier, Server = mode, Value = unname(headings(figure)), Theirs = format_number(value),
    Ours = vapply(split(known, seq_len(nrow(known))), ours, "")
  )]
}
