# Folders of cells as the runner writes them, with tables of overloads.

thrice <- "3x2"
write_overload <- function(mode, root = new_folder(), steps = "0.5x4 1.5x4 0.5x8", p99_ms = rep(20, 16), heap = NULL, options = list(), tool = list()) {
  path <- write_cell(
    root, mode = mode, tool = "wrk2", histogram_ms = 1:10, cell = list(tool = "overload", mode = mode, tier = "beyond"), tier = "beyond",
    overload = list(capacity_per_s = 100, capacity_of = "pool"), configuration = list(
      mode = list(id = mode, options = options), tier = list(id = "beyond", path = "/page", sleep_ms = 0),
      tool = c(list(id = "overload", connections = 8000, objective_ms = 2000), tool), study = list(id = "demo", server = list(jvm_options = list("-Xmx1024m", "-Xms512m", "-Xmx512m")))
    )
  )
  folder <- dirname(path)
  loads <- data.table(slice = 1, capacity_per_s = 100, steps, due = 100, in_time = 90, refused = 0, answered_after_s = 0.5)
  fwrite(loads[, sprintf("within_%d_s", 1:10) := 90], file.path(folder, "overloads.csv"))
  seconds <- data.table(slice = 1, second = seq_along(p99_ms) - 1, due = 100, right = 100, in_time = ifelse(p99_ms <= 2000, 100, 40), p50_ms = 10, p99_ms)
  fwrite(seconds, file.path(folder, "seconds.csv"))
  if (!is.null(heap)) fwrite(heap, file.path(folder, "heap.csv"))
  path
}

overloads_in <- function(...) {
  cells <- read_cells(c(...))
  loads <- overloads_of(cells)
  seconds <- overload_seconds_of(cells, loads)
  list(loads = loads, seconds = seconds, recoveries = recoveries_of(seconds), heap = request_heap_of(cells))
}

# ---- Loads and the way back

test_that("a load is read with its steps", {
  expect_equal(parse_steps("0.5x10 1.5x10"), data.table(share = c(0.5, 1.5), length_s = 10, from_s = c(0, 10)))
  loads <- overloads_in(write_overload("pool"))$loads
  expect_columns(
    loads, mode = "pool", path = "/page", highest_share = 1.5, duration_s = 16, due = 100, in_time = 90, capacity_of = "pool"
  )
})

test_that("full collections after the load are counted, and those within it are not", {
  heap <- data.table(slice = c(1, 1, 1, 2), time_s = c(15, 17, 18, 20), kind = c("full", "full", "young", "full"), after_mib = 400, pause_ms = 9, in_flight = 1)
  found <- overloads_in(write_overload("virtual", heap = heap), write_overload("no-log"))$loads
  expect_equal(found$full_collections_after, c(1, 0))
})

test_that("the 99th percentile is back when it stays within twice what it was", {
  # A second that is good by chance is not the end.
  found <- overloads_in(
    write_overload("at-once", p99_ms = c(rep(20, 4), 900, 1900, 3000, 5000, rep(39, 8))),
    write_overload("later", p99_ms = c(rep(20, 4), rep(5000, 4), 3000, 30, 3000, 41, 40, 40, 40, 40)),
    write_overload("never", p99_ms = c(rep(20, 4), rep(Inf, 12)))
  )$recoveries
  expect_equal(found$back_s, c(0, 4, Inf))
  expect_equal(found$before_ms, rep(20, 3))
  expect_equal(found[mode == "at-once", c(in_time_before, in_time_during, in_time_after)], c(1, 0.7, 1))
  expect_equal(found[mode == "never"]$in_time_after, 0.4)
})

test_that("a load at one rate, or without an end of its overload, has no way back", {
  found <- overloads_in(write_overload("one", steps = thrice, p99_ms = c(20, 900)), write_overload("open", steps = "0.5x1 1.5x1", p99_ms = c(20, 900)))
  expect_equal(nrow(found$recoveries), 0)
  expect_equal(unique(found$seconds$mode), "open")
})

test_that("heap a request in flight is that at the fullest collection, where the heap had room", {
  heap_of_load <- function(..., tool = list()) {
    in_flight <- c(...)
    rows <- data.table(slice = 1, time_s = seq_along(in_flight), kind = "young", after_mib = 100 / 1024 * in_flight, pause_ms = 5, in_flight)
    overloads_in(write_overload("virtual", heap = rows, tool = tool))$heap
  }
  found <- heap_of_load(0, 1000, 3500, 200)
  expect_equal(found[, c(kib_per_request, in_flight, peak_mib, collections, heap_mib)], c(100, 3500, 100 * 3500 / 1024, 4, 512))
  # Nearly full, few in flight, not known how many, and connections that hold heap without a request.
  none <- list(heap_of_load(0, 4000), heap_of_load(0, 400), heap_of_load(NA_real_, NA_real_), heap_of_load(0, 1000, 3500, tool = list(keep_alive = TRUE)))
  expect_equal(vapply(none, nrow, 0L), rep(0, 4))
})

# ---- Theory

test_that("the share in time is that of theory, whatever the order of service", {
  predicted <- function(steps, admitted = 1, rate = 1000) predict_in_time(parse_steps(steps), rate, admitted, 2)
  # In order of arrival (share - 1) seconds of work wait more with each second: 2 s / (3 - 1) of the 2 s are in time. Where 200 share the server,
  # half of these, 0.1 s of work, are ahead besides.
  expect_equal(predicted(thrice), 0.5, tolerance = 0.01)
  expect_equal(predicted(thrice, 200), 0.475, tolerance = 0.02)
  expect_equal(predicted("1.5x2"), 1)
  expect_equal(predicted("1.5x10"), 0.4, tolerance = 0.01)
  # Shared by all (Jean-Marie and Robert 1994): from an empty queue, who comes at t ends at t / x, where x = exp(-share (1 - x)).
  x <- uniroot(function(x) x - exp(-3 * (1 - x)), c(0.001, 0.5))$root
  expect_equal(predicted(thrice, Inf, 2000), 2 / (1 / x - 1) / 2, tolerance = 0.05)
  # None brings more in time than the server can do until the last user has gone.
  most <- vapply(c(thrice, "2x2", "1x2"), function(steps) in_time_at_most(parse_steps(steps), 2), 0, USE.NAMES = FALSE)
  expect_equal(most, c(4 / 6, 1, 1))
  for (admitted in c(1, 200, Inf)) expect_lte(predicted(thrice, admitted), most[1])
})

test_that("the prediction of a mode rests on what it admits", {
  loads <- overloads_of(read_cells(c(
    write_overload("pool", steps = thrice, options = list(threads = 2)), write_overload("virtual", steps = thrice),
    write_overload("permits", steps = thrice, options = list(permits = 2, `max-connections` = -1)),
    write_overload("refused", steps = thrice, options = list(permits = 2, `beyond-permits` = "close"))
  )))
  expect_equal(loads$predicted_in_time[c(1, 3)], c(0.5, 0.5), tolerance = 0.05)
  expect_lt(loads$predicted_in_time[2], 0.1)
  expect_true(is.na(loads$predicted_in_time[4]))
})
