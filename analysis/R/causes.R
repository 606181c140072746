# Causes: each chain of causes.yaml checked link by link. A difference is explained only where it is
# there, where what is counted is there with it, and where both go away when the cause is removed
# (the way of going about it: counter, mechanism, intervention).

library(data.table)

# Of an effect that an intervention takes away, at most a fifth is left (or turned round): the whole
# interval of the share removed lies between 0.8 and 1.2.
removed_enough <- 0.8
# And what is left is small: of a factor of 100, a fifth of its logarithm would be one of 2.5.
left_at_most <- list(ratio = log(1.25), difference = 0.05)
# What is counted is at least twice as much on the side where the mechanism is at work.
counter_factor <- 2
# Columns that follow from an effect, in a closed loop by Little's law. A formula of these counts the
# effect and no mechanism.
restated_by <- list(
  throughput_per_s = c("throughput_per_s", "throughput_all_per_s", "answers_per_s", "under_way", "latency_mean_ms"),
  latency_mean_ms = c("latency_mean_ms", "latency_all_mean_ms", "under_way", "throughput_per_s", "answers_per_s"),
  error_share = c("error_share", "error_percent", "errors", "requests_2xx"),
  died = c("outcome", "died", "errors", "error_share", "requests_2xx"),
  cpu_us_per_request = c("cpu_us_per_request", "cpu_user_s", "cpu_system_s")
)

#' What must hold for an effect to count as gone, by the rule's name.
cause_rules <- c(
  equivalent = "what is left of the effect is within the margin of equivalence",
  removed = paste(
    "the whole interval of the share removed lies within 20 % of all of it, and that of the rest within a ratio",
    "of 1.25 (5 percentage points of shares)"
  ),
  never = "it happens in no cell any more, and the interval of that change excludes 0"
)

#' A statistic that a cause may explain: those that are compared, and `died`, whether a server no longer
#' answered.
#'
#' @param id a `statistic`.
#' @return list of statistic, title, unit, better, effect (ratio, difference, share); NULL where it
#'   is not known.
cause_statistic <- function(id) {
  found <- all_statistics[statistic == id & effect != "", .(statistic, title, unit, better, effect)]
  if (nrow(found) == 1) as.list(found)
}

#' Reads the chains.
#'
#' @param path path of causes.yaml, which says what stands in it.
#' @return list of chains, named by id. Stops where one cannot be followed.
read_causes <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  causes <- yaml::read_yaml(path)$causes
  ids <- vapply(causes, `[[`, "", "id")
  if (anyDuplicated(ids)) fail_reading(path, ids[anyDuplicated(ids)], " is there twice")
  for (cause in causes) check_cause(cause, path)
  setNames(causes, ids)
}

check_cause <- function(cause, path) {
  refuse <- function(...) fail_reading(path, cause$id, ": ", ...)
  lacks <- function(part, keys, what) {
    missing <- setdiff(keys, names(part))
    if (length(missing) > 0) refuse(what, " has no ", paste(missing, collapse = ", "))
  }
  lacks(cause, c("title", "study", "difference", "mechanism", "interventions"), "the chain")
  lacks(cause$difference, c("tool", "tier", "mode", "statistic"), "the difference")
  statistic <- cause_statistic(cause$difference$statistic)
  if (is.null(statistic)) refuse(cause$difference$statistic, " is not a statistic of causes")
  if (statistic$effect == "ratio" && is.null(cause$difference$versus)) refuse("a ratio needs a versus")
  if (!c(cause$cells, "valid")[1] %in% c("valid", "run")) refuse("cells: ", cause$cells)
  for (counter in cause$counters) {
    lacks(counter, "title", "a counter")
    check_counter(counter, statistic$statistic, refuse)
  }
  for (step in cause$interventions) {
    lacks(step, c("does", "changes", "rule"), "an intervention")
    allowed <- rules_for(statistic)
    if (!step$rule %in% allowed) refuse("rule ", step$rule, "; here only ", paste(allowed, collapse = ", "))
  }
}

check_counter <- function(counter, statistic, refuse) {
  if (sum(c("figure", "group") %in% names(counter)) != 1) refuse("a counter has either figure or group")
  # Without text parse() would read from the terminal.
  columns <- if (is.null(counter$figure)) character() else all.vars(parse(text = counter$figure))
  restates <- intersect(columns, restated_by[[statistic]])
  if (length(restates) > 0) refuse("counter ", counter$title, " restates the effect: ", paste(restates, collapse = ", "))
}

