# Variants of a user's own service: is one slower than its limits allow? Two builds are two variants; the first is the baseline.
#
# The start is the unit. All variants were started at least three times, in drawn order, and loaded in turns, in rounds that
# workloads/session/variants.py ended. A round gives a log ratio, and a start their mean. The interval, at 99 %, is Student's over the
# starts' means, or over the rounds within starts where that is wider. A statistic is slower where its interval lies beyond its limit, not
# slower where it lies within, and undecided where it holds the limit. A variant is slower where one statistic is. p99 and failed requests
# make a variant slower; where they stay open, a sentence says so and the others decide.
#
# CPU times and median latencies are compared at one speed of the CPU: other guests of a host change it by half and more, in one variant's
# round and not in the other's, and a fixed computation on the server's CPU (probe_us) shows it.
#
# Starts are looked at after the third and each one that follows. A statistic that is slower by exactly its limit is called slower, or not
# slower, in at most 3 % of all comparisons each (test-builds.R).

builds_confidence <- 0.99
starts_at_least <- 3L
starts_planned <- 6L
rounds_for_speed <- 5
#' Memory and a backend's CPU time are shown, and have no limit.
#' @export
shown_of_builds <- c("throughput_per_s", "latency_p50_ms", "latency_p99_ms", "cpu_us_per_request", "backend_cpu_us_per_request", "rss_mib")
# The row of failed requests.
failed_requests <- "failed_percent"
build_verdicts <- c("not slower" = 0, slower = 1, undecided = 2, invalid = 3)
compared_at_one_speed <- c("cpu_us_per_request", "latency_p50_ms")
# Statistics that leave a verdict to the others where they are undecided.
may_stay_open <- c("latency_p99_ms", failed_requests)

#' Judges the variants of a service against the first.
#'
#' @param results folder of the run; `names` of the other variants' cells: study/mode/tier/tool/rep-n. A sweep is judged with its variant,
#'   as the row of its capacity: it fails requests by design.
#' @return list: verdict (a name of build_verdicts, the worst of all variants), why (empty, or why there is no valid comparison), remarks
#'   (lines), and table, a row per variant and statistic: variant, statistic, unit, old, new, starts, rounds, ratio with low and high (of
#'   new to old, 99 %; of failed requests shares in percent), slower_percent (its limit, NA without one), verdict and reason.
judge_builds <- function(results, names) {
  names <- names[!grepl("/sweep/", names, fixed = TRUE)]
  are_again <- grepl("-again/", names, fixed = TRUE)
  each <- lapply(names[!are_again], function(name) judge_variant(results, name))
  floor <- unlist(lapply(names[are_again], function(name) floor_of(judge_variant(results, name))))
  list(
    verdict = names(severity)[1 + max(vapply(each, function(one) severity[[one$verdict]], 0))],
    why = paste(unique(unlist(lapply(each, `[[`, "why"))), collapse = "; "), remarks = c(unique(unlist(lapply(each, `[[`, "remarks"))), floor),
    table = rbindlist(c(list(no_builds()), lapply(each, `[[`, "table")))
  )
}

# How far the first variant is from itself, in a second process: what differs by no more says nothing.
floor_of <- function(judged) {
  rows <- judged$table[statistic %in% c("throughput_per_s", "latency_p50_ms", "latency_p99_ms", "cpu_us_per_request") & is.finite(low) & is.finite(high)]
  if (nrow(rows) == 0) return(if (length(judged$why) > 0) paste0("A/A floor of this machine: ", paste(judged$why, collapse = "; "), "."))
  found <- rows[, sprintf("%s %s %% [%s, %s]", title_of(statistic), signed_percent(ratio), signed_percent(low), signed_percent(high))]
  warning <- if (judged$verdict == "slower") " Two processes of one build differ by more than a limit here: do not trust the verdict."
  paste0("A/A floor of this machine, the first variant against itself: ", paste(found, collapse = ", "), ".", warning)
}

severity <- c("not slower" = 0, undecided = 1, slower = 2, invalid = 3)

