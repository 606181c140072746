# One named cell, judged by itself: nothing here depends on which other cells are there.
#
# The cell and its baseline were loaded in turns, and their comparison is one of compare_places(), as in a report. Three verdicts follow:
# - finding: the outcome of the pair is one that the shipped run's finding names (yes, no, open);
# - ratio: that of reproduce() on the change since the shipped run (reproduced, differs, open);
#   both are "another load" where the cell's users, path or rate are not the shipped run's;
# - bound: what theory allows the ratio, or that it is a bound, because a side or its generator was at its limit.

#' Judges a named cell against a shipped run.
#'
#' @param results folder of the run; `name` of the cell: study/mode/tier/tool/rep-n; `runs` shipped runs, see read_all_shipped(), of which the
#'   first is compared with and all lend their noise; `guide` path of guide.yaml.
#' @return lines for a terminal.
judge_cell <- function(results, name, runs, guide) {
  cells <- cells_of_pair(results, name)
  if (is.null(cells$baseline)) return(sprintf("%s: compared with no other mode.", name))
  shipped <- runs[[1]]
  pair <- measured_pair(cells, with_hosts(runs))
  findings <- findings_of_pair(pair$place, guide, shipped)
  named <- vapply(findings, `[[`, "", "statistic")
  c(
    sprintf("%s against %s, compared with the shipped run %s", name, pair$place$baseline, shipped$name),
    unlist(lapply(judged_rows(pair, named), function(row) lines_of_row(pair, row, findings[named == row$statistic], shipped)))
  )
}

# In the statistics that findings name and in those of its load, but what restates the throughput (reproduce.R).
judged_rows <- function(pair, named) {
  of_load <- if (pair$place$tool == sweep_tool) "capacity_per_s" else c("throughput_per_s", "cpu_us_per_request", "latency_p99_ms")
  rows <- rows_of_pair(pair, union(named, of_load))
  judged <- rows[statistic %in% named | !(statistic == "cpu_us_per_request" & cpu_limited %in% TRUE)]
  lapply(seq_len(nrow(judged)), function(at) judged[at])
}

# ---- The pair ------------------------------------------------------------------------------------

#' A cell and the baseline of the same session: measured beside it, or a cell of its own.
cells_of_pair <- function(results, name) {
  path <- function(name) file.path(results, "cells", name, "cell.json")
  cell <- read_cell(path(name))
  own <- words(cell$labels$mode$baseline)
  candidates <- c(file.path(cell$folder, "baseline", "cell.json"), if (!is.na(own)) path(with(cell$cell, file.path(study, own, tier, tool, paste0("rep-", repetition)))))
  there <- Filter(function(cell_of) session_of(cell_of) == session_of(cell), lapply(Filter(file.exists, candidates), read_cell))
  list(mode = cell, baseline = if (length(there) > 0) there[[1]])
}

# Their values, whatever the checks say: those that failed stand beside what they spoil.
measured_pair <- function(cells, known = NULL) {
  beside <- if (basename(cells$baseline$folder) == "baseline") cells$mode$cell$mode else ""
  both <- cells[c("mode", "baseline")]
  summary <- rbindlist(lapply(both, summarise_cell), fill = TRUE)
  loads <- list(read_load(cells$mode, ""), read_load(cells$baseline, beside))
  slices <- rbindlist(lapply(loads, `[[`, "slices"), fill = TRUE)
  failed <- summary[, .(failed_checks, outcome, valid, latency_valid)]
  for (table in list(summary, slices)) table[, `:=`(valid = TRUE, latency_valid = TRUE)]
  place <- data.table(id = 1L, summary[1, .(study, mode, tier, tool)], baseline = summary$mode[2])
  list(
    cells = both, failed = failed, place = place,
    measured = as_measured(summary, slices, unlist(lapply(loads, `[[`, "histograms"), recursive = FALSE), known)
  )
}

#' The comparisons of a pair, a row a statistic in their order, see compare_modes(), with centre (the effect on its scale) and margin.
rows_of_pair <- function(pair, statistics) {
  by_loads <- compared_statistics[statistic %in% setdiff(statistics, "capacity_per_s")]
  rows <- rbind(
    if (nrow(by_loads) > 0) compare_places(pair$measured, pair$place, by_loads), if ("capacity_per_s" %in% statistics) capacity_of_pair(pair), fill = TRUE
  )
  about <- compared_statistics[match(rows$statistic, statistic)]
  rows[, `:=`(margin = about$margin, unit = about$unit, effect = about$effect, centre = estimate)][effect == "ratio", centre := log(estimate)]
  rows[match(statistics, statistic, nomatch = 0)]
}

