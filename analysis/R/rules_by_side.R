# Rules by side: what each rule excludes from the two sides of every comparison. A rule that excludes more of one side may select on the outcome:
# it then depends on the mode, and not on the machine alone.
#
# Both sides of a round were loaded within seconds of each other, so a rule that sees the machine alone takes as much of either. Whether it takes
# more of one side of a comparison is Fisher's exact test, adjusted after Holm over the comparisons of the rule that could show it, whichever
# side had lost (Tarone 1990). A comparison has few rounds. So over all comparisons of a rule the sum of the differences between the two
# sides has a test of its own: what a rule took is dealt out again among the modes of each round.

# More than so many times as many as on the other side.
unequal_from <- 2
# Takes no slice but a round, from both sides; here it is counted at the side whose CPU was slower.
rule_of_speed <- "unequal_speed"
deals <- 999

#' Counts what rules exclude, by comparison and over all.
#'
#' @param summary see read_summary(); `slices` see read_slices().
#' @return rows of rules-by-side.csv, see tables.yaml: one per rule and comparison from whose sides it takes anything, and one of study
#'   "all" per rule, over the distinct slices or cells of all modes and of all baselines. Counts are those of rounds, or sessions, that
#'   have both sides. p_adjusted is NA where no loss of this size could show it; unequal is that it is at most 5 %, and one side of a
#'   comparison loses more than twice as many.
rules_by_side <- function(summary, slices) {
  places <- unique(summary[!is.na(baseline), .(study, tier, tool, mode, baseline)])
  if (nrow(places) == 0) return(no_rules_by_side())
  plain <- slices[kind == "plain", .(study, tier, tool, mode, session, block = round, reason = fifelse(kept, "", reason), speed = speed_of(.SD))]
  cells <- summary[, .(study, tier, tool, mode, session, block = 1, reason = fcoalesce(failed_checks, ""))]
  rows <- rbind(no_rules_by_side(), rules_of_units(places, plain, "slices"), rules_of_units(places, cells, "cells"))
  rows[study == "all", p_adjusted := adjusted(p_value, p_adjusted)]
  rows[, unequal := ((study == "all" | takes_twice(mode_lost / mode_count, baseline_lost / baseline_count)) & p_adjusted <= 1 - confidence) %in% TRUE][]
}

no_rules_by_side <- function() {
  numbers <- c("mode_lost", "mode_count", "baseline_lost", "baseline_count", "p_value", "p_adjusted")
  typed_table(c(comparison_place, "what", "rule"), numbers, "unequal")
}

#' @export
read_rules_by_side <- function(path) read_if_there(path, no_rules_by_side())

#' Whether one of two shares is more than twice the other.
#' @export
takes_twice <- function(share, other) pmax(share, other) > unequal_from * pmin(share, other)

# ---- Excluded by a rule ----------------------------------------------------------------------------

place_in_turns <- c("study", "tier", "tool", "session", "block")

# Units are slices, or cells: those that were loaded together share a block of their session.
rules_of_units <- function(places, units, what) {
  units <- unique(units, by = c(place_in_turns, "mode"))[, unit := .I]
  own <- units[places, on = cell_place, nomatch = NULL, allow.cartesian = TRUE]
  pairs <- merge(own, units, by.x = c(place_in_turns, "baseline"), by.y = c(place_in_turns, "mode"), suffixes = c("", "_baseline"))
  if (nrow(pairs) == 0) return(NULL)
  units[, together := .GRP, by = place_in_turns]
  has <- function(rule) as.numeric(grepl(sprintf(";%s;", rule), sprintf(";%s;", units$reason), fixed = TRUE))
  rules <- sort(unique(unlist(strsplit(units$reason, ";", fixed = TRUE))))
  rows <- lapply(rules, function(rule) rows_of_rule(pairs, units$together, has(rule), function(own, other) own))
  if ("speed" %in% names(units)) {
    rules <- c(rules, rule_of_speed)
    rows <- c(rows, list(rows_of_rule(pairs, units$together, units$speed, function(own, other) !is_alike(own, other) & own > other)))
  }
  if (length(rules) == 0) return(NULL)
  found <- rbindlist(setNames(rows, rules), idcol = "rule")
  found[, what := rep(..what, .N)][mode_lost + baseline_lost > 0, names(no_rules_by_side()), with = FALSE]
}

