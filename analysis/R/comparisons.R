# Comparing every mode with its baseline (`baseline`): effects.R makes the intervals, here they become
# verdicts.
#
# There are hundreds of comparisons, and 5 % of those between equals would be reported as different by
# their intervals. So a difference is reported where its p-value, adjusted after Benjamini and Hochberg
# (1995), is at most 5 %: of the differences that are reported in a statistic, over all studies, at
# most 5 % are expected to be none. Equivalence is decided in the same way, by Schuirmann's two
# one-sided tests (1987) at 5 %, which is an interval of 90 % within the margin. Not Holm: it keeps the
# chance of a single error in the whole table at 5 %, which a table of hundreds is not worth. Each
# statistic is its own family. Otherwise the many obvious differences (a pool has fewer threads) would
# relax the threshold for the close ones. For the same reason a comparison whose sides are the same in
# every session (no request failed) is no member: it is equivalent without a test. low and high stay
# intervals of 95 % of each comparison alone, and can exclude 1 where the verdict is undecided.
#
# A cell that is not valid may still bound its throughput or latency. Where fewer than two sessions have
# both sides valid, such cells join, and the row is a bound: its estimate is at least, or at most, what
# the ratio is. It is decided if the bound is on one side of 1, else it is `bounded`.

# ---- The sides of a comparison -----------------------------------------------------------------

# The cells of both sides of each place; `terms` as of session_effects().
cells_of_terms <- function(summary, terms) {
  summary[terms, on = c("study", "mode", "tier", "tool"), nomatch = NULL, allow.cartesian = TRUE]
}

# How many cells each side of each place has, and why some do not count.
count_sides <- function(summary, places, terms, counts) {
  cells <- cells_of_terms(summary, terms)
  cells[, `:=`(counted = counts(cells), why = fifelse(outcome == "completed", failed_checks, outcome))]
  cells[, repetitions := uniqueN(repetition), by = id]
  sides <- cells[, .(
    valid = sum(counted), invalid = sum(!counted), missing = repetitions[1] - .N,
    reasons = paste(unique(why[!counted]), collapse = ", ")
  ), by = .(id, sign)]
  every <- unique(cells[, .(id, repetitions)])[places[, .(id)], on = "id"]
  of_side <- function(which, name) {
    found <- sides[sign == which][every, on = "id"]
    found[is.na(valid), `:=`(valid = 0L, invalid = 0L, missing = fcoalesce(repetitions, 0L), reasons = "")]
    found[, .(valid, invalid, missing, reasons)][, setnames(.SD, paste0(name, "_", names(.SD)))]
  }
  cbind(places, of_side(1, "mode"), of_side(-1, "baseline"))
}

# Vectors: why a side has nothing to compare, or empty.
lacking <- function(valid, invalid, reasons, name) {
  fcase(
    valid > 0, "", invalid == 0, paste("no cells of", name),
    rep(TRUE, length(valid)), paste0("no valid cells of ", name, " (", reasons, ")")
  )
}

why_not_comparable <- function(rows) {
  lacks <- rows[, .(
    lacking(mode_valid, mode_invalid, mode_reasons, "the mode"),
    lacking(baseline_valid, baseline_invalid, baseline_reasons, "its baseline")
  )]
  lacks <- trimws(paste(lacks$V1, lacks$V2, sep = "; "), whitespace = "[; ]")
  fcase(
    !is.na(rows$pairs), why_no_ratio(rows), nzchar(lacks), lacks,
    default = "no session has valid values of both sides"
  )
}

# ---- Sessions that failed ----------------------------------------------------------------------

# Checks that a cell fails by what its server did. The others are about the generator and the machine.
checks_of_servers <- c("same_answer_after", "share_2xx", "little", "settled", "body_bytes", "writes_kept")

failed_itself <- function(cells) {
  at_all <- cells$outcome != "completed" & cells$outcome != "beyond_limits"
  at_all | grepl(paste(checks_of_servers, collapse = "|"), cells$failed_checks)
}

