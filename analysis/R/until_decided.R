# How often the interval of a named cell misses: workloads/session/until_decided.py ends the rounds when they look precise.
#
# Such a rule ends more often when the rounds happen to be alike, and rounds of one session do not show what a new process adds. So that
# is a part of the interval (intervals.R), as it is of the rule's.

# The rule: rounds at least, and as many as 100 s have of the slowest loads; half-widths that are precise.
rounds_at_least <- 4
rounds_at_most <- 24
precise_from <- c(throughput_per_s = 1.05, cpu_us_per_request = 1.08)

#' Half of the 95 % interval of a session: by its rounds, and by what a new process adds.
#'
#' @param logs log ratios of rounds; `process_reach` see bands_of().
reach_of_session <- function(logs, process_reach) {
  count <- length(logs)
  sqrt(half_interval(sd(logs), count - 1, count)^2 + process_reach^2)
}

#' How many rounds the rule takes.
#'
#' @param logs log ratios of rounds, rounds_at_most of them; `precise` half-width; `band` two logarithms, infinite without a band.
rounds_decided <- function(logs, precise, band, process_reach) {
  enough <- function(count) are_enough(logs[seq_len(count)], precise, band, process_reach)
  c(Filter(enough, rounds_at_least:rounds_at_most), rounds_at_most)[1]
}

are_enough <- function(logs, precise, band, process_reach) {
  reach <- reach_of_session(logs, process_reach)
  is_precise <- reach <= log(precise) || reach_of_session(logs, 0) <= process_reach
  is_precise || is_clear_of(mean(logs) - reach, mean(logs) + reach, band)
}

# Whether an interval lies outside of a band, or inside of one with two ends.
is_clear_of <- function(low, high, band) high < band[1] || low > band[2] || all(is.finite(band)) && low >= band[1] && high <= band[2]

#' One named cell, made of real rounds.
#'
#' @param shapes rounds of all pairs, as shares of their pair's spread: a pair by itself has too few to draw from; `spread` of a pair.
#' @param true the log ratio.
#' @return list: rounds, centre, reach, p_value (of no difference).
simulate_named <- function(shapes, spread, true, precise) {
  process <- spread * sqrt(process_share)
  logs <- true + rnorm(1, 0, process) + spread * sample(shapes, rounds_at_most, replace = TRUE)
  # A shipped run knows the ratio within a few percent, or not at all.
  band <- if (runif(1) < 0.5) c(-Inf, Inf) else true + rnorm(1, 0, 0.05) + c(-1, 1) * (log(reproduced_within) + 0.1)
  process_reach <- qnorm((1 + confidence) / 2) * process
  logs <- logs[seq_len(rounds_decided(logs, precise, band, process_reach))]
  reach <- reach_of_session(logs, process_reach)
  list(rounds = length(logs), centre = mean(logs), reach = reach, found = abs(mean(logs)) > reach)
}

#' How right the intervals of named cells are.
#'
#' @param pairs see measured_pairs(); `runs` cells of each pair.
#' @return a row as simulate_coverage() has.
simulate_until_decided <- function(pairs, statistic, runs) {
  changes <- Filter(function(of_pair) sd(of_pair) > 0, lapply(pairs, `[[`, "changes"))
  spreads <- vapply(changes, sd, 0)
  shapes <- unlist(Map(`/`, changes, spreads))
  rows <- rbindlist(lapply(rep(spreads, runs), function(spread) {
    true <- sample(log(plasmode_sizes), 1) * sample(c(-1, 1), 1)
    c(list(true = true), simulate_named(shapes, spread, true, precise_from[[statistic]]))
  }))
  found_of <- function(size) rows[abs(abs(true) - log(size)) < 1e-9, mean(found)]
  rows[, .(
    statistic = statistic, sessions = 1, rounds = median(rounds), design = "one cell until decided", comparisons = .N, coverage = mean(abs(centre - true) <= reach),
    wide = 0, half_width = median(reach), false = found_of(1), found_5 = found_of(1.05), found_10 = found_of(1.1), found_20 = found_of(1.2), same = NA_real_
  )]
}