# Shares of cells have no effect by repetition, and all else has no "never".
rules_for <- function(statistic) {
  if (statistic$effect == "share") "never" else setdiff(names(cause_rules), "never")
}

# ---- The sides of a difference ---------------------------------------------------------------

#' The two sides of a difference.
#'
#' @param difference `difference` of a chain, or what an intervention made of it.
#' @return list of `mode` and `versus`, each a list of mode, tier and tool; versus is NULL for none.
sides_of <- function(difference) {
  list(
    mode = difference[c("mode", "tier", "tool")],
    versus = if (!is.null(difference$versus)) {
      list(
        mode = difference$versus, tier = c(difference$versus_tier, difference$tier)[1],
        tool = difference$tool
      )
    }
  )
}

#' The two sides whose profiles are compared: those of the difference, and where it has
#' no baseline, the first intervention's mode.
profiled_sides <- function(cause) {
  sides <- sides_of(cause$difference)
  if (is.null(sides$versus)) sides$versus <- sides_of(changed_by(cause, cause$interventions[[1]]))$mode
  sides
}

#' The difference as an intervention changes it.
changed_by <- function(cause, intervention) modifyList(cause$difference, intervention$changes)

# Where all cells that were run count, they count as valid ones.
counted_cells <- function(table, cause) {
  table <- copy(table[study == cause$study])
  if (identical(cause$cells, "run")) {
    table[outcome != "beyond_limits", `:=`(valid = TRUE, outcome = "completed")]
  }
  table[]
}

cells_of_side <- function(table, side) {
  table[side, on = c("mode", "tier", "tool"), nomatch = NULL]
}

side_text <- function(side) paste(side$mode, "at", side$tier)

why_no_cells <- function(table, side) {
  if (is.null(side)) return(NULL)
  cells <- cells_of_side(table, side)
  if (nrow(cells) == 0) return(paste("no cells of", side_text(side)))
  if (any(poolable(cells))) return(NULL)
  why <- cells[, ifelse(outcome == "completed", failed_checks, outcome)]
  sprintf("no valid cells of %s (%s)", side_text(side), paste(unique(why), collapse = ", "))
}

# ---- Effects ---------------------------------------------------------------------------------

#' The interval of a share: Wilson's, which holds for few cells and at 0 and 1.
#'
#' @param hits,count whole numbers.
#' @return low and high.
wilson_interval <- function(hits, count) {
  z <- qnorm((1 + confidence) / 2)
  share <- hits / count
  middle <- share + z^2 / (2 * count)
  half <- z * sqrt(share * (1 - share) / count + z^2 / (4 * count^2))
  (middle + c(-half, half)) / (1 + z^2 / count)
}

#' The interval of a difference of two shares: Newcombe's (1998, method 10), from Wilson's of each.
#'
#' @param hits,counts whole numbers, of the first side and the second.
#' @return low and high.
newcombe_interval <- function(hits, counts) {
  share <- hits / counts
  first <- wilson_interval(hits[1], counts[1])
  second <- wilson_interval(hits[2], counts[2])
  reach <- sqrt(c(
    (share[1] - first[1])^2 + (second[2] - share[2])^2,
    (first[2] - share[1])^2 + (share[2] - second[1])^2
  ))
  share[1] - share[2] + c(-1, 1) * reach
}

#' An effect: a statistic of one side against the other, over the cells that count.
#'
#' @param table,slices cells and slices of the study, see counted_cells().
#' @param difference see sides_of().
#' @return list: estimate, low, high (a ratio, a difference or a share), verdict (as those of
#'   comparisons), reason (why there is none, or empty), effects (data.table of repetition and
#'   effect, where they add up: logarithms for ratios), hits and count (of the mode, for shares).
effect_of <- function(table, slices, difference) {
  statistic <- cause_statistic(difference$statistic)
  sides <- sides_of(difference)
  reason <- c(why_no_cells(table, sides$mode), why_no_cells(table, sides$versus))
  if (length(reason) > 0) return(no_effect(paste(reason, collapse = "; ")))
  if (statistic$effect == "share") {
    counted <- table[poolable(table)]
    figures <- function(side) cells_of_side(counted, side)[, .(repetition, figure = died)]
    versus <- if (!is.null(sides$versus)) figures(sides$versus)
    return(effect_of_shares(figures(sides$mode), versus))
  }
  terms <- rbindlist(Filter(length, list(sides$mode, sides$versus)))
  terms[, `:=`(study = table$study[1], sign = c(1, -1)[seq_len(.N)])]
  # A bound has no share that could be removed.
  without_bounds <- function(cells) copy(cells)[, `:=`(bound_throughput = "", bound_latency = "")]
  effect_between(without_bounds(table), without_bounds(slices), terms, statistic$statistic, statistic$effect)
}

