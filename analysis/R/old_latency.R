# Latencies of cells of schema 2, from their samples and histograms; schema 3 records them. It goes with old_names.R.

# p·n is computed in binary: 0.95 · 20 must be rank 19, not 20.
nearest_rank <- function(p, count) {
  pmax(1, ceiling(p * count - 1e-9 * count))
}

# The rank among `count` answers if failed requests are slower than all of them,: those
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

#' Reads the samples that JMeter recorded, one row a request.
#'
#' timeStamp is read as double: as integer64 it would silently turn into nonsense wherever the
#' bit64 package is not attached.
#'
#' @param path path of a samples.csv.gz.
#' @return data.table: timeStamp (epoch ms, start of the sample), elapsed, Latency, Connect (ms),
#'   responseCode (text), success (logical), bytes, sentBytes, slice (number of the slice).
read_samples <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  numbers <- c("timeStamp", "elapsed", "bytes", "sentBytes", "Latency", "Connect", "slice")
  columns <- c(numbers, "responseCode", "success")
  header <- strsplit(readLines(path, n = 1, warn = FALSE), ",", fixed = TRUE)
  if (length(header) == 0) fail_reading(path, "is empty, not even a header")
  require_columns(setNames(as.list(header[[1]]), header[[1]]), columns, path)
  samples <- tryCatch(
    fread(
      cmd = paste("gzip -dc", shQuote(path)), select = columns, showProgress = FALSE,
      colClasses = list(double = numbers, character = c("responseCode", "success"))
    ),
    error = function(problem) fail_reading(path, conditionMessage(problem)),
    warning = function(problem) fail_reading(path, conditionMessage(problem))
  )
  for (column in numbers) {
    if (!is.numeric(samples[[column]]) || anyNA(samples[[column]])) {
      fail_reading(path, "column ", column, " holds something that is not a number")
    }
  }
  if (!all(samples$success %in% c("true", "false"))) {
    fail_reading(path, "column success holds something other than true and false")
  }
  samples[, success := success == "true"][]
}

#' Reads a histogram in HdrHistogram's percentile format (.hgrm), values in ms.
#'
#' The lines of the format are steps of the cumulative distribution; mean, standard deviation,
#' maximum and total count are exact in its footer and are taken from there.
#'
#' @param path path of a .hgrm.
#' @return list: `steps`, a data.table of value_ms, percentile (0 to 1), total_count (cumulative);
#'   mean_ms, sd_ms (population), max_ms, count.
read_histogram <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  lines <- readLines(path, warn = FALSE)
  rows <- grep("^\\s*[0-9.]+\\s+[01]\\.[0-9]+\\s+[0-9]+", lines, value = TRUE)
  fields <- strsplit(trimws(rows), "\\s+")
  steps <- data.table(
    value_ms = as.numeric(vapply(fields, `[`, "", 1)),
    percentile = as.numeric(vapply(fields, `[`, "", 2)),
    total_count = as.numeric(vapply(fields, `[`, "", 3))
  )
  footer <- function(name) {
    found <- regmatches(lines, regexec(paste0("^#.*\\b", name, "\\s*=\\s*([0-9.eE+-]+)"), lines))
    found <- Filter(length, found)
    if (length(found) != 1) fail_reading(path, "footer has no figure for ", name)
    as.numeric(found[[1]][2])
  }
  count <- footer("Total count")
  if (count == 0) {
    nothing <- list(mean_ms = NA_real_, sd_ms = NA_real_, max_ms = NA_real_, count = 0)
    return(c(list(steps = steps[0]), nothing))
  }
  if (nrow(steps) == 0) fail_reading(path, "no percentile lines, but ", count, " values counted")
  if (is.unsorted(steps$value_ms) || is.unsorted(steps$total_count)) {
    fail_reading(path, "values or counts go down from one line to the next")
  }
  if (max(steps$total_count) != count) {
    fail_reading(path, "lines count ", max(steps$total_count), " values, the footer ", count)
  }
  list(
    steps = steps, mean_ms = footer("Mean"), sd_ms = footer("StdDeviation"),
    max_ms = footer("Max"), count = count
  )
}

