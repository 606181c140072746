# Two builds of a user's own service: is the new one slower than its limits allow?
#
# Both were loaded in turns, in rounds that workloads/session/until_decided.py ended. The interval of a ratio is Student's over
# those rounds at 99 %; of throughput and CPU time with what a new process adds, which is not known of the others. A statistic is
# slower where its interval lies beyond its limit, not slower where it lies within, and undecided where it holds the limit. The
# build is slower where one statistic is, and not slower where none is slower and none undecided.
#
# CPU times are compared at one speed of the CPU: other guests of a host change it by half and more, in one build's round and not
# in the other's, and a fixed computation on the server's CPU (probe_us) shows it.
#
# Rounds are looked at after 5, 10, 20, ... 320 of them and when the budget is spent. A statistic that is slower by exactly its
# limit is called slower, or not slower, in at most 3 % of all comparisons each (simulate_builds(), and the tests on it). Of three
# statistics at their limits one is called slower in at most 10 %; of two equal builds, far from all limits, in far fewer.

builds_confidence <- 0.99
looks_at_builds <- 5 * 2^(0:6)
#' Memory is shown, and has no limit.
#' @export
shown_of_builds <- c("throughput_per_s", "latency_p99_ms", "cpu_us_per_request", "rss_mib")
build_verdicts <- c("not slower" = 0, slower = 1, undecided = 2, invalid = 3)

#' Judges the new build of two against the old one.
#'
#' @param results folder of the run; `name` of the new build's cell: study/mode/tier/tool/rep-n.
#' @return list: verdict (a name of build_verdicts), why (empty, or why there is no valid comparison), and table, a row per statistic: statistic,
#'   unit, old, new, rounds, ratio with low and high (of new to old, 99 %), slower_percent (its limit, NA without one), verdict and reason.
judge_builds <- function(results, name) {
  cells <- tryCatch(cells_of_pair(results, name), error = conditionMessage)
  if (is.character(cells)) return(list(verdict = "invalid", why = cells, table = no_builds()))
  limits <- cells$mode$configuration$slices$until$slower_percent
  invalid <- why_no_comparison(cells)
  if (invalid != "") return(list(verdict = "invalid", why = invalid, table = no_builds()))
  pair <- measured_pair(cells)
  table <- rbindlist(lapply(shown_of_builds, function(statistic) judge_statistic(pair, statistic, c(limits[[statistic]], NA)[1])))
  judged <- table[verdict != ""]
  few <- judged[statistic %in% judged_statistics & rounds < looks_at_builds[1], rounds]
  if (length(few) > 0) return(list(verdict = "invalid", why = paste(c(too_few_rounds(min(few)), reasons_of(cells)), collapse = "; "), table = table))
  verdict <- if ("slower" %in% judged$verdict) "slower" else if ("undecided" %in% judged$verdict) "undecided" else "not slower"
  list(verdict = verdict, why = "", table = table)
}

#' Reads builds.csv, see judge_builds().
#' @export
read_builds <- function(path) read_typed(path, no_builds())

no_builds <- function() typed_table(c("statistic", "unit", "verdict", "reason"), c("old", "new", "rounds", "ratio", "low", "high", "slower_percent"))

too_few_rounds <- function(count) sprintf("%d rounds that count, of %d that are needed", as.integer(count), looks_at_builds[1])

# The rounds ended because a server still held something after a load.
reasons_of <- function(cells) {
  reasons <- vapply(cells[c("baseline", "mode")], function(cell) sprintf("%s: %s", cell$cell$mode, cell$outcome_reason), "")
  reasons[!endsWith(reasons, ": ")]
}

# Why sides have no values that could be compared, or empty.
why_no_comparison <- function(cells) {
  if (is.null(cells$baseline)) return("the old build was not measured in the same session")
  reasons <- vapply(cells[c("baseline", "mode")], function(cell) {
    of_build <- cell$cell$mode
    failed <- Filter(function(check) !isTRUE(check$passed) && check$concerns == "everything", cell$validity$checks)
    if (cell$outcome != "completed") return(sprintf("%s: %s: %s", of_build, cell$outcome, cell$outcome_reason))
    if (!isTRUE(cell$validity$valid)) return(sprintf("%s fails a rule: %s", of_build, paste(vapply(failed, `[[`, "", "rule"), collapse = "; ")))
    share <- number(cell$load$error_share)
    if (is.na(share)) return(sprintf("%s: no request was recorded", of_build))
    errors <- Filter(function(count) count > 0, cell$load$errors)
    if (share > failed_at_most) sprintf("%s: %s %% of its requests failed (%s)", of_build, format_number(100 * share), paste(names(errors), unlist(errors), collapse = ", ")) else ""
  }, "")
  paste(reasons[reasons != ""], collapse = "; ")
}

