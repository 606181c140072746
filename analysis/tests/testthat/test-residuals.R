# A cell of the pool at 50/s, its CPU time per request as given.
measured_pool <- function(cpu_us, throughput_per_s = 50, generator_share = 0.1, valid = TRUE) {
  root <- new_folder()
  path <- write_cell(
    root, tier = "waiting", tool = "wrk2", histogram_ms = rep(100.2, 200),
    configuration = list(
      study = list(server = list(package = "artifact.sockets.mode")),
      mode = list(class = "FixedPool", options = list(core_threads = 10)),
      tool = open_load(rate_per_s = 50),
      tier = list(path = "/work?sleep_ms=100", sleep_ms = 100)
    ),
    provenance = list(server_cpus = list(0)),
    load = list(
      throughput_per_s = throughput_per_s, offered_per_s = 50,
      generator = list(name = "due", version = "1", cpu_share = generator_share)
    ),
    server = list(cpu_us_per_request = cpu_us, gc_pause_ms = 0), validity = list(valid = valid)
  )
  groups <- data.table(
    study = "demo", mode = "fixed-pool", tier = "waiting", tool = "wrk2", repetition = 1L,
    outcome = "completed", valid = TRUE, profiler_engine = "itimer",
    group = c("accept", "write", "park and unpark", "JIT"), samples = c(20, 20, 10, 50),
    share = c(0.2, 0.2, 0.1, 0.5), cpu_us_per_request = cpu_us * c(0.4, 0.4, 0.2, 1)
  )
  summary <- summarise_cells(path)
  predict_cells(read_cells(path), summary, known_primitives, groups, fit_modes(summary))
}

test_that("predictions stand beside what was measured, and a residual beside its cause", {
  table <- measured_pool(cpu_us = 134)
  latency <- table[figure == "latency_mean_ms"]
  expect_equal(latency$measured, 100.2)
  expect_true(latency$within_10_percent)
  expect_equal(latency$explanation, "")
  # As much again is the JIT's, which a cell's CPU time leaves out.
  cpu <- table[figure == "cpu_us_per_request"]
  expect_equal(cpu$predicted, 120 + 8 + 6)
  expect_equal(cpu$measured, 134)
  expect_true(cpu$within_10_percent)
})

test_that("CPU time is explained by the group of stacks that is farthest from the model", {
  cpu <- measured_pool(cpu_us = 268)[figure == "cpu_us_per_request"]
  expect_equal(cpu$residual, 1)
  expect_equal(cpu$explanation, "the request itself takes 214 µs, the model assumes 120")
})

test_that("a busy generator explains a throughput that is too low, and an idle machine nothing", {
  slow <- function(...) measured_pool(67, throughput_per_s = 25, ...)[figure == "throughput_per_s"]
  expect_equal(slow()$residual, -0.5)
  expect_equal(slow()$explanation, "unexplained")
  expect_match(slow(generator_share = 0.9)$explanation, "the generator used 90 % of its CPUs")
})

test_that("a run of which nothing is valid has predictions all the same", {
  table <- measured_pool(cpu_us = 134, valid = FALSE)
  expect_equal(table$figure, c("throughput_per_s", "latency_mean_ms", "cpu_us_per_request"))
  expect_true(all(is.na(table$measured)) && all(table$explanation == ""))
})

test_that("predictions are read as they were written", {
  path <- tempfile(fileext = ".csv")
  table <- measured_pool(cpu_us = 134)
  write_table(table, path)
  expect_equal(read_predictions(path), table, ignore_attr = TRUE)
})

tomcat_setup <- function(tool, sleep_ms) {
  read_setup(list(
    cell = list(study = "demo", mode = "mode", tier = "tier", tool = "jmeter"),
    configuration = list(
      study = list(server = list(package = "artifact.tomcat")), mode = list(options = list()),
      tool = tool, tier = list(path = "/sleep", sleep_ms = sleep_ms)
    ),
    provenance = list(server_cpus = list(0))
  ))
}

