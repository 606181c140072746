# Does a run reproduce a shipped one? Every comparison that both have, and every value of a cell that was measured
# again alone, becomes a change: here against there, a ratio of both (for shares a difference).
#
# A change has one of three verdicts, by its place with respect to the margin:
# - reproduced: two one-sided tests at 5 % (Schuirmann 1987) place it within;
# - differs: a test at 5 % places it beyond;
# - open: all else.
# P-values are adjusted over the rows of a statistic (Benjamini and Hochberg 1995), but for cells that were measured alone: their
# verdicts are by themselves, whichever others are there. The margin is that of the bands, or 5
# percentage points of a share.
#
# Both runs have noise, and their sessions are independent: the error of a change is Welch's (1947). A value of a cell that was measured
# alone says nothing of how sessions differ: it is taken to be as noisy as those of the other run. The interval is then one of
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
#' @param comparisons see read_comparisons().
#' @return data.table: comparison_keys, unit, effect and side_columns, on the scale of effects.
sides_of_comparisons <- function(comparisons) {
  rows <- copy(comparisons)
  rows[, c("centre", "low", "high") := lapply(list(estimate, low, high), on_scale, effect)][, bound := sign_of_bound(bound)]
  if (!"verdict" %in% names(rows)) rows[, verdict := ""]
  rows[, c(comparison_keys, "unit", "effect", side_columns), with = FALSE]
}

# Statistics that a cell is compared by. To another kind of machine travels no speed, but what a configuration bounds
# (a pool of 50 has 50 requests that wait, whatever the CPU) and shares. `all`: cells that are not valid
# count, for it is what makes them so.
cell_statistics <- function() {
  rbind(
    compared_statistics[, .(statistic, unit, effect, travels = effect == "difference", all = effect == "difference")],
    data.table(
      statistic = c("waiting_at_once", "completed"), unit = "", effect = c("ratio", "difference"), travels = TRUE, all = c(FALSE, TRUE)
    )
  )
}