capacity_of_pair <- function(pair) {
  row <- compare_capacities(capacities_of(unname(pair$cells)), pair$measured$known)[mode == pair$place$mode]
  if (nrow(row) == 1) return(row)
  absent_row(row, c(as.list(pair$place[, !"id"]), statistic = "capacity_per_s"), "no capacity of both sides")
}

# ---- The findings that name it -------------------------------------------------------------------

#' The pairs of findings that a cell is the mode of.
#'
#' @return list, an element per pair: title, statistic, allowed (outcomes with which the finding holds; for a pair without such, that of
#'   the shipped run).
findings_of_pair <- function(place, guide, shipped) {
  decided <- split(decide_findings(read_findings(guide), add_verdicts(shipped$comparisons, read_primaries(guide))), by = "finding")
  unlist(lapply(read_findings(guide), function(finding) {
    is_here <- function(pair) identical(c(finding$study, pair$mode, pair$tier, pair$tool), unlist(place[, .(study, mode, tier, tool)], use.names = FALSE))
    here <- names(Filter(is_here, finding$pairs))
    lapply(here, function(name) told_of_pair(finding, finding$pairs[[name]], name, decided[[finding$id]]))
  }), recursive = FALSE)
}

told_of_pair <- function(finding, pair, name, rows) {
  outcome <- rows$outcome[match(name, rows$pair)]
  list(
    title = finding$title, statistic = pair$statistic,
    allowed = if (is.null(pair$holds)) outcome[!is.na(outcome)] else pair$holds
  )
}

# ---- Verdicts ------------------------------------------------------------------------------------

#' The verdict on a ratio, and why.
#'
#' @param row see rows_of_pair(); `there` that of the shipped comparisons.
verdict_of_ratio <- function(row, there) {
  none <- fcase(
    nrow(there) == 0, "the shipped run has no such comparison", any(there$reason != ""), sprintf("the shipped run has no ratio: %s", there$reason[1]),
    row$reason != "", row$reason, default = ""
  )
  if (none != "") return(c("open", none))
  change <- reproduce(there, row, row)
  c(change$verdict, paste0(
    bound_or_interval(list(effect = row$effect, estimate = change$change, low = change$change_low, high = change$change_high)),
    if (row$effect == "ratio") " times" else " more than", " the shipped ", bound_or_interval(there)
  ))
}

verdict_of_finding <- function(finding, row) {
  outcome <- standing(copy(row)[, verdict := ""])
  said <- sprintf("%s; the finding holds where it is %s: %s", outcome, paste(finding$allowed, collapse = " or "), finding$title)
  if (length(finding$allowed) == 0) return(c("open", paste("the shipped run does not decide it:", finding$title)))
  if (outcome == "none") return(c("open", row$reason))
  # A finding may allow a pair to be open; that is nothing that a cell could show.
  if (outcome == "open") return(c("open", "the interval holds both"))
  c(if (outcome %in% finding$allowed) "yes" else "no", said)
}

#' In what the load of a cell is not that of a shipped run, as "users 1,000 in place of 500"; empty where it is the same, or not known.
another_load <- function(cell, summary) {
  place <- as.data.table(cell$cell[cell_place])
  there <- summary[place, on = names(place), nomatch = NULL][1]
  here <- facts_of_loads(list(cell))$loads
  known <- list(
    users = c(here$users, there$users), path = c(or_else(cell$configuration$tier$path, ""), there$path),
    # Rates of other tools are shares of a capacity.
    "requests/s" = if (place$tool == "wrk2") c(here$rate_per_s, there$offered_per_s)
  )
  unlike <- function(values) !anyNA(values) && (if (is.numeric(values)) abs(log(values[1] / values[2])) > log(like_throughput) else values[1] != values[2])
  told <- Filter(unlike, known)
  paste(sprintf("%s %s in place of %s", names(told), vapply(told, function(each) format_fact(each[1]), ""), vapply(told, function(each) format_fact(each[2]), "")), collapse = ", ")
}

format_fact <- function(value) if (is.numeric(value)) format_number(value) else value