# One row of the predictions with its evidence; measured is half as good as predicted.
residual_row <- function(figure, tool = closed_load(), costs = NULL, shares_cpus = FALSE, ...) {
  worse <- if (figure == "throughput_per_s") 0.5 else 2
  row <- list(
    figure = figure, predicted = 100, measured = 100 * worse, residual = worse - 1,
    server_cpu_share = 0.2, generator_cpu_share = 0.1, backend_cpu_share = 0, gc_share = 0,
    at_once = 500, server_cpu_us = 0, backend_cpu_us = 0, model = one_thread_model
  )
  setup <- list(
    open = !is.null(tool$rate_per_s), loops = or_else(tool$loops, 1), lasts_s = number(tool$duration_s),
    users = number(tool$threads), cpus = 1, shares_cpus = shares_cpus, handling = "pool"
  )
  explain_load(modifyList(row, list(...)), setup, costs)
}

test_that("users who were not there explain a closed loop, and no other", {
  expect_match(
    residual_row("throughput_per_s", at_once = 200),
    "of 500 users 200 were there on average"
  )
  # A few are enough where throughput is less by as much as they are fewer.
  expect_match(
    residual_row("throughput_per_s", at_once = 460, measured = 89, residual = -0.11),
    "of 500 users 460 were there on average"
  )
  expect_null(residual_row("throughput_per_s", at_once = 460, measured = 70, residual = -0.3))
  expect_null(residual_row("throughput_per_s", closed_load(loops = 1), at_once = 200))
  expect_null(residual_row("throughput_per_s", open_load(), at_once = 2))
})

test_that("CPUs that were used up explain, those of a database beside the server too", {
  expect_equal(
    residual_row("throughput_per_s", server_cpu_share = 0.9),
    "the server's CPUs were used to 90 %"
  )
  beside <- residual_row(
    "throughput_per_s", shares_cpus = TRUE, server_cpu_share = 0.3, backend_cpu_share = 0.6
  )
  expect_equal(beside, "the server's CPUs were used to 90 %, 60 % by the database")
  expect_null(residual_row("throughput_per_s", server_cpu_share = 0.3, backend_cpu_share = 0.6))
})

test_that("the collector explains what is worse, not what is better", {
  expect_match(residual_row("latency_mean_ms", gc_share = 0.1), "stopped the server for 10 %")
  expect_null(residual_row("latency_mean_ms", gc_share = 0.1, measured = 50, residual = -0.5))
})

test_that("another CPU time explains what the same model makes of it, by its farthest group", {
  costs <- compare_costs(
    data.table(group = c("accept", "write", "JIT"), cpu_us_per_request = c(30, 30, 70)),
    data.table(group = request_group, mean = 60)
  )
  expect_equal(setNames(costs$apart_us, costs$group), c(JIT = 70, "the request itself" = 0))
  latency <- function(measured) {
    residual_row(
      "latency_mean_ms", open_load(), costs, predicted = 0.1, measured = measured,
      server_cpu_us = 130
    )
  }
  expect_equal(latency(0.2), paste(
    "a request took 130 µs of CPU time; with that the model gives 0.17;",
    "JIT takes 70 µs, the model assumes 0"
  ))
  expect_null(latency(0.9))
})

test_that("a network is solved again with the CPU time that was measured", {
  # Ten users who wait for 20 ms: with 5 ms of CPU time they wait for each other.
  setup <- tomcat_setup(closed_load(threads = 10), sleep_ms = 20)
  row <- list(
    figure = "latency_mean_ms", model = "users / response time", predicted = 20, measured = 50,
    server_cpu_us = 5000, backend_cpu_us = 0
  )
  expect_match(cpu_time_was_another(row, setup, NULL), "took 5,000 µs of CPU time")
  expect_null(cpu_time_was_another(modifyList(row, list(server_cpu_us = 100)), setup, NULL))
})

test_that("what is within its intervals needs no cause", {
  row <- data.table(
    study = "demo", mode = "m", tier = "t", tool = "wrk2", figure = "latency_mean_ms", model = "x",
    predicted = 1, low = 0.5, high = 1.4, measured = 1.5, measured_low = 1.3, measured_high = 1.8,
    residual = 0.5, within_10_percent = FALSE
  )
  expect_match(explain_residual(row, list(), list(), NULL), "intervals .* overlap")
})
