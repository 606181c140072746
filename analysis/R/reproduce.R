# Does a run reproduce a shipped one? Every comparison that both have becomes a change: here against there, a ratio of both (for shares a
# difference).
#
# A change has one of three verdicts, by its place with respect to the margin:
# - reproduced: two one-sided tests at 5 % (Schuirmann 1987) place it within;
# - differs: a test at 5 % places it beyond;
# - open: all else.
# P-values are adjusted over the rows of a statistic (Benjamini and Hochberg 1995), but for cells that were measured alone: their
# verdicts are by themselves, whichever others are there. The margin is that of the bands, or 5
# percentage points of a share.
#
# Both runs have noise, and their sessions are independent: the error of a change is Welch's (1947). One session that does not know how
# sessions differ is taken to be as noisy as those of the other run. The interval is then one of
# prediction (Hahn and Meeker 1991): a new session on the machine of the shipped run lies in the expected range in 95 of 100 cases.
#
# In a closed loop the mean and the median of latency restate the throughput, and so does CPU time where it is the limit: they are not judged.

#' @export
reproduction_margins <- list(ratio = log(reproduced_within), difference = 0.05)
#' @export
verdicts_of_reproduction <- c("reproduced", "differs", "open")

# ---- The sides of a change ---------------------------------------------------------------------

side_columns <- c("centre", "noise", "df", "pairs", "least", "bound", "reason", "low", "high", "verdict")

#' Comparisons as sides of changes.
#'
#' @return data.table: comparison_keys, unit, effect and side_columns, on the scale of effects.
sides_of_comparisons <- function(comparisons) {
  rows <- copy(comparisons)
  rows[, c("centre", "low", "high") := lapply(list(estimate, low, high), on_scale, effect)][, bound := sign_of_bound(bound)]
  if (!"verdict" %in% names(rows)) rows[, verdict := ""]
  rows[, c(comparison_keys, "unit", "effect", side_columns), with = FALSE]
}

# ---- Changes -----------------------------------------------------------------------------------

welch_df <- function(a, df_a, b, df_b) {
  fifelse(a + b == 0, pmin(df_a, df_b), (a + b)^2 / (a^2 / df_a + b^2 / df_b))
}

# Standard error of each change and its degrees of freedom; NA where nothing is known of the noise of either side. Noise that one side
# lends the other is known by the degrees of freedom of one side.
with_error <- function(rows) {
  rows[, lent := is.na(noise_there) | is.na(noise_here)]
  rows[is.na(noise_there), `:=`(noise_there = noise_here, df_there = df_here)]
  rows[is.na(noise_here), `:=`(noise_here = noise_there, df_here = df_there)]
  rows[, `:=`(
    variance_there = pmax(noise_there^2 / pairs_there, fcoalesce(least_there, 0)^2),
    variance_here = pmax(noise_here^2 / pairs_here, fcoalesce(least_here, 0)^2)
  )]
  rows[, `:=`(error = sqrt(variance_there + variance_here), df = fifelse(lent, pmin(df_there, df_here), welch_df(variance_there, df_there, variance_here, df_here)))][]
}

# Intervals and p-values of changes, on the scale of effects.
judge_changes <- function(rows) {
  rows[, `:=`(change = centre_here - centre_there, bound = bound_of_change(bound_there, bound_here))]
  rows[, margin := unlist(reproduction_margins)[effect]]
  reach <- rows[, suppressWarnings(qt((1 + confidence) / 2, df)) * error]
  rows[, `:=`(
    change_low = change - reach, change_high = change + reach, p_value = pmin(1, 2 * tail_beyond(abs(change), error, df)),
    beyond_p_value = pmin(1, 2 * tail_beyond(abs(change) - margin, error, df)),
    equivalence_p_value = pmax(tail_beyond(margin - change, error, df), tail_beyond(margin + change, error, df))
  )]
  rows[!bound %in% 0, equivalence_p_value := NA_real_]
  rows[is.na(bound) | bound > 0, change_high := Inf]
  rows[is.na(bound) | bound < 0, change_low := -Inf]
  rows[is.na(bound), c("p_value", "beyond_p_value") := NA_real_]
  rows[bound * change < 0, c("p_value", "beyond_p_value") := 1][]
}

