# The section on signing up: steps of connections, as published and as it should have been done.

#' Tiers at which every connection has about one request a second, as the source had it.
#'
#' @return data.table: tier, connections, rate_per_s, in the order of connections; published: whether a
#'   mode with the source's traps is measured there.
read_steps <- function(all, tiers) {
  steps <- tiers[abs(log(rate_per_s / connections)) < 0.2, .(tier, connections, rate_per_s)]
  trapped <- all$summary[is_published(mode)]$tier
  steps[, published := tier %in% trapped][order(connections)]
}

# Servers that answered nothing have no values.
middle_of <- function(values) median(values, na.rm = TRUE)

#' What steps really offered and what came of it, medians over all repetitions that ran.
#'
#' @return data.table, a row per step and mode: connections, asked_per_s, answered_per_s (any status),
#'   right_per_s, p50_ms, sent_p50_ms (uncorrected), unanswered (due, but without an answer, share),
#'   held (connections that answers account for, by X·R from sending on), what the kernel and the server
#'   counted, valid, cells, outcome (of the first), ended (cells whose server no longer answered).
summarise_steps <- function(all, steps, modes) {
  cells <- all$summary[steps, on = "tier", nomatch = NULL][mode %in% modes]
  rows <- cells[, .(
    asked_per_s = middle_of(offered_per_s), answered_per_s = middle_of(throughput_all_per_s),
    right_per_s = middle_of(throughput_per_s), p50_ms = middle_of(latency_p50_ms),
    sent_p50_ms = middle_of(latency_uncorrected_p50_ms),
    unanswered = middle_of(pmax(0, 1 - throughput_all_per_s / offered_per_s)),
    held = middle_of(throughput_all_per_s * latency_uncorrected_mean_ms / 1000),
    accept_queue_peak = middle_of(accept_queue_peak), listen_overflows = middle_of(listen_overflows),
    retransmits = middle_of(retransmits), descriptors_peak = middle_of(descriptors_peak),
    threads_idle = middle_of(threads_idle), threads_peak = middle_of(threads_peak),
    requests = middle_of(requests), requests_2xx = middle_of(requests_2xx),
    gc_share = middle_of(gc_pause_ms / 1000 / duration_s), rss_peak_mib = middle_of(rss_peak_mib),
    pool_wait_mean_ms = middle_of(pool_wait_mean_ms), latency_mean_ms = middle_of(latency_uncorrected_mean_ms),
    valid = sum(poolable(.SD)), cells = .N, outcome = outcome[1], ended = sum(outcome != "completed")
  ), by = .(tier, connections = i.connections, mode), .SDcols = names(cells)]
  rows[order(connections, match(mode, mode_levels(mode)))]
}

show_steps <- function(rows) {
  ran <- rows[outcome != "beyond_limits"]
  show_table(ran[, .(
    Connections = connections, Mode = mode, "Offered (1/s)" = asked_per_s, "Answered (1/s)" = answered_per_s,
    "Right (1/s)" = right_per_s, "p50, due (ms)" = p50_ms, "p50, sent (ms)" = sent_p50_ms,
    "Held by X·R" = held, "of the connections (%)" = 100 * held / connections,
    Valid = paste(valid, "of", cells)
  )], code = "Mode")
}

#' Steps that the machine does not allow, and which of its limits forbids them.
sentences_forbidden <- function(all) {
  forbidden <- all$summary[outcome == "beyond_limits"]
  if (nrow(forbidden) == 0) return("This machine allowed every step.")
  told <- forbidden[, .(modes = uniqueN(mode), connections = connections[1]), by = .(tier, outcome_reason)]
  told[order(connections), sprintf(
    "%s: not run, in any of %s. %s.", as_code(tier), count_of_each(modes, "mode"), plain(outcome_reason)
  )]
}

count_of_each <- function(counts, noun) vapply(counts, count_of, "", noun = noun)

# ---- As published ----------------------------------------------------------------------------

