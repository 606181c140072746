# Verdicts on what the sources conclude. claims.yaml says what decides each claim and defines the words; nothing here knows any claim.

# A reason for cells that the run excludes; `extras` has more of them.
not_in_this_run <- "not in this run"
#' @export
claim_verdicts <- c("holds", "same direction, other size", "does not hold", "not comparable", "not decided", not_in_this_run)
# The source's ratio may lie this factor outside of our interval and still has our size.
#' @export
size_factor <- 1.25

# ---- Reading ---------------------------------------------------------------------------------

# The claims of claims.yaml, which claims.schema.yaml describes, each with its `source`.
read_claims <- function(path) {
  by_source <- yaml::read_yaml(path)$claims
  unlist(unname(Map(function(claims, source) lapply(claims, c, list(source = source)), by_source, names(by_source))), recursive = FALSE)
}

# The places that decide a claim: one for each tier of each entry of `decided_by`.
places_of <- function(claim) {
  unlist(lapply(claim$decided_by, function(entry) {
    lapply(c(entry[["tiers"]], if (is.null(entry[["tiers"]])) ""), function(tier) c(entry[names(entry) != "tiers"], tier = tier))
  }), recursive = FALSE)
}

# The cells of a place: a row each for the mode and what it is compared with: `baseline`, or itself at `baseline_tier`, or both at both.
terms_of <- function(place) {
  # Not by $, which takes baseline_tier for baseline where there is none.
  terms <- CJ(
    study = place[["study"]], tier = c(place[["tier"]], place[["baseline_tier"]]), mode = c(place[["mode"]], place[["baseline"]]),
    tool = place[["tool"]], sorted = FALSE
  )
  setcolorder(terms, cell_place)
}

term_names <- function(terms) with(terms, file.path(study, mode, tier, tool))
place_name <- function(place) {
  if (!is.null(place[["primitive"]])) file.path("primitives", place[["primitive"]]) else paste(term_names(terms_of(place)), collapse = " : ")
}

#' The tables that decide claims.
#'
#' @param results folder with summary.csv, comparisons.csv and capacity.csv: of results, or of a shipped run.
#' @param measured see as_measured(); by default the cells of the summary alone.
#' @return list: summary (with capacities, see with_capacities()), measured, comparisons, extras (see read_claim_extras()).
read_claim_tables <- function(results, measured = NULL) {
  tables <- read_run_tables(results)
  if (is.null(measured)) measured <- as_measured(tables$summary, known = tables$comparisons)
  summary <- with_capacities(tables$summary, tables$capacity)
  list(
    summary = summary, measured = replace(measured, "summary", list(summary)), comparisons = tables$comparisons,
    extras = read_claim_extras(results)
  )
}

#' Reads what no summary holds: memory of waiting threads, and the worst combination of two pools by the best.
#'
#' @param results folder of results, with primitives/thread-memory.csv and combinations.csv; either may be missing.
#' @return data.table: name (see place_name()), statistic, estimate, low, high.
read_claim_extras <- function(results) {
  memory <- file.path(results, "primitives", "thread-memory.csv")
  sizes <- file.path(results, "combinations.csv")
  rbind(
    typed_table(c("name", "statistic"), c("estimate", "low", "high")),
    if (file.exists(memory)) memory_of_a_thread(read_thread_memory(memory)),
    if (file.exists(sizes)) worst_combinations(fread(sizes, colClasses = list(character = c("study", "mode", "tier"))))
  )
}

# Each number of threads is a JVM of its own. What fewer than 500 hold does not stand out from the pages of a JVM.
memory_of_a_thread <- function(memory) {
  long <- melt(memory[threads >= 500], id.vars = c("kind", "threads"), measure.vars = c("rss_bytes", "heap_bytes"), variable.name = "statistic")
  long[, {
    interval <- t_interval(value / threads)
    list(estimate = mean(value / threads), low = interval[1], high = interval[2])
  }, by = .(name = sprintf("primitives/%s-thread-waiting", kind), statistic = as.character(statistic))]
}

worst_combinations <- function(sizes) {
  if (nrow(sizes) == 0) return(NULL)
  sizes[, {
    worst <- which.min(middle)
    best <- which.max(middle)
    list(statistic = "worst_by_best", estimate = middle[worst] / middle[best], low = low[worst] / high[best], high = high[worst] / low[best])
  }, by = .(name = file.path(study, mode, tier, "database-client"))]
}

# ---- Values ----------------------------------------------------------------------------------

# Which cells count for a statistic. A server that did not survive is what `survived` counts.
counting <- function(cells, statistic) if (statistic == "survived") cells$outcome != "beyond_limits" else counts_for(cells, statistic)

not_measured <- "the cells are not measured"
no_value <- function(reason) list(estimate = NA_real_, low = NA_real_, high = NA_real_, sessions = 0L, reason = reason)

