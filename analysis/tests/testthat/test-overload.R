# Folders of cells as the runner writes them, with tables of overloads.

write_overload <- function(root, mode, steps = "0.5x4 1.5x4 0.5x8", p99_ms = rep(20, 16), heap = NULL, options = list(), tool = list(), repetition = 1, in_time = 90) {
  path <- write_cell(
    root, mode = mode, tier = "beyond", tool = "wrk2", repetition = repetition, histogram_ms = 1:10,
    cell = list(tool = "overload", study = "demo", mode = mode, tier = "beyond", repetition = repetition), overload = list(capacity_per_s = 100, capacity_of = "pool"),
    configuration = list(
      mode = list(id = mode, options = options), tier = list(id = "beyond", path = "/page", sleep_ms = 0),
      tool = c(list(id = "overload", connections = 8000, objective_ms = 2000), tool), study = list(id = "demo", server = list(jvm_options = list("-Xmx1024m", "-Xms512m", "-Xmx512m")))
    )
  )
  folder <- dirname(path)
  loads <- data.table(slice = 1, capacity_per_s = 100, steps, due = 100, in_time, refused = 0, answered_after_s = 0.5)
  for (limit_s in 1:10) set(loads, j = sprintf("within_%d_s", limit_s), value = in_time)
  fwrite(loads, file.path(folder, "overloads.csv"))
  count <- length(p99_ms)
  fwrite(data.table(slice = 1, second = seq_len(count) - 1, due = 100, right = 100, in_time = ifelse(p99_ms <= 2000, 100, 40), p50_ms = 10, p99_ms), file.path(folder, "seconds.csv"))
  if (!is.null(heap)) fwrite(heap, file.path(folder, "heap.csv"))
  path
}

overloads_in <- function(...) {
  cells <- read_cells(c(...))
  loads <- overloads_of(cells)
  seconds <- overload_seconds_of(cells, loads)
  list(loads = loads, seconds = seconds, recoveries = recoveries_of(seconds), heap = request_heap_of(cells))
}

# ---- Loads and the way back ------------------------------------------------------------------------

test_that("a load is read with its steps", {
  expect_equal(parse_steps("0.5x10 1.5x10"), data.table(share = c(0.5, 1.5), length_s = 10, from_s = c(0, 10)))
  loads <- overloads_in(write_overload(new_folder(), "pool"))$loads
  expect_equal(loads[, .(mode, path, highest_share, duration_s, due, in_time, capacity_of)], data.table(
    mode = "pool", path = "/page", highest_share = 1.5, duration_s = 16, due = 100, in_time = 90, capacity_of = "pool"
  ))
})

test_that("full collections after the load are counted, and those within it are not", {
  heap <- data.table(slice = c(1, 1, 1, 2), time_s = c(15, 17, 18, 20), kind = c("full", "full", "young", "full"), after_mib = 400, pause_ms = 9, in_flight = 1)
  found <- overloads_in(write_overload(new_folder(), "virtual", heap = heap), write_overload(new_folder(), "no-log"))$loads
  expect_equal(found$full_collections_after, c(1, 0))
})

test_that("the 99th percentile is back when it stays within twice what it was", {
  root <- new_folder()
  at_once <- write_overload(root, "at-once", p99_ms = c(rep(20, 4), 900, 1900, 3000, 5000, rep(39, 8)))
  # A second that is good by chance is not the end.
  later <- write_overload(root, "later", p99_ms = c(rep(20, 4), rep(5000, 4), 3000, 30, 3000, 41, 40, 40, 40, 40))
  never <- write_overload(root, "never", p99_ms = c(rep(20, 4), rep(Inf, 12)))
  found <- overloads_in(at_once, later, never)$recoveries
  expect_equal(found$back_s, c(0, 4, Inf))
  expect_equal(found$before_ms, rep(20, 3))
  expect_equal(found[mode == "at-once", c(in_time_before, in_time_during, in_time_after)], c(1, 0.7, 1))
  expect_equal(found[mode == "never"]$in_time_after, 0.4)
})

test_that("a load at one rate, or without an end of its overload, has no way back", {
  root <- new_folder()
  found <- overloads_in(write_overload(root, "one", steps = "3x2", p99_ms = c(20, 900)), write_overload(root, "open", steps = "0.5x1 1.5x1", p99_ms = c(20, 900)))
  expect_equal(nrow(found$recoveries), 0)
  expect_equal(unique(found$seconds$mode), "open")
})

test_that("a server that did not start, and older cells, have no rows", {
  cells <- read_cells(write_cell(new_folder(), tool = "wrk2", histogram_ms = 1:10))
  expect_equal(nrow(overloads_of(cells)), 0)
  expect_equal(nrow(request_heap_of(cells)), 0)
  none <- read_overloads(new_folder())
  expect_equal(vapply(none, nrow, 0L), c(loads = 0, seconds = 0, recoveries = 0, heap = 0))
})

test_that("tables are read as they were written", {
  results <- new_folder()
  path <- write_overload(file.path(results, "cells"), "pool", p99_ms = c(rep(20, 4), rep(Inf, 12)))
  cells <- read_cells(path)
  write_overloads(cells, overloads_of(cells), function(table, name) write_table(table, file.path(results, paste0(name, ".csv"))))
  found <- read_overloads(results)
  expect_equal(found$recoveries$back_s, Inf)
  expect_equal(found$loads$steps, "0.5x4 1.5x4 0.5x8")
  expect_equal(found$seconds[second == 4]$p99_ms, Inf)
})

