# Shipped tables by today's rules. A run whose cells are not shipped has no slices to analyse again, but its comparisons have what an
# interval is made of: the values of both sides, how far sessions and rounds vary, and the quantum. What rests on slices stays as it was:
# which of them count, how a percentile is estimated, and that CPU times of older runs are corrected for the CPU's speed on either side alone.

#' The comparisons of a shipped run with intervals and verdicts of today.
#'
#' @param run see read_shipped(); `others` other runs, which lend their noise; `primaries` see read_primaries().
#' @return see add_verdicts().
judge_again <- function(run, others, primaries) {
  known <- with_hosts(others)
  rows <- with_centres(copy(run$comparisons))[, id := .I]
  rows[, place := name_of_place(.SD), .SDcols = comparison_place]
  judged <- rbindlist(lapply(split(rows, by = "statistic"), function(of_one) judge_statistic_again(of_one, known, run$summary)), fill = TRUE)
  judged <- judged[order(id)][, cpu_limited := are_cpu_limited(judged, run$summary)]
  add_verdicts(with_reasons(judged)[, c(comparison_place, comparison_columns), with = FALSE], primaries)
}

# Reasons that an interval gives are given again.
reasons_of_intervals <- function(reason) reason %in% c(alone_and_unknown, not_measured_well, throughputs_differ)

# Adds centre and the sign of the bound, and takes away reasons of intervals.
with_centres <- function(rows) {
  rows[reasons_of_intervals(reason), reason := ""]
  rows[, centre := on_scale(fifelse(effect == "ratio", mode_value / baseline_value, mode_value - baseline_value), effect)]
  rows[, bound := sign_of_bound(bound)][]
}

judge_statistic_again <- function(rows, known, summary) {
  about <- as.list(compared_statistics[statistic == rows$statistic[1]])
  logs <- about$effect == "ratio"
  usable <- with_requests(rows[reason == "" & pairs > 0 & is.finite(centre)], summary)
  judged <- judge_usable(usable, about, lenders_of(known, about$statistic))
  if (logs) judged[, `:=`(low = exp(low), high = exp(high))]
  judged[, estimate := if (logs) exp(centre) else centre][, bound := bound_words(bound)]
  rest <- rows[!usable, on = "id"][, bound := bound_words(bound)]
  rest[reason == "", reason := alone_and_unknown]
  rbind(judged, rest, fill = TRUE)
}

# The requests of both sides in the sessions that both have; a cell of a session is one row of the summary.
with_requests <- function(rows, summary) {
  counted <- summary[counts_for(summary, "error_share"), .(requests = sum(requests)), by = .(study, mode, tier, tool)]
  of_side <- function(modes) fcoalesce(counted[rows[, .(study, mode = ..modes, tier, tool)], on = c("study", "mode", "tier", "tool")]$requests, 1)
  rows[, `:=`(requests = of_side(mode), requests_baseline = of_side(baseline))][]
}

#' Writes the tables of shipped runs by today's rules: comparisons.csv, bands.csv, and what judged them in run.json.
#'
#' @param folder of the analysis, with runs/; `analysed` folders of results with the tables of runs' own cells, analysed today, named by the runs, which alone
#'   are written then; or empty for all runs by their tables.
ship_again <- function(folder, analysed = character()) {
  runs <- read_all_shipped(file.path(folder, "runs"))
  primaries <- read_primaries(file.path(folder, "guide.yaml"))
  # A run that is analysed from its cells changes no other.
  for (run in Filter(function(run) length(analysed) == 0 || run$name %in% names(analysed), runs)) {
    out <- file.path(folder, "runs", run$name)
    results <- unname(analysed[run$name])
    if (!is.na(results)) ship_tables(results, out)
    others <- Filter(function(other) other$name != run$name, runs)
    comparisons <- if (is.na(results)) judge_again(run, others, primaries) else read_comparisons(file.path(results, "comparisons.csv"))[, rules_version := NULL]
    write_shortened(with_rules_version(comparisons, "comparisons", folder), file.path(out, "comparisons.csv"))
    write_bands(read_comparisons(file.path(out, "comparisons.csv")), with_hosts(runs), out)
    note_rules(file.path(out, "run.json"), folder, if (is.na(results)) "comparisons" else c("comparisons", "validity"))
  }
}

ship_tables <- function(results, out) {
  for (file in c("summary.csv", "capacity.csv", "occupancy.csv")) write_table(shortened_numbers(file.path(results, file)), file.path(out, file))
}

# `rules` are those of the tables that are shipped; `judged_again` says which of them are not of the run's own time.
note_rules <- function(path, folder, sets) {
  facts <- jsonlite::read_json(path)
  protocol <- read_protocol(file.path(folder, "PROTOCOL.md"))
  versions <- lapply(setNames(sets, sets), rules_version, protocol = protocol)
  facts$rules <- modifyList(facts$rules, versions["comparisons"])
  facts$judged_again <- modifyList(as.list(facts$judged_again), versions)
  write_facts(facts, path)
}
