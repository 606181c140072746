# ---- The knee ------------------------------------------------------------------------------------

found_at <- function(...) find_capacity(steps_with(...), 20)$capacity_per_s

test_that("the knee lies between the last step within the objective and the first beyond it", {
  # 1 / (p99 - p50) falls from 1/9 to 1/29; it is 1/19 at 100 + 100 * (1/9 - 1/19) / (1/9 - 1/29).
  expect_equal(found_at(c(10, 30, 90)), 100 + 100 * (1 / 9 - 1 / 19) / (1 / 9 - 1 / 29))
  found <- find_capacity(steps_with(c(10, 30, 90)), 20)
  expect_equal(c(found$within_per_s, found$beyond_per_s), c(100, 200))
  expect_equal(found$bound_capacity, "")
  expect_equal(found_at(c(10, 20, 30, 90)), 200)
})

test_that("a single step beyond the objective was disturbed, two in a row are the knee", {
  quiet <- c(10, 10, 10, 10, 30, 90)
  expect_equal(found_at(replace(quiet, 2, 500)), found_at(quiet))
  expect_equal(found_at(replace(quiet, 2:3, 500)), found_at(c(10, 500, 500)))
  # Right before the knee it cannot be told from it.
  expect_lt(found_at(replace(quiet, 4, 500)), found_at(quiet))
  # At the highest rate there is no second one.
  expect_equal(found_at(c(10, 10, 30)), 100 + found_at(c(10, 30)))
})

test_that("the knee of a saturated step is the rate that was served", {
  steps <- steps_with(c(10, 10, 400, 800), c(FALSE, FALSE, TRUE, TRUE))
  steps[3:4, served_per_s := 250]
  # At 250 the reciprocal of the excess is 0, whatever the latency of this step was.
  expect_equal(find_capacity(steps, 20)$capacity_per_s, 250 - 50 * 9 / 19)
  expect_equal(find_capacity(copy(steps)[3, latency_p99_ms := 30], 20)$capacity_per_s, 250 - 50 * 9 / 19)
  # A server that answers less under overload than before it.
  expect_equal(find_capacity(copy(steps)[3:4, served_per_s := 20], 20)$capacity_per_s, 200)
  # One that falls behind by little still has latencies within the objective, because it is short.
  expect_equal(is_behind(c(10000, 10000, 400), c(9650, 9750, 375)), c(TRUE, FALSE, FALSE))
  late <- steps_with(c(10, 10, 15, 400))[3:4, `:=`(saturated = TRUE, served_per_s = 250)]
  expect_equal(find_capacity(late, 20)$beyond_per_s, 300)
  # Latencies all alike: a pool is within the objective up to its last request.
  expect_equal(find_capacity(copy(steps)[, latency_p99_ms := 1], 20)$capacity_per_s, 250)
})

test_that("what breaks no objective, or keeps none, is a bound and no number", {
  above <- find_capacity(steps_with(c(10, 11, 12)), 20, "highest_rate")
  expect_equal(above[c("capacity_per_s", "bound_capacity", "why_bounded")], list(
    capacity_per_s = 300, bound_capacity = "at_least", why_bounded = "above the highest rate"
  ))
  below <- find_capacity(steps_with(c(40, 50, 60)), 20)
  expect_equal(unlist(below[1:2], use.names = FALSE), c("100", "at_most"))
  # Near the limit of the generator a last step beyond the objective may be the generator's.
  steps <- steps_with(c(10, 12, 30))
  limited <- find_capacity(steps, 20, "generator_limit")
  expect_equal(limited$capacity_per_s, 200)
  expect_equal(limited$why_bounded, "above what the generator can drive")
  expect_equal(find_capacity(steps, 20)$bound_capacity, "")
  expect_true(is.na(find_capacity(steps[0], 20)$capacity_per_s))
})

test_that("the knee of M/M/1 is found within 5 %", {
  set.seed(1)
  off <- function(saturation, objective_ms, stray) {
    found <- find_capacity(mm1_steps(saturation, stray * saturation), objective_ms)$capacity_per_s
    found / mm1_capacity(saturation, objective_ms)
  }
  # Objectives on the flat of the curve and on its steep, calibrations that were off by a tenth.
  for (objective_ms in c(1.5, 3, 10)) {
    for (stray in c(0.9, 1, 1.1)) {
      sessions <- replicate(20, off(10000, objective_ms, stray))
      expect_lt(abs(mean(log(sessions))), 0.05, label = paste(objective_ms, stray))
      expect_lt(mean(abs(log(sessions)) > 0.1), 0.2)
    }
  }
})

test_that("a stall shows in the 99th percentile and not in the median", {
  set.seed(2)
  calm <- mm1_steps(10000)
  stalled <- mm1_steps(10000, stall_s = replace(0 * planned, 2, 0.05))
  expect_gt(stalled$latency_p99_ms[2], 20 * calm$latency_p99_ms[2])
  expect_equal(stalled$latency_p50_ms[2], calm$latency_p50_ms[2], tolerance = 0.3)
  expect_equal(find_capacity(stalled, 2)$within_per_s, find_capacity(calm, 2)$within_per_s)
})