#' Values of cells as sides of changes: a session has one cell of a kind.
#'
#' @param summary see read_summary().
#' @param statistics rows of cell_statistics().
#' @return as sides_of_comparisons(), by cell and statistic; low and high are the smallest and largest value.
sides_of_cells <- function(summary, statistics = cell_statistics()) {
  # By Little's law; where no request waits there is none.
  waiting <- summary[, fifelse(sleep_ms > 0, throughput_per_s * sleep_ms / 1000, NA_real_)]
  summary <- copy(summary)[, `:=`(waiting_at_once = waiting, completed = as.numeric(outcome == "completed"))]
  statistics <- statistics[statistic %in% names(summary)]
  rbindlist(lapply(split(statistics, seq_len(nrow(statistics))), function(about) {
    logs <- about$effect == "ratio"
    cells <- summary[if (about$all) outcome != "beyond_limits" else counts_for(summary, about$statistic)]
    cells[, value := as.numeric(get(about$statistic))]
    cells <- cells[is.finite(value) & bound_of(cells, about$statistic) == 0 & (!logs | value > 0)]
    if (nrow(cells) == 0) return(NULL)
    cells[, `:=`(least = fifelse(requests > 0, 1 / requests, 0) / sqrt(12), value = if (logs) log(value) else value)]
    cells[, .(
      statistic = about$statistic, unit = about$unit, effect = about$effect, centre = mean(value), noise = sd(value),
      df = fifelse(.N > 1, .N - 1, NA_real_), pairs = as.numeric(.N), least = mean(least), bound = 0, reason = "", low = min(value),
      high = max(value), verdict = ""
    ), by = .(study, mode, tier, tool)]
  }))
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
#' @param there,here sides, see sides_of_comparisons() and sides_of_cells().
#' @param keys the columns that name a row; `alone` rows with study, mode, tier and tool of cells that were measured alone.
#' @return data.table, a row per key that both have, where the shipped run has an estimate: the keys, unit, effect; there and here with
#'   their 95 % intervals (of cells the smallest and largest value); expected_low, expected_high (seen here in 95 of 100 cases if nothing
#'   had changed); change, change_low, change_high (ratio of both, or their difference); verdict, reason (why there is no change),
#'   sessions_ and verdict_ of both sides, p_value (of no change), beyond_ and equivalence_p_value (of a change within the margin, and
#'   beyond it) and the adjusted ones.
reproduce <- function(there, here, keys, alone = here[0]) {
  rows <- merge(here[, c(keys, side_columns), with = FALSE], there[reason == ""], by = keys, suffixes = c("_here", "_there"), sort = FALSE)
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
  on_scale_of_figures(rows, keys)
}

on_scale_of_figures <- function(rows, keys) {
  names_now <- c("centre_there", "low_there", "high_there", "centre_here", "low_here", "high_here", "pairs_there", "pairs_here")
  setnames(rows, names_now, c("there", "there_low", "there_high", "here", "here_low", "here_high", "sessions_there", "sessions_here"))
  ends <- c(
    "there", "there_low", "there_high", "here", "here_low", "here_high", "expected_low", "expected_high", "change",
    "change_low", "change_high"
  )
  rows[effect == "ratio", (ends) := lapply(.SD, exp), .SDcols = ends]
  p_values <- c("p_value", "beyond_p_value", "beyond_p_adjusted", "equivalence_p_value", "equivalence_p_adjusted")
  kept <- c(keys, "unit", "effect", ends, "verdict", "reason", "sessions_there", "sessions_here", "verdict_there", "verdict_here", p_values)
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
#' @return list: machine, versions, summary, comparisons, alone (rows of the summary: cells that were measured by
#'   themselves).
run_of <- function(summary, comparisons, provenance) {
  list(
    machine = provenance$machine, versions = provenance$versions, summary = summary, comparisons = comparisons,
    alone = summary[!session %in% summary[duplicated(session), session]]
  )
}

#' Reads what is measured here and is not the shipped run's own.
#'
#' @param results folder of the run, with any of its cells; `shipped` see read_shipped(); `known` comparisons that lend their noise.
#' @return see run_of(); NULL where there is nothing that can be compared.
read_run <- function(results, shipped, known = with_hosts(list(shipped))) {
  paths <- Sys.glob(file.path(results, "cells", "*", "*", "*", "*", "rep-*", "cell.json"))
  if (length(paths) == 0) return(NULL)
  read <- read_measured(paths)
  new <- is_new(read$summary, shipped)
  if (!any(new)) return(NULL)
  summary <- read$summary[new]
  paths <- read$paths[new]
  beside <- Filter(file.exists, file.path(dirname(paths), "baseline", "cell.json"))
  both <- rbind(summary, if (length(beside) > 0) summarise_cells(beside)[, baseline := NA_character_])
  measured <- as_measured(both, read$slices[session %in% summary$session], read$histograms, known)
  run_of(summary, compare_modes(measured), read_cell(paths[1])$provenance)
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

#' Another shipped run as it is compared with the first; NULL where it is the same one.
run_of_shipped <- function(other, shipped) {
  if (other$name == shipped$name) return(NULL)
  with(other, list(machine = facts$machine, versions = facts$versions, summary = summary, comparisons = comparisons, alone = summary[0]))
}

#' Facts that make a kind of machine and differ between two.
#' @export
differing_facts <- function(there, here, facts = machine_kind) {
  if (is.null(there$cpu_version) || is.null(here$cpu_version)) facts <- setdiff(facts, "cpu_version")
  facts[!vapply(facts, function(fact) isTRUE(all.equal(there[[fact]], here[[fact]])), NA)]
}

#' Are two machines of one kind, as far as their facts tell?
same_kind <- function(there, here) length(differing_facts(there, here)) == 0

#' All changes of a run.
#'
#' @param shipped see read_shipped(); `run` see run_of().
#' @return data.table, see reproduce(): comparisons, then values of cells, whose baseline is empty.
#' @export
reproduce_run <- function(shipped, run) {
  # A comparison is here if the cells of both its sides are.
  here <- if (nrow(run$comparisons) > 0) run$comparisons[(pairs > 0 | !grepl("^no cell", reason)) & !restates(run$comparisons, run$summary)]
  of_comparisons <- if (NROW(here) > 0) {
    reproduce(sides_of_comparisons(shipped$comparisons), sides_of_comparisons(here), comparison_keys, run$alone)
  }
  of_cells <- if (nrow(run$alone) > 0) {
    statistics <- if (same_kind(shipped$facts$machine, run$machine)) cell_statistics() else cell_statistics()[travels == TRUE]
    places <- unique(run$alone[, ..cell_place])
    there <- shipped$summary[places, on = names(places), nomatch = NULL]
    reproduce(sides_of_cells(there, statistics), sides_of_cells(run$alone, statistics), c(cell_place, "statistic"), run$alone)[, baseline := ""]
  }
  rbindlist(list(of_comparisons, of_cells), use.names = TRUE)
}

# See above.
restates <- function(rows, summary) {
  loops <- unique(summary[, .(study, tier, tool, loop)], by = c("study", "tier", "tool"))
  closed <- loops[rows, on = c("study", "tier", "tool"), mult = "first"]$loop %in% "closed"
  limited <- if ("cpu_limited" %in% names(rows)) rows$cpu_limited %in% c(TRUE, 1) else FALSE
  closed & (rows$statistic %in% c("latency_mean_ms", "latency_p50_ms") | rows$statistic == "cpu_us_per_request" & limited)
}

no_new_cell <- paste(
  "Nothing to compare: no cell is measured here that the shipped run has too, besides its own.",
  "`snakemake --cores 4 -f results/cells/…/cell.json` measures one."
)

# ---- On a terminal -----------------------------------------------------------------------------

# Rows that fit on a screen with the lines around them.
rows_on_screen <- 24

#' The run against a shipped one, as lines for a terminal.
#'
#' @param rows see reproduce_run(); `here` what this run is called.
#' @return character vector.
print_reproduction <- function(rows, shipped, run, here = "here") {
  machines <- machine_lines(shipped, run, here)
  if (nrow(rows) <= rows_on_screen) return(c(machines, "", change_lines(rows), total_line(rows)))
  shown <- most_changed(rows[distance_of(rows) > 0.5], rows_on_screen)
  c(
    machines, "", table_lines(rows[, as.list(table(factor(verdict, verdicts_of_reproduction))), by = study]), "",
    if (nrow(shown) > 0) c("What differs, and what changed most:", change_lines(shown), ""),
    total_line(rows)
  )
}

# How far each change is, in margins.
distance_of <- function(rows) {
  rows[, fifelse(effect == "ratio", abs(suppressWarnings(log(change))) / reproduction_margins$ratio, abs(change) / reproduction_margins$difference)]
}

#' Those that differ first, then those that changed most.
most_changed <- function(rows, most) {
  rows[head(order(rows$verdict != "differs", -distance_of(rows), na.last = TRUE), most)]
}

machine_lines <- function(shipped, run, here) {
  off <- differing_facts(shipped$facts$machine, run$machine)
  named <- function(machine) sprintf("%s, %s CPUs, kernel %s", machine$cpu_model, format_number(as.numeric(machine$cpus)), machine$kernel)
  c(
    sprintf("there: %s, %s (commit %s)", shipped$name, named(shipped$facts$machine), substr(shipped$facts$commit, 1, 7)),
    sprintf("here:  %s", paste(c(if (here != "here") here, named(run$machine)), collapse = ", ")),
    if (length(off) == 0) "The same kind of machine." else
      sprintf("Another kind of machine (%s): compared is what travels, that is ratios, requests that wait, and shares.", enumerated(gsub("_", " ", off)))
  )
}

# Rows of few cells stand under the names of these.
change_lines <- function(rows) {
  rows <- copy(rows)[, place := paste0(
    study, "/", mode, "/", tier, "/", tool, ifelse(baseline == "", ", by itself", paste(", ratios to", baseline))
  )]
  if (uniqueN(rows$place) > 4) return(table_lines(change_table(rows)[, `:=`(expected = NULL, cell = rows$place)]))
  unlist(lapply(split(rows, factor(rows$place, unique(rows$place))), function(one) {
    # One reason that holds for all is said once.
    if (all(one$reason != "") && uniqueN(one$reason) == 1) return(c(paste0(one$place[1], ": open, ", one$reason[1]), ""))
    c(one$place[1], paste0("  ", table_lines(change_table(one))), "")
  }), use.names = FALSE)
}

# The texts of values with intervals; a ratio whose interval ends at 0 or is infinite is a bound: the end that holds says something, the value nothing.
# `scaled` writes the ends of all.
ratio_or_bound <- function(text, effect, low, high, scaled = format_number) {
  at_least <- (effect == "ratio" & low > 0 & is.infinite(high)) %in% TRUE
  at_most <- (effect == "ratio" & low == 0 & is.finite(high)) %in% TRUE
  fcase(at_least, paste("at least", scaled(low)), at_most, paste("at most", scaled(high)), rep(TRUE, length(text)), text)
}

change_table <- function(rows) {
  scaled <- function(values) format_number(fifelse(rows$effect == "ratio", 1, 100) * values)
  # An end that is infinite, or 0, leaves a bound.
  span <- function(low, high, between) {
    open <- rows$effect == "ratio" & low > 0 & is.finite(high) & high > low * far^2
    ifelse(open %in% TRUE, not_bounded, paste0(scaled(low), between, scaled(high)))
  }
  or_bound <- function(text, low, high) ratio_or_bound(text, rows$effect, low, high, scaled)
  rows[, .(
    value = paste0(title_of(statistic), ifelse(effect == "ratio", "", ", %")),
    there = or_bound(scaled(there), there_low, there_high), expected = ifelse(is.na(expected_low), no_figure, span(expected_low, expected_high, " to ")),
    here = or_bound(scaled(here), here_low, here_high),
    "here / there" = or_bound(paste0(scaled(change), ifelse(is.na(change_low), "", paste0(" [", span(change_low, change_high, ", "), "]"))), change_low, change_high),
    verdict = ifelse(reason == "", verdict, paste0(verdict, " (", reason, ")"))
  )]
}

total_line <- function(rows) {
  counts <- table(factor(rows$verdict, verdicts_of_reproduction))
  sprintf(
    "%d values and ratios compared: %d reproduced, %d %s, %d open.", nrow(rows), counts[["reproduced"]],
    counts[["differs"]], if (counts[["differs"]] == 1) "differs" else "differ", counts[["open"]]
  )
}