effect_of_shares <- function(mode, versus = NULL) {
  against_none <- is.null(versus)
  if (against_none) versus <- mode[, .(repetition, figure = 0)]
  hits <- c(sum(mode$figure), sum(versus$figure))
  counts <- c(nrow(mode), nrow(versus))
  interval <- if (against_none) wilson_interval(hits[1], counts[1]) else newcombe_interval(hits, counts)
  # Wilson's interval of no hits begins at 0 but for rounding.
  seen <- hits[1] / counts[1] != hits[2] / counts[2]
  list(
    estimate = hits[1] / counts[1] - hits[2] / counts[2], low = interval[1], high = interval[2],
    verdict = if (seen) verdict_on(interval) else "undecided", reason = "",
    effects = mode[, .(repetition, effect = figure)], hits = hits[1], count = counts[1]
  )
}

verdict_on <- function(interval) {
  if (interval[1] > 0) "higher" else if (interval[2] < 0) "lower" else "undecided"
}

#' The share of an effect that an intervention removes, with its interval.
#'
#' One minus the ratio of what is left to what there was. Its interval has the form of Fieller's (1954):
#' all ratios r for which after - r * before does not differ from 0, by the interval that every
#' comparison has (judge_family). It has no end where the effect itself does not differ from 0.
#'
#' @param before,after see effect_of(): `effects` by repetition, and of before the `family` that
#'   lends its noise.
#' @return estimate, low and high; NA where there is none.
removed_share <- function(before, after) {
  both <- merge(before$effects, after$effects, by = "repetition", suffixes = c("_before", "_after"))
  if (nrow(both) == 0) return(c(NA_real_, NA_real_, NA_real_))
  ratio <- both[, mean(effect_after) / mean(effect_before)]
  estimate <- 1 - ratio
  if (nrow(both) < 2 || contains_0(left_of(both, Inf), before$family)) return(c(estimate, NA_real_, NA_real_))
  outside <- function(ratio) distance_from_0(left_of(both, ratio), before$family)
  ends <- vapply(c("downX", "upX"), function(way) {
    from <- if (way == "upX") c(ratio, ratio + 1) else c(ratio - 1, ratio)
    uniroot(outside, from, extendInt = way, tol = 1e-6)$root
  }, 0)
  c(estimate, 1 - rev(unname(ends)))
}

# What is left beyond a ratio of what there was, pooled over sessions; with an infinite ratio what there was.
left_of <- function(both, ratio) {
  alone <- is.infinite(ratio)
  effects <- both[, .(
    id = 0L, session = session_before, repetition,
    effect = if (alone) effect_before else effect_after - ratio * effect_before,
    within = if (alone) within_before else within_after + ratio^2 * within_before,
    least = if (alone) least_before else least_after + ratio^2 * least_before,
    rounds = pmin(rounds_before, rounds_after), bound = 0, zero = FALSE,
    # How far rounding may have moved it.
    low = if (alone) low_before else low_after + pmax(ratio, 0) * high_before + pmax(-ratio, 0) * low_before,
    high = if (alone) high_before else high_after + pmax(ratio, 0) * low_before + pmax(-ratio, 0) * high_before
  )]
  pool_sessions(effects)
}

# How far 0 lies outside of the interval; negative inside.
distance_from_0 <- function(pooled, family) {
  row <- judge_family(rbind(pooled, family), equivalence$ratio)[1]
  max(row$low, -row$high)
}

contains_0 <- function(pooled, family) !isTRUE(distance_from_0(pooled, family) > 0)

# The same for shares of cells: the change that the intervention makes, as part of what there was.
removed_of_shares <- function(before, after) {
  change <- newcombe_interval(c(before$hits, after$hits), c(before$count, after$count))
  pmin(1, c(before$estimate - after$estimate, change) / before$estimate)
}

