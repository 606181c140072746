# Causes: a dose and its response, or one thing swapped, with the share of the effect that goes, or a difference in steps.
# Every interval is Student's over sessions; where only one session has the values it is over that session's rounds, and says so.

#' Reads the causes of causes.yaml, which says what stands in it; named by id.
#' @export
read_causes <- function(path) {
  causes <- yaml::read_yaml(path)$causes
  setNames(causes, vapply(causes, `[[`, "", "id"))
}

# ---- Sides and their values

#' The two sides of a cause's difference, as it is or as the `changes` of a swap make it.
#'
#' @return list of `mode` and `baseline`, each a list of mode, tier and tool; baseline is NULL for none.
sides_of <- function(cause, changes = list()) {
  difference <- modifyList(c(cause$difference, tier = cause$tier), changes)
  side <- function(mode) if (!is.null(mode)) list(mode = mode, tier = difference$tier, tool = cause$tool)
  list(mode = side(difference[["mode"]]), baseline = side(difference[["baseline"]]))
}

# The two sides whose profiles are compared: those of the difference, or the first swap's where it has no baseline.
profiled_sides <- function(cause) {
  sides <- sides_of(cause)
  if (is.null(sides$baseline)) sides$baseline <- sides_of(cause, cause$swaps[[1]]$changes)$mode
  sides
}

# Where all cells that were run count, they count as valid ones.
counted_cells <- function(table, cause) {
  table <- copy(table[study == cause$study])
  if (identical(cause$cells, "run")) table[outcome != "beyond_limits", `:=`(valid = TRUE, latency_valid = TRUE, outcome = "completed")]
  table[]
}

cells_of_side <- function(table, side) table[side, on = c("mode", "tier", "tool"), nomatch = NULL]

side_text <- function(side) paste(side$mode, "at", side$tier)

why_no_cells <- function(table, side, statistic) {
  cells <- cells_of_side(table, side)
  if (nrow(cells) == 0) return(paste("no cells of", side_text(side)))
  if (any(counts_for(cells, statistic))) return(NULL)
  why <- cells[, ifelse(outcome == "completed", failed_checks, outcome)]
  sprintf("no valid cells of %s (%s)", side_text(side), paste(unique(why), collapse = ", "))
}

# A value a side and unit: of sessions by their cells, of rounds by the plain slices of one session.
values_by_side <- function(table, statistic) {
  rows <- table[counts_for(table, statistic) & is.finite(get(statistic))]
  rows[, .(value = mean(get(statistic)), requests = sum(requests)), by = .(mode, tier, tool, session, unit)]
}

# Those of one side; `values` of each statistic, see with_units().
side_values <- function(values, side, statistic) {
  rows <- values[[statistic]]
  if (is.null(rows)) return(typed_table("unit", c("value", "requests")))
  rows[rows$mode == side$mode & rows$tier == side$tier & rows$tool == side$tool, .(unit, value, requests)]
}

# The effect in each unit, and its quantum: the smallest step that one request more makes. Logarithm of a ratio, or difference.
effects_by_unit <- function(values, sides, statistic) {
  mode <- side_values(values, sides$mode, statistic)
  if (is.null(sides$baseline)) return(mode[, .(unit, effect = value, quantum = 1 / requests)])
  both <- merge(mode, side_values(values, sides$baseline, statistic), by = "unit", suffixes = c("", "_baseline"))
  ratio <- about_statistics(statistic)$effect == "ratio"
  both[, .(
    unit, effect = if (ratio) log(value / value_baseline) else value - value_baseline,
    quantum = if (grepl("throughput|error", statistic)) 1 / pmin(requests, requests_baseline) else rep(0, .N)
  )][is.finite(effect)]
}

# ---- Intervals

# Estimate, low and high of a mean. No interval is narrower than the quantum of what was counted.
mean_interval <- function(values, quantum = 0) {
  reach <- if (length(values) > 1) max(qt((1 + confidence) / 2, length(values) - 1) * sd(values) / sqrt(length(values)), quantum) else NA_real_
  mean(values) + c(0, -reach, reach)
}

# The share of an effect that goes, with its ends: a ratio of means by the delta method, paired by unit. NA where the interval of the effect
# itself holds 0: there is nothing that can go.
share_that_goes <- function(before, after) {
  none <- rep(NA_real_, 3)
  both <- merge(before, after, by = "unit", suffixes = c("_before", "_after"))
  if (nrow(both) == 0) return(none)
  was <- mean_interval(both$effect_before)
  if (!isTRUE(was[2] * was[3] > 0)) return(none)
  left <- both[, mean(effect_after) / mean(effect_before)]
  # The rest that the ratio leaves in each unit; its mean is 0.
  rest <- mean_interval(both[, effect_after - left * effect_before], both[, max(quantum_before, quantum_after)])
  c(1 - left, 1 - left + c(-1, 1) * (rest[3] - rest[1]) / abs(was[1]))
}

