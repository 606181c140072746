# A hundred samples of one group, ten of the other.
allocations_with <- function(error = 1) {
  data.table(
    study = "demo", mode = "fixed-pool", tier = "low", tool = "wrk2", group = c("write", "JVM other"), repetition = 1,
    bytes_per_request = c(131072, 13107.2), error_bytes = error * c(13107.2, 4144.86), valid = TRUE
  )
}

test_that("allocations name the groups that allocate most, with shares where there are samples enough", {
  shown <- table_allocations(allocations_with())
  expect_equal(shown[["Most by"]], "write 91 % [84, 95], JVM other 9 % [5, 16]")
  expect_match(shown[["KiB a request"]], "^141 \\[")
  expect_equal(table_allocations(allocations_with(sqrt(10)))[["Most by"]], "write, JVM other")
  expect_equal(nrow(table_allocations(allocations_with()[, valid := FALSE])), 0)
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
