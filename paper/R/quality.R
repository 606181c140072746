# How good the measurement is: which slices were excluded and why, and how far A/A pairs were apart.

# ---- Slices ----------------------------------------------------------------------------------

slice_rules <- c(
  compiled = "compiler", undisturbed = "disturbed", steady_speed = "speed (sweeps)", idle_neighbors = "neighbors not idle",
  generator_healthy = "generator at its limit", not_completed = "not completed", unthrottled = "stopped by a quota"
)

#' Slices by study: counted for latency, repeated, and excluded by rule. A slice may fail several rules.
table_slices <- function(summary, slices) {
  plain <- slices[kind == "plain" & beside == ""]
  if (nrow(plain) == 0) return(data.table())
  counts <- plain[, c(
    .(Slices = .N, Kept = sum(kept)),
    setNames(lapply(names(slice_rules), function(rule) sum(!kept & grepl(rule, reason))), paste("Excluded:", slice_rules))
  ), by = .(Study = study)]
  repeated <- summary[, .(Repeated = sum(slices_repeated, na.rm = TRUE)), by = .(Study = study)]
  setcolorder(repeated[counts, on = "Study"], c("Study", "Slices", "Kept", "Repeated"))[]
}

sentence_slices <- function(slices) {
  plain <- slices[kind == "plain" & beside == ""]
  if (nrow(plain) == 0) return("No cell has slices.")
  excluded <- sum(!plain$kept)
  sprintf(
    "Of %s without the profiler, %s %s excluded from latency (%s).", count_of(nrow(plain), "slice"), format_number(excluded),
    if (excluded == 1) "was" else "were", percent(excluded / nrow(plain))
  )
}

# So many cells are named.
named_cells <- 6

#' Names the cells whose CPU time the compiler leaves uncertain.
sentence_compiler <- function(summary) {
  marked <- unique(summary[compiler_marked == 1, .(name = sprintf("`%s` at `%s`", mode, tier))])$name
  if (length(marked) == 0) return("")
  sprintf(
    "The compiler took much of the server's CPU time in cells of %s: their CPU time per request is uncertain, although the compiler's own is subtracted.",
    enumerated(marked, named_cells)
  )
}

#' Names the cells whose heap is too small for their load.
sentence_full_collections <- function(summary, most = named_cells) {
  found <- fully_collected(summary)
  if (length(found) == 0) return("")
  sprintf("**The whole heap was collected within windows of %s**: their heap is too small, and decides what it is not meant to.", enumerated(as_code(found), most))
}

# ---- A/A pairs -------------------------------------------------------------------------------

a_a_statistics <- c("throughput_per_s", "latency_p99_ms", "cpu_us_per_request", "capacity_per_s")

#' Each mode that was measured a second time under another name, against itself.
table_a_a <- function(comparisons) {
  rows <- a_a_comparisons(comparisons)[statistic %in% a_a_statistics]
  rows[, .(
    Study = study, Mode = baseline, Tier = tier, Load = loop_names[tool], Metric = title_of(statistic),
    Values = values_of_both(.SD), "Second / first" = effect_with_interval(.SD), "Off (%)" = 100 * (estimate - 1),
    "p at most 5 %" = fcase(is.na(p_value), no_figure, p_value <= 1 - confidence, "yes", default = "no")
  ), .SDcols = names(rows)]
}

sentence_false_alarms <- function(comparisons) {
  if (nrow(a_a_comparisons(comparisons)) == 0) return("No mode was measured against itself.")
  found <- false_alarms(comparisons)
  if (is.null(found)) return("One mode was measured under two names, but no value of both has a ratio.")
  share <- function(value) format_number(100 * value)
  sprintf(
    "One mode under two names differs at 5 %% in %d of %s, %s %% (95 %% interval %s to %s %%); 5 %% is expected by chance.",
    found$differ, count_of(found$comparisons, "comparison"), share(found$share), share(found$low), share(found$high)
  )
}

# ---- Positive controls -------------------------------------------------------------------------

#' Tells which positive controls were found; one that was not found is said in bold.
sentence_controls <- function(controls) {
  if (nrow(controls) == 0) return("No positive control was measured in this run.")
  measured <- controls[!is.na(estimate)]
  told <- measured[, sprintf(
    "to %s changes the %s by a factor of %s to %s; %s is %s", control, title_of(statistic), format_number(true_low), format_number(true_high),
    with_interval(estimate, low, high), ifelse(found, "found", "**not the same**")
  )]
  absent <- controls[is.na(estimate), sprintf("%s (%s)", enumerate(unique(control)), plain(reason_in_words(reason))), by = reason]$V1
  paragraph(
    if (length(told) > 0) sprintf("Positive controls are modes that are slower than another by a known ratio: %s.", enumerate(told, "; and ")),
    if (length(absent) > 0) sprintf("Positive controls that were **not measured**: to %s.", paste(absent, collapse = "; "))
  )
}

