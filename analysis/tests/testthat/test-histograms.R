# The percentile of slices with these latencies, over all of them unless it is said.
percentile_of_slices <- function(p, ..., failed = 0, over = seq_along(list(...))) merged_percentile(histogram_of(list(...), failed), over, p)

test_that("a percentile of several slices is that of all their requests, not a mean of percentiles", {
  # A slice with every slow request, and three without any: a mean of p99s would be 25.75 and more.
  found <- function(p, over = 1:4) percentile_of_slices(p, c(rep(1, 985), rep(100, 15)), rep(1, 1000), rep(1, 1000), rep(2, 1000), over = over)
  expect_equal(c(found(0.99, 1), found(0.99), found(0.5), found(0.5, 4)), c(100, 2, 1, 2))
})

test_that("a p99 takes 1,000 requests, a p99.9 takes 10,000", {
  ten_slow <- c(rep(1, 990), rep(100, 10))
  expect_equal(percentile_of_slices(0.99, ten_slow), 1)
  expect_true(is.na(percentile_of_slices(0.99, ten_slow[-1])))
  expect_equal(percentile_of_slices(0.99, rep(1, 500), rep(1, 500)), 1)
  expect_true(is.na(percentile_of_slices(0.999, rep(1, 9999))))
  expect_equal(percentile_of_slices(0.5, rep(1, 20)), 1)
  expect_true(is.na(percentile_of_slices(0.5, rep(1, 19))))
  # Failed requests are requests.
  expect_equal(percentile_of_slices(0.99, rep(1, 995), failed = 5), 1)
  expect_true(is.na(merged_percentile(NULL, 1, 0.5)))
  expect_true(is.na(percentile_of_slices(0.5, ten_slow, over = 2)))
})

test_that("failed requests rank last, and a percentile that they reach is not reached", {
  # The last of 1,000 that the p99 leaves out.
  expect_equal(percentile_of_slices(0.99, c(rep(1, 989), 7), failed = 10), 7)
  expect_equal(percentile_of_slices(0.99, rep(1, 989), failed = 11), Inf)
  expect_equal(percentile_of_slices(0.9, rep(1, 989), failed = 11), 1)
  # Over slices: a slice of failures reaches the p99 of all.
  both <- function(over) percentile_of_slices(0.99, rep(1, 1000), rep(1, 500), failed = c(0, 500), over = over)
  expect_equal(c(both(1), both(1:2)), c(1, Inf))
})

test_that("answers other than 2xx in an open loop's histogram are the fastest, and no more than there are", {
  # 1,000 answers, 100 of them refusals: the median of the right ones, of 1,000 requests of which 100 failed.
  found <- histogram_of(list(c(rep(1, 100), rep(2, 600), rep(3, 300))))
  found$right <- 900
  # Rank 100 + 901 is beyond the 1,000 answers.
  expect_equal(vapply(c(0.5, 0.9, 0.901), function(p) merged_percentile(found, 1, p), 0), c(2, 3, Inf))
})

test_that("histograms are read by slice, and requests that a mix adds are none of the primary latency's", {
  cell <- read_cell(write_cell(new_folder(), tool = "wrk2"))
  read <- function(..., slices) {
    fwrite(data.table(...), file.path(cell$folder, "latencies.csv.gz"))
    read_histograms(cell, slices)
  }
  found <- read(slice = c(1, 1, 2), value_ms = c(3, 1, 3), count = c(4, 20, 25), slices = known_slices(responses_2xx = 25))
  expect_equal(found$values_ms, c(1, 3))
  expect_equal(found$counts, matrix(c(20, 4, 0, 25), 2, dimnames = list(NULL, c("1", "2"))))
  expect_equal(found$recorded, c(25, 25))
  found <- read(
    slice = c(1, 2, 1, 2), value_ms = c(1, 3, 50, 60), count = c(20, 24, 4, 2), class = c("", "", "mixed-in", "mixed-in"),
    slices = known_slices(requests_recorded = 26, responses_2xx = c(24, 26, 26, 26))
  )
  expect_equal(found$values_ms, c(1, 3))
  expect_equal(colSums(found$counts), c("1" = 20, "2" = 24))
  # Two requests of the first slice failed: they count as short ones.
  expect_equal(found$recorded, c(22, 24))
  expect_equal(found$right, c(20, 24))
  expect_equal(merged_percentile(found, 1:2, 0.5), 3)
})

# Percentiles of a golden cell as they are recorded, and as its histograms have them.
golden_percentiles <- function(path) {
  cell <- read_cell(path)
  recorded <- cell$load$latency$right
  if (cell$cell$tool == "sweep" || is.null(recorded)) return(NULL)
  slices <- read_cell_slices(file.path(cell$folder, "slices.csv"))
  plain <- slices[kind == "plain"]
  found <- read_histograms(cell, slices)
  data.table(
    info = paste(path, names(percentile_of)), recorded = vapply(recorded[sub("latency_", "", names(percentile_of))], number, 0),
    ours = vapply(percentile_of, merged_percentile, 0, histograms = found, slices = plain[kept == any(plain$kept), slice])
  )
}

test_that("golden cells have the percentiles that their records have", {
  rows <- rbindlist(lapply(Sys.glob(file.path(golden, "cells", "*", "*", "*", "*", "rep-1", "cell.json")), golden_percentiles))
  # A record has no value where failures reach it.
  expect_equal(rows[is.finite(ours) != is.finite(recorded), info], character())
  rows <- rows[is.finite(recorded)]
  expect_gt(nrow(rows), 10)
  expect_equal(rows$ours, rows$recorded, tolerance = 1e-6)
})

test_that("a cell's latencies are written as the runner reads a histogram", {
  path <- write_cell(new_folder(), tool = "wrk2", histogram_ms = c(1, 2, 2, 5), slices = known_slices(kept = c("true", "true", "true", "false")))
  fwrite(data.table(slice = c(1, 1, 2, 4), value_ms = c(1, 2, 5, 99), count = c(10, 20, 5, 7)), file.path(dirname(path), "latencies.csv.gz"))
  file <- tempfile(fileext = ".hgrm")
  writeLines(hgrm_of_cell(path), file)
  script <- sprintf("import json; from workloads.record.latencies import read_hgrm; print(json.dumps(sorted(read_hgrm(open('%s').read()).items())))", file)
  printed <- withr::with_dir(file.path(analysis_folder, ".."), system2("python3", c("-c", shQuote(script)), stdout = TRUE))
  expect_equal(jsonlite::fromJSON(printed), matrix(c(1, 2, 5, 10, 20, 5), 3))
})
