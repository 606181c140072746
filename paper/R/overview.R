# The report's first and last words: what there is in all, what it cost, what could be wrong.

#' How much was measured, on what.
sentence_scope <- function(all) {
  summary <- all$summary
  sprintf(
    "This report rests on %s: %s, %s, %s, under %s, with %s each, on %s with %s and %s.",
    count_of(nrow(summary), "cell"), studies_text(uniqueN(summary$study)),
    count_of(uniqueN(summary$mode), "mode"), count_of(uniqueN(summary[, .(study, tier)]), "tier"),
    enumerate(paste("the", loop_names[sort(unique(summary$tool))])),
    repetitions_text(summary[, .N, by = .(study, mode, tier, tool)]$N),
    distinct(provenance_of(all$cells, "machine", "cpu_model")),
    count_of(max(from_cells(all$cells, function(cell) number(cell$provenance$machine$cpus), NA_real_)), "CPU"),
    distinct(provenance_of(all$cells, "versions", "jdk"))
  )
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
  more <- nrow(undecided) - repetitions_shown
  sprintf(
    "Undecided comparisons, and the repetitions that would settle them if effect and spread are those seen: an even bet. For the first rows: `%s`.%s",
    command_repetitions(min(undecided$repetitions_needed, repetitions_at_most)),
    if (more > 0) {
      sprintf(
        " The nearest %d; of all %s, `comparisons.csv` beside the report gives the number.",
        repetitions_shown, format_number(nrow(undecided))
      )
    } else {
      ""
    }
  )
}

headline_statistics <- c("cpu_us_per_request", "latency_p99_ms", "throughput_per_s", "error_share")

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
      lines <- c(lines[lines != ""], sprintf("Nothing is decided by these repetitions of %s.", enumerate(
        sprintf("%s against %s", as_code(silent$mode), as_code(silent$versus))
      )))
    }
    c(paste0("- **", one$cells[[1]]$labels$study$title, "**"), paste("    -", lines))
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
  about <- compared_statistics[statistic == id]
  possible <- nrow(rows[verdict != "not comparable"])
  parts <- vapply(c("lower", "higher"), function(kind) {
    some <- rows[verdict == kind]
    if (nrow(some) == 0) return("")
    size <- if (about$effect == "ratio") span(some$estimate, " times") else span(100 * some$estimate, " points")
    sprintf("%s in %d of %d comparisons (%s)", kind, nrow(some), possible, size)
  }, "")
  parts <- Filter(nzchar, parts)
  if (length(parts) == 0) "" else paste(about$title, enumerate(parts))
}

# ---- What measuring costs --------------------------------------------------------------------

sentences_cost <- function(all) {
  c(sentence_telemetry(all), sentences_profiler(all), sentence_false_alarms(all$comparisons), sentence_generator(all))
}

sentence_telemetry <- function(all) {
  cost <- all$summary$telemetry_cpu_share
  cost <- cost[!is.na(cost)]
  if (length(cost) == 0) return("No cell has telemetry.")
  sprintf(
    "Telemetry read the kernel's counters %s times a second and used %s of one CPU (median over cells; at most %s), on the generator's CPUs.",
    span(all$summary$telemetry_rate_hz[!is.na(all$summary$telemetry_rate_hz)]), percent(median(cost)), percent(max(cost))
  )
}

#' The profiler's cost: the same mode without it.
sentences_profiler <- function(all) {
  twins <- all$comparisons[
    mode == paste0(versus, "-unprofiled") & statistic %in% c("cpu_us_per_request", "latency_p99_ms", "throughput_per_s")
  ]
  if (nrow(twins) == 0) return("No mode was measured without the profiler.")
  vapply(seq_len(nrow(twins)), function(index) {
    row <- twins[index]
    sprintf("At %s, %s: %s.", as_code(row$tier), loop_names[[row$tool]], sentence_comparison(row))
  }, "")
}

sentence_generator <- function(all) {
  shares <- all$summary[!is.na(generator_cpu_share), .(most = max(generator_cpu_share)), by = tool]
  sprintf(
    "The generators used at most %s of their CPUs' time.",
    enumerate(sprintf("%s (%s)", percent(shares$most), loop_names[shares$tool]))
  )
}

# ---- Threats to validity ---------------------------------------------------------------------

sentences_threats <- function(all) {
  Filter(nzchar, c(
    threat_machine(all), threat_repetitions(all), threat_disturbance(all), threat_profiler(all),
    paste(
      "**Loopback.** Requests never leave the machine: there is no network delay, and the kernel does the",
      "receiver's share of TCP in the sender's system call. Part of what is charged to the server's writes is the client's.",
      "Connections are cheaper to open, and handlers wait less, than in production: effects of connecting are lower bounds."
    ),
    threat_database(all), threat_windows(all), threat_warm_up(all), threat_generator(all),
    paste(
      "**HTTP/1.1 alone.** Neither TLS nor HTTP/2: with TLS whoever opens a connection for each request pays more for it;",
      "with HTTP/2 many requests share a connection, and a thread per connection is no thread per request."
    ),
    paste(
      "**Choice of modes.** Pools are of the published sizes. A pool that fits the load is another mode; @sec-causes shows what",
      "its size alone does."
    ),
    paste(
      "**Causes.** An intervention changes one thing by design, and others by its nature: kept connections save the handshake",
      "too, JDK 25 differs from 21 in more than pinning. That the count goes with the effect makes the named cause likely, and",
      "does not prove it alone."
    ),
    paste(
      "**Rounding.** The closed loop's clock has a resolution of 1 ms. Where latency is of that size its",
      "intervals are widened by what rounding can do, and ratios below the resolution are not computed."
    ),
    paste(
      "**Survivors.** Under the closed loop latency is over right answers alone; what was refused is in the",
      "share of failed requests. To judge a mode by either alone is to misjudge it."
    ),
    paste(
      "**Scope.** The handlers are small, so the differences are those of handling requests, and bound what a",
      "service with work of its own can gain. Rules for reporting are those of @papadopoulos2019."
    )
  ))
}

