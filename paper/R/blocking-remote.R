# The section on a remote that takes a second: which threads wait for it, and who sees them.

#' Threads by group at the peak, a row a mode.
#'
#' @param counts see count_threads().
table_thread_groups <- function(counts) {
  seen <- counts[source == "kernel" & peak > 0]
  if (nrow(seen) == 0) return(data.table())
  wide <- dcast(seen, tier + mode ~ group, value.var = "peak", fill = 0)
  wide <- wide[order(tier, match(mode, mode_levels(mode)))]
  setnames(wide, c("tier", "mode"), c("Tier", "Mode"))
  setcolorder(wide, c("Tier", "Mode", intersect(names(thread_groups), names(wide))))[]
}

#' What a mode's pool hides: for each mode the groups that wait for the remote, at their peak.
sentences_thread_groups <- function(counts, published) {
  seen <- counts[source == "kernel" & group != "others" & peak > 0]
  promised <- published[figure == "threads_at_least"]
  unlist(lapply(mode_levels(seen$mode), function(name) {
    rows <- seen[mode == name][, .SD[which.max(peak)], by = group]
    rows <- rows[order(match(group, names(thread_groups)))]
    theirs <- promised[mode == name]$value
    sprintf(
      "%s: at the peak %s%s.", as_code(name),
      enumerate(sprintf("%s of %s", format_number(rows$peak), as_code(rows$group))),
      if (length(theirs) == 1) sprintf("; the source saw more than %s threads", format_number(theirs)) else ""
    )
  }))
}

#' In which state a thread in a blocking call is: where most platform threads waited.
#'
#' @param counts see count_threads().
#' @param little see table_little().
sentence_blocked_state <- function(counts, little) {
  blocking <- counts[group %in% c("http-nio-exec", "worker")]
  both <- merge(
    blocking[source == "jvm"], blocking[source == "kernel"], by = c("mode", "tier", "tool", "group"),
    suffixes = c("_jvm", "_kernel")
  )
  if (nrow(both) == 0) return("No server counted its threads in this run.")
  most <- both[which.max(mean_jvm)]
  waiting <- little[mode == most$mode & tier == most$tier]$under_way
  to_jvm <- most$running_jvm / most$mean_jvm
  to_kernel <- most$running_kernel / most$mean_kernel
  figures <- sprintf(
    "At %s %s had %s of %s on average%s. To the JVM, %s of them were `RUNNABLE`; to the kernel, %s ran or were free to run, and the others slept.",
    as_code(most$tier), as_code(most$mode), count_of(most$mean_jvm, "thread"), as_code(most$group),
    if (length(waiting) == 1) paste(", while", format_number(waiting), "requests were under way") else "",
    format_number(most$running_jvm), format_number(most$running_kernel)
  )
  paste(figures, if (to_jvm > 0.5 && to_kernel < 0.1) {
    paste(
      "So the source is right that such a thread is `RUNNABLE`, and wrong in what it takes that to mean: that is the word of the JVM,",
      "which does not look into a system call. The kernel has it asleep, and gives it no CPU until the answer is there."
    )
  } else {
    "The two views do not differ here as they would if these threads waited in a system call all the time."
  })
}

#' A carrier's state, which is the other way round.
sentence_carrier_state <- function(counts) {
  carriers <- counts[group == "carrier" & mean > 0]
  both <- merge(
    carriers[source == "jvm"], carriers[source == "kernel"], by = c("mode", "tier", "tool"),
    suffixes = c("_jvm", "_kernel")
  )
  if (nrow(both) == 0) return("")
  busy <- both[which.max(running_kernel)]
  sprintf(
    "Of the carriers of %s the JVM had %s as `RUNNABLE` on average, the kernel %s as running or free to run; the virtual threads that wait are in neither view.",
    as_code(busy$mode), format_number(busy$running_jvm), format_number(busy$running_kernel)
  )
}

