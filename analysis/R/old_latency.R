# One definition of a percentile for every tool: the nearest rank. The p-th percentile of n
# values is the smallest value that at least p·n of them do not exceed: the ceil(p·n)-th in
# order, never a value between two. HdrHistogram and JMeter both define it so (JMeter rounds p·n
# instead of rounding up, which differs by one rank at most).

# p·n is computed in binary: 0.95 · 20 must be rank 19, not 20.
nearest_rank <- function(p, count) {
  pmax(1, ceiling(p * count - 1e-9 * count))
}

# The rank among `count` answers if failed requests are slower than all of them, as in latencies.py: those
# that failed quickly are among the answers, and taken for the fastest. Where more failed than the
# percentile leaves out, it is that of the answers, a lower bound.
rank_of_right <- function(p, count, failed = 0, quick = 0) {
  rank <- quick + nearest_rank(p, count - quick + failed)
  fifelse(rank > count, nearest_rank(p, count), rank)
}

#' Percentiles of raw values.
#'
#' @param values numeric vector, unsorted.
#' @param p probabilities, 0 to 1.
#' @param failed how many more failed, see rank_of_right().
#' @return numeric vector of the length of p; NA where there are no values.
percentiles <- function(values, p, failed = 0) {
  if (length(values) == 0) return(rep(NA_real_, length(p)))
  sort(values)[rank_of_right(p, length(values), failed)]
}

#' Percentiles of a histogram: the first step that reaches the rank.
#'
#' Where the histogram's lines leave values out between two steps this is the upper one, so it
#' errs to the slow side, by one step at most.
#'
#' @param histogram see read_histogram().
#' @param p probabilities, 0 to 1; `failed`, `quick` see rank_of_right().
#' @return numeric vector in ms of the length of p; NA where the histogram is empty.
histogram_percentiles <- function(histogram, p, failed = 0, quick = 0) {
  if (histogram$count == 0) return(rep(NA_real_, length(p)))
  ranks <- rank_of_right(p, histogram$count, failed, quick)
  reaches <- vapply(ranks, function(rank) which(histogram$steps$total_count >= rank)[1], 1L)
  histogram$steps$value_ms[reaches]
}