# Repetitions that fell out because one side failed: id, repetition, sign of the side.
failed_sessions <- function(summary, terms, counts) {
  cells <- cells_of_terms(summary, terms)
  cells[!counts(cells) & failed_itself(cells), .(sign = sum(sign)), by = .(id, repetition)][sign != 0]
}

# Estimates if in each failed session the side that failed had been as bad as in the worst of the others.
# Those that are left may be the lucky ones.
at_worst <- function(found, failed, better) {
  if (nrow(found) == 0) return(data.table(id = integer(), worst = numeric()))
  seen <- found[, .(total = sum(effect), count = .N, low = min(effect), high = max(effect)), by = id]
  failed <- failed[!found, on = .(id, repetition)][seen, on = "id", nomatch = NULL]
  failed[, worst := fifelse((sign > 0) == (better == "lower"), high, low)]
  failed[, .(worst = (total[1] + sum(worst)) / (count[1] + .N)), by = id]
}

# ---- Verdicts ----------------------------------------------------------------------------------

# One statistic of all places, without intervals.
compare_statistic <- function(summary, slices, places, terms, statistic, counts) {
  logs <- statistic$effect == "ratio"
  found <- session_effects(summary, slices, terms, statistic$statistic, logs, counts)
  pooled <- pool_sessions(found)
  pooled[at_worst(found, failed_sessions(summary, terms, counts), statistic$better), worst := i.worst, on = "id"]
  pooled[bound != 0, worst := NA]
  medians <- cells_of_terms(summary, terms)
  medians <- medians[counts(medians), .(
    middle = as.numeric(median(get(statistic$statistic), na.rm = TRUE))
  ), by = .(id, sign)]
  middle <- function(which) medians[sign == which][places, on = "id"]$middle
  rows <- cbind(places, as.data.table(statistic[c("statistic", "unit", "better", "effect")]))
  rows[, `:=`(mode_median = middle(1), baseline_median = middle(-1))]
  rows <- pooled[rows, on = "id"]
  rows[, reason := why_not_comparable(rows)][is.na(pairs), `:=`(pairs = 0L, rounds = 0)][]
}

# Adds intervals, each family by itself, and estimates on the scale of the values.
add_intervals <- function(rows) {
  families <- c(intersect(c("study", "tool"), names(rows)), "statistic")
  rows[, row := .I]
  judged <- rows[
    reason == "", judge_family(.SD, equivalence[[effect[1]]]), by = families, .SDcols = setdiff(names(rows), families)
  ]
  rows <- rbind(judged, rows[reason != ""], fill = TRUE)[order(row)]
  rows[, estimate := centre]
  ends <- c("estimate", "worst", "low", "high")
  rows[effect == "ratio", (ends) := lapply(.SD, exp), .SDcols = ends]
  rows[reason != "", (ends) := NA_real_][]
}

# Verdicts of comparisons that stand side by side; adds the adjusted p-values they rest on.
decide <- function(rows) {
  rows <- add_intervals(rows)
  rows[, same := reason == "" & pairs > 1 & bound == 0 & centre == 0 & spread == 0 & rounding_low + rounding_high == 0]
  rows[same %in% TRUE, c("p_value", "equivalence_p_value") := NA_real_]
  rows[, `:=`(
    p_adjusted = p.adjust(p_value, "BH"),
    equivalence_p_adjusted = p.adjust(equivalence_p_value, "BH")
  ), by = statistic]
  level <- 1 - confidence
  rows[, verdict := fcase(
    reason != "", "not comparable",
    pairs < 2, "one session",
    same, "equivalent",
    equivalence_p_adjusted <= level, "equivalent",
    p_adjusted <= level & centre > 0, "higher",
    p_adjusted <= level & centre < 0, "lower",
    bound != 0, "bounded",
    default = "undecided"
  )]
  rows[, bound := bound_words(fcoalesce(as.numeric(bound), 0))][]
}