#' How the few answers of one thread came about, in the source and here.
#'
#' @param published see read_published(); `fewest` the mode with one thread.
sentence_turns <- function(all, published, tiers, fewest) {
  theirs <- published[mode == fewest]
  figure_of <- function(wanted) theirs[figure == wanted]$value
  cells <- all$summary[mode == fewest & tier %in% tiers & requests > 1]
  cells <- cells[is.finite(latency_all_min_ms) & is.finite(latency_all_max_ms)]
  said <- sprintf(
    paste(
      "In the source each of the %s answers, one a second, took %s s at the most: so none of those requests had waited, and the one",
      "thread served the same few connections again and again, while the others got nothing."
    ), format_number(figure_of("requests")), format_number(figure_of("latency_max_ms") / 1000)
  )
  if (nrow(cells) == 0) return(said)
  paste(said, sprintf(
    "Here the answers took from %s s to %s s: %s.", format_number(min(cells$latency_all_min_ms) / 1000),
    format_number(max(cells$latency_all_max_ms) / 1000),
    if (median(cells$latency_all_max_ms) > 2 * median(cells$latency_all_min_ms)) {
      "the answered users had waited in turn, and the rest still waited when the load was over"
    } else {
      "the same"
    }
  ))
}

#' What stands in for Tomcat's blocking connector.
sentence_bio <- function(everything) {
  if (!has_study(everything, "request-threads")) return("That study is not in this run.")
  socket <- of_study(everything, "request-threads")
  loops <- main_modes(socket$summary)
  loops <- loops[mode_facts(loops)$handling == "event loop"]
  told <- sentences_over_tiers(socket, "wrk2", loops, c("cpu_us_per_request", "latency_p99_ms"))
  if (length(told) == 0) return("In this run the two were not measured beside each other.")
  paste("There, under the open loop,", told)
}

#' The same mode under both loops: users of a closed one, and about as many requests a second as they
#' ask where none of them waits for another.
#'
#' @return data.table: mode, closed_per_s, closed_ms (mean), tier, rate_per_s, open_per_s, open_p50_ms,
#'   blind_p50_ms (uncorrected), failed and timed_out (shares); medians over all repetitions that ran.
gap_of_loops <- function(all, modes) {
  cells <- all$summary[mode %in% modes & outcome != "beyond_limits"]
  closed <- cells[loop == "closed", .(
    closed_per_s = median(answers_per_s), closed_ms = median(1000 * under_way / answers_per_s)
  ), by = mode]
  open <- cells[loop == "open"]
  if (nrow(closed) == 0 || nrow(open) == 0) return(data.table())
  wanted <- log(max(closed$closed_per_s))
  open <- open[, .SD[abs(log(offered_per_s) - wanted) == min(abs(log(offered_per_s) - wanted))], by = mode]
  open <- open[, .(
    tier = tier[1], rate_per_s = offered_per_s[1], open_per_s = median(throughput_per_s),
    open_p50_ms = median(latency_p50_ms), blind_p50_ms = median(latency_uncorrected_p50_ms),
    failed = median(error_share), timed_out = median(errors_of(errors, "timeout") / requests)
  ), by = mode]
  closed[open, on = "mode", nomatch = NULL][order(match(mode, mode_levels(mode)))]
}

# Requests that failed in one way, of the summary's `errors`: `kind=count;kind=count`.
errors_of <- function(errors, kind) {
  found <- sub(sprintf("^(.*;)?%s=([0-9]+)(;.*)?$", kind), "\\2", errors)
  fifelse(found == errors, 0, suppressWarnings(as.numeric(found)))
}

sentence_gap <- function(gap) {
  if (nrow(gap) == 0) return("No mode was measured under both loops.")
  slow <- gap[which.max(failed + (closed_per_s < rate_per_s / 2))]
  told <- sprintf(
    "With %s requests due a second, %s answered %s requests a second, and %s of them failed; the latency of the closed loop, %s s, shows nothing of that.",
    format_number(slow$rate_per_s), as_code(slow$mode), format_number(slow$open_per_s), percent(slow$failed),
    format_number(slow$closed_ms / 1000)
  )
  paste(told, if (slow$timed_out > 0.5) {
    "Its users give up before their turn comes, and the thread keeps calling the remote for requests that no user waits for."
  })
}

#' How far the remote was from being the limit.
sentence_remote <- function(all) {
  shares <- all$summary[!is.na(backend_cpu_share)]$backend_cpu_share
  if (length(shares) == 0) return("")
  sprintf("Over all cells the remote used at most %s of its CPUs' time.", percent(max(shares)))
}