#' How many requests failed in the modes as published.
sentence_failing <- function(all, published) {
  cells <- all$summary[is_published(mode) & requests > 0]
  theirs <- published[figure == "requests_not_2xx"]
  sent <- published[figure == "requests"][theirs, on = c("tier", "mode"), nomatch = NULL]
  source_said <- if (nrow(sent) > 0) {
    sprintf("In the source's own raw data %s of the requests failed.", enumerate(
      sprintf("%s of %s", format_number(sent$i.value), format_number(sent$value))
    ))
  }
  if (nrow(cells) == 0) return(paragraph(source_said, "No mode was measured as published in this run."))
  paragraph(source_said, sprintf(
    "Here, as published, the requests that were answered 2xx under the load were %s in %s, %s of all that were answered: what was measured is how fast an exception is made, logged and turned into an error page.",
    span(cells$requests_2xx), count_of(nrow(cells), "cell"), percent(sum(cells$requests_2xx) / sum(cells$requests))
  ))
}

#' The source's runs beside ours: which share of what was asked was answered at all.
table_answered <- function(all, published, steps) {
  ours <- summarise_steps(all, steps[published == TRUE], published_modes(all$summary))
  theirs <- dcast(published[figure %in% c("requests", "duration_s")], tier + mode ~ figure, value.var = "value")
  rows <- theirs[ours, on = c("tier", "mode")][outcome != "beyond_limits"]
  if (nrow(rows) == 0) return(data.table())
  rows[, .(
    Connections = connections, Mode = mode, "The source: requests" = requests,
    "of those due (%)" = 100 * requests / (duration_s * connections),
    "Ours: answered (1/s)" = answered_per_s, "of those offered (%)" = 100 * answered_per_s / asked_per_s,
    "answered 2xx (%)" = 100 * requests_2xx / i.requests
  )]
}

#' What the source's Little's law leaves out, and ours.
sentence_survivors <- function(published, rows) {
  theirs <- published[figure == "under_way_percent"]
  said <- if (nrow(theirs) > 0) sprintf(
    "Of the source's connections, throughput times latency accounts for %s.",
    enumerate(sprintf("%s %% at %s", format_number(theirs$value), as_code(theirs$tier)))
  )
  if (nrow(rows[outcome != "beyond_limits"]) == 0) return(paragraph(said))
  behind <- rows[outcome != "beyond_limits" & unanswered > 0.05]
  ours <- if (nrow(behind) == 0) {
    "Here no step that ran fell behind, so every request's wait is in the values; connections that no request holds were idle, because none was due on them."
  } else {
    paste("Here the steps that fell behind were", paste0(enumerate(behind[, sprintf(
      "%s connections with %s (%s of the requests without an answer in time; answers account for %s of the connections)",
      format_number(connections), as_code(mode), percent(unanswered), percent(fcoalesce(held, 0) / connections)
    )], "; "), "."))
  }
  paragraph(said, ours, if (nrow(behind) > 0) {
    "A latency of the answered ones alone may fall when fewer are answered: so the source's fell as connections grew."
  })
}

# ---- What happens above ----------------------------------------------------------------------