# ---- Counters --------------------------------------------------------------------------------

#' Requests that failed in one of these ways.
#'
#' @param errors column of the summary: `kind=count;kind=count`.
#' @param ... kinds.
#' @return numeric vector.
errors_of <- function(errors, ...) {
  kinds <- c(...)
  vapply(strsplit(errors, ";"), function(parts) {
    pairs <- strsplit(parts, "=")
    sum(vapply(pairs, function(pair) if (pair[1] %in% kinds) as.numeric(pair[2]) else 0, 0))
  }, 0)
}

# A mean with its standard error and the degrees of freedom of that; NA where it is not known.
counted_as <- function(mean, error, df) list(mean = mean, error = error, df = df)

#' Mean over sessions of a formula over columns.
#'
#' One session has no spread. Where the formula is a share of so many samples (`of`), its error is that of
#' sampling, with two samples added to each kind (Agresti and Coull 1998); processes may add to it.
#'
#' @param counter a counter of a chain, with `figure`.
#' @return see counted_as().
figure_on <- function(table, side, counter) {
  formula <- parse(text = counter$figure)
  rows <- cells_of_side(table, side)
  if (!all(all.vars(formula) %in% names(rows))) return(counted_as(NA_real_, NA_real_, NA_real_))
  rows <- rows[poolable(rows)][, value := eval(formula)][is.finite(value)]
  if (nrow(rows) == 0) return(counted_as(NA_real_, NA_real_, NA_real_))
  if (nrow(rows) > 1) return(counted_as(mean(rows$value), sd(rows$value) / sqrt(nrow(rows)), nrow(rows) - 1))
  samples <- if (is.null(counter$of)) NA_real_ else rows[[counter$of]]
  share <- (min(1, rows$value) * samples + 2) / (samples + 4)
  counted_as(rows$value, sqrt(share * (1 - share) / (samples + 4)), Inf)
}

group_on <- function(groups, side, wanted) {
  row <- cells_of_side(pool_cpu_groups(groups), side)[group == wanted]
  if (nrow(row) != 1) return(counted_as(NA_real_, NA_real_, NA_real_))
  counted_as(row$cpu_us_per_request, row$error_us, row$df)
}

#' What is counted on both sides of a difference.
#'
#' @param counters `counters` of a chain.
#' @param table,groups cells and stack groups of the study, see counted_cells().
#' @param difference see sides_of().
#' @return list, an element per counter: title, unit, more (mode or versus), and the sides mode and
#'   versus, see counted_as(); 0 for none.
count_on_both <- function(counters, table, groups, difference) {
  sides <- sides_of(difference)
  count <- function(counter, side) {
    if (is.null(side)) return(counted_as(0, 0, Inf))
    c(if (is.null(counter$group)) figure_on(table, side, counter) else group_on(groups, side, counter$group), place = list(side))
  }
  lapply(counters, function(counter) {
    list(
      title = counter$title, unit = c(counter$unit, "")[1], more = c(counter$more, "mode")[1],
      mode = count(counter, sides$mode), versus = count(counter, sides$versus)
    )
  })
}

is_counted <- function(counted) !anyNA(c(counted$mode$mean, counted$versus$mean))

#' Whether a weighted sum of counted sides is at least 0: TRUE or FALSE where its 95 % interval
#' says so, else NA.
#'
#' @param sides list of counted sides; one that is there twice counts once, with the sum of its weights.
#' @param weights numeric vector.
at_least_0 <- function(sides, weights) {
  terms <- data.table(
    place = vapply(sides, function(side) paste(unlist(side$place), collapse = "/"), ""), weight = weights,
    mean = vapply(sides, `[[`, 0, "mean"), error = vapply(sides, `[[`, 0, "error"), df = vapply(sides, `[[`, 0, "df")
  )[, .(weight = sum(weight)), by = .(place, mean, error, df)]
  middle <- terms[, sum(weight * mean)]
  error <- terms[, sqrt(sum(weight^2 * error^2))]
  if (is.na(error)) return(NA)
  reach <- if (error == 0) 0 else qt((1 + confidence) / 2, terms[weight != 0 & error > 0, min(df)]) * error
  # What a computer leaves of 0.
  rounding <- 1e-9 * terms[, max(abs(weight * mean))]
  if (middle - reach >= -rounding) TRUE else if (middle + reach < 0) FALSE else NA
}

