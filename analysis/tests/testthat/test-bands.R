test_that("a band is the interval and a factor of 1.25 on both sides", {
  rows <- comparison_rows(
    mode = paste0("m", 1:5), pairs = 1, spread = NA_real_, statistic = c("throughput_per_s", "throughput_per_s", "cpu_us_per_request", "rss_mib", "error_share"),
    effect = c(rep("ratio", 4), "difference"), estimate = c(2, 2, NA, 2, 0.1), low = c(1.5, 1.5, NA, 1, 0), high = c(2.5, Inf, NA, 3, 0.2), reason = c("", "", "none", "", "")
  )
  found <- bands_of(rows, NULL)
  expect_equal(found$mode, c("m1", "m2"))
  # Nothing is known of processes.
  expect_true(all(is.na(found$process_reach)))
  expect_columns(found, low = 1.5 / 1.25, high = c(2.5 * 1.25, Inf))
})

test_that("the run of reference has the bands of its comparisons", {
  runs <- read_all_shipped(file.path(analysis_folder, "runs"), reference_run)
  shipped <- fread(file.path(analysis_folder, "runs", reference_run, "bands.csv"))
  expect_gt(nrow(shipped), 130)
  expect_equal(shipped, bands_of(runs[[1]]$comparisons, with_hosts(runs)), tolerance = 0.02, ignore_attr = TRUE)
})