judge_variant <- function(results, name) {
  invalid <- function(why, remarks = character()) list(verdict = "invalid", why = why, remarks = remarks, table = no_builds())
  cells <- tryCatch(cells_of_pair(results, name), error = conditionMessage)
  if (is.character(cells)) return(invalid(cells))
  why <- why_no_comparison(cells)
  remarks <- other_answers(cells)
  if (length(why) > 0) return(invalid(why, remarks))
  until <- cells$mode$configuration$slices$until
  pair <- measured_pair(cells)
  has_backend <- any(is.finite(as.numeric(pair$measured$slices$backend_cpu_us_per_request)))
  shown <- if (has_backend) shown_of_builds else setdiff(shown_of_builds, "backend_cpu_us_per_request")
  rows <- lapply(shown, function(statistic) judge_statistic(pair, statistic, c(until$slower_percent[[statistic]], NA)[1]))
  rows <- c(list(no_builds()), rows, list(judge_failures(pair), capacity_of_variant(results, cells)))
  table <- rbindlist(rows, use.names = TRUE, fill = TRUE)[, variant := cells$mode$cell$mode]
  remarks <- c(remarks, open_ones(table), longer_budgets(table, until$budget_s))
  c(verdict_of_rows(table, cells), list(remarks = remarks, table = table))
}

verdict_of_rows <- function(table, cells) {
  few <- table[statistic %in% judged_statistics & verdict != "" & starts < starts_at_least, starts]
  if (length(few) > 0) return(list(verdict = "invalid", why = paste(c(too_few_starts(min(few), cells), reasons_of(cells)), collapse = "; ")))
  judged <- table[verdict != ""]
  blocking <- judged[!leaves_open(statistic, reason)]
  verdict <- if ("slower" %in% judged$verdict) "slower" else if ("undecided" %in% blocking$verdict) "undecided" else "not slower"
  list(verdict = verdict, why = character())
}

# Statistics whose open verdict leaves it to the others, as does a latency without a value.
leaves_open <- function(statistic, reason) statistic %in% may_stay_open | (startsWith(statistic, "latency_") & reason != "")

# Sentences on the budget that would decide what this one left open.
longer_budgets <- function(table, budget_s) {
  open <- table[verdict == "undecided" & !(statistic %in% may_stay_open) & starts >= starts_at_least & is.finite(low) & is.finite(high)]
  if (nrow(open) == 0) return(character())
  needed <- mapply(starts_needed, log(open$ratio), log(open$high / open$low) / 2, open$starts, log(limit_of_build(open$statistic, open$slower_percent)))
  advice <- fifelse(
    is.na(needed), sprintf(
      "%d starts like these %.0f do not decide it, whose interval has %s %% to each side: %s", starts_planned, open$starts,
      format_number(50 * (open$high - open$low) / open$ratio), "a longer budget_s loads each start longer, a larger limit asks for less"
    ),
    sprintf(
      "%.0f starts that differ like these %.0f would decide it: budget_s: %.0f", needed, open$starts,
      10 * ceiling(budget_s * needed / open$starts / 10)
    )
  )
  sprintf("%s: %s: %s.", open$variant, title_of_row(open$statistic), advice)
}

# How many starts have an interval that leaves the limit out, if their mean and spread stay as they are; NA if more than a budget has.
starts_needed <- function(centre, reach, starts, limit) {
  spread <- reach * sqrt(starts) / student_99(starts - 1)
  counts <- starts_at_least:starts_planned
  c(counts[student_99(counts - 1) * spread / sqrt(counts) < abs(centre - limit)], NA)[1]
}

# Sentences on what stays open while the others decide.
open_ones <- function(table) {
  table[verdict == "undecided" & (statistic %in% may_stay_open | startsWith(statistic, "latency_")), sprintf(
    "%s: open: %s: %s.", variant, title_of_row(statistic),
    fifelse(reason != "", reason, sprintf("from %s to %s %% is possible", signed_percent(low), signed_percent(high)))
  )]
}

signed_percent <- function(ratio) sprintf("%+.1f", 100 * (ratio - 1))

# The name of a row of judge_builds().
title_of_row <- function(statistic) fifelse(statistic == failed_requests, "failed requests", title_of(statistic))

#' Reads builds.csv, see judge_builds().
#' @export
read_builds <- function(path) read_typed(path, no_builds())

no_builds <- function() {
  typed_table(c("variant", "statistic", "unit", "verdict", "reason"), c("old", "new", "starts", "rounds", "ratio", "low", "high", "slower_percent"))
}