# ---- Cells ---------------------------------------------------------------------------------------

test_that("a curve is read from its cell, step by step", {
  root <- new_folder()
  path <- write_curve(root, steps_with(c(10, 30, 90), c(FALSE, FALSE, TRUE)))
  steps <- steps_of_curve(read_cell(path))
  expect_equal(steps$rate_per_s, c(100, 200, 300))
  expect_equal(steps$saturated, c(FALSE, FALSE, TRUE))
  row <- capacities_of(read_cells(path))
  expect_equal(row$capacity_per_s, found_at(c(10, 30, 90)))
  expect_equal(row[, c(objective_ms, steps)], c(20, 3))
  expect_equal(row[, c(baseline, arrivals)], c("thread-per-request", "poisson"))
  expect_false(row$out_of_memory)
})

test_that("a curve of a server whose heap was full says so", {
  path <- write_curve(new_folder(), steps_with(c(10, 30, 90), c(FALSE, FALSE, TRUE)))
  log <- gzfile(file.path(dirname(path), "server.log.gz"), "w")
  writeLines('Exception in thread "tomcat-handler-7" java.lang.OutOfMemoryError: Java heap space', log)
  close(log)
  expect_true(capacities_of(read_cells(path))$out_of_memory)
})

test_that("a step that was disturbed and loaded again counts once, one of the generator's limit never", {
  root <- new_folder()
  path <- write_curve(root, steps_with(c(10, 500, 11, 400), c(FALSE, FALSE, FALSE, TRUE)))
  file <- file.path(dirname(path), "slices.csv")
  slices <- fread(file, colClasses = "character")
  slices[2, `:=`(kept = "false", reason = "undisturbed")]
  slices[3, step := "2"]
  fwrite(slices, file)
  steps <- steps_of_curve(read_cell(path))
  expect_equal(steps$step, c(1, 2, 4))
  expect_equal(steps$latency_p99_ms, c(10, 11, 400))
  fwrite(slices[4, `:=`(kept = "false", reason = "generator_healthy")], file)
  expect_equal(steps_of_curve(read_cell(path))$step, c(1, 2))
})

test_that("a step that stands in spite of a fault counts, but for its CPU time", {
  path <- write_curve(new_folder(), steps_with(c(10, 12, 30, 90)))
  file <- file.path(dirname(path), "slices.csv")
  fwrite(fread(file, colClasses = "character")[2, reason := "compiled;steady_speed"], file)
  steps <- steps_of_curve(read_cell(path))
  expect_equal(steps$latency_p99_ms, c(10, 12, 30, 90))
  expect_equal(is.na(steps$cpu_us_per_request), c(FALSE, TRUE, FALSE, FALSE))
  expect_equal(pool_steps(read_cells(path))$latency_p99_ms, c(10, 12, 30, 90))
})

test_that("steps between the planned ones have their place by rate, and none in the mean of sessions", {
  # Numbered behind the planned ones, in the order in which they were loaded.
  steps <- steps_with(c(10, 30, 90, 12, 28), rate_per_s = c(100, 200, 300, 150, 175))
  cells <- read_cells(write_curve(new_folder(), steps, planned = 3))
  expect_equal(steps_of_curve(cells[[1]])$rate_per_s, c(100, 150, 175, 200, 300))
  row <- capacities_of(cells)
  expect_equal(row[, c(within_per_s, beyond_per_s)], c(150, 175))
  expect_equal(pool_steps(cells)$rate_per_s, c(100, 200, 300))
})

test_that("a server that did not start has a row without a capacity", {
  path <- write_curve(new_folder(), steps_with(c(10, 30, 90))[0], outcome = "hung")
  row <- capacities_of(read_cells(path))
  expect_equal(row$outcome, "hung")
  expect_true(is.na(row$capacity_per_s))
  expect_equal(nrow(pool_capacity(row)), 0)
})

test_that("steps are pooled by position, up to the first session to end", {
  root <- new_folder()
  long <- steps_with(c(10, 12, 30, 90), rate_per_s = c(100, 200, 400, 800))
  paths <- c(
    write_curve(root, long, repetition = 1),
    write_curve(root, copy(long)[, `:=`(rate_per_s = 1.21 * rate_per_s, latency_p99_ms = 2 * latency_p99_ms)][1:3], repetition = 2)
  )
  steps <- pool_steps(read_cells(paths))
  expect_equal(steps$step, 1:3)
  expect_equal(steps$rate_per_s, 1.1 * c(100, 200, 400))
  expect_equal(steps$latency_p99_ms, sqrt(2) * c(10, 12, 30))
  expect_equal(steps$latency_p99_ms_low, c(10, 12, 30))
  expect_equal(steps$latency_p99_ms_high, c(20, 24, 60))
  expect_equal(steps$sessions, c(2, 2, 2))
  alone <- pool_steps(read_cells(paths[1]))
  expect_true(all(is.na(alone$latency_p99_ms_low)))
  expect_equal(alone$latency_p99_ms, c(10, 12, 30, 90))
  broken <- write_curve(root, long, repetition = 3, validity = list(valid = FALSE))
  expect_equal(nrow(pool_steps(read_cells(broken))), 0)
})

