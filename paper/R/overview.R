# The report's first and last words: what there is in all, and what could be wrong.

#' How much was measured, on what.
sentence_scope <- function(all) {
  summary <- all$summary
  sprintf(
    "This report rests on %s from %s: %s, %s, %s, under %s, with %s each, on %s with %s and %s, measured %s.",
    enumerate(c(count_of(nrow(summary), "cell"), if (nrow(all$capacity) > 0) count_of(nrow(all$capacity), "load curve"))),
    count_of(length(one_cell_a_session(all$cells)), "session"), studies_text(uniqueN(summary$study)),
    count_of(uniqueN(summary$mode), "mode"), count_of(uniqueN(summary[, .(study, tier)]), "tier"),
    enumerate(unique(paste("the", sub(" of .*", "", loop_names[sort(unique(summary$tool))])))),
    repetitions_text(summary[, .N, by = .(study, mode, tier, tool)]$N),
    distinct(provenance_of(all$cells, "machine", "cpu_model")),
    count_of(max(from_cells(all$cells, function(cell) number(cell$provenance$machine$cpus), NA_real_)), "CPU"),
    distinct(provenance_of(all$cells, "versions", "jdk")), measured_when(all$cells)
  )
}

# Until which day, and by which commits of this code; older cells name none.
measured_when <- function(cells) {
  commits <- unique(from_cells(cells, function(cell) cell$provenance$commit, NA_character_))
  commits <- as_code(sub("^([0-9a-f]{7})[0-9a-f]{33}", "\\1", commits[!is.na(commits)]))
  ended <- format(max(when(cells, "ended")), "%Y-%m-%d")
  paste0("until ", ended, if (length(commits) > 0) paste(" by commit", enumerate(commits)))
}

#' How many cells that are not valid still bound a value.
sentence_bounded <- function(summary) {
  bounded <- summary[!poolable(summary), sum(bound_throughput != "" | bound_latency != "")]
  if (bounded == 0) return("")
  sprintf("Of those that are not, %s a bound (@sec-validity).", count_of(bounded, "cell", "still gives", "still give"))
}

studies_text <- function(count) if (count == 1) "1 study" else paste(count, "studies")

repetitions_text <- function(counts) {
  if (min(counts) == max(counts)) return(count_of(counts[1], "repetition"))
  paste(span(counts), "repetitions")
}

# As many rows of the undecided comparisons as a page holds.
repetitions_shown <- 20

#' The caption of the table of undecided comparisons.
caption_repetitions <- function(undecided) {
  nearest <- min(undecided$repetitions_needed, Inf)
  paragraph(
    "Undecided comparisons, and the repetitions that would decide them if effect and noise stay as seen: an even bet.",
    if (is.finite(nearest)) sprintf("For the first rows: `%s`.", command_repetitions(nearest)),
    if (nrow(undecided) > repetitions_shown) sprintf(
      "The nearest %d are shown; `comparisons.csv` beside the report has all %s.", repetitions_shown,
      format_number(nrow(undecided))
    )
  )
}

headline_statistics <- c("capacity_per_s", "cpu_us_per_request", "latency_p99_ms", "throughput_per_s", "error_share")

#' Each mode without traps against its baseline, over all tiers and tools: what is decided, study by
#' study.
#'
#' @return one string of Markdown: a list of studies, each with a list of its modes.
headlines <- function(all) {
  pairs <- pairs_of(all$summary)
  told <- lapply(unique(pairs$study), function(name) {
    one <- of_study(all, name)
    mine <- pairs[study == name]
    lines <- vapply(seq_len(nrow(mine)), function(index) headline(one, as.list(mine[index])), "")
    silent <- mine[lines == ""]
    if (nrow(silent) > 0) {
      lines <- c(lines[lines != ""], sprintf("These sessions decide nothing of %s.", enumerate(
        sprintf("%s against %s", as_code(silent$mode), as_code(silent$versus))
      )))
    }
    c(paste0("- **", title_of_study(one), "**"), paste("    -", lines))
  })
  paste(unlist(told), collapse = "\n")
}

headline <- function(all, pair) {
  rows <- all$comparisons[study == pair$study & mode == pair$mode & versus == pair$versus]
  told <- Filter(nzchar, vapply(headline_statistics, function(id) {
    headline_clause(rows[statistic == id], id)
  }, ""))
  failed <- all$summary[study == pair$study & mode == pair$mode & error_share > 0.01]
  failing <- if (nrow(failed) > 0) {
    sprintf(
      "at %s it failed up to %s of the requests", tier_list(intersect(tier_levels(all$summary), failed$tier)),
      percent(max(failed$error_share))
    )
  }
  told <- c(told, failing)
  if (length(told) == 0) return("")
  sprintf("%s against %s: %s.", as_code(pair$mode), as_code(pair$versus), enumerate(told, "; "))
}

