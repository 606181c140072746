# The decision guide: for an engineer's situation, which mode wins, by how much, and from which load
# on. Every entry is computed from the comparisons.

#' The situations, and where each is measured.
#'
#' Each compares one baseline with all modes that have it: study, versus (the baseline), tier and tool
#' where it is decided, statistics that matter there, the first most; loads: tiers of the open loop in
#' their order, for "from which load on"; and what to mind that no value here shows.
guide_situations <- list(
  list(
    title = "Requests wait 100 ms, 500 at once", study = "virtual-threads", versus = "platform-50",
    tier = "sleep-500", tool = "jmeter", statistics = c("throughput_per_s", "rss_mib"),
    loads = c("sleep-500", "sleep-1999"),
    mind = "A pool of *n* threads answers at most *n* over the time of waiting (@eq-bound): count who waits at once before you choose the kind of thread."
  ),
  list(
    title = "A remote takes 1 s, 100 users", study = "blocking-remote", versus = "pool-200-blocking",
    tier = "users-100", tool = "jmeter", statistics = c("throughput_per_s", "rss_mib", "threads_peak"),
    loads = c("rate-11", "rate-53", "rate-89", "rate-109", "rate-151", "rate-199"),
    mind = "Give every call a time-out. If the remote hangs, its waiting threads use up the pool."
  ),
  list(
    title = "Requests compute 2 ms", study = "virtual-threads", versus = "platform-50",
    tier = "cpu-2ms", tool = "jmeter", statistics = c("throughput_per_s", "latency_p99_ms"),
    loads = "cpu-2ms",
    mind = "CPUs are the bound; more threads than CPUs only share them."
  ),
  list(
    title = "Short requests, a connection each, 5,000 a second", study = "request-threads",
    versus = "thread-per-request", tier = "high", tool = "wrk2",
    statistics = c("cpu_us_per_request", "latency_p99_ms"), loads = c("low", "mid", "high", "extreme"),
    mind = "Keep connections open first; set the listen queue (`backlog`) to more than a burst."
  ),
  list(
    title = "A query that waits 20 ms, behind HikariCP", study = "virtual-threads",
    versus = "platform-hikari-10", tier = "query-wait", tool = "jmeter",
    statistics = c("throughput_per_s", "latency_p99_ms"), loads = character(),
    mind = "The pool of connections is the bound, whatever kind of thread waits for one. Where queries compute, more connections than the database has CPUs do not help."
  ),
  list(
    title = "A transaction on 10 workers, a connection each time", study = "database-pools",
    versus = "jvm-connect-per-transaction", tier = "jvm-10", tool = "database-client",
    statistics = c("throughput_per_s", "latency_p99_ms"), loads = character(),
    mind = "A connection pool saves one connection set-up per transaction. The shorter the transaction, the larger the gain; TLS makes it larger still."
  ),
  list(
    title = "JDK 21, requests wait in `synchronized`", study = "virtual-threads",
    versus = "virtual-synchronized-21", tier = "lock-20ms", tool = "jmeter",
    statistics = c("throughput_per_s", "latency_p99_ms"), loads = character(),
    mind = "Libraries have `synchronized` too: count `jdk.VirtualThreadPinned` before you rely on virtual threads below JDK 24."
  ),
  list(
    title = "JDK 21, requests wait holding a `ReentrantLock`", study = "virtual-threads",
    versus = "virtual-lock-21", tier = "lock-20ms", tool = "jmeter",
    statistics = c("throughput_per_s", "latency_p99_ms"), loads = character(), mind = ""
  )
)

