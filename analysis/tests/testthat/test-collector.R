pair_with <- function(collections, gc_pause_ms, full = 0, ...) {
  root <- new_folder()
  slices <- function(collections, gc_pause_ms) known_slices(collections = collections, gc_pause_ms = gc_pause_ms, full_collections = full, duration_s = 0.5, ...)
  server <- if (!anyNA(collections)) list(collections = sum(collections), full_collections = full, gc_pause_ms = sum(gc_pause_ms))
  cell <- function(...) write_cell(root, tool = "wrk2", histogram_ms = 1:4, session = list(id = "one"), ...)
  c(cell(slices = slices(collections, gc_pause_ms), server = server), cell(slices = slices(0, 0), mode = "thread-per-request", baseline = NULL))
}
seen <- c("throughput_per_s", "latency_mean_ms", "threads_peak", "rss_mib")
compared_of <- function(...) compare_modes(measured_cells(pair_with(...)), compared_statistics[statistic %in% seen])

test_that("collections and their share of time are those of the windows that a value is of", {
  # Four windows of half a second.
  rows <- compared_of(c(1, 2, 0, 4), c(10, 20, 0, 40))
  expect_equal(rows[statistic == "throughput_per_s", c(mode_collections, baseline_collections, mode_gc_share, baseline_gc_share)], c(7, 0, 0.07 / 2, 0))
  # A window whose latency does not count is none of the latency's, and one of the throughput's, unless the server used what others left.
  disturbed <- function(...) compared_of(c(1, 2, 0, 4), c(10, 20, 0, 40), kept = c("true", "true", "true", "false"), reason = c("", "", "", "undisturbed"), ...)
  expect_equal(disturbed(server_cpu_s = 0.3, others_cpu_share = 0.4)[statistic == "throughput_per_s", mode_collections], 3)
  rows <- disturbed(server_cpu_s = 0.1)
  expect_equal(rows[statistic == "latency_mean_ms", c(mode_collections, mode_gc_share)], c(3, 0.03 / 1.5))
  expect_equal(rows[statistic == "throughput_per_s", mode_collections], 7)
  # Threads and memory have no value of a window.
  expect_true(all(is.na(rows[statistic %in% c("threads_peak", "rss_mib"), mode_collections])))
})

test_that("collections that were not counted are unknown, and not 0", {
  rows <- compared_of(NA, NA)
  expect_equal(rows[statistic == "throughput_per_s", c(mode_collections, mode_gc_share, baseline_collections)], c(NA, NA, 0))
})

test_that("a full collection is named, unless the heap is what is varied", {
  summary <- function(...) summarise_cells(pair_with(1, 1, ...)[1])
  expect_equal(fully_collected(summary()), character())
  full <- summary(full = 1)
  expect_equal(fully_collected(full), "demo/fixed-pool/low/wrk2")
  expect_equal(fully_collected(copy(full)[, heap_varied := 1]), character())
  expect_equal(fully_collected(copy(full)[, full_collections := NA]), character())
  # No slice is lost by it.
  expect_equal(compared_of(1, 1, full = 1)[statistic == "throughput_per_s", rounds], 4)
})

test_that("a run with full collections is not shipped", {
  run <- write_whole_run()
  edit_rows(file.path(run$results, "summary.csv"), function(rows) rows[, full_collections := c(2, rep(0, .N - 1))])
  expect_error(condensed(run), "the whole heap was collected within windows of 1 cells (demo/fixed-pool/low/wrk2)", fixed = TRUE)
})