# The response to a dose in each unit: the slope of log throughput on log dose.
slopes_by_unit <- function(values, sides, doses) {
  of_doses <- rbindlist(Map(function(side, n) side_values(values, side, "throughput_per_s")[, dose := n], sides, doses))
  of_doses[value > 0, if (.N == length(doses)) .(slope = cov(log(value), log(dose)) / var(log(dose))), by = unit]
}

# ---- A row a dose or swap

# The cells of a cause, and of each of its statistics the values of sessions and of rounds. Slices go by their place among those that were
# kept: one that was left out is loaded again in a later round.
with_units <- function(summary, slices, cause) {
  statistic <- c(cause$difference$statistic, "throughput_per_s")[1]
  rounds <- slices_for(counted_cells(slices[kind == "plain" & beside == ""], cause), statistic)[order(round)]
  rounds[, `:=`(unit = paste(session, seq_len(.N)), requests = requests_recorded), by = .(session, mode, tier, tool)]
  cells <- counted_cells(summary, cause)[, unit := session]
  values <- function(table) lapply(setNames(nm = intersect(c(statistic, "throughput_per_s"), names(table))), values_by_side, table = table)
  # Each of many joins copies what is left of a table.
  used <- c(
    "mode", "tier", "tool", "outcome", "valid", "latency_valid", "failed_checks", "sleep_ms", all.vars(str2lang(c(cause$counter$value, "0")[1]))
  )
  list(cells = cells[, intersect(used, names(cells)), with = FALSE], sessions = values(cells), rounds = values(rounds))
}

# Two sessions or more; else the rounds of the one that there is. NULL where no session has all sides.
over_units <- function(tables, compute, units_of) {
  sessions <- units_of(tables$sessions)
  if (length(sessions) == 0) return(NULL)
  of_one <- if (length(sessions) == 1) lapply(tables$rounds, function(rows) rows[session == sessions])
  rounds <- if (!is.null(of_one)) units_of(of_one)
  if (length(rounds) < 2) return(list(result = compute(tables$sessions), over = "sessions", units = length(sessions)))
  list(result = compute(of_one), over = "rounds", units = length(rounds))
}

# Without a value a column is empty, or NA.
no_causes <- function() {
  typed_table(c("id", "kind", "does", "statistic", "over", "counter", "reason"), c(
    t(outer(c("before", "after", "share"), c("", "_low", "_high"), paste0)), "units",
    outer(c("before", "after", "counted_before", "counted_after"), c("_mode", "_baseline"), paste0), "law_least", "law_most"
  ))
}

three <- function(name, values) setNames(as.list(values), paste0(name, c("", "_low", "_high")))

# A row, whose columns `compute` gives of the values in the units that have all `sides`; or the reason why it has none. `all` says what a
# session lacks.
row_over_units <- function(row, sides, all, tables, compute, units_of) {
  missing <- unlist(lapply(Filter(length, sides), why_no_cells, table = tables$cells, statistic = row$statistic))
  if (length(missing) > 0) return(c(row, reason = paste(unique(missing), collapse = "; ")))
  found <- over_units(tables, compute, units_of)
  if (is.null(found)) return(c(row, reason = paste("no session has all", all)))
  c(row, reason = "", found$result, found[c("over", "units")])
}

swap_row <- function(cause, swap, tables) {
  statistic <- cause$difference$statistic
  sides <- list(before = sides_of(cause), after = sides_of(cause, swap$changes))
  row <- list(id = cause$id, kind = "swap", does = swap$does, statistic = statistic)
  effects <- function(values) lapply(sides, effects_by_unit, values = values, statistic = statistic)
  common <- function(of_sides) do.call(intersect, unname(lapply(of_sides, `[[`, "unit")))
  back <- if (about_statistics(statistic)$effect == "ratio") exp else identity
  effect_of <- function(pair) back(mean_interval(pair$effect, max(pair$quantum)))
  row_over_units(row, unlist(sides, recursive = FALSE), "sides", tables, function(values) {
    both <- effects(values)
    pair <- lapply(both, function(of_side) of_side[unit %in% common(both)])
    c(
      three("before", effect_of(pair$before)), three("after", effect_of(pair$after)),
      three("share", share_that_goes(pair$before, pair$after)),
      of_sides(sides, "", function(side) side_values(tables$sessions, side, statistic)[, mean(value)]),
      counted_columns(cause, sides, tables$cells)
    )
  }, function(values) common(effects(values)))
}