#' Whether a request was answered right: 2xx, and accepted by the tool.
is_right <- function(success, response_code) {
  success & grepl("^2[0-9][0-9]$", response_code)
}

# Standard deviation over the population, as JMeter and HdrHistogram print it.
latency_of_values <- function(values_ms, failed = 0) {
  if (length(values_ms) == 0) return(NULL)
  mean_ms <- mean(values_ms)
  points <- setNames(percentiles(values_ms, latency_points, failed), names(latency_points))
  c(
    mean = mean_ms, sd = sqrt(mean((values_ms - mean_ms)^2)), min = min(values_ms),
    points, max = max(values_ms)
  )
}

latency_of_histogram <- function(histogram, failed = 0, quick = 0) {
  if (histogram$count == 0) return(NULL)
  points <- setNames(histogram_percentiles(histogram, latency_points, failed, quick), names(latency_points))
  c(
    mean = histogram$mean_ms, sd = histogram$sd_ms, min = histogram$steps$value_ms[1],
    points, max = histogram$max_ms
  )
}

checked_samples <- function(cell, path) {
  samples <- read_samples(path)
  recorded <- number(cell$load$requests_recorded)
  if (!is.na(recorded) && recorded != nrow(samples)) {
    fail_reading(path, nrow(samples), " samples, but cell.json counts ", recorded)
  }
  samples
}

#' What schema 3 has as load.latency, of a cell of schema 2; NULL for one without raw data, which did not complete.
old_latency <- function(cell) {
  raw <- function(name) file.path(cell$folder, name)
  samples <- cell$cell$tool == "jmeter"
  open <- identical(cell$load$loop, "open")
  first <- raw(if (samples) "samples.csv.gz" else if (open) "latency-corrected.hgrm" else "latency.hgrm")
  if (!file.exists(first) && cell$outcome != "completed") return(NULL)
  named <- function(latency) if (!is.null(latency)) as.list(setNames(latency, paste0(names(latency), "_ms")))
  if (samples) {
    rows <- checked_samples(cell, first)
    right_ms <- rows[is_right(success, responseCode), elapsed]
    return(list(
      resolution_ms = 1, count = nrow(rows), lasted_s = sum(rows[, .(ms = max(timeStamp + elapsed) - min(timeStamp)), by = slice]$ms) / 1000,
      right = named(latency_of_values(right_ms, nrow(rows) - length(right_ms))), all = named(latency_of_values(rows$elapsed))
    ))
  }
  histogram <- read_histogram(first)
  failed <- number(cell$load$requests_recorded) - number(cell$load$responses_2xx)
  quick <- sum(0, unlist(cell$load$errors[startsWith(names(cell$load$errors), "http_")]))
  list(
    resolution_ms = 0.001, count = histogram$count, lasted_s = number(cell$load$duration_s),
    right = named(latency_of_histogram(histogram, failed, quick)),
    all = if (!open) named(latency_of_histogram(histogram)),
    uncorrected = if (open) named(latency_of_histogram(read_histogram(raw("latency-uncorrected.hgrm"))))
  )
}

#' Latencies of a cell's slices, of one that has no latencies.csv.gz: by slice from samples, or merged (slice NA).
#'
#' @param slices its plain slices, see read_cell_slices().
old_latencies <- function(cell, slices) {
  raw <- function(name) file.path(cell$folder, name)
  if (file.exists(raw("samples.csv.gz"))) {
    rows <- read_samples(raw("samples.csv.gz"))
    return(rows[is_right(success, responseCode) & slice %in% slices$slice, .(count = .N), by = .(slice, value_ms = elapsed)])
  }
  found <- Filter(file.exists, raw(c("latency-corrected.hgrm", "latency.hgrm")))
  if (length(found) == 0 || nrow(slices) == 0) return(NULL)
  steps <- read_histogram(found[1])$steps
  if (nrow(steps) > 0) steps[, .(slice = NA_integer_, value_ms, count = diff(c(0, total_count)))][count > 0]
}
