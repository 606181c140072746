# Latencies of the slices of a cell as histograms, so that a percentile is of all requests of several slices together.
#
# A failed request is slower than all answers. A percentile that the failed ones reach is not reached: infinite. One that has
# fewer than ten requests beyond it is not given: a p99 takes 1,000 requests.

requests_beyond <- 10
# Several blocks of rounds, whose percentiles are averaged, need no more than this each.
requests_beyond_of_block <- 5

#' The histograms of a cell's plain slices.
#'
#' @param cell see read_cell(); `slices` its rows, see read_cell_slices().
#' @return list: values_ms (increasing), counts (matrix, a row per value and a column per slice, named by its number), and of each column
#'   recorded (requests) and right (answered 2xx); without_lag, the same without the generator's own lateness, where it is known. NULL
#'   for a cell without latencies. Of a load that mixes two paths these are of the tier's path alone.
read_histograms <- function(cell, slices) {
  plain <- slices[kind == "plain"]
  path <- file.path(cell$folder, "latencies.csv.gz")
  if (!file.exists(path)) return(NULL)
  rows <- fread(cmd = paste("gzip -dc", shQuote(path)), colClasses = c(slice = "character", value_ms = "numeric", count = "numeric"))
  class <- if ("class" %in% names(rows)) fcoalesce(as.character(rows[["class"]]), "") else rep("", nrow(rows))
  # Requests that a mix adds are none of the primary latency's; a failed one counts as one of those, which errs to the slow side.
  added <- rows[class == "mixed-in"]
  of_class <- function(name) histograms_of_rows(rows[class == name], plain, added)
  found <- of_class("")
  if (any(class == "without-lag")) found$without_lag <- of_class("without-lag")
  found
}

histograms_of_rows <- function(rows, plain, added) {
  columns <- intersect(as.character(plain$slice), rows$slice)
  if (length(columns) == 0) return(NULL)
  rows <- rows[slice %in% columns]
  values <- sort(unique(rows$value_ms))
  counts <- matrix(0, length(values), length(columns), dimnames = list(NULL, columns))
  counts[cbind(match(rows$value_ms, values), match(rows$slice, columns))] <- rows$count
  counted <- plain[match(columns, as.character(slice))]
  of_others <- vapply(columns, function(number) sum(added$count[added$slice == number]), 0, USE.NAMES = FALSE)
  list(
    values_ms = values, counts = counts,
    recorded = counted$requests_recorded - of_others, right = counted$responses_2xx - of_others
  )
}

#' A percentile of some slices together.
#'
#' @param histograms see read_histograms(); `slices` numbers; `p` 0 to 1; `beyond` requests that must lie beyond.
#' @return ms; Inf where failed requests reach it, NA where too few requests lie beyond it.
merged_percentile <- function(histograms, slices, p, beyond = requests_beyond) {
  if (is.null(histograms)) return(NA_real_)
  at <- which(colnames(histograms$counts) %in% slices)
  if (length(at) == 0) return(NA_real_)
  totals <- colSums(histograms$counts)[at]
  # An open loop's histogram holds answers other than 2xx, too: they are taken for the fastest, which errs to the slow side.
  right <- sum(pmin(totals, histograms$right[at]))
  quick <- sum(totals) - right
  requests <- sum(pmax(histograms$recorded[at], histograms$right[at]))
  if (anyNA(c(requests, right)) || requests * (1 - p) < beyond - 1e-6) return(NA_real_)
  rank <- quick + ceiling((p - 1e-9) * requests)
  if (rank > sum(totals)) return(Inf)
  histograms$values_ms[which(cumsum(counts_of_slices(histograms, slices)) >= rank)[1]]
}

counts_of_slices <- function(histograms, slices) rowSums(histograms$counts[, colnames(histograms$counts) %in% slices, drop = FALSE])

#' By how much the generator's own lateness may have made a latency longer: a request that was sent late waited for the generator, and not
#' for the server, so the truth lies between its latency from when it was due and the same without that lateness.
#'
#' @param histograms see read_histograms(); `slices` numbers; `statistic` a percentile or the mean.
#' @return the log of the one over the other, 0 where the generator was in time.
lateness_of <- function(histograms, slices, statistic) {
  if (any(slices %in% histograms$late_slices)) return(fcoalesce(histograms$lateness[[statistic]], 0))
  if (is.null(histograms$without_lag)) return(0)
  value_of <- function(table) value_of_histogram(table, slices, statistic)
  fcoalesce(max(0, log(value_of(histograms) / value_of(histograms$without_lag))), 0)
}

value_of_histogram <- function(histograms, slices, statistic) {
  p <- percentile_of[statistic]
  if (!is.na(p)) return(merged_percentile(histograms, slices, p))
  counts <- counts_of_slices(histograms, slices)
  sum(counts * histograms$values_ms) / sum(counts)
}

#' The latencies of a cell's slices that count, in HdrHistogram's percentile format, in ms.
#'
#' @param path path of a cell.json.
#' @return lines, which HdrHistogram's plotter and hdrhistogram.github.io read.
hgrm_of_cell <- function(path) {
  cell <- read_cell(path)
  slices <- read_slices_of(cell)
  histograms <- read_histograms(cell, slices)
  if (is.null(histograms)) stop(path, ": no latency was recorded", call. = FALSE)
  counts <- counts_of_slices(histograms, slices[kind == "plain" & kept == TRUE, slice])
  seen <- counts > 0
  values <- histograms$values_ms[seen]
  counts <- counts[seen]
  share <- cumsum(counts) / sum(counts)
  middle <- sum(values * counts) / sum(counts)
  inverse <- fifelse(share < 1, sprintf("%14.2f", 1 / (1 - share)), "           inf")
  c(
    "       Value     Percentile TotalCount 1/(1-Percentile)", "", sprintf("%12.3f %2.12f %10.0f %s", values, share, cumsum(counts), inverse),
    sprintf("#[Mean    = %12.3f, StdDeviation   = %12.3f]", middle, sqrt(sum(counts * (values - middle)^2) / sum(counts))),
    sprintf("#[Max     = %12.3f, Total count    = %12.0f]", max(values), sum(counts)), sprintf("#[Buckets = %12d, SubBuckets     = %12d]", length(values), 1L)
  )
}

# A name for a cell's histograms; a baseline that was measured again beside another cell has its own.
histogram_key <- function(table) table[, paste(study, mode, tier, tool, session, beside, sep = "\r")]