too_few_starts <- function(count, cells) {
  budget_s <- cells$mode$configuration$slices$until$budget_s
  sprintf("starts that count: %.0f of %d needed; budget_s = %s is too short for them", count, starts_at_least, format_number(budget_s))
}

# The rounds ended because a server still held something after a load.
reasons_of <- function(cells) {
  reasons <- vapply(cells[c("baseline", "mode")], function(cell) sprintf("%s: %s", cell$cell$mode, cell$outcome_reason), "")
  reasons[!endsWith(reasons, ": ")]
}

# A build that answers something else is faster for it: both answers are shown.
other_answers <- function(cells) {
  sides <- cells[c("baseline", "mode")]
  asked <- lapply(sides, function(cell) {
    requests <- as.list(cell$answers$requests)
    setNames(requests, vapply(requests, `[[`, "", "request"))
  })
  unlist(lapply(intersect(names(asked$baseline), names(asked$mode)), function(request) {
    of <- list(asked$baseline[[request]], asked$mode[[request]])
    varies <- any(vapply(of, function(one) isTRUE(one$varies), NA))
    compared <- c("status", "type", "fault", if (!varies) c("bytes", "first"))
    if (identical(of[[1]][compared], of[[2]][compared])) return(NULL)
    said <- vapply(of, function(one) {
      if (is.null(one$fault)) sprintf("%s, %s bytes %s", one$status, format_number(one$bytes), dQuote(one$first, FALSE)) else one$fault
    }, "")
    sprintf(
      "WARNING: the answers to %s differ: %s: %s; %s: %s. A variant that does less is faster.",
      request, sides$baseline$cell$mode, said[1], sides$mode$cell$mode, said[2]
    )
  }))
}

# Why sides have no values that could be compared, each once; none where they have.
why_no_comparison <- function(cells) {
  if (is.null(cells$baseline)) return("the variant that it is compared with was not measured in the same session")
  reasons <- vapply(cells[c("baseline", "mode")], function(cell) {
    of_build <- cell$cell$mode
    if (cell$outcome != "completed") return(sprintf("%s: %s: %s", of_build, cell$outcome, cell$outcome_reason))
    if (!isTRUE(cell$validity$valid)) {
      failed <- Filter(function(check) !isTRUE(check$passed) && check$concerns == "everything", cell$validity$checks)
      return(sprintf("%s fails a rule: %s", of_build, paste(vapply(failed, `[[`, "", "rule"), collapse = "; ")))
    }
    share <- number(cell$load$error_share)
    if (is.na(share)) return(sprintf("%s: no request was recorded", of_build))
    if (share <= failed_at_most) return("")
    errors <- Filter(function(count) count > 0, cell$load$errors)
    kinds <- paste(names(errors), unlist(errors), collapse = ", ")
    sprintf("%s: %s %% of its requests failed (%s)", of_build, format_number(100 * share), kinds)
  }, "")
  # A side that another's fault kept from its load has none of its own.
  kept <- grepl(": not_ready: not loaded, as ", reasons, fixed = TRUE)
  if (any(reasons != "" & !kept)) reasons <- reasons[!kept]
  unname(reasons[reasons != ""])
}

judge_statistic <- function(pair, statistic, limit) {
  effect <- effect_on_rounds(pair, statistic)
  spoiled <- if (counts_of(statistic) == "latency") marks_of_pair(pair, statistic) else ""
  # CPU time per request falls with the rate: it is shown, and the throughputs decide, unless the build that serves less takes more than
  # that explains.
  more <- if (statistic == "cpu_us_per_request") served_more(pair) else 0
  ends <- ends_of_build(effect)
  unlike <- serve_unlike(more) && !is_beyond_rate(ends, effect$better, limit, more)
  starts <- c(effect$starts, 0)[1]
  few <- if (starts < starts_at_least) c(spoiled, sprintf("starts with a round that counts: %.0f of %d needed", starts, starts_at_least))
  reason <- c(Filter(nzchar, c(if (unlike) throughputs_differ, effect$why, few)), "")[1]
  data.table(
    statistic = statistic, unit = unit_of_statistic(statistic), old = c(effect$baseline_value, NA)[1], new = c(effect$mode_value, NA)[1],
    starts = starts, rounds = c(effect$rounds, 0)[1], ratio = exp(c(effect$centre, NA)[1]), low = exp(ends[1]), high = exp(ends[2]),
    slower_percent = as.numeric(limit), reason = reason,
    verdict = if (is.na(limit) || unlike) "" else if (reason != "") "undecided" else verdict_of_ends(ends, effect$better, limit)
  )
}