judge_statistic <- function(pair, statistic, limit) {
  effect <- effect_on_rounds(pair, statistic)
  spoiled <- if (counts_of(statistic) == "latency") marks_of_pair(pair, statistic) else ""
  # CPU time per request falls with the rate: it is shown, and the throughputs decide.
  unlike <- statistic == "cpu_us_per_request" && serves_otherwise(pair)
  rounds <- c(effect$rounds, 0)[1]
  ends <- ends_of_build(effect)
  reason <- if (spoiled != "") spoiled else if (unlike) throughputs_differ else if (effect$why != "") effect$why else if (rounds < looks_at_builds[1]) too_few_rounds(rounds) else ""
  found <- data.table(
    statistic = statistic, unit = effect$unit, old = c(effect$baseline_value, NA)[1], new = c(effect$mode_value, NA)[1], rounds = rounds,
    ratio = exp(effect$centre), low = exp(ends[1]), high = exp(ends[2]), slower_percent = as.numeric(limit),
    verdict = if (is.na(limit) || unlike) "" else if (reason != "") "undecided" else verdict_of_ends(ends, effect$better, limit), reason = reason
  )
  found[, names(no_builds()), with = FALSE]
}

# The 99 % interval on the scale of logarithms. A side that was at its limit leaves one end open.
ends_of_build <- function(effect) {
  if (effect$why != "") return(c(NA_real_, NA_real_))
  reach <- reach_of_builds(effect$error, effect$rounds)
  c(if (effect$bound < 0) -Inf else effect$centre - reach, if (effect$bound > 0) Inf else effect$centre + reach)
}

# Two degrees of freedom are those of a mean and of a slope, see at_one_speed().
reach_of_builds <- function(error, rounds) suppressWarnings(qt((1 + builds_confidence) / 2, rounds - 2)) * error

# Which side of the limit an interval of log ratios lies on.
verdict_of_ends <- function(ends, better, limit) {
  slower_by <- if (better == "higher") rev(-ends) else ends
  if (isTRUE(slower_by[1] > log1p(limit / 100))) "slower" else if (isTRUE(slower_by[2] < log1p(limit / 100))) "not slower" else "undecided"
}

# ---- The rounds of both ---------------------------------------------------------------------------

# The effect as the rule that ends the rounds sees it: means of the rounds' logarithms. Memory grows from round to round, so its interval is one
# over rounds, too.
effect_on_rounds <- function(pair, statistic) {
  at <- match(statistic, compared_statistics$statistic)
  found <- if (statistic == "rss_mib") list(bound = 0, least = 0, why = "") else effect_of_session(pair, statistic)
  effect <- c(as.list(compared_statistics[at]), found)
  if (effect$why != "") return(effect)
  both <- rounds_of_builds(pair, statistic)
  if (nrow(both) < 2) return(modifyList(effect, list(rounds = nrow(both), centre = NA_real_, why = too_few_rounds(nrow(both)))))
  slowness <- both[, log(probe_us / probe_us_baseline)]
  changes <- both[, log(value / value_baseline)]
  logs <- if (statistic == "cpu_us_per_request") at_one_speed(changes, slowness) else changes
  share <- if (statistic %in% judged_statistics) process_share else 0
  old <- both[, mean(log(value_baseline))] - (mean(logs) - mean(changes)) / 2
  modifyList(effect, list(
    rounds = length(logs), centre = mean(logs), error = max(error_of_builds(logs, share), effect$least),
    baseline_value = exp(old), mode_value = exp(old + mean(logs))
  ))
}

# The bound of the effect, its quantum, and why there is none. Others who take the CPU take it from both builds, round by round, and the rule that
# ends the rounds counts these: they are excluded from latency alone.
effect_of_session <- function(pair, statistic) {
  found <- pool_sessions(session_effects(pair$measured, pair$place, statistic, excluding = counts_of(statistic) == "latency"))
  if (nrow(found) == 0) list(why = "no values of both sides", bound = 0, least = 0, centre = NA_real_) else as.list(found[, .(bound, least, why, centre)])
}

# CPU time per request falls with the rate.
serves_otherwise <- function(pair) {
  served <- session_effects(pair$measured, pair$place, "throughput_per_s", excluding = FALSE)
  isTRUE(serve_unlike(served$effect[1]))
}

# A row per round in which both have a value; of a latency, with the CPU as fast for both.
rounds_of_builds <- function(pair, statistic) {
  rows <- slices_for(pair$measured$slices[kind == "plain"], statistic, excluding = counts_of(statistic) == "latency")
  rows[, `:=`(value = as.numeric(get(statistic)), speed = speed_of(rows))]
  rows <- rows[is.finite(value) & value > 0, .(mode, round, value, speed, probe_us = as.numeric(probe_us))]
  both <- merge(rows[mode == pair$place$mode], rows[mode == pair$place$baseline], by = "round", suffixes = c("", "_baseline"))
  if (counts_of(statistic) == "latency") both[is_alike(speed, speed_baseline)] else both
}