threat_machine <- function(all) {
  cpus <- from_cells(all$cells, function(cell) number(cell$provenance$machine$cpus), NA_real_)
  virtual <- provenance_of(all$cells, "machine", "virtualised")
  machines <- length(unique(provenance_of(all$cells, "machine", "cpu_model")))
  sprintf(
    "**%s.** %s, %s%s; the server ran on CPU %s and the generator on CPU %s. With few CPUs the costs of scheduling show, and gains from parallel work do not: what parallel hardware would give a pool, or the scheduler of virtual threads, cannot show here. Directions may hold elsewhere, sizes need not.",
    if (machines == 1) "One machine" else paste(machines, "kinds of machine"),
    "All cells come from it", paste("it has", paste(count_of(max(cpus), "CPU"))),
    if (any(virtual %in% "TRUE")) " and is virtual, so that neighbours may disturb it" else "",
    distinct(provenance_of(all$cells, "server_cpus")), distinct(provenance_of(all$cells, "generator_cpus"))
  )
}

threat_repetitions <- function(all) {
  counts <- all$summary[, .N, by = .(study, mode, tier, tool)]$N
  open <- all$comparisons[verdict %in% c("undecided", "one repetition")]
  sprintf(
    "**Repetitions.** There are %s of each cell; %d of %d comparisons remain without a decision. Raising `repetitions` in config.yaml measures only the new ones.",
    span(counts), nrow(open), nrow(all$comparisons)
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
      "**Database beside the server.** The database ran on the server's CPUs, so that its work is taken from the server's (at",
      "most %s of them); where it has a machine of its own, bounds by connections are met later and bounds by CPU sooner."
    ), percent(max(shares))
  )
}

threat_windows <- function(all) {
  loads_s <- all$summary$duration_s
  loads_s <- loads_s[!is.na(loads_s)]
  if (length(loads_s) == 0) return("")
  sprintf(
    paste(
      "**Short windows.** A load lasts %s s (median; from %s). What takes longer to come is not seen: a heap that fills, full",
      "collections, leaks of connections, thermal limits, hourly noise of a shared host."
    ), format_number(median(loads_s)), span(loads_s, " s")
  )
}

failing <- function(all, check) grepl(paste0("\\b", check, "\\b"), all$summary$failed_checks)

threat_warm_up <- function(all) {
  judged <- sum(vapply(all$cells, function(cell) {
    any(vapply(cell$validity$checks, function(check) check$id == "settled", NA))
  }, NA))
  if (judged == 0) {
    return(paste(
      "**Warm-up.** Each server gets the same gentle warm-up before the load. Nothing here shows that it has",
      "reached a steady state, which a Java virtual machine need not do at all [@barrett2017]."
    ))
  }
  sprintf(
    paste(
      "**Warm-up.** Each server gets the same gentle warm-up before the load. Loads that go on are tested for a change of their",
      "level [@pettitt1979]; %d of %d did not settle and are not pooled. The test sees seconds: a JIT that would compile anew after",
      "minutes stays unseen [@barrett2017]. Bursts have no steady state to reach."
    ), sum(failing(all, "settled")), judged
  )
}

threat_generator <- function(all) {
  closed <- all$summary$tool == "jmeter"
  limited <- sum(failing(all, "generator_healthy") & closed)
  if (limited == 0) return("")
  sprintf(
    paste(
      "**JMeter at its limit.** Of the %s of the closed loop, %d fail `generator_healthy`: one CPU cannot drive so many users, so",
      "that a burst arrives over seconds and is no burst any more. Such cells are not pooled; where a cause needs them (failing),",
      "they count, and the true load can only have been gentler than the one asked for."
    ), count_of(sum(closed), "cell"), limited
  )
}

threat_disturbance <- function(all) {
  highest <- function(column) {
    values <- all$summary[[column]]
    if (all(is.na(values))) no_figure else percent(max(values, na.rm = TRUE))
  }
  sprintf(
    "**Disturbance.** Over the cells, the hypervisor took at most %s of the CPU time, and tasks waited for a CPU for at most %s of the time of a load.",
    highest("steal_share"), highest("cpu_pressure_share")
  )
}

threat_profiler <- function(all) {
  engines <- unique(all$summary$profiler_engine)
  engines <- engines[!is.na(engines)]
  if (length(engines) == 0) return("**Profiles.** No cell was profiled, so causes rest on counters alone.")
  sprintf(
    "**Profiles.** Stacks were sampled by %s every %s ms of CPU time%s. Virtual threads are seen under their carriers; what was not seen is shown as such.",
    enumerate(as_code(engines)), span(all$summary$profiler_interval_ms[!is.na(all$summary$profiler_interval_ms)]),
    if (any(engines %in% engines_by_thread)) ", thread by thread, so that short-lived threads are seen too seldom" else ""
  )
}