# Whether there is at least twice as much on the side of the mechanism.
counter_shows <- function(counted) {
  high <- counted[[counted$more]]
  low <- counted[[setdiff(c("mode", "versus"), counted$more)]]
  if (!is_counted(counted)) return(NA)
  if (high$mean <= 0) return(FALSE)
  at_least_0(list(high, low), c(1, -counter_factor))
}

# Whether what is counted went away with the effect: no more than a fifth of its difference is left, in
# either direction.
counter_gone <- function(before, after) {
  way <- if (before$more == "mode") 1 else -1
  left <- 1 - removed_enough
  sides <- list(before$mode, before$versus, after$mode, after$versus)
  both_ways <- c(
    at_least_0(sides, c(way * left, -way * left, 1, -1)), at_least_0(sides, c(way * left, -way * left, -1, 1))
  )
  all(both_ways)
}

# ---- Chains ----------------------------------------------------------------------------------

# TRUE, FALSE or NA (not decided).
effect_is_gone <- function(rule, after, removed, effect) {
  switch(rule,
    equivalent = switch(after$verdict, equivalent = TRUE, higher = , lower = FALSE, NA),
    never = if (after$hits > 0) FALSE else if (isTRUE(removed[2] > 0)) TRUE else NA,
    removed = is_within(removed[2:3], c(removed_enough, 2 - removed_enough)) &
      is_within(interval_left(after, effect), c(-1, 1) * left_at_most[[effect]])
  )
}

# What an intervention leaves, as effects are summed; none of one session.
interval_left <- function(after, effect) {
  if (after$pairs < 2) return(c(NA_real_, NA_real_))
  interval <- c(after$low, after$high)
  if (effect == "ratio") log(interval) else interval
}

# Whether an interval lies within bounds: FALSE where it lies outside, NA where it crosses one.
is_within <- function(interval, bounds) {
  if (anyNA(interval)) return(NA)
  if (interval[1] >= bounds[1] && interval[2] <= bounds[2]) return(TRUE)
  if (interval[2] < bounds[1] || interval[1] > bounds[2]) FALSE else NA
}

effect_is_there <- function(verdict) {
  switch(verdict, higher = , lower = TRUE, equivalent = FALSE, NA)
}

# What is said of a link that does not hold, and of one that is not decided.
link_words <- list(
  effect = c("there is no difference", "whether there is a difference is open"),
  counters = c("the counters do not show the mechanism", "whether the counters show the mechanism is open"),
  counters_gone = c("the counters do not go back", "whether the counters go back is open"),
  effect_gone = c("the effect does not go away", "whether the effect goes away is open")
)

#' The verdicts on an intervention.
cause_verdicts <- c("shown", "removed, not traced", "not shown", "not decided", "not measured")

# A chain is as strong as its weakest link.
verdict_on_links <- function(links, missing) {
  said <- function(which, state) paste(vapply(link_words[which], `[`, "", state), collapse = ", ")
  if (length(missing) > 0) return(list(verdict = "not measured", why = paste(missing, collapse = "; ")))
  broken <- names(links)[links %in% FALSE]
  if (length(broken) > 0) return(list(verdict = "not shown", why = said(broken, 1)))
  open <- names(links)[is.na(links)]
  if (length(open) > 0) return(list(verdict = "not decided", why = said(open, 2)))
  # Two links of three: nothing was counted.
  list(verdict = if ("counters" %in% names(links)) "shown" else "removed, not traced", why = "")
}

# The share of the effect that is gone; none of an effect that is not there.
removed_by <- function(before, after) {
  if (!before$verdict %in% c("higher", "lower") || nzchar(after$reason)) return(rep(NA_real_, 3))
  if (is.null(before$hits)) removed_share(before, after) else removed_of_shares(before, after)
}