comparison_columns <- c(
  "statistic", "unit", "better", "effect", "estimate", "worst", "low", "high", "verdict", "bound", "reason",
  "pairs", "rounds", "mode_median", "baseline_median", "mode_valid", "mode_invalid", "mode_missing",
  "baseline_valid", "baseline_invalid", "baseline_missing", "spread", "within", "noise", "df",
  "rounding_low", "rounding_high", "p_value", "p_adjusted", "equivalence_p_value", "equivalence_p_adjusted"
)

#' Compares places with each other, all statistics.
#'
#' @param places data.table with id, and what names the rows.
#' @param terms see session_effects(): for each id the mode's (1) and the baseline's (-1).
#' @return see compare_modes(); with its columns where there is no place, too.
compare_places <- function(summary, slices, places, terms, statistics, counts = poolable) {
  if (nrow(places) == 0) {
    empty <- setNames(as.data.table(rep(list(character()), length(comparison_columns))), comparison_columns)
    return(cbind(copy(places)[, id := NULL], empty))
  }
  sided <- count_sides(summary, places, terms, counts)
  rows <- rbindlist(lapply(split(statistics, seq_len(nrow(statistics))), function(statistic) {
    compare_statistic(summary, slices, sided, terms, as.list(statistic), counts)
  }))
  rows <- decide(rows)[order(id)]
  rows[, c(setdiff(names(places), "id"), comparison_columns), with = FALSE]
}

#' Compares every mode with its `baseline`, for each study, tier, tool and statistic.
#'
#' @param summary see read_summary(); `slices` see read_slices().
#' @param statistics see compared_statistics; those that the summary has.
#' @param counts which cells count, see poolable().
#' @return data.table, a row per comparison: study, tier, tool, mode, baseline, statistic, unit,
#'   better, effect, estimate (geometric mean of the ratios mode / baseline, or mean of the
#'   differences mode - baseline), worst (the same, with sessions in which one side failed, see at_worst();
#'   NA where none did), low, high (95 %; of one session: within it), verdict (higher, lower,
#'   equivalent, undecided, bounded, one session or not comparable), bound (at_least, at_most or empty), reason (why not comparable), pairs
#'   (sessions that have both), rounds (slices of each side in them), mode_median, baseline_median (of
#'   cells, in `unit`), the counts of valid, invalid and missing cells of each side; on the scale of log
#'   ratios or differences: spread (standard deviation over sessions), within (standard error of one
#'   session's effect by its slices), noise (as moderated) and df, rounding_low, rounding_high (what the
#'   ends were moved by); p_value (of no difference), equivalence_p_value (of a difference beyond the margin), both
#'   also _adjusted.
compare_modes <- function(summary, slices, statistics = compared_statistics[statistic %in% names(summary)],
                          counts = poolable) {
  places <- unique(summary[!is.na(baseline), .(study, tier, tool, mode, baseline)])[, id := .I]
  compare_places(summary, slices, places, comparison_terms(places), statistics, counts)
}

#' How many cells were measured again.
#' @export
replaced_cells <- function(results) length(Sys.glob(file.path(results, "replaced", "*", "*", "*", "*", "rep-*", "*")))

#' Reads the comparisons that compare.R, compare_loops.R, profiler_cost.R or guide.R wrote.
#'
#' @param path path of results/comparisons.csv, loops.csv, profiler-cost.csv or guide.csv.
#' @return data.table, see compare_modes(), compare_loops(), profiler_cost() or compare_guide(); without rows where there
#'   are none.
#' @export
read_comparisons <- function(path) {
  words <- c(
    "study", "tier", "tool", "mode", "baseline", "statistic", "unit", "better", "effect", "verdict",
    "bound", "reason", "situation", "mind", "use", "standing", "finding", "pair", "outcome"
  )
  comparisons <- require_columns(read_table(path), c("mode", "statistic", "estimate", "verdict"), path)
  for (column in setdiff(names(comparisons), words)) {
    set(comparisons, j = column, value = as.numeric(comparisons[[column]]))
  }
  comparisons
}