# One statistic: in how many comparisons it is decided, which way, and by how much.
headline_clause <- function(rows, id) {
  about <- about_statistics(id)
  possible <- nrow(rows[verdict != "not comparable"])
  parts <- vapply(c("lower", "higher"), function(kind) {
    some <- rows[verdict == kind]
    if (nrow(some) == 0) return("")
    sprintf("%s in %d of %d comparisons%s", kind, nrow(some), possible, sizes_text(some, about$effect))
  }, "")
  parts <- Filter(nzchar, parts)
  if (length(parts) == 0) "" else paste(about$title, enumerate(parts))
}

# ---- What measuring costs --------------------------------------------------------------------

sentences_cost <- function(all) c(sentence_telemetry(all), sentence_generator(all))

sentence_telemetry <- function(all) {
  cost <- all$summary$telemetry_cpu_share
  cost <- cost[!is.na(cost)]
  if (length(cost) == 0) return("No cell has telemetry.")
  sprintf(
    "Telemetry read the kernel's counters %s times a second and used %s of one CPU (median over cells; at most %s), on the generator's CPUs.",
    span(all$summary$telemetry_rate_hz[!is.na(all$summary$telemetry_rate_hz)]), percent(median(cost)), percent(max(cost))
  )
}

sentence_generator <- function(all) {
  shares <- all$summary[!is.na(generator_cpu_share), .(most = max(generator_cpu_share)), by = tool]
  if (nrow(shares) == 0) return("No cell says how busy its generator was.")
  sprintf(
    "The generators used at most %s of their CPUs' time.",
    enumerate(sprintf("%s (%s)", percent(shares$most), loop_names[shares$tool]))
  )
}

# ---- Threats to validity ---------------------------------------------------------------------

sentences_threats <- function(all) {
  Filter(nzchar, c(
    threat_beside(all), threat_disturbance(all), threat_profiler(all), threat_database(all), threat_windows(all), threat_drift(all),
    threat_warm_up(all), threat_generator(all)
  ))
}

threat_machine <- function(all) {
  cpus <- from_cells(all$cells, function(cell) number(cell$provenance$machine$cpus), NA_real_)
  virtual <- provenance_of(all$cells, "machine", "virtualised")
  machines <- length(unique(provenance_of(all$cells, "machine", "cpu_model")))
  sprintf(
    "**%s.** %s, %s%s; the server ran on CPU %s and the generator on CPU %s. With few CPUs the costs of scheduling show, and gains from parallel work do not. Directions may hold elsewhere, sizes need not.",
    if (machines == 1) "One machine" else paste(machines, "kinds of machine"),
    "All cells come from it", paste("it has", paste(count_of(max(cpus), "CPU"))),
    if (any(virtual %in% "TRUE")) " and is virtual, so neighbors may disturb it" else "",
    distinct(provenance_of(all$cells, "server_cpus")), distinct(provenance_of(all$cells, "generator_cpus"))
  )
}

threat_repetitions <- function(all) {
  counts <- all$summary[, .N, by = .(study, mode, tier, tool)]$N
  open <- all$comparisons[verdict %in% c("undecided", "bounded", "one session")]
  sprintf(
    "**Repetitions.** There are %s of each cell; %d of %d comparisons remain without a decision. Raising `repetitions` in config.yaml measures only the new sessions. The comparisons were computed on %s of cells, and %s measured again, with the first measurement moved to `results/replaced/`. %s",
    span(counts), nrow(open), nrow(all$comparisons), count_of(looks_of(all$results), "set"),
    was_or_were(replaced_cells(all$results), "cell"), sentence_budget(all$results)
  )
}

# A budget's looks are accounted for; what somebody adds by hand is not.
sentence_budget <- function(results) {
  path <- file.path(results, "further.csv")
  if (!file.exists(path)) return("The p-values account for neither: adding sessions until a difference shows finds too many.")
  sprintf(
    "A budget of minutes added %s where the guide was undecided. Comparisons, claims and causes account for each such look: half of the error of 5 %% is spent at the base and the rest over the later looks [@kim1987], and an interval is what those of all looks have in common [@jennison1989].",
    count_of(nrow(fread(path)), "session")
  )
}

# These give every thread a clock of its own, which starts again with each thread.
engines_by_thread <- c("perf_events", "ctimer")