# Whether the build that serves less takes more CPU time than the rate explains. Then it is above the limit as it is, too.
is_beyond_rate <- function(ends, better, limit, more) more < 0 && !is.na(limit) && verdict_of_ends(ends + more, better, limit) == "slower"

# The 99 % interval on the scale of logarithms. A side that was at its limit leaves one end open.
ends_of_build <- function(effect) {
  if (effect$why != "" || !isTRUE(effect$starts >= starts_at_least)) return(c(NA_real_, NA_real_))
  c(if (effect$bound < 0) -Inf else effect$centre - effect$reach, if (effect$bound > 0) Inf else effect$centre + effect$reach)
}

# Which side of the limit an interval of log ratios lies on.
verdict_of_ends <- function(ends, better, limit) {
  slower_by <- if (better == "higher") rev(-ends) else ends
  if (isTRUE(slower_by[1] > log1p(limit / 100))) "slower" else if (isTRUE(slower_by[2] < log1p(limit / 100))) "not slower" else "undecided"
}

# ---- Capacity

# The row of the sweep, if there is one: both values, without a limit, and of one session without an interval.
capacity_of_variant <- function(results, cells) {
  name <- with(cells$mode$cell, file.path(study, mode, "capacity", "sweep", paste0("rep-", repetition)))
  if (!file.exists(file.path(results, "cells", name, "cell.json"))) return(NULL)
  pair <- cells_of_pair(results, name)
  if (is.null(pair$baseline)) return(NULL)
  row <- rows_of_pair(measured_pair(pair), "capacity_per_s")
  row[, .(statistic, unit, old = baseline_value, new = mode_value, starts = 1, verdict = "", reason)]
}

# ---- Failed requests

failed_more_at_most <- 0.1

#' Failed requests of both sides, as a row of judge_builds(): shares in percent, each with its exact interval at 99 %, in which old and new
#' stand.
#'
#' More requests fail where the new side has more of all failures than its share of the
#' requests explains, and not more where the ends of both intervals are less than 0.1 % apart.
judge_failures <- function(pair) {
  rows <- slices_for(pair$measured$slices[kind == "plain"], "throughput_per_s", excluding = FALSE)
  of_sides <- list(rows[mode == pair$place$baseline], rows[mode == pair$place$mode])
  sent <- vapply(of_sides, function(side) sum(side$requests_recorded) + 0, 0)
  failed <- vapply(of_sides, function(side) side[, sum(pmax(0, requests_recorded - responses_2xx)) + 0], 0)
  data.table(
    statistic = failed_requests, unit = "%", old = 100 * failed[1] / sent[1], new = 100 * failed[2] / sent[2], rounds = uniqueN(rows$round),
    slower_percent = failed_more_at_most, as.data.table(verdict_of_failures(failed, sent))
  )
}

verdict_of_failures <- function(failed, sent) {
  shares <- as.data.table(lapply(binomial_ends(failed, sent, builds_confidence), `*`, 100))
  shown_more <- sum(failed) > 0 && binomial_ends(failed[2], sum(failed), builds_confidence)$low > sent[2] / sum(sent)
  verdict <- if (shown_more) "slower" else if (shares$high[2] - shares$low[1] < failed_more_at_most) "not slower" else "undecided"
  few <- vapply(c(failed[2], sent[2], shares$high[2]), format_number, "")
  reason <- if (verdict == "undecided") sprintf("%s of %s requests failed, so that up to %s %% may fail", few[1], few[2], few[3]) else ""
  c(list(verdict = verdict, reason = reason), shares[2])
}

# ---- The rounds of both