#' Changes of CPU time without those of the CPU's speed.
#'
#' @param logs log ratios of rounds; `slowness` those of the time of a fixed computation on the server's CPU, whose mean is 0 as both builds take
#'   turns: a control variate (Lavenberg and Welch 1981, Management Science 27(3)).
#' @return log ratios with the mean and the standard error of the regression at 0. Without a value of each round, or with the same in all, `logs`.
at_one_speed <- function(logs, slowness) {
  count <- length(logs)
  if (count < looks_at_builds[1] || !isTRUE(var(slowness) > 0)) return(logs)
  fit <- lm(logs ~ slowness)
  of_zero <- 1 + count * mean(slowness)^2 / (var(slowness) * (count - 1))
  coef(fit)[[1]] + sqrt(of_zero * (count - 1) / (count - 2)) * unname(fit$residuals)
}

# The error of the mean, with what another process adds: a share of the variance of rounds, but of those few that the machine
# disturbed, which say nothing of processes.
error_of_builds <- function(logs, share) sqrt(var(logs) / length(logs) + share * min(sd(logs), mad(logs))^2)

# ---- For a terminal and a job of CI ---------------------------------------------------------------

#' Writes builds.csv, verdict.txt and status.
write_builds <- function(judged, results) {
  write_table(judged$table, file.path(results, "builds.csv"))
  writeLines(lines_of_builds(judged), file.path(results, "verdict.txt"))
  writeLines(as.character(build_verdicts[[judged$verdict]]), file.path(results, "status"))
}

lines_of_builds <- function(judged) {
  rows <- judged$table
  reasons <- rows[reason != "", sprintf("%s: %s", title_of(statistic), reason)]
  c(sentence_of_builds(judged), if (nrow(rows) > 0) c("", table_lines(table_of_builds(rows)), if (length(reasons) > 0) c("", reasons)))
}

sentence_of_builds <- function(judged) {
  named <- function(of_verdict) judged$table[verdict == of_verdict, paste(title_of(statistic), collapse = ", ")]
  switch(judged$verdict,
    "not slower" = "NOT SLOWER: the new build is slower by no more than the limits.",
    slower = sprintf("SLOWER: the new build is slower than the limit allows: %s.", named("slower")),
    undecided = sprintf("UNDECIDED: the budget was spent before this was known: %s.", named("undecided")),
    invalid = sprintf("INVALID: %s.", judged$why)
  )
}

#' The lines for the terminal and for the page.
#'
#' @param rows the table of judge_builds().
#' @return data.table of text.
#' @export
table_of_builds <- function(rows) {
  change <- function(ratio) sprintf("%+.1f", 100 * (ratio - 1))
  rows[, .(
    Statistic = paste0(title_of(statistic), ifelse(unit == "", "", paste0(" (", unit, ")"))), Old = format_number(old), New = format_number(new),
    "Change (%)" = fifelse(is.na(low), no_figure, sprintf("%s [%s, %s]", change(ratio), change(low), change(high))),
    "Slower at (%)" = fifelse(is.na(slower_percent), no_figure, change(limit_of_build(statistic, slower_percent))),
    Verdict = fifelse(verdict == "", no_figure, verdict)
  )]
}

#' The ratio from which a statistic is slower by so many percent.
#' @export
limit_of_build <- function(statistic, percent) exp(fifelse(statistic == "throughput_per_s", -1, 1) * log1p(percent / 100))

# ---- How right it is ------------------------------------------------------------------------------

#' The rule's verdicts on one statistic of two builds, made of rounds.
#'
#' @param ratio true one, of which more is slower; `spread` standard deviation of the log ratios of rounds; `limit` percent; `share` see
#'   error_of_builds(); `slowness` standard deviation of the log ratios of the CPU's speed, by which CPU times change, too.
#' @return list: verdict and rounds.
simulate_builds <- function(ratio, spread, limit, share = process_share, slowness = 0) {
  slow <- rnorm(max(looks_at_builds), 0, slowness)
  logs <- log(ratio) + rnorm(1, 0, spread * sqrt(share)) + rnorm(max(looks_at_builds), 0, spread) + slow
  for (count in looks_at_builds) {
    some <- at_one_speed(logs[seq_len(count)], slow[seq_len(count)])
    reach <- reach_of_builds(error_of_builds(some, share), count)
    verdict <- verdict_of_ends(mean(some) + c(-1, 1) * reach, "lower", limit)
    if (verdict != "undecided") break
  }
  list(verdict = verdict, rounds = count)
}