#' For each mode the first step at which it no longer answers what is asked, and what the kernel and the
#' server say of it.
sentences_breaking <- function(rows) {
  vapply(mode_levels(rows$mode), function(name) {
    mine <- rows[mode == name & outcome != "beyond_limits"]
    if (nrow(mine) == 0) return(sprintf("%s: no step could be run.", as_code(name)))
    kept <- mine[unanswered <= 0.05]
    broken <- mine[unanswered > 0.05][1]
    silent <- mine[is.na(unanswered)]
    never <- if (nrow(silent) > 0) {
      sprintf("At %s connections its server answered nothing at all.", enumerate(format_number(silent$connections)))
    }
    if (is.na(broken$connections)) {
      return(paragraph(
        if (nrow(kept) > 0) sprintf(
          "%s answered every request up to %s connections.", as_code(name), format_number(max(kept$connections))
        ) else sprintf("%s answered at no step.", as_code(name)),
        never
      ))
    }
    paragraph(
      sprintf(
        "%s answered every request %s; at %s it answered %s of %s requests a second.", as_code(name),
        if (nrow(kept) > 0) paste("up to", format_number(max(kept$connections)), "connections") else "at no step",
        format_number(broken$connections), format_number(broken$answered_per_s), format_number(broken$asked_per_s)
      ),
      never,
      if (broken$ended > 0) sprintf("After the load it no longer answered in %d of %d cells.", broken$ended, broken$cells),
      sprintf(
        "There it went from %s threads to %s; up to %s connections waited to be accepted, the listen queue overflowed %s times, and the server had up to %s descriptors open. Its memory reached %s MiB, and pauses of the garbage collector took %s of the time.",
        format_number(broken$threads_idle), format_number(broken$threads_peak), format_number(broken$accept_queue_peak),
        format_number(broken$listen_overflows), format_number(broken$descriptors_peak),
        format_number(broken$rss_peak_mib), percent(broken$gc_share)
      ),
      if (isTRUE(is.finite(broken$pool_wait_mean_ms) && broken$latency_mean_ms > 0)) sprintf(
        "Of %s ms from sending to answer, a request waited %s ms for a connection to the database.",
        format_number(broken$latency_mean_ms), format_number(broken$pool_wait_mean_ms)
      )
    )
  }, "")
}

#' Whether Tomcat grew to its maximum before it queued, which the source denies.
sentence_growth <- function(all) {
  pooled <- from_cells(all$cells, function(cell) handling_of(cell$configuration, cell$cell$mode), "") %in% "tomcat, pool"
  grown <- all$summary[pooled & outcome != "beyond_limits"]
  if (nrow(grown) == 0) return("")
  grown <- grown[, .(added = max(0, threads_peak - threads_idle)), by = mode]
  grown <- grown[order(match(mode, mode_levels(mode)))]
  rule <- paste(
    "The source explains it by the rule of `java.util.concurrent.ThreadPoolExecutor`, which queues first and adds threads only",
    "when the queue is full. Tomcat's executor has the opposite rule: its queue takes a task only when no thread may be added."
  )
  # A few come and go with the JVM.
  if (max(grown$added) < 10) return(paste(rule, "No tier of this run needed more threads than there were before it."))
  paste(rule, sprintf(
    "In fact, over all tiers, there were up to %s threads more than before the load.",
    enumerate(sprintf("%s (%s)", format_number(grown$added), as_code(grown$mode)))
  ))
}

answer_panels <- c("throughput_per_s", "latency_p50_ms", "latency_p99_ms", "pool_wait_mean_ms")
# What the source missed.
usage_panels <- c(
  "cpus_in_use", "backend_cpus", "rss_peak_mib", "threads_peak", "gc_pause_share", "descriptors_peak",
  "accept_queue_peak", "listen_overflows", "retransmits"
)

#' Cells with what the server used, per second of the load.
with_usage <- function(cells) {
  copy(cells)[, `:=`(
    cpus_in_use = (cpu_user_s + cpu_system_s) / duration_s,
    backend_cpus = backend_cpu_us_per_request * requests / 1e6 / duration_s,
    gc_pause_share = 100 * gc_pause_ms / 1000 / duration_s
  )][]
}

# ---- Doors -----------------------------------------------------------------------------------

#' What share of the requests failed beside idle connections, a sentence a mode and tier.
sentences_doors <- function(all, tiers) {
  cells <- all$summary[tier %in% tiers & outcome != "beyond_limits"]
  told <- cells[, .(failed = span(100 * error_share), queued = span(accept_queue_peak)), by = .(tier, mode)]
  told <- told[order(tier, match(mode, mode_levels(mode)))]
  told[, sprintf("%s at %s: %s %% of the requests failed, and %s connections waited in the listen queue.", as_code(mode), as_code(tier), failed, queued)]
}