# ---- Heap --------------------------------------------------------------------------------------------

heap_rows <- function(in_flight, kib = 100, base_mib = 0) {
  data.table(slice = 1, time_s = seq_along(in_flight), kind = "young", after_mib = base_mib + kib / 1024 * in_flight, pause_ms = 5, in_flight)
}

test_that("heap a request in flight is that at the fullest collection, where the heap had room", {
  heap_of_load <- function(..., tool = list()) overloads_in(write_overload(new_folder(), "virtual", heap = heap_rows(...), tool = tool))$heap
  found <- heap_of_load(c(0, 1000, 3500, 200))
  expect_equal(found[, c(kib_per_request, in_flight, peak_mib, collections, heap_mib)], c(100, 3500, 100 * 3500 / 1024, 4, 512))
  # Nearly full, few in flight, not known how many, and connections that hold heap without a request.
  expect_equal(nrow(heap_of_load(c(0, 4000))), 0)
  expect_equal(nrow(heap_of_load(c(0, 400))), 0)
  expect_equal(nrow(heap_of_load(c(NA_real_, NA_real_))), 0)
  expect_equal(nrow(heap_of_load(c(0, 1000, 3500), tool = list(keep_alive = TRUE))), 0)
})

# ---- Theory ----------------------------------------------------------------------------------------

test_that("one at a time is first come, first served, and all together end together", {
  expect_equal(shared_ends_s(c(0, 0, 0), 1, 1), 1:3)
  expect_equal(shared_ends_s(c(0, 0, 0), 1, Inf), c(3, 3, 3))
  # Two share; the third begins when the first has ended.
  expect_equal(shared_ends_s(c(0, 0, 0), 1, 2), c(2, 2, 3))
  # The second comes when the first is half served, and half as fast from then on.
  expect_equal(shared_ends_s(c(0, 0.5), 1, Inf), c(1.5, 2))
  expect_equal(shared_ends_s(c(0, 10), 1, Inf), c(1, 11))
  expect_equal(shared_ends_s(numeric(), 1, 1), numeric())
})

test_that("all disciplines serve the same work in the same time", {
  set.seed(1)
  arrivals_s <- sort(runif(500, 0, 3))
  last_s <- vapply(c(1, 20, 300, Inf), function(admitted) max(shared_ends_s(arrivals_s, 100, admitted)), 0)
  expect_equal(last_s, rep(last_s[1], 4))
})

test_that("in order of arrival, the share in time is the time-out over the backlog that grows", {
  thrice <- parse_steps("3x2")
  # (share - 1) seconds of work wait more with each second: 2 s / (3 - 1) of the 2 s are in time. Where 200 share the server, half of
  # these, 0.1 s of work, are ahead besides.
  expect_equal(predict_in_time(thrice, 1000, 1, 2), 0.5, tolerance = 0.01)
  expect_equal(predict_in_time(thrice, 1000, 200, 2), 0.475, tolerance = 0.02)
  expect_equal(predict_in_time(parse_steps("1.5x2"), 1000, 1, 2), 1)
  expect_equal(predict_in_time(parse_steps("1.5x10"), 1000, 1, 2), 0.4, tolerance = 0.01)
})

test_that("no order of service brings more in time than the server can do until the last user has gone", {
  expect_equal(vapply(c("3x2", "2x2", "1x2"), function(steps) in_time_at_most(parse_steps(steps), 2), 0, USE.NAMES = FALSE), c(4 / 6, 1, 1))
  for (admitted in c(1, 200, Inf)) expect_lte(predict_in_time(parse_steps("3x2"), 1000, admitted, 2), in_time_at_most(parse_steps("3x2"), 2))
})

test_that("shared by all, the sojourn grows as theory says", {
  # Jean-Marie and Robert 1994: from an empty queue, who comes at t ends at t / x, where x = exp(-share (1 - x)).
  x <- uniroot(function(x) x - exp(-3 * (1 - x)), c(0.001, 0.5))$root
  expect_equal(predict_in_time(parse_steps("3x2"), 2000, Inf, 2), 2 / (1 / x - 1) / 2, tolerance = 0.05)
  expect_lt(predict_in_time(parse_steps("3x2"), 1000, Inf, 2), 0.1)
})

test_that("what is predicted of a mode rests on what it admits", {
  root <- new_folder()
  paths <- c(
    write_overload(root, "pool", steps = "3x2", options = list(threads = 2)), write_overload(root, "virtual", steps = "3x2"),
    write_overload(root, "permits", steps = "3x2", options = list(permits = 2, `max-connections` = -1)),
    write_overload(root, "refused", steps = "3x2", options = list(permits = 2, `beyond-permits` = "close"))
  )
  found <- overloads_of(read_cells(paths))
  expect_equal(found$predicted_in_time[c(1, 3)], c(0.5, 0.5), tolerance = 0.05)
  expect_lt(found$predicted_in_time[2], 0.1)
  expect_true(is.na(found$predicted_in_time[4]))
})
