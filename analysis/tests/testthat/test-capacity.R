# ---- One curve

found_at <- function(...) find_capacity(loads_with(...))

test_that("the capacity lies in the middle of the rates around it, and may lie anywhere between", {
  rates <- rep(100 * 1.1^(1:4), 2)
  found <- found_at(rep(c(10, 11, 30, 90), 2), rate_per_s = rates)
  expect_equal(found$capacity_per_s, 100 * 1.1^2.5, tolerance = 1e-3)
  expect_equal(c(found$within_per_s, found$beyond_per_s), 100 * 1.1^(2:3), tolerance = 0.035)
  expect_equal(found$bound_capacity, "")
  # Saturated loads are beyond, however short their latency: a load that lasts half a second holds few requests back.
  expect_equal(found_at(rep(c(10, 11, 15, 15), 2), rep(c(FALSE, FALSE, TRUE, TRUE), 2), rates), found)
  expect_equal(is_behind(c(10000, 10000, 400), c(9650, 9750, 375)), c(TRUE, FALSE, FALSE))
})

test_that("a load that contradicts all others moves the capacity by less than a rate", {
  rates <- rep(100 * 1.1^(1:7), 2)
  quiet <- ifelse(rates < 150, 10, 30)
  found <- function(p99_ms) found_at(p99_ms, rate_per_s = rates)$capacity_per_s
  for (disturbed in 1:4) expect_equal(found(replace(quiet, disturbed, 500)), found(quiet), tolerance = 0.08)
  # Where both loads of a rate fail, it is the capacity that is lower.
  expect_lt(found(replace(quiet, c(4, 11), 500)), 0.93 * found(quiet))
})

test_that("a curve that breaks no objective, or keeps none, has a bound and no number", {
  above <- found_at(c(10, 11, 12))
  expect_equal(above[c("capacity_per_s", "bound_capacity", "why_bounded")], list(
    capacity_per_s = 300, bound_capacity = "at_least", why_bounded = "above the highest rate"
  ))
  expect_equal(unlist(found_at(c(40, 50, 60))[1:2], use.names = FALSE), c("100", "at_most"))
  # Higher rates were offered too late.
  limited <- find_capacity(setattr(loads_with(c(10, 12)), "late_per_s", 300))
  expect_equal(limited$why_bounded, "above what the generator can drive")
  expect_true(is.na(find_capacity(loads_with(10)[0])$capacity_per_s))
})

test_that("a capacity is found within 5 %, and its error is as large as it says", {
  set.seed(1)
  # Estimates that were off by a tenth, and loads that were disturbed.
  off <- replicate(100, {
    found <- find_capacity(drawn_loads(10000, 10000 * runif(1, 0.95, 1.1)))
    c(log(found$capacity_per_s / 10000), log(found$beyond_per_s / found$within_per_s) / sqrt(12))
  })
  off <- off[, is.finite(off[2, ])]
  expect_lt(abs(mean(off[1, ])), 0.05)
  expect_lt(mean(abs(off[1, ]) > 2 * off[2, ]), 0.15)
})

# ---- Cells

test_that("a curve is read from its cell, load by load", {
  path <- write_curve(new_folder(), loads_with(c(10, 30, 90), c(FALSE, FALSE, TRUE)))
  loads <- loads_of_curve(read_cell(path))
  expect_equal(loads$rate_per_s, c(100, 200, 300))
  expect_equal(loads$saturated, c(FALSE, FALSE, TRUE))
  row <- capacities_of(read_cells(path))
  expect_equal(row$capacity_per_s, found_at(c(10, 30, 90))$capacity_per_s)
  expect_columns(row, baseline = "thread-per-request", objective_ms = 20, out_of_memory = FALSE)
  # A server whose heap was full.
  log <- gzfile(file.path(dirname(path), "server.log.gz"), "w")
  writeLines('Exception in thread "tomcat-handler-7" java.lang.OutOfMemoryError: Java heap space', log)
  close(log)
  expect_true(capacities_of(read_cells(path))$out_of_memory)
})

