test_that("a request allocates what all groups do, with the error of sampling", {
  allocations <- data.table(
    mode = "fixed-pool", tier = "low", repetition = 1, bytes_per_request = c(131072, 13312), error_bytes = c(10240, 7680), valid = TRUE
  )
  expect_equal(table_allocations(allocations)[["KiB a request"]], "141 [117, 165]")
  expect_equal(nrow(table_allocations(allocations[, valid := FALSE])), 0)
})

test_that("events of threads are those of the profiled slice, per request", {
  path <- write_cell(new_folder(), elapsed_ms = 1:10, slices = known_slices()[kind == "profiled", requests_recorded := 50])
  of <- function(...) {
    writeLines(c(...), file.path(dirname(path), "events.csv"))
    read_thread_events(path)
  }
  header <- "event,count,total_ms,longest_ms"
  expect_equal(nrow(read_thread_events(path)), 0)
  events <- of(header, "jdk.VirtualThreadPinned,100,2050,20.9")
  expect_equal(unlist(events[, .(count, requests)]), c(count = 100, requests = 50))
  shown <- table_thread_events(events)
  expect_equal(unlist(shown[, .(Events, `Per request`, `ms a request`, `ms, mean`)], use.names = FALSE), c("100", "2", "41", "20.5"))
  expect_equal(nrow(table_thread_events(events[, valid := FALSE])), 0)
  # Without any event, with another column, and in a slice that a rule excludes.
  expect_equal(nrow(of(header)), 0)
  expect_error(of("event,count", "jdk.ThreadSleep,3"), "total_ms")
  fwrite(known_slices()[kind == "profiled", kept := "false"], file.path(dirname(path), "slices.csv"))
  expect_equal(nrow(read_thread_events(path)), 0)
})
