# How good the measurement is: where the time of sessions went, what warming up reached, which slices were excluded and
# why, and how far A/A pairs were apart.

# One cell of each session; what it says of the session is the same in all of the session's cells.
one_cell_a_session <- function(cells) {
  cells[!duplicated(from_cells(cells, function(cell) cell$session$id, NA_character_))]
}

# ---- Phases ----------------------------------------------------------------------------------

phase_titles <- c(
  start_s = "Start (s)", warm_up_s = "Warm-up (s)", load_s = "Load (s)", between_s = "Between slices (s)",
  restart_s = "Restart (s)", stop_s = "Stop (s)", other_s = "Other (s)"
)

#' Where the time of sessions went.
#'
#' @return data.table, a row per study and for all: Study, Sessions, the seconds of each phase over all
#'   sessions, All (s), Load (%); no rows where no session has phases.
table_phases <- function(cells) {
  rows <- rbindlist(lapply(one_cell_a_session(cells), function(cell) {
    spent_s <- unlist(cell$session$phases)
    if (length(spent_s) == 0) return(NULL)
    known_s <- spent_s[names(spent_s) != "wall_s"]
    # What lies between the phases: the session's wall time has it.
    other_s <- max(0, c(spent_s["wall_s"], sum(known_s))[1] - sum(known_s), na.rm = TRUE)
    data.table(study = cell$cell$study, session = cell$session$id, phase = c(names(known_s), "other_s"), seconds = c(known_s, other_s))
  }))
  if (nrow(rows) == 0) return(data.table())
  both <- rbind(rows, copy(rows)[, study := "all"])
  told <- both[, .(Sessions = uniqueN(session), all_s = sum(seconds), load_s = sum(seconds[phase == "load_s"])), by = study]
  phases <- intersect(c(names(phase_titles), rows$phase), rows$phase)
  wide <- dcast(both, study ~ factor(phase, phases), value.var = "seconds", fun.aggregate = sum)
  titles <- ifelse(phases %in% names(phase_titles), phase_titles[phases], paste0(sub("_s$", "", phases), " (s)"))
  setnames(wide, c("study", phases), c("Study", titles))
  wide <- wide[match(told$study, Study)]
  wide[, `:=`("All (s)" = told$all_s, "Load (%)" = 100 * told$load_s / told$all_s, Sessions = told$Sessions)]
  setcolorder(wide, c("Study", "Sessions"))[]
}

# ---- Warm-up and compiling -------------------------------------------------------------------

#' What warming up reached, and what the compiler took of the windows that count.
#'
#' @return data.table, a row per study and mode of a JVM: Study, Mode, Warm-up (s), Compiler idle (in so many
#'   sessions), its use of a CPU when warm-up ended, its share of the server's CPU time in windows.
table_warm_up <- function(all) {
  left <- from_cells(all$cells, function(cell) number(cell$warm_up$compiler_share), NA_real_)
  rows <- copy(all$summary)[, left := left][!is.na(compiler_share)]
  if (nrow(rows) == 0) return(data.table())
  told <- rows[, .(
    seconds = span_or_dash(warm_up_s), idle = idle_text(.SD), middle = 100 * median(compiler_share),
    most = 100 * max(compiler_share), left = 100 * median(left, na.rm = TRUE)
  ), by = .(study, mode), .SDcols = names(rows)]
  told <- told[order(match(study, unique(study)), match(mode, mode_levels(mode)))]
  told[, .(
    Study = study, Mode = mode, "Warm-up (s)" = seconds, "Compiler idle" = idle, "Compiler at its end (% of a CPU)" = left,
    "Compiler in windows, median (%)" = middle, "At most (%)" = most
  )]
}

span_or_dash <- function(values) {
  values <- values[!is.na(values)]
  if (length(values) == 0) no_figure else span(values)
}

# A warm-up belongs to a session: its cells at several tiers say the same.
idle_text <- function(cells) {
  sessions <- unique(cells[!is.na(warm_up_ended), .(session, mode, ended = warm_up_ended)])
  if (nrow(sessions) == 0) return(no_figure)
  sprintf("%d of %d", sum(sessions$ended == "idle"), nrow(sessions))
}

# ---- Slices ----------------------------------------------------------------------------------

slice_rules <- c(
  compiled = "compiler", undisturbed = "disturbed", steady_speed = "speed", idle_neighbors = "not idle beside",
  not_completed = "not completed"
)