#' Changes from a shipped run to here, with verdicts.
#'
#' @param there,here comparisons, see read_comparisons().
#' @param alone rows with study, mode, tier and tool of cells that were measured alone.
#' @return data.table, a row per comparison that both have, where the shipped run has an estimate: comparison_keys, unit, effect; there and
#'   here with their 95 % intervals; expected_low, expected_high (seen here in 95 of 100 cases if nothing had changed); change, change_low,
#'   change_high (ratio of both, or their difference); verdict, reason (why there is no change), sessions_ and verdict_ of both sides,
#'   p_value (of no change), beyond_ and equivalence_p_value (of a change within the margin, and beyond it) and the adjusted ones.
reproduce <- function(there, here, alone = here[0]) {
  here <- sides_of_comparisons(here)[, c(comparison_keys, side_columns), with = FALSE]
  rows <- merge(here, sides_of_comparisons(there)[reason == ""], by = comparison_keys, suffixes = c("_here", "_there"), sort = FALSE)
  rows <- judge_changes(with_error(rows))
  rows[, by_itself := FALSE][alone, by_itself := TRUE, on = cell_place]
  rows[, `:=`(beyond_p_adjusted = beyond_p_value, equivalence_p_adjusted = equivalence_p_value)]
  rows[by_itself == FALSE, `:=`(
    beyond_p_adjusted = p.adjust(beyond_p_value, "BH"), equivalence_p_adjusted = p.adjust(equivalence_p_value, "BH")
  ), by = statistic]
  level <- 1 - confidence
  rows[, verdict := fcase(equivalence_p_adjusted <= level, "reproduced", beyond_p_adjusted <= level, "differs", default = "open")]
  rows[, reason := fcase(
    reason_here != "", paste("here:", reason_here), is.na(bound), "bounds on both sides",
    is.na(error), "one session on both sides", default = ""
  )]
  rows[, `:=`(expected_low = centre_here - change_high, expected_high = centre_here - change_low)]
  on_scale_of_figures(rows)
}

on_scale_of_figures <- function(rows) {
  names_now <- c("centre_there", "low_there", "high_there", "centre_here", "low_here", "high_here", "pairs_there", "pairs_here")
  setnames(rows, names_now, c("there", "there_low", "there_high", "here", "here_low", "here_high", "sessions_there", "sessions_here"))
  ends <- c(
    "there", "there_low", "there_high", "here", "here_low", "here_high", "expected_low", "expected_high", "change",
    "change_low", "change_high"
  )
  rows[effect == "ratio", (ends) := lapply(.SD, exp), .SDcols = ends]
  p_values <- c("p_value", "beyond_p_value", "beyond_p_adjusted", "equivalence_p_value", "equivalence_p_adjusted")
  kept <- c(comparison_keys, "unit", "effect", ends, "verdict", "reason", "sessions_there", "sessions_here", "verdict_there", "verdict_here", p_values)
  rows[, kept, with = FALSE]
}

# ---- Runs --------------------------------------------------------------------------------------

# Cells of a kind that the shipped run has, and not its own: it is not compared with itself.
is_new <- function(cells, shipped) {
  place <- function(table) table[, paste(study, mode, tier, tool)]
  place(cells) %in% place(shipped$summary) & !cells$session %in% shipped$summary$session
}

#' A run as it is compared with a shipped one.
#'
#' @param summary rows of cells, see is_new(); `comparisons` of them; `provenance` of one of the cells.
#' @return list: machine, summary, comparisons, alone (rows of the summary: cells that were measured by
#'   themselves).
run_of <- function(summary, comparisons, provenance) {
  list(
    machine = provenance$machine, summary = summary, comparisons = comparisons,
    alone = summary[!session %in% summary[duplicated(session), session]]
  )
}

#' The run of a report as it is compared with a shipped one; NULL where it has no cell to compare.
#'
#' @param all list: summary, comparisons, cells.
#' @export
run_of_report <- function(all, shipped) {
  new <- is_new(all$summary, shipped)
  if (!any(new)) return(NULL)
  comparisons <- all$comparisons
  if (!all(new)) comparisons <- compare_modes(as_measured(all$summary[new], all$slices[session %in% all$summary[new]$session], known = with_hosts(list(shipped))))
  run_of(all$summary[new], comparisons, all$cells[new][[1]]$provenance)
}

#' Facts that make a kind of machine and differ between two.
#' @export
differing_facts <- function(there, here) {
  facts <- setdiff(machine_kind, if (is.null(there$cpu_version) || is.null(here$cpu_version)) "cpu_version")
  facts[!vapply(facts, function(fact) isTRUE(all.equal(there[[fact]], here[[fact]])), NA)]
}

#' All changes of a run.
#'
#' @param shipped see read_shipped(); `run` see run_of().
#' @return data.table, see reproduce().
#' @export
reproduce_run <- function(shipped, run) {
  # A comparison is here if the cells of both its sides are.
  here <- run$comparisons[(pairs > 0 | !grepl("^no cell", reason)) & !restates(run$comparisons, run$summary)]
  reproduce(shipped$comparisons, here, run$alone)
}

# See above.
restates <- function(rows, summary) {
  loops <- unique(summary[, .(study, tier, tool, loop)], by = c("study", "tier", "tool"))
  closed <- loops[rows, on = c("study", "tier", "tool"), mult = "first"]$loop %in% "closed"
  limited <- if ("cpu_limited" %in% names(rows)) rows$cpu_limited %in% c(TRUE, 1) else FALSE
  closed & (rows$statistic %in% c("latency_mean_ms", "latency_p50_ms") | rows$statistic == "cpu_us_per_request" & limited)
}