#' What became of a level within a tier, in all sessions alike.
threat_drift <- function(all) {
  slices <- plain_slices(all$slices[poolable(all$slices) & beside == "" & cpu_us_per_request > 0])
  cells <- slices[, if (.N > 1) .(drift = log(cpu_us_per_request[which.max(round)] / cpu_us_per_request[which.min(round)])),
    by = .(study, mode, tier, tool, repetition)
  ]
  if (nrow(cells) == 0) return("")
  places <- cells[, .(drift = mean(drift)), by = .(study, mode, tier, tool)]
  ends <- exp(quantile(places$drift, c(0.05, 0.95)))
  sprintf(
    paste(
      "**Drift.** A load may shift its mean by a tenth before it fails `settled`. A drift that is alike in all sessions is bias: no",
      "interval contains it, and it can be larger than the margin of equivalence. From the first to the last round of a tier, CPU time",
      "per request changed by a factor of %s (geometric mean over modes and tiers; 90 %% of them lie in %s to %s). Modes that are",
      "compared take turns in random order, so a drift that they share cancels."
    ), format_number(exp(mean(places$drift))), format_number(ends[1]), format_number(ends[2])
  )
}

# Servers that idle beside a loaded one are not free: memory, caches, and what they do in the background.
threat_beside <- function(all) {
  shares <- all$summary$idle_beside_share
  if (all(is.na(shares))) return("")
  sprintf(
    paste(
      "**Servers side by side.** While one mode is loaded, the other modes of its session idle beside it. They used at most %s of the",
      "server's CPUs in any slice that counts. What they hold in memory and caches is no mode's own; it is the same for all modes of a",
      "session, apart from a mode's own state."
    ), percent(max(shares, na.rm = TRUE))
  )
}

# A database that takes its CPU time from the server's.
threat_database <- function(all) {
  beside <- vapply(all$cells, function(cell) {
    cell$cell$tool %in% c("jmeter", "wrk2") && length(intersect(cell$backend$cpus, cell$provenance$server_cpus)) > 0
  }, NA)
  shares <- all$summary$backend_cpu_share[beside]
  if (length(shares) == 0) return("")
  sprintf(
    paste(
      "**Database beside the server.** The database ran on the server's CPUs and took at most %s of them. With its own machine, the",
      "bound by connections would be met later, and the bound by CPUs sooner."
    ), percent(max(shares))
  )
}

threat_windows <- function(all) {
  loads_s <- all$slices[kind == "plain" & kept]$duration_s
  if (length(loads_s) == 0) return("")
  sprintf(
    paste(
      "**Short windows.** A slice lasts %s s (median; from %s). It does not show what takes longer to come: a heap that fills, full",
      "collections, leaks of connections, thermal limits. A server's state carries over from slice to slice of its session."
    ), format_number(median(loads_s)), span(loads_s, " s")
  )
}

failing <- function(all, check) grepl(paste0("\\b", check, "\\b"), all$summary$failed_checks)

threat_warm_up <- function(all) {
  ended <- unique(all$summary[!is.na(warm_up_ended), .(session, mode, warm_up_ended)])
  if (nrow(ended) == 0) return("")
  sprintf(
    paste(
      "**Warm-up.** %d of %d servers were still compiling when their warm-up reached its limit; their slices count only where the",
      "compiler was idle. A JIT that compiles again after minutes stays unseen [@barrett2017]. A server that is warm for one tier was",
      "loaded at others before: its code is compiled for a mix of loads, as in production, and not for one."
    ), sum(ended$warm_up_ended != "idle"), nrow(ended)
  )
}

threat_generator <- function(all) {
  closed <- all$summary$tool == "jmeter"
  limited <- sum(failing(all, "generator_healthy") & closed)
  if (limited == 0) return("")
  sprintf(
    paste(
      "**JMeter at its limit.** Of the %s of the closed loop, %d fail `generator_healthy`: its CPUs cannot drive so many users, so",
      "a burst arrives over seconds. Such a cell is not pooled and gives at most a bound. A cause that is about failing counts it,",
      "because the true load can only have been gentler than the requested one."
    ), count_of(sum(closed), "cell"), limited
  )
}

threat_disturbance <- function(all) {
  highest <- function(column) {
    values <- all$summary[[column]]
    if (all(is.na(values))) no_figure else percent(max(values, na.rm = TRUE))
  }
  sprintf(
    "**Disturbance.** Over the cells, the hypervisor took at most %s of the CPU time, and processes outside the session at most %s of the server's CPUs.",
    highest("steal_share"), highest("others_cpu_share")
  )
}

threat_profiler <- function(all) {
  engines <- unique(all$summary$profiler_engine)
  engines <- engines[!is.na(engines)]
  if (length(engines) == 0) return("**Profiles.** No mode was profiled, so causes rest on counters alone.")
  sprintf(
    "**Profiles.** Stacks were sampled by %s every %s ms of CPU time%s, in slices of their own that count for nothing else. Virtual threads appear under their carriers; CPU time that was not sampled is shown as such.",
    enumerate(as_code(engines)), span(all$summary$profiler_interval_ms[!is.na(all$summary$profiler_interval_ms)]),
    if (any(engines %in% engines_by_thread)) ", thread by thread, so short-lived threads are sampled too seldom" else ""
  )
}