# A value of each side, before and after a swap, as columns; NA for a side that is not there.
of_sides <- function(sides, prefix, value) {
  columns <- lapply(names(sides), function(when) {
    values <- lapply(sides[[when]][c("mode", "baseline")], function(side) if (is.null(side)) NA_real_ else value(side))
    setNames(values, paste0(prefix, when, c("_mode", "_baseline")))
  })
  unlist(columns, recursive = FALSE)
}

dose_row <- function(cause, tables) {
  doses <- vapply(cause$doses$modes, function(each) as.numeric(each$dose), 0)
  sides <- lapply(cause$doses$modes, function(each) list(mode = each$mode, tier = c(each$tier, cause$tier)[1], tool = cause$tool))
  does <- sprintf("%s: %s", cause$doses$of, paste(doses, collapse = ", "))
  row <- list(id = cause$id, kind = "dose", does = does, statistic = "throughput_per_s")
  slopes <- function(values) slopes_by_unit(values, sides, doses)
  row_over_units(row, sides, "doses", tables, function(values) {
    of_dose <- lapply(sides, function(side) {
      side_values(tables$sessions, side, "throughput_per_s")[, mean_interval(value, max(value / requests))]
    })
    held_ms <- unique(cells_of_side(tables$cells, sides[[1]])$sleep_ms)
    reached <- vapply(of_dose, `[`, 0, 1) / (1000 * doses / held_ms)
    c(
      three("before", of_dose[[1]]), three("after", of_dose[[length(doses)]]), three("share", mean_interval(slopes(values)$slope)),
      list(law_least = min(reached), law_most = max(reached))
    )
  }, function(values) slopes(values)$unit)
}

# ---- A difference in steps

#' The steps from the baseline of a difference to its mode; then the whole, and pairs that are no part of it.
#'
#' @return list of lists: kind (step, whole, pair), part, does, mode, baseline.
#' @export
steps_of <- function(cause) {
  ends <- cause$difference
  from <- c(ends$baseline, vapply(cause$steps, `[[`, "", "mode"))
  c(
    Map(function(step, from) c(step, kind = "step", baseline = from), cause$steps, head(from, -1)),
    list(list(kind = "whole", part = "whole", does = "together", mode = ends$mode, baseline = ends$baseline)),
    lapply(cause$pairs, function(pair) modifyList(list(kind = "pair", baseline = ends$baseline), pair))
  )
}

# A column a mode, in the units that have a value of each.
values_by_unit <- function(values, modes, cause) {
  columns <- lapply(modes, function(mode) {
    side <- list(mode = mode, tier = cause$tier, tool = cause$tool)
    setnames(side_values(values, side, cause$difference$statistic)[, .(unit, value)], "value", mode)
  })
  Reduce(function(one, other) merge(one, other, by = "unit"), columns)
}

# All steps have the same units, so that their differences add up to the whole, and their ratios multiply to it.
step_row <- function(cause, step, tables) {
  ends <- cause$difference
  row <- list(id = cause$id, kind = step$kind, does = step$does, statistic = ends$statistic)
  modes <- unique(c(ends$baseline, vapply(cause$steps, `[[`, "", "mode"), step$baseline, step$mode))
  sides <- lapply(modes, function(mode) list(mode = mode, tier = cause$tier, tool = cause$tool))
  row_over_units(row, sides, "steps", tables, function(values) {
    by_unit <- values_by_unit(values, modes, cause)
    to <- by_unit[[step$mode]]
    from <- by_unit[[step$baseline]]
    whole <- by_unit[[ends$mode]] - by_unit[[ends$baseline]]
    of_whole <- function(effect) by_unit[, .(unit, effect = ..effect, quantum = rep(0, .N))]
    c(
      three("before", exp(mean_interval(log(to / from)))), three("after", mean_interval(to - from)),
      three("share", share_that_goes(of_whole(whole), of_whole(whole - (to - from)))),
      list(before_mode = mean(to), before_baseline = mean(from)),
      counted_columns(cause, list(before = sides_of(cause, step[c("mode", "baseline")])), tables$cells)
    )
  }, function(values) values_by_unit(values, modes, cause)$unit)
}

# ---- Counters