#' How a mode does against the baseline in one comparison.
#'
#' @param rows rows of the comparisons.
#' @return character vector: better, worse, same, open (not decided); `alone` where the baseline, and `out`
#'   where the mode, has no valid cell because it failed requests or, in an open loop, fell behind; `none`
#'   where nothing can be compared.
standing <- function(rows) {
  # More requests were waiting than there are connections.
  lost <- grepl("share_2xx", rows$reason) | (rows$tool == "wrk2" & grepl("little", rows$reason))
  failed <- function(side) rows[[paste0(side, "_valid")]] == 0 & rows[[paste0(side, "_invalid")]] > 0
  fcase(
    rows$verdict == "equivalent", "same",
    rows$verdict %in% c("higher", "lower"), ifelse(rows$verdict == rows$better, "better", "worse"),
    rows$verdict %in% c("undecided", "bounded", "one session"), "open",
    lost & failed("versus") & rows$mode_valid > 0, "alone",
    lost & failed("mode") & rows$versus_valid > 0, "out",
    default = "none"
  )
}

# The comparisons with a situation's baseline at some tiers, variants left out.
guide_rows <- function(comparisons, situation, tiers, tool, statistic) {
  wanted <- list(situation$study, situation$versus, tiers, tool, statistic)
  rows <- comparisons[
    study == wanted[[1]] & versus == wanted[[2]] & tier %in% wanted[[3]] & tool == wanted[[4]] &
      statistic == wanted[[5]] & !is_variant(mode)
  ]
  # The best first.
  rows <- rows[order(ifelse(better == "higher", -estimate, estimate))]
  rows[, standing := standing(rows)][]
}

times_text <- function(rows) enumerate(paste(as_code(rows$mode), effect_with_interval(rows)))

#' Intervals that hold for all rows together, by Bonferroni: the best of several was chosen after its
#' ratio was seen, so its own interval would flatter it.
#'
#' @param rows ratios with low, high and df, NA where there is one session.
#' @return the same rows, low and high wider.
holding_together <- function(rows) {
  level <- (1 - confidence) / 2
  wider <- rows[, fcoalesce(qt(level / .N, df) / qt(level, df), 1)]
  copy(rows)[, `:=`(low = estimate * (low / estimate)^wider, high = estimate * (high / estimate)^wider)][]
}

# Modes that their own comparison with the best, in the same sessions, does not distinguish from it.
as_good_as_best <- function(all, wins) {
  best <- wins[1]
  tied <- vapply(wins$mode[-1], function(name) {
    other <- ratio_between(all, best$study, best$tier, best$tool, name, best$mode, best$statistic)
    !isTRUE(other$low > 1 || other$high < 1)
  }, NA)
  c(best$mode, wins$mode[-1][tied])
}

#' One situation and statistic: which mode wins, by how much, and what became of the others.
#'
#' @param rows see guide_rows(): at least one.
#' @param versus the baseline.
#' @return list of Markdown: best, by (ratio to the baseline), others (a clause; may be empty).
guide_winner <- function(all, rows, versus) {
  rows <- holding_together(rows)
  of <- function(...) rows[standing %in% c(...)]
  wins <- of("better")
  told <- function(words, some) if (nrow(some) > 0) paste0(words, ": ", times_text(some))
  undecided <- told("not decided", of("open"))
  same <- told("the same", of("same"))
  worse <- told("worse", of("worse"))
  failing <- if (nrow(of("out")) > 0) paste0("does not keep up: ", enumerate(as_code(of("out")$mode)))
  if (nrow(of("alone")) > 0) {
    return(list(best = enumerate(as_code(of("alone")$mode), " or "), by = paste(as_code(versus), "does not keep up"), others = ""))
  }
  if (nrow(wins) > 0) {
    return(list(
      best = enumerate(as_code(as_good_as_best(all, wins)), " or "), by = effect_with_interval(wins[1]),
      others = enumerate(c(told("better as well", wins[-1]), same, undecided, failing), "; ")
    ))
  }
  if (all(rows$standing == "none")) {
    return(list(best = "not comparable", by = no_figure, others = enumerate(unique(rows$reason), "; ")))
  }
  best <- if (!is.null(undecided)) "not decided" else if (!is.null(same)) "no difference" else as_code(versus)
  list(best = best, by = no_figure, others = enumerate(c(same, undecided, worse, failing), "; "))
}

