# Load curves: what a mode can take before its 99th percentile breaks the objective, in words, tables and
# figures. `all` is the result of of_study().

#' The part of a study's section on its load curves; nothing where it has none.
#'
#' @param label of the study in identifiers.
#' @return one string of Markdown.
section_of_curves <- function(all, label) {
  if (nrow(all$capacity) == 0) return("")
  # Twins are in the section on how good the measurement is.
  for (table in c("capacity", "load_curves", "predicted_curves")) all[[table]] <- all[[table]][!is_control(mode)]
  template <- knitr::knit_expand("curves.qmd", label = label)
  knitr::knit_child(text = template, envir = list2env(list(one = all), parent = globalenv()), quiet = TRUE)
}

#' How many of the load curves are valid.
sentence_scope_curves <- function(capacity) {
  if (nrow(capacity) == 0) return("")
  sprintf("Of the load curves, %s valid (@sec-load-curves).", is_or_are(sum(poolable(capacity))))
}

# The titles of the tiers that have a curve, by id, in the order of the configuration.
curve_tiers <- function(capacity) {
  tiers <- unique(capacity[, .(tier, tier_title)], by = "tier")
  as.list(setNames(tiers$tier_title, tiers$tier))
}

capacity_comparisons <- function(all, tiers) {
  all$comparisons[statistic == "capacity_per_s" & tier %in% tiers & !is_control(mode)]
}

# ---- Sentences -----------------------------------------------------------------------------------

#' What each mode takes against its baseline, a sentence per tier and baseline.
#'
#' @return character vector of Markdown; empty without curves.
sentences_capacity <- function(all) {
  pooled <- pool_capacity(all$capacity)
  unlist(lapply(names(curve_tiers(all$capacity)), function(name) {
    rows <- capacity_comparisons(all, name)
    lapply(unique(rows$versus), function(baseline) {
      sentence_capacity(rows[versus == baseline], pooled[tier == name], all$capacity[tier == name]$objective_ms[1])
    })
  }))
}

# `rows`: comparisons with one baseline at one tier; `pooled`: the capacities there.
sentence_capacity <- function(rows, pooled, objective_ms) {
  clauses <- vapply(seq_len(nrow(rows)), function(index) capacity_clause(as.list(rows[index]), pooled), "")
  sprintf(
    "At %s, with a 99th percentile of at most %s ms: %s. Against it: %s.", as_code(rows$tier[1]),
    format_number(objective_ms), taken_by(rows$versus[1], pooled), enumerate(clauses, "; ")
  )
}

# What one mode takes, or why that is not known.
taken_by <- function(name, pooled) {
  row <- pooled[mode == name]
  if (nrow(row) == 0) return(paste(as_code(name), "has no valid curve"))
  why <- if (nzchar(row$why_bounded)) sprintf(" (%s)", row$why_bounded)
  paste0(as_code(name), " takes ", capacity_text(row), " requests a second", why)
}

capacity_clause <- function(row, pooled) {
  if (!row$mode %in% pooled$mode) return(taken_by(row$mode, pooled))
  if (row$verdict == "not comparable") return(sprintf("%s, not comparable: %s", taken_by(row$mode, pooled), row$reason))
  ratio <- effect_with_interval(as.data.table(row))
  judged <- switch(row$verdict,
    higher = , lower = paste(ratio, "times as many"),
    equivalent = sprintf("the same within the margin (ratio %s)", ratio),
    sprintf("whether that is more or fewer is not decided (ratio %s)", ratio)
  )
  paste0(taken_by(row$mode, pooled), ", ", judged)
}

#' Which curves ended because the server's heap was full: the limit is then its memory.
sentence_out_of_memory <- function(capacity) {
  full <- capacity[, .(sessions = sum(out_of_memory), of = .N), by = .(tier, mode)][sessions > 0]
  if (nrow(full) == 0) return("")
  told <- sprintf("%s at %s (in %d of %s)", as_code(full$mode), as_code(full$tier), full$sessions, count_of_each(full$of, "session"))
  sprintf(
    "What ended the curve of %s was memory: the server's log has a `java.lang.OutOfMemoryError`. A larger heap takes more; whatever lets all requests in needs memory for all.",
    enumerate(told)
  )
}

#' How near theory came to the capacities that were measured; only of modes whose latency it predicts.
sentence_predicted_capacity <- function(all) {
  both <- predicted_capacities(all)[is.finite(predicted_per_s) & predicts_latency & bound == ""]
  if (nrow(both) == 0) return("")
  off <- both[, predicted_per_s / capacity_per_s]
  sprintf(
    "Queueing theory, with the primitives as measured separately, predicts %s of %d capacities within 10 %% (%s times what was measured).",
    format_number(sum(abs(log(off)) <= log(1.1))), nrow(both), span(off)
  )
}

predicted_capacities <- function(all) {
  predicted <- all$predicted_curves[, .(
    predicted_per_s = capacity_per_s[1], predicts_latency = !anyNA(latency_p99_ms)
  ), by = .(tier, mode)]
  predicted[pool_capacity(all$capacity), on = c("tier", "mode")]
}

#' The arrivals of the curves, in words.
arrivals_text <- function(capacity) {
  words <- c(poisson = "at random times (Poisson)", constant = "at a constant rate")
  enumerate(unname(words[unique(capacity$arrivals[!is.na(capacity$arrivals)])]))
}

#' Alternative text of the figure of curves.
alt_curves <- function(all) {
  spoken(c(
    "Latency against offered load on logarithmic axes; lines rise steeply where the load reaches what a mode can take.",
    sentences_capacity(all)
  ))
}

#' Alternative text of the figure of CPU time: the range of each mode, tier by tier.
alt_curve_cpu <- function(all) {
  steps <- all$load_curves[saturated == FALSE & is.finite(cpu_us_per_request)]
  told <- steps[order(step), .(text = sprintf(
    "%s at %s: from %s µs at %s requests a second to %s µs at %s", mode, tier, format_number(cpu_us_per_request[1]),
    format_number(rate_per_s[1]), format_number(cpu_us_per_request[.N]), format_number(rate_per_s[.N])
  )), by = .(tier, mode)]$text
  paste0("CPU time per request against offered load. ", enumerate(unique(told), "; "), ".")
}

# ---- Tables --------------------------------------------------------------------------------------

#' The capacity of every mode.
#'
#' @return data.table of text: Tier, Mode, Objective (ms), Capacity (1/s), Sessions, Ratio (to the baseline),
#'   Verdict, Predicted (1/s).
table_capacity <- function(all) {
  capacity <- predicted_capacities(all)
  ratios <- capacity_comparisons(all, capacity$tier)
  ratios[, ratio := ifelse(is.na(estimate), no_figure, effect_with_interval(.SD)), .SDcols = names(ratios)]
  rows <- ratios[, .(tier, mode, versus, ratio, verdict)][capacity, on = c("tier", "mode")]
  rows <- rows[order(match(tier, names(curve_tiers(all$capacity))), match(mode, mode_levels(mode)))]
  rows[, .(
    Tier = tier, Mode = mode, "Objective (ms)" = format_number(objective_ms), "Capacity (1/s)" = capacity_text(rows),
    Sessions = sessions, Baseline = versus, Ratio = fcoalesce(as.character(ratio), no_figure), Verdict = fcoalesce(verdict, no_figure),
    "Predicted (1/s)" = format_number(predicted_per_s)
  )]
}