#' Our value at a place.
#'
#' @param tables see read_claim_tables(); `place` see places_of().
#' @return list: estimate, low and high (of a contrast its 95 % interval, of a value a number for each cell), sessions, reason (empty where
#'   there is a value).
value_at <- function(tables, place) {
  known <- tables$extras[name == place_name(place) & statistic == place$statistic]
  if (nrow(known) == 1) return(c(as.list(known[, .(estimate, low, high)]), list(sessions = 2L, reason = "")))
  if (!is.null(place[["primitive"]]) || !(place$statistic %in% names(tables$summary))) return(no_value(not_measured))
  terms <- terms_of(place)
  if (nrow(terms[!tables$summary, on = cell_place]) > 0) return(no_value(not_measured))
  if (nrow(terms) == 1) return(value_of_cells(tables$summary, terms, place$statistic))
  row <- comparison_of(tables$comparisons, place)
  if (nrow(row) == 1) return(interval_of(as.list(row)))
  interval_of(contrast_between(tables$measured, place))
}

# A ratio of ratios is that of two effects in the same sessions.
contrast_between <- function(measured, place) {
  named <- place[c("study", "mode", "baseline", "tier", "tool")]
  of <- function(...) effect_between(measured, modifyList(named, list(...)), place$statistic, effect_of(place))
  if (is.null(place[["baseline_tier"]])) return(of())
  if (is.null(place[["baseline"]])) return(of(baseline = place$mode, baseline_tier = place$baseline_tier))
  here <- of()
  there <- of(tier = place$baseline_tier)
  reach <- half_interval(sqrt(here$error^2 + there$error^2), min(here$df, there$df), 1)
  ends <- exp(here$centre - there$centre + c(0, -reach, reach))
  reason <- if (is.na(ends[1])) c(setdiff(c(here$reason, there$reason), ""), not_measured_well)[1] else ""
  list(estimate = ends[1], low = ends[2], high = ends[3], pairs = min(here$pairs, there$pairs), reason = reason)
}

effect_of <- function(place) c(place[["effect"]], "ratio")[1]

value_of_cells <- function(summary, term, wanted) {
  cells <- summary[term, on = cell_place, nomatch = NULL]
  values <- cells[counting(cells, wanted) & !is.na(cells[[wanted]])][[wanted]]
  if (length(values) == 0) return(no_value(paste("no valid cell of", term_names(term))))
  list(estimate = median(values), low = values, high = values, sessions = length(values), reason = "")
}

# The row of the comparisons, turned where the claim names the pair the other way round.
comparison_of <- function(comparisons, place) {
  if (!is.null(place[["baseline_tier"]]) || effect_of(place) != "ratio") return(comparisons[0])
  keys <- c("study", "tier", "tool", "statistic", "mode", "baseline")
  swapped <- replace(place, c("mode", "baseline"), place[c("baseline", "mode")])
  turned <- comparisons[swapped[keys], on = keys, nomatch = NULL]
  turned[, `:=`(estimate = 1 / estimate, low = 1 / high, high = 1 / low, mode_value = baseline_value, baseline_value = mode_value)]
  rbind(comparisons[place[keys], on = keys, nomatch = NULL], turned)
}

interval_of <- function(found) {
  if (nzchar(found$reason)) return(no_value(found$reason))
  c(found[intersect(c("estimate", "low", "high", "mode_value", "baseline_value", "reason"), names(found))], list(sessions = as.integer(found$pairs), contrast = TRUE))
}

# ---- Rules -----------------------------------------------------------------------------------

# Whether intervals lie wholly where the rule says, and wholly elsewhere. Ends that are not known decide nothing.
inside_rule <- function(low, high, rule) {
  end <- unlist(rule)
  switch(names(rule), above = low > end, below = high < end, at_least = low >= end, at_most = high <= end, within = low >= end[1] & high <= end[2]) %in% TRUE
}

outside_rule <- function(low, high, rule) {
  end <- unlist(rule)
  switch(names(rule), above = high <= end, below = low >= end, at_least = high < end, at_most = low > end, within = high < end[1] | low > end[2]) %in% TRUE
}

# `every`: one counterexample refutes it. `any`: one instance shows it.
over_all <- function(inside, outside, over) {
  if (over == "any") {
    if (any(inside)) "holds" else if (all(outside)) "does not hold" else "not decided"
  } else {
    if (any(outside)) "does not hold" else if (all(inside)) "holds" else "not decided"
  }
}

verdict_at <- function(value, rule, over) {
  inside <- inside_rule(value$low, value$high, rule) & (over == "any" | value$sessions > 1 | isTRUE(value$contrast))
  over_all(inside, outside_rule(value$low, value$high, rule), over)
}

# Whether the source's ratio is ours: it lies within our interval, widened by size_factor on both sides.
same_size <- function(value, size) size >= value$low / size_factor && size <= value$high * size_factor

# ---- Verdicts --------------------------------------------------------------------------------

