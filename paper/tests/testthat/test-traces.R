folder <- new_folder()
place <- data.table(study = "s", mode = "m", tier = "t", tool = "jmeter", repetition = 1)
dir.create(file.path(folder, "cells", cell_path(place)), recursive = TRUE)
slices <- cbind(place, data.table(
  beside = c("", "", "other"), slice = 1:3, start_epoch_s = c(100, 200, 300), end_epoch_s = c(102, 201.5, 301), kept = c(TRUE, FALSE, TRUE),
  throughput_per_s = c(10, 20, 30), latency_p99_ms = c(5, NA, 5)
))
all <- list(results = folder, summary = place, slices = slices)

test_that("slices stand in a row, without the time between them", {
  trace <- series_of(all, place)
  expect_equal(trace$name, "m at t, closed loop, repetition 1")
  expect_equal(trace$slices[c("at", "length", "kept")], list(at = c(0, 2), length = c(2, 1.5), kept = c(TRUE, FALSE)))
  expect_length(trace$seconds, 0)
  expect_said(traces_frame(all), "Time series of 1 cell</summary>")
})

test_that("telemetry is summed up second by second, within slices", {
  at <- c(99.9, seq(100, 101.9, 0.1), seq(200, 201.4, 0.1), 201.6)
  fwrite(data.table(
    slice = c(rep(1, 21), rep(2, 16)), time_s = at, server_cpu_s = 0.5 * at,
    server_rss_bytes = fifelse(at < 150, 2^20, 2^21), server_threads = 7
  ), file.path(folder, "cells", cell_path(place), "telemetry.csv"))
  expected <- list(at = 0:3, length = c(1, 1, 1, 0.5), cpus = rep(0.5, 4), rss_mib = c(1, 1, 2, 2), threads = rep(7, 4))
  expect_equal(as.list(series_of(all, place)$seconds)[names(expected)], expected)
})