#' The bound of the ratio here: a side that was at its limit, or what theory allows the two modes.
verdict_of_bound <- function(pair, row, there) {
  # Without a ratio there is none to bound.
  if (row$reason != "") return(NULL)
  if (row$bound != "") {
    as_there <- nrow(there) > 0 && there$bound == row$bound
    limits <- unique(unlist(strsplit(pair$failed$failed_checks, ";", fixed = TRUE)))
    why <- if (any(nzchar(limits))) sprintf("a side was at its limit (%s)", paste(limits, collapse = ", ")) else sprintf("the interval spans more than a factor of %d", span_at_most)
    return(c(gsub("_", " ", row$bound), paste0(why, if (as_there) ", as in the shipped run")))
  }
  if (row$statistic != "throughput_per_s") return(NULL)
  allowed <- bounds_of_pair(pair)
  if (is.null(allowed)) return(NULL)
  # A bound may be written the other way round.
  turned <- if ((allowed$ratio > 1) == (row$centre > 0)) 1 else -1
  c(format_number(allowed$ratio), sprintf("%s; measured %s", allowed$why, format_number(exp(turned * row$centre))))
}

bounds_of_pair <- function(pair) {
  bounds <- bound_modes(unname(pair$cells), pair$measured$summary)
  own <- bounds[match(c(pair$place$mode, pair$place$baseline), mode)]
  if (anyNA(own$bound_per_s)) return(NULL)
  list(ratio = own$bound_per_s[1] / own$bound_per_s[2], why = sprintf("%s/s (%s) against %s/s (%s)", format_number(own$bound_per_s[1]), own$bound_by[1], format_number(own$bound_per_s[2]), own$bound_by[2]))
}

# ---- Lines ---------------------------------------------------------------------------------------

lines_of_row <- function(pair, row, findings, shipped) {
  place <- data.table(pair$place, statistic = row$statistic)
  there <- shipped$comparisons[place, on = comparison_keys, nomatch = NULL]
  spoiled <- marks_of_pair(pair, row$statistic)
  other <- another_load(pair$cells$mode, shipped$summary)
  judged <- function(verdict) if (nzchar(other)) c("another load", other) else if (nzchar(spoiled)) c("open", spoiled) else verdict
  verdicts <- list(
    finding = if (length(findings) > 0) judged(verdict_of_finding(findings[[1]], row)), ratio = judged(verdict_of_ratio(row, there)),
    bound = if (length(findings) > 0) verdict_of_bound(pair, row, there)
  )
  verdicts <- Filter(Negate(is.null), verdicts)
  c("", paste0(line_of_row(row), if (row$reason != "") others_in_words(pair$measured$slices)), sprintf("  %-8s %-12s %s", names(verdicts), vapply(verdicts, `[`, "", 1), vapply(verdicts, `[`, "", 2)))
}

line_of_row <- function(row) {
  title <- title_of(row$statistic)
  if (row$reason != "") return(sprintf("%s: no ratio, %s", title, row$reason))
  sprintf(
    "%s: %s and %s%s, %s %s, %s", title, format_number(row$baseline_value), format_number(row$mode_value), sub("^ 1/", "/", paste("", row$unit)),
    if (row$effect == "ratio") "ratio" else "difference", bound_or_interval(row), rounds_in_words(row)
  )
}

# From this share of the server's CPUs on a slice does not count for latency (workloads/record/slice_rules.py).
others_cpu_at_most <- 0.15

# Who took the CPUs that a cell without a ratio lacked; empty where they were free.
others_in_words <- function(slices) {
  if (!"others_cpu_share" %in% names(slices)) return("")
  took <- as.numeric(slices[kind == "plain"]$others_cpu_share)
  took <- took[is.finite(took)]
  if (!isTRUE(median(took) > others_cpu_at_most)) return("")
  sprintf("; other programs had %.0f %% of the server's CPUs (median of %d slices): end them, and measure again", 100 * median(took), length(took))
}

bound_or_interval <- function(row) ratio_or_bound(with_interval(row$estimate, row$low, row$high), row$effect, row$low, row$high)

rounds_in_words <- function(row) {
  if (row$statistic == "capacity_per_s") return("one session")
  if (row$rounds > 1) sprintf("%d rounds", as.integer(row$rounds)) else "ONE ROUND"
}

# Checks that failed, where they concern the statistic.
marks_of_pair <- function(pair, statistic) {
  ok <- pair$failed$valid & (counts_of(statistic) != "latency" | pair$failed$latency_valid)
  if (all(ok)) return("")
  sides <- pair$failed[!ok, paste0(c("mode", "baseline")[!ok], ": ", fifelse(outcome == "completed", failed_checks, outcome))]
  paste("not valid,", paste(sides, collapse = "; "))
}