#' Slices by study: counted, repeated, and excluded by rule. A slice may fail several rules.
#'
#' @param summary,slices see read_summary() and read_slices().
table_slices <- function(summary, slices) {
  plain <- slices[kind == "plain" & beside == ""]
  if (nrow(plain) == 0) return(data.table())
  counts <- plain[, c(
    .(Slices = .N, Kept = sum(kept)),
    setNames(lapply(names(slice_rules), function(rule) sum(!kept & grepl(rule, reason))), slice_rules)
  ), by = .(Study = study)]
  repeated <- summary[, .(Repeated = sum(slices_repeated, na.rm = TRUE)), by = .(Study = study)]
  table <- repeated[counts, on = "Study"]
  setcolorder(table, c("Study", "Slices", "Kept", "Repeated"))
  setnames(table, unname(slice_rules), paste("Excluded:", slice_rules))[]
}

sentence_slices <- function(slices) {
  plain <- slices[kind == "plain" & beside == ""]
  if (nrow(plain) == 0) return("No cell has slices.")
  excluded <- sum(!plain$kept)
  sprintf(
    "Of %s without the profiler, %s %s excluded (%s).", count_of(nrow(plain), "slice"), format_number(excluded),
    if (excluded == 1) "was" else "were", percent(excluded / nrow(plain))
  )
}

# ---- A/A pairs -------------------------------------------------------------------------------

a_a_statistics <- c("throughput_per_s", "latency_p99_ms", "cpu_us_per_request", "capacity_per_s")

#' Each mode that was measured a second time under another name, against itself.
table_a_a <- function(comparisons) {
  rows <- a_a_comparisons(comparisons)[statistic %in% a_a_statistics]
  rows[, .(
    Study = study, Mode = baseline, Tier = tier, Load = loop_names[tool], Metric = title_of(statistic),
    "Second / first" = effect_with_interval(.SD), "Off (%)" = 100 * (estimate - 1),
    Verdict = verdict_text(verdict, reason)
  ), .SDcols = names(rows)]
}

#' A sentence on what the simulations found.
#'
#' @param coverage see simulate_coverage().
#' @return one string, with a full stop.
sentence_coverage <- function(coverage) {
  percents <- function(values) sprintf("%s to %s %%", format_number(100 * min(values)), format_number(100 * max(values)))
  sprintf(
    paste(
      "In %d simulated settings, with unlike noise in one family, three sessions and a quarter of the cells missing, these",
      "intervals hold the truth in %s of the quiet half of the comparisons and in %s of the noisy half. Of the reported",
      "differences %s are false, of the reported equivalences %s."
    ),
    nrow(coverage), percents(coverage$quiet), percents(coverage$noisy), percents(coverage$false), percents(coverage$false_equivalent)
  )
}

#' A sentence on the false-alarm rate.
#'
#' @param comparisons see read_comparisons().
#' @return one string, with a full stop.
sentence_false_alarms <- function(comparisons) {
  a_a <- a_a_comparisons(comparisons)
  if (nrow(a_a) == 0) return("No mode was measured against itself.")
  if (all(is.na(a_a$estimate))) {
    return("The same mode was measured under two names, but in no session are both of its cells valid.")
  }
  found <- false_alarms(comparisons)
  if (is.null(found)) {
    return("The same mode was measured under two names, but one session decides nothing that could be a false alarm.")
  }
  share <- function(value) format_number(100 * value)
  sprintf(
    paste(
      "The same mode measured under two names is reported to differ in %d of %s (by intervals alone,",
      "without the correction for many comparisons, in %d). They are at %s, of which %d %s one: %s %%, 95 %%",
      "interval %s to %s %%."
    ),
    found$differ, count_of(found$comparisons, "comparison"), found$unadjusted,
    count_of(found$places, "place"), found$places_differ, if (found$places_differ == 1) "has" else "have",
    share(found$share), share(found$low), share(found$high)
  )
}

#' The noise floor in words and numbers.
#'
#' @param floor see noise_floor().
#' @return data.table of text: `Statistic`, `Differ`, `Same session`, `Different sessions`.
table_noise <- function(floor) {
  limit <- function(values, effect) {
    shown <- ifelse(
      effect == "ratio", paste("×", format_number(values)),
      paste("±", format_number(100 * values), "points")
    )
    ifelse(is.na(values), no_figure, shown)
  }
  floor[, .(
    Statistic = title, "Differ" = paste(differ, "of", comparisons),
    "Same session" = limit(floor, effect), "Different sessions" = limit(floor_between_sessions, effect)
  )]
}
