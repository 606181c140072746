# One definition of a percentile for every tool: the nearest rank. The p-th percentile of n
# values is the smallest value that at least p·n of them do not exceed: the ceil(p·n)-th in
# order, never a value between two. HdrHistogram and JMeter both define it so (JMeter rounds p·n
# instead of rounding up, which differs by one rank at most).

library(data.table)

# p·n is computed in binary: 0.95 · 20 must be rank 19, not 20.
nearest_rank <- function(p, count) {
  pmax(1, ceiling(p * count - 1e-9 * count))
}

#' Percentiles of raw values.
#'
#' @param values numeric vector, unsorted.
#' @param p probabilities, 0 to 1.
#' @return numeric vector of the length of p; NA where there are no values.
percentiles <- function(values, p) {
  if (length(values) == 0) return(rep(NA_real_, length(p)))
  sort(values)[nearest_rank(p, length(values))]
}

#' Percentiles of a histogram: the first step that reaches the rank.
#'
#' Where the histogram's lines leave values out between two steps this is the upper one, so it
#' errs to the slow side, by one step at most.
#'
#' @param histogram see read_histogram().
#' @param p probabilities, 0 to 1.
#' @return numeric vector in ms of the length of p; NA where the histogram is empty.
histogram_percentiles <- function(histogram, p) {
  if (histogram$count == 0) return(rep(NA_real_, length(p)))
  ranks <- nearest_rank(p, histogram$count)
  reaches <- vapply(ranks, function(rank) which(histogram$steps$total_count >= rank)[1], 1L)
  histogram$steps$value_ms[reaches]
}