#' From which load on each mode is better than the baseline at the 99th percentile, and stays so.
#'
#' @return one clause; nothing where no such loads were measured.
guide_from <- function(all, situation) {
  offered <- all$summary[study == situation$study & tool == "wrk2", .(per_s = offered_per_s[1]), by = tier]
  loads <- intersect(situation$loads, offered$tier)
  if (length(loads) < 2) return("")
  rows <- guide_rows(all$comparisons, situation, loads, "wrk2", "latency_p99_ms")
  first <- rows[, .(from = {
    ahead <- standing[match(loads, tier)] %in% c("better", "alone")
    # Behind the last load at which it is not ahead.
    loads[max(which(!ahead), 0) + 1]
  }), by = mode][!is.na(from)]
  if (nrow(first) == 0) return("at no load measured")
  told <- first[order(match(from, loads)), .(modes = enumerate(as_code(mode))), by = from]
  told[offered, per_s := i.per_s, on = c(from = "tier")]
  enumerate(told[, sprintf("%s from %s a second on", modes, format_number(per_s))], "; ")
}

#' The winners of a situation, by statistic.
#'
#' @return list by statistic, see guide_winner(); empty where nothing of it was measured.
guide_winners <- function(all, situation) {
  rows <- lapply(setNames(nm = situation$statistics), function(id) {
    guide_rows(all$comparisons, situation, situation$tier, situation$tool, id)
  })
  # A mode that is worse in what matters most is no advice, however little it takes.
  serving <- rows[[1]][standing %in% c("better", "same", "open", "alone")]$mode
  rows[-1] <- lapply(rows[-1], function(table) table[mode %in% serving])
  lapply(Filter(nrow, rows), function(table) guide_winner(all, table, situation$versus))
}

#' The guide's table: a row per situation and statistic.
#'
#' @return data.table of Markdown: Situation, Baseline, Metric, Best, Ratio (to the baseline); no rows
#'   where nothing of it was measured.
table_guide <- function(all) {
  rbindlist(lapply(guide_situations, function(situation) {
    winners <- guide_winners(all, situation)
    rest <- rep("", max(length(winners) - 1, 0))
    if (length(winners) > 0) {
      data.table(
        Situation = c(situation$title, rest), Baseline = c(as_code(situation$versus), rest),
        Metric = title_of(names(winners)), Best = vapply(winners, `[[`, "", "best"),
        Ratio = vapply(winners, `[[`, "", "by")
      )
    }
  }))
}

#' Of each situation what the table has no room for: the other modes, from which load on they pay,
#' what the best costs, and what to mind.
sentences_guide <- function(all) {
  told <- vapply(guide_situations, function(situation) {
    winners <- guide_winners(all, situation)
    if (length(winners) == 0) return("")
    others <- vapply(winners, `[[`, "", "others")
    others <- sprintf("%s: %s.", capitalised(title_of(names(others))), others)[nzchar(others)]
    from <- guide_from(all, situation)
    if (nzchar(from)) from <- sprintf("99th percentile shorter: %s.", from)
    more <- paragraph(others, from, sentence_price(all$comparisons, situation), situation$mind)
    if (nzchar(more)) sprintf("**%s.** %s", situation$title, more) else ""
  }, "")
  told[nzchar(told)]
}

# Mean and median latency go with the 99th percentile, switches and threads with CPU time and memory.
priced_statistics <- c("throughput_per_s", "latency_p99_ms", "cpu_us_per_request", "rss_mib")

# What the winner is worse in, beyond what the table says.
sentence_price <- function(comparisons, situation) {
  rows <- guide_rows(comparisons, situation, situation$tier, situation$tool, situation$statistics[1])
  best <- rows[standing == "better"]$mode[1]
  if (is.na(best)) return("")
  others <- comparisons[
    study == situation$study & versus == situation$versus & tier == situation$tier &
      tool == situation$tool & mode == best &
      statistic %in% setdiff(priced_statistics, situation$statistics)
  ]
  worse <- others[standing(others) == "worse"]
  if (nrow(worse) == 0) return("")
  sprintf("The price of %s: %s.", as_code(best), enumerate(sprintf(
    "%s times the %s", effect_with_interval(worse), title_of(worse$statistic)
  )))
}