test_that("without curves there are tables without rows, which can be read back", {
  folder <- new_folder()
  write_table(capacities_of(list()), file.path(folder, "capacity.csv"))
  write_table(pool_steps(list()), file.path(folder, "sweeps.csv"))
  capacity <- read_capacity(file.path(folder, "capacity.csv"))
  expect_equal(nrow(capacity), 0)
  expect_type(capacity$capacity_per_s, "double")
  expect_equal(nrow(read_load_curves(file.path(folder, "sweeps.csv"))), 0)
})

test_that("tables are read as they were written", {
  root <- new_folder()
  cells <- read_cells(c(
    write_curve(root, steps_with(c(10, 30, 90)), repetition = 1),
    write_curve(root, steps_with(c(10, 11)), mode = "thread-per-request", baseline = NULL, ended = "highest_rate")
  ))
  path <- file.path(root, "capacity.csv")
  write_table(capacities_of(cells), path)
  expect_equal(read_capacity(path), capacities_of(cells))
  write_table(pool_steps(cells), path)
  expect_equal(read_load_curves(path), pool_steps(cells), ignore_attr = TRUE)
})

# ---- Theory --------------------------------------------------------------------------------------

test_that("the time in M/M/1 and M/M/c is that of the formulas and of a simulation", {
  for (rate in c(1, 50, 90, 99.9)) {
    expect_equal(sojourn_quantile_s(0.99, rate, 1, 0.01), log(100) / (100 - rate), tolerance = 1e-6)
    expect_equal(sojourn_quantile_s(0.5, rate, 1, 0.01), log(2) / (100 - rate), tolerance = 1e-6)
  }
  expect_equal(sojourn_quantile_s(0.99, 1e-6, 4, 1), log(100), tolerance = 1e-4)
  # The two exponentials of M/M/2 are one at a load of one.
  expect_equal(sojourn_quantile_s(0.9, 1, 2, 1), sojourn_quantile_s(0.9, 1 + 1e-6, 2, 1), tolerance = 1e-4)
  expect_equal(sojourn_quantile_s(0.9, 3, 2, 1), Inf)
  set.seed(4)
  seen <- mm1_step(7000, 10000, lasts_s = 100)$latency_ms
  expect_equal(percentiles(seen, 0.99) / 1000, sojourn_quantile_s(0.99, 7000, 1, 1e-4), tolerance = 0.05)
})

test_that("the wait in a queue is exponential for those who must wait", {
  # M/M/1 at half its load: half wait, on average for 2 services.
  expect_equal(queue_wait_quantile_s(0.99, 50, 1, 0.01), 0.02 * log(0.5 / 0.01))
  expect_equal(queue_wait_quantile_s(0.4, 50, 1, 0.01), 0)
  expect_equal(queue_wait_quantile_s(0.99, 200, 1, 0.01), Inf)
  expect_equal(queue_wait_quantile_s(0.99, 50, Inf, 0.01), 0)
})

test_that("a curve is predicted from its configuration, with queue, saturation and capacity", {
  cell <- read_cell(write_curve(
    new_folder(), steps_with(c(110, 112, 300, 400), rate_per_s = c(50, 100, 400, 600)), objective_ms = 120,
    configuration = list(
      study = list(server = list(package = "artifact.tomcat")), mode = list(kind = "pool", options = list(threads = 50)),
      tier = list(id = "low", path = "/work?sleep_ms=100&cpu_us=0", sleep_ms = 100), tool = list(id = "sweep", connections = 1000, keep_alive = TRUE, step_s = 1)
    )
  ))
  predicted <- predict_curves(list(cell, cell), known_primitives[0])
  expect_equal(nrow(predicted), predicted_points)
  # 50 threads that wait for 0.1 s each.
  expect_equal(predicted$saturation_per_s[1], 500)
  expect_equal(predicted$latency_p50_ms[1], 100)
  expect_true(all(is.infinite(predicted[rate_per_s > 500]$latency_p99_ms)))
  capacity <- predicted$capacity_per_s[1]
  expect_equal(predict_step(cell, known_primitives[0], capacity)$latency_p99_ms, 120, tolerance = 1e-3)
  expect_true(capacity > 300 && capacity < 500)
  expect_equal(nrow(predict_curves(list(), known_primitives[0])), 0)
})