trace_intervention <- function(cause, intervention, before, counters, table, slices, groups) {
  difference <- changed_by(cause, intervention)
  after <- effect_of(table, slices, difference)
  counters_after <- count_on_both(cause$counters, table, groups, difference)
  removed <- removed_by(before, after)
  uncounted <- Filter(function(counted) !is_counted(counted), c(counters, counters_after))
  missing <- c(
    Filter(nzchar, unique(c(before$reason, after$reason))),
    if (length(uncounted) > 0) paste("not counted:", paste(unique(vapply(uncounted, `[[`, "", "title")), collapse = ", "))
  )
  effect <- cause_statistic(difference$statistic)$effect
  links <- if (length(missing) > 0) {
    logical()
  } else {
    c(
      effect = effect_is_there(before$verdict),
      if (length(counters) > 0) {
        c(
          counters = all(vapply(counters, counter_shows, NA)),
          counters_gone = all(mapply(counter_gone, counters, counters_after))
        )
      },
      effect_gone = effect_is_gone(intervention$rule, after, removed, effect)
    )
  }
  c(
    intervention[c("does", "changes", "rule")],
    list(difference = difference, after = after, counters = counters_after, removed = removed),
    verdict_on_links(links, missing)
  )
}

#' Follows one chain.
#'
#' @param cause one of read_causes().
#' @param summary see read_summary(); `slices` see read_slices().
#' @param cpu_groups see read_cpu_groups().
#' @return the chain with `before` (see effect_of()), `counted` (see count_on_both()), and in
#'   `interventions`, for each: does, changes, rule, difference (as changed), after (effect),
#'   counters, removed (estimate, low, high), verdict (see cause_verdicts) and why.
trace_cause <- function(cause, summary, slices, cpu_groups) {
  table <- counted_cells(copy(summary)[, died := as.numeric(outcome != "completed")], cause)
  groups <- counted_cells(cpu_groups, cause)
  slices <- counted_cells(slices, cause)
  before <- effect_of(table, slices, cause$difference)
  counted <- count_on_both(cause$counters, table, groups, cause$difference)
  cause$interventions <- lapply(cause$interventions, function(intervention) {
    trace_intervention(cause, intervention, before, counted, table, slices, groups)
  })
  c(cause, list(before = before, counted = counted))
}

#' Follows all chains, see trace_cause().
trace_causes <- function(causes, summary, slices, cpu_groups) {
  lapply(causes, trace_cause, summary, slices, cpu_groups)
}

# ---- Tables ----------------------------------------------------------------------------------

effect_parts <- c("estimate", "low", "high", "verdict", "bound", "reason")
# The columns of an effect: `before`, `before_low` and so on.
effect_names <- function(name) paste0(name, c("", paste0("_", effect_parts[-1])))
effect_columns_of <- function(effect, name) {
  # A share of servers that died has no bound.
  setNames(modifyList(list(bound = ""), effect[intersect(effect_parts, names(effect))])[effect_parts], effect_names(name))
}

#' The verdicts on all chains.
#'
#' @param traced see trace_causes().
#' @return data.table, a row per intervention: id, does, rule, before (the effect) with its ends, verdict,
#'   bound and reason (why there is none), after likewise, removed with its ends (of 1), verdict (see
#'   cause_verdicts), why.
cause_rows <- function(traced) {
  rbindlist(lapply(traced, function(cause) {
    rbindlist(lapply(cause$interventions, function(step) {
      removed <- setNames(as.list(step$removed), c("removed", "removed_low", "removed_high"))
      as.data.table(c(
        cause["id"], step[c("does", "rule")], effect_columns_of(cause$before, "before"),
        effect_columns_of(step$after, "after"), removed, step[c("verdict", "why")]
      ))
    }))
  }))
}

#' What was counted in all chains.
#'
#' @return data.table, a row per counter and side: id, step (0 before the interventions, then theirs),
#'   counter (its place in causes.yaml), side (mode, versus), mean, low, high (95 %).
counter_rows <- function(traced) {
  rows_of <- function(id, step, counted) {
    rbindlist(lapply(seq_along(counted), function(counter) {
      rbindlist(lapply(c("mode", "versus"), function(side) {
        data.table(id = id, step = step, counter = counter, side = side, counted_interval(counted[[counter]][[side]]))
      }))
    }))
  }
  none <- data.table(
    id = character(), step = numeric(), counter = numeric(), side = character(), mean = numeric(), low = numeric(), high = numeric()
  )
  rbindlist(c(list(none), lapply(traced, function(cause) {
    steps <- c(list(cause$counted), lapply(cause$interventions, `[[`, "counters"))
    rbindlist(lapply(seq_along(steps), function(at) rows_of(cause$id, at - 1, steps[[at]])))
  })))
}