# The effect as the rule that ends the rounds sees it: the mean of the starts.
effect_on_rounds <- function(pair, statistic) {
  found <- if (statistic == "rss_mib") list(bound = 0, least = 0, why = "") else effect_of_session(pair, statistic)
  effect <- c(list(better = about_statistics(statistic)$better), found)
  if (effect$why != "") return(effect)
  both <- rounds_of_builds(pair, statistic)
  if (nrow(both) == 0) return(modifyList(effect, list(rounds = 0, starts = 0, centre = NA_real_)))
  changes <- both[, log(value / value_baseline)]
  logs <- if (statistic %in% compared_at_one_speed) at_one_speed(changes, both[, log(probe_us / probe_us_baseline)]) else changes
  mean_of <- mean_of_starts(logs, both$start)
  old <- mean_of_starts(log(both$value_baseline), both$start)$centre - (mean_of$centre - mean_of_starts(changes, both$start)$centre) / 2
  modifyList(effect, list(
    rounds = length(logs), starts = mean_of$starts, centre = mean_of$centre, reach = max(mean_of$reach, qnorm((1 + builds_confidence) / 2) * effect$least),
    baseline_value = exp(old), mode_value = exp(old + mean_of$centre)
  ))
}

student_99 <- function(degrees) suppressWarnings(qt((1 + builds_confidence) / 2, degrees))

# The mean of the starts' means of log ratios, and half of its interval at 99 %: by starts or by rounds, whichever is wider; NA of one
# start.
mean_of_starts <- function(logs, start) {
  means <- tapply(logs, start, mean)
  count <- length(means)
  within <- sum((logs - means[as.character(start)])^2)
  by_rounds <- if (length(logs) > count) within / (length(logs) - count) / length(logs) else 0
  reach <- c(student_99(count - 1) * sqrt(var(means) / count), student_99(length(logs) - count) * sqrt(by_rounds))
  list(centre = mean(means), reach = if (count > 1) max(reach, na.rm = TRUE) else NA_real_, starts = count)
}

# The bound of the effect, its quantum, and why there is none. Others who take the CPU take it from both builds, round by round, and the
# rule that ends the rounds counts these: they are excluded from latency alone.
effect_of_session <- function(pair, statistic) {
  found <- pool_sessions(session_effects(pair$measured, pair$place, statistic, excluding = FALSE))
  if (nrow(found) == 0) list(why = "no values of both sides", bound = 0, least = 0, centre = NA_real_) else as.list(found[, .(bound, least, why, centre)])
}

# The log ratio of throughputs; 0 where one has none. CPU time per request rises at most as the rate falls, as where all of it is a cost of
# time.
served_more <- function(pair) {
  served <- session_effects(pair$measured, pair$place, "throughput_per_s", excluding = FALSE)$effect
  if (length(served) == 0 || is.na(served[1])) 0 else served[1]
}

# A row per round in which both have a value; of a latency, with the CPU as fast for both.
rounds_of_builds <- function(pair, statistic) {
  rows <- slices_for(pair$measured$slices[kind == "plain"], statistic, excluding = counts_of(statistic) == "latency")
  if (!"start" %in% names(rows)) rows[, start := 1]
  rows[, `:=`(value = as.numeric(get(statistic)), speed = speed_of(rows))]
  rows <- rows[is.finite(value) & value > 0, .(mode, round, start, value, speed, probe_us = as.numeric(probe_us))]
  both <- merge(rows[mode == pair$place$mode], rows[mode == pair$place$baseline, !"start"], by = "round", suffixes = c("", "_baseline"))
  if (counts_of(statistic) == "latency") both[is_alike(speed, speed_baseline)] else both
}

#' Changes without those of the CPU's speed.
#'
#' @param logs log ratios of rounds; `slowness` those of the time of a fixed computation on the server's CPU, whose mean is 0 as both take
#'   turns: a control variate (Lavenberg and Welch 1981, Management Science 27(3)).
#' @return log ratios with the mean and the standard error of the regression at 0. Without a value of each round, with the same in all, or
#'   where a variant itself slows the computation, as one that leaves less in the caches does, `logs`.
at_one_speed <- function(logs, slowness) {
  count <- length(logs)
  is_by_chance <- isTRUE(all(sign(t_interval(slowness)) == c(-1, 1)))
  if (count < rounds_for_speed || !is_by_chance) return(logs)
  fit <- lm(logs ~ slowness)
  of_zero <- 1 + count * mean(slowness)^2 / (var(slowness) * (count - 1))
  coef(fit)[[1]] + sqrt(of_zero * (count - 1) / (count - 2)) * unname(fit$residuals)
}