judge_claim <- function(tables, claim) {
  places <- places_of(claim)
  values <- lapply(places, value_at, tables = tables)
  over <- c(claim$over, "every")[1]
  if (is.null(claim$not_comparable)) {
    verdicts <- vapply(values, verdict_at, "", claim$rule, over)
    verdict <- over_all(verdicts == "holds", verdicts == "does not hold", over)
    deciding <- match(verdict, verdicts)
    if (verdict == "not decided" && any(vapply(values, `[[`, "", "reason") == not_measured)) verdict <- not_in_this_run
    if (verdict == "holds" && !is.null(claim$size) && !same_size(values[[deciding]], claim$size)) verdict <- "same direction, other size"
  } else {
    verdict <- "not comparable"
    deciding <- 1
  }
  place <- places[[deciding]]
  value <- values[[deciding]]
  shown <- verdict == "not decided" && all(inside_rule(value$low, value$high, claim$rule))
  data.table(
    as.data.table(claim[told_of_claim]), verdict = verdict, ours = ours_text(tables, place, value),
    because = because_of(claim, verdict), also = also_text(tables, place, claim$also), statistic = place$statistic,
    estimate = value$estimate, low = min(value$low), high = max(value$high), sessions = value$sessions, cells = place_name(place),
    reason = fcase(nzchar(value$reason), value$reason, verdict != "not decided", "", shown, one_session_shows, default = "the interval holds the bound")
  )
}

one_session_shows <- "one session alone shows it, and a value takes two"

#' A verdict on every claim.
#'
#' @param claims see read_claims(); `tables` see read_claim_tables().
#' @return data.table, a row per claim: claim_columns; of the place that decides `low` and `high` (of a single value the least and the
#'   largest cell), cells (`:` between those compared) and reason (why there is no value, or it decides nothing).
judge_claims <- function(claims, tables) {
  rows <- lapply(claims, function(claim) {
    guarded(judge_claim(tables, claim), "claims", function(message) unjudged_claim(claim, not_computed(message)))
  })
  rbindlist(c(list(no_claims()), rows), use.names = TRUE, fill = TRUE)
}

claim_numbers <- c("estimate", "low", "high", "sessions")
told_of_claim <- c("id", "source", "where", "claim", "published", "treatment", "differs")
claim_columns <- c(told_of_claim, "verdict", "ours", "because", "also", "statistic", claim_numbers, "cells", "reason")
no_claims <- function() typed_table(setdiff(claim_columns, claim_numbers), claim_numbers)[, ..claim_columns]

unjudged_claim <- function(claim, reason) {
  data.table(as.data.table(claim[told_of_claim]), verdict = "not decided", sessions = 0, reason = reason)
}

#' Reads claims.csv, see judge_claims().
#' @export
read_verdicts <- function(path) read_typed(path, no_claims())

# ---- Words -----------------------------------------------------------------------------------

because_of <- function(claim, verdict) {
  if (is.character(claim$because)) return(claim$because)
  if (verdict == "not decided") return("")
  claim$because[[if (verdict == "does not hold") "does_not_hold" else "holds"]]
}

# Least and largest, shares as percentages.
amount <- function(values, statistic) {
  unit <- unit_of_statistic(statistic)
  ends <- unique(format_number(range(values) * if (unit == "share") 100 else 1))
  paste0(paste(ends, collapse = " to "), fcase(unit == "share", " %", unit == "", "", startsWith(unit, "1/"), sub("1", "", unit), default = paste0(" ", unit)))
}

ours_text <- function(tables, place, value) {
  if (is.na(value$estimate)) return("")
  of <- title_of(place$statistic)
  if (place$statistic == "survived") return(sprintf("%d of %d servers survived", sum(value$low), length(value$low)))
  if (place$statistic %in% c("worst_by_best", "rss_bytes", "heap_bytes")) {
    return(trimws(paste(of, with_interval(value$estimate, value$low, value$high), unit_of_statistic(place$statistic))))
  }
  if (nrow(terms_of(place)) == 1) return(paste(of, amount(value$low, place$statistic)))
  ratio <- if (effect_of(place) == "ratio") times_text(value)
  sides <- if (!is.null(value$mode_value)) paste(lapply(value[c("mode_value", "baseline_value")], amount, place$statistic), collapse = " against ")
  paste(of, paste(c(sides, ratio), collapse = ", "))
}

times_text <- function(value) trimws(paste0(format_number(value$estimate), " × ", interval_text(value$low, value$high)), whitespace = "[ –]")

also_text <- function(tables, place, statistics) {
  told <- vapply(statistics, function(name) {
    value <- value_at(tables, modifyList(place, list(statistic = name, effect = NULL)))
    if (is.na(value$estimate)) "" else paste(title_of(name), times_text(value))
  }, "")
  paste(told[nzchar(told)], collapse = "; ")
}

#' Why a verdict is as it is: the reason of the claim with other statistics of the pair, or what kept it from being decided.
#' @export
why_text <- function(verdicts) {
  verdicts[, trimws(paste0(
    because, fifelse(also == "", "", sprintf(" (%s.)", also)), fifelse(verdict == "not decided", sprintf(" Not decided: %s.", reason), "")
  ))]
}

#' Which claims this run has the cells of.
#' @export
was_measured <- function(verdicts) verdicts$verdict != not_in_this_run