# What is counted cannot be less than 0.
counted_interval <- function(counted) {
  reach <- if (counted$error %in% 0) 0 else qt((1 + confidence) / 2, counted$df) * counted$error
  data.table(mean = counted$mean, low = max(0, counted$mean - reach), high = counted$mean + reach)
}

#' The chains as they were traced, from the tables that causes.R wrote.
#'
#' @param results results folder: causes.csv, cause-counters.csv.
#' @param causes see read_causes().
#' @return as trace_causes(), for the report: of effects estimate, low, high, verdict, bound and reason; of
#'   what was counted title, unit, and mean, low and high of mode and versus.
read_traced <- function(results, causes) {
  ends <- outer(c("before", "after", "removed"), c("", "_low", "_high"), paste0)
  steps <- read_table(file.path(results, "causes.csv"), c(ends))
  counters <- read_table(file.path(results, "cause-counters.csv"), c("step", "counter", "mean", "low", "high"))
  lapply(causes, function(cause) {
    rows <- steps[id == cause$id]
    effect <- function(row, name) setNames(as.list(row[, effect_names(name), with = FALSE]), effect_parts)
    counted <- function(at) counted_of(cause, counters[id == cause$id & step == at])
    cause$before <- effect(rows[1], "before")
    cause$counted <- counted(0)
    cause$interventions <- lapply(seq_along(cause$interventions), function(at) {
      step <- cause$interventions[[at]]
      c(step, list(
        difference = changed_by(cause, step), after = effect(rows[at], "after"), counters = counted(at),
        removed = unlist(rows[at, ends[3, ], with = FALSE], use.names = FALSE)
      ), as.list(rows[at, .(verdict, why)]))
    })
    cause
  })
}

counted_of <- function(cause, rows) {
  lapply(seq_along(cause$counters), function(place) {
    side <- function(name) as.list(rows[counter == place & side == name, .(mean, low, high)])
    known <- cause$counters[[place]]
    list(title = known$title, unit = c(known$unit, "")[1], mode = side("mode"), versus = side("versus"))
  })
}

# ---- Where CPU time moved --------------------------------------------------------------------

#' CPU time per request by group of stacks, on both sides of each cause and of each comparison that were
#' profiled.
#'
#' @param causes see read_causes(); `summary` see read_summary(); `cpu_groups` see read_cpu_groups().
#' @return data.table, a row per pair and group: cause (its id; empty for a comparison), study, tool, mode,
#'   tier, versus, versus_tier, and the columns of moved_groups(); largest difference first.
moved_rows <- function(causes, summary, cpu_groups) {
  of_causes <- lapply(causes, function(cause) {
    sides <- profiled_sides(cause)
    pair <- data.table(
      study = cause$study, tool = sides$mode$tool, mode = sides$mode$mode, tier = sides$mode$tier,
      versus = sides$versus$mode, versus_tier = sides$versus$tier
    )
    moved_in_pairs(pair, pool_cpu_groups(counted_cells(cpu_groups, cause)))[, cause := cause$id]
  })
  compared <- unique(summary[!is.na(versus), .(study, tool, mode, tier, versus, versus_tier = tier)])
  rows <- rbindlist(c(of_causes, list(moved_in_pairs(compared, pool_cpu_groups(cpu_groups))[, cause := ""])))
  setcolorder(rows, "cause")[]
}

moved_in_pairs <- function(pairs, pooled) {
  profiled <- unique(pooled[, .(study, tool, mode, tier)])
  pairs <- pairs[profiled, on = c("study", "tool", "mode", "tier"), nomatch = NULL]
  pairs <- pairs[profiled, on = c("study", "tool", versus = "mode", versus_tier = "tier"), nomatch = NULL]
  found <- lapply(seq_len(nrow(pairs)), function(at) {
    pair <- pairs[at]
    mode <- pooled[pair, on = c("study", "tool", "mode", "tier")]
    versus <- pooled[pair, on = c("study", "tool", mode = "versus", tier = "versus_tier")]
    cbind(pair, moved_groups(mode, versus))
  })
  none <- cbind(pairs[0], moved_groups(pooled[0], pooled[0]))
  rbindlist(c(list(none), found))
}

#' Reads what moved, see moved_rows().
read_moved <- function(results) {
  numbers <- c("mode_us", "versus_us", "more_us", "reach_us", "sessions", "more_share")
  read_table(file.path(results, "moved-groups.csv"), numbers)[, beyond := beyond == "TRUE"][]
}