#' Cells whose counted waits are longer than their mean latency, which cannot be: something was counted that does not belong to the
#' requests.
#'
#' @param summary see read_summary().
#' @return data.table: study, mode, tier, tool, repetition, counter, wait_ms, latency_mean_ms.
#' @export
waits_beyond_latency <- function(summary) {
  cells <- copy(summary)[, pinned_mean_ms := pinned_ms / pinned]
  waits <- melt(cells,
    id.vars = c(cell_place, "repetition", "latency_mean_ms"),
    measure.vars = c("pool_wait_mean_ms", "pinned_mean_ms"), variable.name = "counter", value.name = "wait_ms", variable.factor = FALSE
  )
  waits[wait_ms > latency_mean_ms, .(study, mode, tier, tool, repetition, counter, wait_ms, latency_mean_ms)]
}

#' The summary without the counted waits that cannot be, see waits_beyond_latency().
#' @export
without_impossible_waits <- function(summary) {
  wrong <- waits_beyond_latency(summary)
  cell <- c(cell_place, "repetition")
  summary <- copy(summary)
  summary[wrong[counter == "pool_wait_mean_ms"], c("pool_wait_ms", "pool_wait_mean_ms") := NA_real_, on = cell]
  summary[wrong[counter == "pinned_mean_ms"], c("pinned", "pinned_ms") := NA_real_, on = cell][]
}

# Means over sessions of what each side counted; NA where a column is missing or was not counted.
counted_columns <- function(cause, sides, table) {
  if (is.null(cause$counter)) return(NULL)
  formula <- str2lang(cause$counter$value)
  counted_on <- function(side) {
    rows <- cells_of_side(table, side)
    if (all(all.vars(formula) %in% names(rows))) mean_of(eval(formula, rows[counts_for(rows)])) else NA_real_
  }
  c(counter = sprintf("%s (%s)", cause$counter$title, cause$counter$unit), of_sides(sides, "counted_", counted_on))
}

#' All causes, a row a dose, a swap and a step.
#'
#' @param causes see read_causes(); `summary` see read_summary(); `slices` see read_slices().
#' @return data.table, see tables.yaml. `before` and `after` with their ends are throughputs at the lowest and the highest dose (1/s), or
#'   the effect before and after the swap (a ratio or a difference), and `share` of a dose is the slope, where 1 is the law. Of a step:
#'   before is the ratio, after the difference in the statistic's unit, share that of the whole, and before_baseline and before_mode are the
#'   values that it leads from and to.
trace_causes <- function(causes, summary, slices) {
  summary <- without_impossible_waits(summary)
  rows <- lapply(causes, function(cause) rows_of_cause(cause, with_units(summary, slices, cause)))
  found <- rbindlist(c(list(no_causes()), rows), fill = TRUE)
  for (column in c("over", "counter")) set(found, which(is.na(found[[column]])), column, "")
  found[]
}

# A row a dose, a swap and a step; one that cannot be computed says so.
rows_of_cause <- function(cause, tables) {
  statistic <- c(cause$difference$statistic, "throughput_per_s")[1]
  row_of <- function(kind, does, row) {
    failed <- function(message) list(id = cause$id, kind = kind, does = does, statistic = statistic, reason = not_computed(message))
    guarded(row, "causes", failed)
  }
  dose <- if (!is.null(cause$doses)) list(row_of("dose", cause$doses$of, dose_row(cause, tables)))
  swaps <- lapply(cause$swaps, function(swap) row_of("swap", swap$does, swap_row(cause, swap, tables)))
  steps <- lapply(if (length(cause$steps) > 0) steps_of(cause), function(step) row_of(step$kind, step$does, step_row(cause, step, tables)))
  rbindlist(c(dose, swaps, steps), fill = TRUE)
}

#' Reads the causes that causes.R wrote, see trace_causes().
#' @export
read_traced <- function(path) read_typed(path, no_causes())

# ---- Where CPU time moved

#' CPU time per request by group of stacks, on both sides of each cause that have a profile.
#'
#' @param causes see read_causes(); `cpu_groups` see read_cpu_groups().
#' @return data.table, a row per cause and group: cause (its id), study, and the columns of moved_groups(); largest difference first.
moved_rows <- function(causes, cpu_groups) {
  found <- lapply(Filter(function(cause) !is.null(cause$difference), causes), function(cause) {
    pooled <- pool_cpu_groups(counted_cells(cpu_groups, cause))
    sides <- lapply(profiled_sides(cause), cells_of_side, table = pooled)
    moved_groups(sides$mode, sides$baseline)[, `:=`(cause = rep(cause$id, .N), study = rep(cause$study, .N))]
  })
  rbindlist(c(list(no_moved()), found), use.names = TRUE)
}

no_moved <- function() {
  typed_table(c("cause", "study", "group"), c("mode_us", "baseline_us", "more_us", "reach_us", "sessions", "samples"), "beyond")
}

#' Reads what moved, see moved_rows().
#' @export
read_moved <- function(results) read_typed(file.path(results, "moved-groups.csv"), no_moved())
