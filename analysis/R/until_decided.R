# The interval of a named cell, and how often it misses: workloads/session/until_decided.py ends the rounds when they look precise.
#
# A rule that ends when an interval is narrow ends more often when the rounds happen to be alike, and rounds of one session do
# not show what a new process adds. So the variance has process_share of a round's besides, and the nominal level is above
# that of other intervals; with both, 93 to 95 % of the intervals hold the truth (coverage.csv).

nominal_confidence <- 0.96

#' The error of the mean of so many rounds, of another process, too.
#'
#' @param within standard error by the rounds, to which process_share of a round's variance is added.
error_of_rounds <- function(within, rounds) within * sqrt(1 + process_share * rounds)

#' Half of the interval of a named cell.
reach_of_rounds <- function(error, df) suppressWarnings(qt((1 + nominal_confidence) / 2, df)) * error

# The rule: rounds at least, and as many as 100 s have of the slowest loads; half-widths that are precise.
rounds_at_least <- 4
rounds_at_most <- 24
precise_from <- c(throughput_per_s = 1.05, cpu_us_per_request = 1.08)

#' How many rounds the rule takes.
#'
#' @param logs log ratios of rounds, rounds_at_most of them; `precise` half-width; `band` two logarithms, infinite without a band.
rounds_decided <- function(logs, precise, band) {
  for (count in rounds_at_least:rounds_at_most) {
    ends <- mean(logs[seq_len(count)]) + c(-1, 1) * half_interval(sd(logs[seq_len(count)]), count - 1, count)
    clear <- ends[2] < band[1] || ends[1] > band[2] || all(is.finite(band)) && ends[1] >= band[1] && ends[2] <= band[2]
    if (diff(ends) / 2 <= log(precise) || clear) return(count)
  }
  rounds_at_most
}

#' One named cell, made of real rounds.
#'
#' @param shapes rounds of all pairs, as shares of their pair's spread: a pair by itself has too few to draw from; `spread` of a pair.
#' @param true the log ratio.
#' @return list: rounds, centre, reach, p_value (of no difference).
simulate_named <- function(shapes, spread, true, precise) {
  logs <- true + rnorm(1, 0, spread * sqrt(process_share)) + spread * sample(shapes, rounds_at_most, replace = TRUE)
  # A shipped run knows the ratio within a few percent, or not at all.
  band <- if (runif(1) < 0.5) c(-Inf, Inf) else true + rnorm(1, 0, 0.05) + c(-1, 1) * (log(reproduced_within) + 0.1)
  count <- rounds_decided(logs, precise, band)
  logs <- logs[seq_len(count)]
  error <- error_of_rounds(sd(logs) / sqrt(count), count)
  list(rounds = count, centre = mean(logs), reach = reach_of_rounds(error, count - 1), p_value = 2 * tail_beyond(abs(mean(logs)), error, count - 1))
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
  found <- function(size) rows[abs(abs(true) - log(size)) < 1e-9, mean(p_value <= 1 - confidence)]
  rows[, .(
    statistic = statistic, sessions = 1, rounds = median(rounds), design = "one cell until decided", comparisons = .N, coverage = mean(abs(centre - true) <= reach),
    wide = 0, half_width = median(reach), false = found(1), found_5 = found(1.05), found_10 = found(1.1), found_20 = found(1.2), same = NA_real_
  )]
}