# ---- Run against run, coverage and power --------------------------------------------------------

#' Does the first run agree with each of the others? How often the interval of a change between the two holds none.
#'
#' @param runs see read_all_shipped(); only name, facts, summary and comparisons are read.
table_of_agreement <- function(runs) {
  first <- runs[[1]]
  rbindlist(lapply(runs[-1], function(other) {
    run_against_run(first$comparisons, other$comparisons)[statistic == "all", .(
      Runs = sprintf("%s and %s", first$name, other$name),
      "Agree (%)" = sprintf("%s [%s, %s]", format_number(100 * share), format_number(100 * low), format_number(100 * high)), Comparisons = comparisons,
      "CPU time of a request" = sprintf("%s times", format_number(cpu_time_against(first, other)))
    )]
  }))
}

sentence_of_agreement <- paste(
  "Two runs agree in a comparison where the interval of its change holds none; those by one session count, too, and 95 % are expected on one machine.",
  "A different CPU time of a request shows another host, even under the same name."
)

# The CPU time of a request over that of the first run: a median over the cells that both have.
cpu_time_against <- function(first, run) {
  cpu_us_of <- function(one) {
    valid <- one$summary[counts_for(one$summary) & is.finite(cpu_us_per_request) & cpu_us_per_request > 0]
    valid[, .(cpu_us = median(cpu_us_per_request)), by = .(study, mode, tier, tool)]
  }
  both <- merge(cpu_us_of(first), cpu_us_of(run), by = c("study", "mode", "tier", "tool"))
  both[, median(cpu_us.y / cpu_us.x)]
}

coverage_columns <- c(
  statistic = "Metric", sessions = "Sessions", rounds = "Rounds", design = "Design", coverage = "Coverage (%)", wide = "None given (%)",
  half_width = "± (%)", false = "False (%)", found_5 = "Finds 5 %", found_10 = "Finds 10 %", found_20 = "Finds 20 %", same = "Same (%)"
)

#' Coverage and power of intervals where the truth is known: `coverage` is analysis/coverage.csv, see simulate_coverage().
table_coverage <- function(coverage) {
  rows <- coverage[, names(coverage_columns), with = FALSE]
  shares <- names(coverage_columns)[-(1:4)]
  rows[, (shares) := lapply(.SD, function(share) ifelse(is.na(share), no_figure, sprintf("%.0f", 100 * share))), .SDcols = shares]
  rows[, `:=`(statistic = unname(about_statistics(statistic)$short), design = fcoalesce(design, ""))]
  setnames(rows, unname(coverage_columns))[]
}

#' Over all designs: the least and the most; those whose coverage is below 95 % by more than chance are named.
sentence_coverage <- function(coverage) {
  span_of <- function(shares) paste(unique(sprintf("%.0f", 100 * range(shares))), collapse = " to ")
  told <- with(coverage, round(comparisons * (1 - wide)))
  below <- coverage[binomial_ends(round(coverage * told), told)$high < confidence]
  paragraph(
    sprintf(
      "Known ratios were put into measured rounds, in %s. The 95 %% intervals hold them in %s %% of the comparisons (median %.0f %%); where there is no difference, %s %% find one at 5 %%.",
      count_of(nrow(coverage), "design"), span_of(coverage$coverage), 100 * median(coverage$coverage), span_of(coverage$false)
    ),
    if (nrow(below) > 0) sprintf("Below 95 %% by more than chance: %s.", enumerate(designs_in_words(below), "; and "))
  )
}

designs_in_words <- function(rows) {
  rows[, sprintf(
    "%s, %s of %s%s (%.0f %%)", title_of(statistic), count_of(sessions, "session"), count_of(rounds, "round"),
    ifelse(is.na(design) | design == "", "", paste(",", design)), 100 * coverage
  )]
}

# ---- Without exclusion -------------------------------------------------------------------------

# A ratio that would be another by more than this with no slice excluded rests on the exclusion.
excluding_changes <- 1.05

#' Whether the primary ratios stand with no slice excluded.
sentence_without_exclusion <- function(comparisons) {
  rows <- comparisons[primary == 1 & effect == "ratio" & is.finite(estimate) & is.finite(estimate_all) & estimate_all > 0]
  if (nrow(rows) == 0) return("")
  changes <- exp(abs(log(rows$estimate_all / rows$estimate)))
  sprintf(
    "With no slice excluded, %d of %s would change by more than %s; the largest change is %s.", sum(changes > excluding_changes),
    count_of(nrow(rows), "primary ratio"), percent(excluding_changes - 1), percent(max(changes) - 1)
  )
}