test_that("a load that a rule excludes says nothing, but for a server that broke; one that stands in spite of a fault counts", {
  path <- write_curve(new_folder(), loads_with(c(10, 500, 11, 400), c(FALSE, FALSE, FALSE, TRUE)))
  file <- file.path(dirname(path), "slices.csv")
  whole <- fread(file, colClasses = "character")
  loads_with_rows <- function(rows) {
    fwrite(rows, file)
    loads_of_curve(read_cell(path))
  }
  slices <- copy(whole)[2, `:=`(kept = "false", reason = "undisturbed")]
  expect_equal(loads_with_rows(slices)$rate_per_s, c(100, 300, 400))
  expect_equal(loads_with_rows(slices[4, `:=`(kept = "false", reason = "generator_healthy")])$rate_per_s, c(100, 300))
  expect_equal(capacities_of(read_cells(path))$why_bounded, "above what the generator can drive")
  lost_twice <- rbind(slices, copy(slices[2])[, slice := "9"])
  expect_equal(loads_with_rows(lost_twice)$met, c(TRUE, FALSE, FALSE, TRUE))
  expect_equal(loads_with_rows(slices[4, `:=`(kept = "false", reason = "not_completed", sustained = "true", latency_p99_ms = "")])$met, c(TRUE, TRUE, FALSE))
  # But for its CPU time.
  stands <- loads_with_rows(whole[2, reason := "compiled;generator_healthy"])
  expect_equal(stands$latency_p99_ms, c(10, 500, 11, 400))
  expect_equal(is.na(stands$cpu_us_per_request), c(FALSE, TRUE, FALSE, FALSE))
})

test_that("the p99 of a rate is that of its loads together", {
  path <- write_curve(new_folder(), loads_with(c(10, 30), rate_per_s = c(100, 100))[, step := 48])
  expect_equal(steps_of_curve(read_cell(path))$latency_p99_ms, 20)
  fwrite(data.table(slice = c(1, 1, 2, 2), value_ms = c(1, 10, 1, 30), count = c(980, 20, 998, 2)), file.path(dirname(path), "latencies.csv.gz"))
  edit_rows(file.path(dirname(path), "slices.csv"), function(rows) rows[, `:=`(requests_recorded = 1000, responses_2xx = 1000)])
  expect_equal(steps_of_curve(read_cell(path))[, c(latency_p50_ms, latency_p99_ms)], c(1, 10))
})

test_that("a server that did not start has a row without a capacity", {
  row <- capacities_of(read_cells(write_curve(new_folder(), loads_with(10)[0], outcome = "hung")))
  expect_equal(row[, c(outcome, capacity_per_s)], c("hung", NA))
  expect_equal(nrow(pool_capacity(row)), 0)
})

test_that("steps are pooled by their rate in the grid", {
  root <- new_folder()
  first <- loads_with(c(10, 12, 30, 90), rate_per_s = c(100, 200, 400, 800))
  steps <- pool_steps(read_cells(c(write_curve(root, first), write_curve(root, copy(first)[, latency_p99_ms := 4 * latency_p99_ms][1:3], repetition = 2))))
  expect_equal(steps[, .(rate_per_s, latency_p99_ms, latency_p99_ms_low, latency_p99_ms_high, sessions)], data.table(
    rate_per_s = c(100, 200, 400, 800), latency_p99_ms = c(2 * c(10, 12, 30), 90), latency_p99_ms_low = c(10, 12, 30, NA),
    latency_p99_ms_high = c(40, 48, 120, NA), sessions = c(2, 2, 2, 1)
  ), check.attributes = FALSE)
  broken <- write_curve(root, first, repetition = 3, validity = list(valid = FALSE))
  expect_equal(nrow(pool_steps(read_cells(broken))), 0)
})
