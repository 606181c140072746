# The sources' ratios beside ours: whether ours points the same way as the source's of the same two modes,
# and how near it is to it where several of our pairs may stand for what the source measured.

library(data.table)

#' The tool of ours that stands for a source's, by the end of the source's name. wrk is a closed loop.
tools_for_sources <- c(jmeter = "jmeter", wrk = "jmeter", wrk2 = "wrk2", sysbench = "sysbench")

# Checks that a source did not make and that fail because of what it measured: its figures are those of
# survivors, of a queue that grows, or of a server that has not answered them all when the load is
# over. Ours beside them are marked.
unchecked_by_sources <- c("little", "settled", "completed", "same_answer_after")

# Cells that fail no other check than those count.
counts_with_source <- function(cells) {
  failed <- strsplit(cells$failed_checks, ";")
  cells$outcome != "beyond_limits" & vapply(failed, function(ids) all(ids %in% unchecked_by_sources), NA)
}

#' Reads the figures of all sources.
#'
#' @param paths paths of analysis/published/<study>.csv.
#' @return see read_published(), with study and tool (ours that stands for the source's).
read_all_published <- function(paths) {
  rbindlist(lapply(paths, function(path) {
    read_published(path)[, `:=`(study = sub("[.]csv$", "", basename(path)), tool = tools_for_sources[sub(".*-", "", source)])]
  }))
}

#' Whether ours points the same way as the source's.
source_directions <- c("same", "opposite", "not decided", "none")

direction_of <- function(theirs, verdict) {
  fcase(
    # As it is printed: the source found no difference, or has no ratio.
    !is.finite(theirs) | signif(theirs, 3) == 1, "none",
    !verdict %in% c("higher", "lower"), "not decided",
    (theirs > 1) == (verdict == "higher"), "same",
    default = "opposite"
  )
}

effect_columns <- c("estimate", "low", "high", "bound", "verdict")

#' The sources' ratios of a mode and its baseline beside ours.
#'
#' @param summary see read_summary(); `slices` see read_slices(); `comparisons` see read_comparisons().
#' @param published see read_all_published().
#' @return data.table, a row per ratio: the columns of compare_modes(), figure (of the source), theirs,
#'   forgiven (cells of ours that fail a check which the source did not make) and direction (see
#'   source_directions; `none` where the source found no difference).
compare_directions <- function(summary, slices, comparisons, published) {
  rows <- rbindlist(lapply(split(published, by = c("study", "tool")), function(of_source) {
    directions_of_source(summary, slices, comparisons, of_source)
  }))
  if (nrow(rows) == 0) {
    none <- compare_modes(summary[0], slices)
    return(none[, c("figure", "theirs", "forgiven", "direction") := character()][])
  }
  rows[, direction := direction_of(theirs, verdict)][]
}

directions_of_source <- function(summary, slices, comparisons, published) {
  at <- published[1, .(study, tool)]
  cells <- summary[at, on = names(at), nomatch = NULL][tier %in% published$tier]
  excused <- cells[counts_with_source(cells) & !poolable(cells)]
  known <- source_figures[compared != "" & figure %in% published$figure]
  if (nrow(known) == 0) return(NULL)
  statistics <- about_statistics(known$compared)[, effect := "ratio"]
  ours <- compare_modes(cells, slices[study == at$study], statistics, counts = counts_with_source)
  if (nrow(ours) == 0) return(NULL)
  ours[, figure := known$figure[match(statistic, known$compared)]]
  printed <- function(mode) {
    wanted <- data.table(tier = ours$tier, mode = mode, figure = ours$figure)
    published[wanted, on = names(wanted), mult = "first"]$value
  }
  ours[, theirs := as.numeric(printed(mode)) / as.numeric(printed(versus))]
  ours[, forgiven := vapply(seq_len(.N), function(row) {
    excused[tier == ours$tier[row] & mode %in% c(ours$mode[row], ours$versus[row]), .N]
  }, 0L)]
  # Where no check is forgiven, the ratio has the interval of the comparisons.
  found <- c(effect_columns, "reason")
  places <- c("study", "tier", "tool", "mode", "versus", "statistic")
  same <- comparisons[ours[forgiven == 0, places, with = FALSE], on = places, nomatch = NULL]
  ours[same, on = places, (found) := mget(paste0("i.", found))]
  ours <- ours[!is.na(theirs)]
  # Requests in the same time are throughput.
  ours[!(figure == "requests" & paste(tier, mode) %in% ours[figure == "throughput_per_s", paste(tier, mode)])]
}

# ---- Readings --------------------------------------------------------------------------------

# Ours agrees with a published ratio where its whole interval lies within this factor of it. An interval
# that is wide agrees with nothing.
agrees_within <- 1.25

agreement <- function(theirs, rows) {
  rows[, fcase(
    verdict == "one session", "not decided: one session",
    low >= theirs / agrees_within & high <= theirs * agrees_within, "agrees",
    high < theirs / agrees_within | low > theirs * agrees_within, "differs",
    default = "not decided"
  )]
}

#' The sources' ratios beside every pair of ours that may stand for what they measured.
#'
#' @param summary,slices,comparisons,published see compare_directions().
#' @param readings data.table: study, of (mode of the published figures), mode, versus (ours), reading (words).
#' @return data.table, a row per tier and reading that was measured: study, tool, tier, of, mode, versus, reading,
#'   statistic, theirs, effect_columns, agreement (agrees, differs, not decided).
compare_readings <- function(summary, slices, comparisons, published, readings) {
  theirs <- published[figure == "throughput_ratio" & study %in% summary$study, .(study, tool, tier, of = mode, theirs = value)]
  rows <- readings[theirs, on = c("study", "of"), nomatch = NULL, allow.cartesian = TRUE][, statistic := "throughput_per_s"]
  ours <- lapply(seq_len(nrow(rows)), function(index) ratio_of(summary, slices, comparisons, rows[index]))
  none <- as.data.table(no_effect("")[effect_columns])[0]
  rows <- cbind(rows, rbindlist(c(list(none), ours)))
  rows[, agreement := agreement(theirs, rows)][!is.na(estimate)]
}

#' A ratio of any two modes of a study. One that is among the comparisons has the interval that it has
#' there, which knows the noise of its family.
#'
#' @param row study, tier, tool, mode, versus, statistic.
#' @return data.table of one row: effect_columns.
ratio_of <- function(summary, slices, comparisons, row) {
  known <- comparisons[row, on = c("study", "tier", "tool", "mode", "versus", "statistic"), nomatch = NULL]
  if (nrow(known) == 1) return(known[, effect_columns, with = FALSE])
  all <- list(summary = summary, slices = slices)
  found <- ratio_between(all, row$study, row$tier, row$tool, row$mode, row$versus, row$statistic)
  as.data.table(found[effect_columns])
}