#' The rows of a rule.
#'
#' @param pairs data.table: study, tier, tool, mode, baseline, unit and unit_baseline (numbers of units).
#' @param together number of each unit's block; `values` of each; `takes` function of the values of a unit and of its other side: whether the rule
#'   takes the unit, FALSE or 0 where one has none.
rows_of_rule <- function(pairs, together, values, takes) {
  lost <- function(values, own, other) fcoalesce(as.numeric(takes(values[own], values[other])), 0)
  taken <- pairs[, c(comparison_place, "unit", "unit_baseline"), with = FALSE]
  taken[, `:=`(mode_lost = lost(values, unit, unit_baseline), baseline_lost = lost(values, unit_baseline, unit))]
  rows <- taken[, .(mode_lost = sum(mode_lost), mode_count = .N, baseline_lost = sum(baseline_lost), baseline_count = .N), by = comparison_place]
  rows[, p_value := p_of_sides(mode_lost, baseline_lost, mode_count)]
  rows[, `:=`(p_adjusted = adjusted(p_value, smallest_p(mode_lost + baseline_lost, mode_count)), unequal = NA)]
  # Each unit once, though it may be compared with several.
  modes <- taken[, .(lost = max(mode_lost)), by = unit]
  baselines <- taken[, .(lost = max(baseline_lost)), by = unit_baseline]
  all <- data.table(
    study = "all", tier = "", tool = "", mode = "", baseline = "", mode_lost = sum(modes$lost), mode_count = nrow(modes),
    baseline_lost = sum(baselines$lost), baseline_count = nrow(baselines), unequal = NA
  )
  # Until those of all rules are adjusted together, the smallest p is in place of the adjusted one.
  all[, c("p_value", "p_adjusted") := p_of_deals(taken, together, values, lost)]
  rbind(all, rows, use.names = TRUE)
}

# ---- Tests -----------------------------------------------------------------------------------------

# Both sides have as many units.
p_of_sides <- function(lost, other, of) {
  test <- function(lost, other, of) fisher.test(matrix(c(lost, of - lost, other, of - other), 2))$p.value
  as.numeric(mapply(test, lost, other, of))
}

# The smallest p that so many losses can have, all on one side.
smallest_p <- function(lost, of) pmin(1, 2 * dhyper(pmin(lost, of), of, of, lost))

# Holm's adjustment over those that can show anything; NA for others.
adjusted <- function(p_values, smallest) {
  tests <- 1
  while (sum(smallest <= (1 - confidence) / tests) > tests) tests <- tests + 1
  shows <- smallest <= (1 - confidence) / tests
  replace(rep(NA_real_, length(p_values)), shows, p.adjust(p_values[shows], "holm"))
}

# How often the sides differ so much in sum where the units of a block deal out their values among them; and how often by the most that they can.
p_of_deals <- function(taken, together, values, lost) {
  comparison <- taken[, .GRP, by = comparison_place][taken, on = comparison_place]$GRP
  apart <- function(values) {
    more <- lost(values, taken$unit, taken$unit_baseline) - lost(values, taken$unit_baseline, taken$unit)
    sum(abs(rowsum(more, comparison)))
  }
  # The same in every analysis of a run.
  set.seed(1)
  within <- order(together)
  dealt <- vapply(seq_len(deals), function(deal) apart(replace(values, within, values[order(together, runif(length(values)))])), 0)
  often <- function(least) (1 + sum(dealt >= least - 1e-9)) / (deals + 1)
  list(often(apart(values)), often(max(dealt, apart(values))))
}
