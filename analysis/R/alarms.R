# False alarms: how often the verdict on variants is wrong, by draws from the rounds of recorded comparisons.
#
# A comparison's log ratios are centered, so that there is no difference, and moved to one that is known. A draw takes starts of one
# comparison with replacement, and rounds within each. The rule sees them start by start, as it does while it measures. With it stands a
# rule that many write by hand: after each round a 95 % interval of all rounds, until one excludes no difference.

#' Wrong and missed verdicts by the recorded rounds of comparisons.
#'
#' @param runs folder with a folder of results per session, as results/own has; `limit` percent; `draws` how many.
#' @return data.table: truth_percent, rule, slower, not_slower and undecided (shares of draws), comparisons.
alarms_of_runs <- function(runs, limit, draws = 10000) {
  recorded <- Filter(Negate(is.null), lapply(Sys.glob(file.path(runs, "*/cells/own/*/load/*/rep-1/cell.json")), centered_rounds))
  if (length(recorded) == 0) stop(runs, " has no comparison of two variants with three starts", call. = FALSE)
  rbindlist(lapply(c(0, limit / 2, limit, 2 * limit), function(truth) {
    verdicts <- vapply(seq_len(draws), function(draw) verdicts_of_draw(recorded[[sample.int(length(recorded), 1)]], truth, limit), character(2))
    rbindlist(lapply(1:2, function(rule) {
      share <- function(verdict) mean(verdicts[rule, ] == verdict)
      data.table(
        truth_percent = truth, rule = c("starts", "until significant")[rule], slower = share("slower"), not_slower = share("not slower"),
        undecided = share("undecided"), comparisons = length(recorded)
      )
    }))
  }))
}

# CPU times of a comparison at one speed: a vector of centered log ratios per start; NULL of fewer than three starts, and of the first
# variant.
centered_rounds <- function(path) {
  cells <- cells_of_pair(dirname(dirname(dirname(dirname(dirname(dirname(dirname(path))))))), sub("/cell.json$", "", sub("^.*/cells/", "", path)))
  if (is.null(cells$baseline)) return(NULL)
  rows <- rounds_of_builds(measured_pair(cells), "cpu_us_per_request")
  if (uniqueN(rows$start) < starts_at_least) return(NULL)
  logs <- rows[, at_one_speed(log(value / value_baseline), log(probe_us / probe_us_baseline))]
  split(logs - mean_of_starts(logs, rows$start)$centre, rows$start)
}

verdicts_of_draw <- function(starts, truth, limit) {
  drawn <- lapply(starts[sample.int(length(starts), starts_planned, replace = TRUE)], function(rounds) log1p(truth / 100) + rounds[sample.int(length(rounds), replace = TRUE)])
  start <- rep(seq_along(drawn), lengths(drawn))
  c(verdict_by_starts(unlist(drawn), start, limit), verdict_until_significant(unlist(drawn)))
}

# `slowness` see at_one_speed().
verdict_by_starts <- function(logs, start, limit, slowness = rep(0, length(logs))) {
  for (count in starts_at_least:starts_planned) {
    seen <- start <= count
    verdict <- verdict_of_starts(at_one_speed(logs[seen], slowness[seen]), start[seen], limit)
    if (verdict != "undecided") break
  }
  verdict
}

verdict_until_significant <- function(logs) {
  for (count in seq_len(length(logs))[-(1:4)]) {
    some <- logs[seq_len(count)]
    reach <- half_interval(sd(some), count - 1, count)
    if (abs(mean(some)) > reach) return(if (mean(some) > 0) "slower" else "not slower")
  }
  "undecided"
}

#' Writes false-alarms.csv into the folder of the runs, and prints it.
write_false_alarms <- function(runs, limit) {
  set.seed(60)
  found <- alarms_of_runs(runs, as.numeric(limit))
  write_table(found, file.path(runs, "false-alarms.csv"))
  writeLines(table_lines(found[, lapply(.SD, format_number), .SDcols = !"rule"][, rule := found$rule]))
}