# ---- For a terminal and a job of CI

lines_of_builds <- function(judged) {
  rows <- judged$table
  reasons <- if (judged$verdict != "invalid") rows[reason != "" & verdict == "", unique(sprintf("%s: %s", title_of_row(statistic), reason))]
  said <- c(judged$remarks, reasons)
  c(
    sentence_of_builds(judged), sentences_of_variants(judged), if (nrow(rows) > 0) c("", table_lines(table_of_builds(rows))),
    if (length(said) > 0) c("", said)
  )
}

# A sentence for each variant: what it serves at the objective, and what changes at the rate.
sentences_of_variants <- function(judged) {
  if (uniqueN(judged$table$variant) < 2) return(character())
  vapply(split(judged$table, factor(judged$table$variant, unique(judged$table$variant))), sentence_of_variant, "")
}

sentence_of_variant <- function(rows) {
  clear <- rows[statistic != failed_requests & is.finite(ratio) & is.finite(low) & is.finite(high)]
  margin <- clear[, fifelse(is.na(slower_percent), 1.1, 1 + slower_percent / 100)]
  clear <- clear[low > margin | high < 1 / margin | (!is.na(slower_percent) & verdict == "slower")]
  changes <- c(
    clear[, trimws(sprintf(
      "%s %s from %s to %s %s", title_of_row(statistic), fifelse(ratio > 1, "rises", "falls"), format_number(old), format_number(new), unit
    ))],
    rows[statistic == failed_requests & verdict == "slower", sprintf("failed requests rise from %s to %s %%", format_number(old), format_number(new))]
  )
  # The noise of a capacity is not known: it has its two values, and no ratio.
  serves <- c(rows[statistic == "capacity_per_s" & is.finite(old) & is.finite(new), sprintf(
    "serves %s/s at the objective in place of %s/s, in one session without an interval; ", format_number(new), format_number(old)
  )], "")[1]
  open <- rows[verdict == "undecided" & statistic != failed_requests, title_of_row(statistic)]
  unchanged <- if (length(open) > 0) sprintf("no change is shown (open: %s)", paste(open, collapse = ", ")) else "nothing changes"
  sprintf("%s: %sat your rate %s.", rows$variant[1], serves, if (length(changes) > 0) paste(changes, collapse = ", ") else unchanged)
}

sentence_of_builds <- function(judged) {
  several <- uniqueN(judged$table$variant) > 1
  named <- function(of_verdict) {
    rows <- judged$table[verdict == of_verdict & !(of_verdict == "undecided" & leaves_open(statistic, reason))]
    rows[, paste0(if (several) paste0(variant, ": "), title_of_row(statistic), collapse = ", ")]
  }
  who <- if (several) "a variant" else sprintf("the %s build", c(judged$table$variant, "new")[1])
  switch(judged$verdict,
    "not slower" = sprintf("NOT SLOWER: %s is slower by no more than the limits.", if (several) "no variant" else who),
    slower = sprintf("SLOWER: %s is slower than the limit allows: %s.", who, named("slower")),
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
  of_failures <- rows$statistic == failed_requests
  found <- rows[, .(
    Variant = variant, Statistic = paste0(title_of_row(statistic), ifelse(unit == "", "", paste0(" (", unit, ")"))),
    Old = format_number(old), New = format_number(new),
    "Change (%)" = fcase(
      is.na(low), rep(no_figure, .N), of_failures, sprintf("share [%s, %s]", format_number(low), format_number(high)),
      !of_failures, sprintf("%s [%s, %s]", signed_percent(ratio), signed_percent(low), signed_percent(high))
    ),
    "Slower at (%)" = fifelse(is.na(slower_percent), no_figure, signed_percent(limit_of_build(statistic, slower_percent))),
    Verdict = fifelse(verdict == "", no_figure, verdict)
  )]
  if (uniqueN(found$Variant) > 1) setnames(found, c("Old", "New"), c("Baseline", "Here"))[] else found[, !"Variant"]
}

# The ratio from which a statistic is slower by so many percent.
limit_of_build <- function(statistic, percent) exp(fifelse(statistic == "throughput_per_s", -1, 1) * log1p(percent / 100))
