# A cell of the pool at 50/s, its CPU time per request as given.
pool_cell <- function(root, cpu_us, throughput_per_s = 50, generator_share = 0.1, valid = TRUE, repetition = 1,
                      tool = open_load(rate_per_s = 50)) {
  write_cell(
    root, tier = "waiting", tool = "wrk2", histogram_ms = rep(100.2, 200), repetition = repetition,
    configuration = list(
      study = list(server = list(package = "artifact.sockets.mode")),
      mode = list(class = "FixedPool", options = list(core_threads = 10)),
      tool = tool,
      tier = list(path = "/work?sleep_ms=100", sleep_ms = 100)
    ),
    provenance = list(server_cpus = list(0)),
    load = list(
      throughput_per_s = throughput_per_s, offered_per_s = 50,
      generator = list(name = "due", version = "1", cpu_share = generator_share)
    ),
    server = list(cpu_us_per_request = cpu_us, gc_pause_ms = 0), validity = list(valid = valid)
  )
}

predict_paths <- function(paths, primitives = known_primitives) {
  predict_cells(setups_of(read_cells(paths)), summarise_cells(paths), primitives)
}

measured_pool <- function(...) predict_paths(pool_cell(new_folder(), ...))

test_that("what the configuration says alone is counted apart from what primitives predict", {
  table <- measured_pool(cpu_us = 160)
  expect_equal(table$measured[2], 100.2)
  # At half of its capacity a pool answers at the configured rate, after the configured sleep.
  expect_equal(table$depends, c(FALSE, FALSE, TRUE))
  expect_equal(table$class, c("configured", "configured", "within 10 %"))
  expect_equal(table$doubled[3], 2)
  expect_equal(table[3]$predicted, 160)
  expect_true(all(table$explanation == ""))
  expect_equal(measured_pool(cpu_us = 1.12 * 160)[3]$class, "within 15 %")
})

test_that("a prediction fails where its input is false", {
  path <- pool_cell(new_folder(), cpu_us = 160)
  class_with <- function(primitives) predict_paths(path, primitives)[figure == "cpu_us_per_request"]$class
  expect_equal(class_with(known_primitives), "within 10 %")
  expect_equal(class_with(scaled_primitives(known_primitives, 2)), "not predicted")
  expect_equal(class_with(scaled_primitives(known_primitives, 0.5)), "not predicted")
})

test_that("CPU time that is off has no explanation, in neither direction", {
  off <- function(cpu_us) measured_pool(cpu_us)[figure == "cpu_us_per_request"]
  expect_equal(off(320)$residual, 1)
  expect_equal(c(off(320)$class, off(80)$class), rep("not predicted", 2))
  expect_equal(c(off(320)$explanation, off(80)$explanation), rep("unexplained", 2))
})

test_that("what no primitive speaks of counts neither as right nor as wrong", {
  path <- pool_cell(new_folder(), cpu_us = 160, tool = open_load(rate_per_s = 50, id = "wrk2", at_once = TRUE))
  table <- predict_paths(path)
  expect_equal(table$model, no_prediction)
  expect_false(table$depends)
  expect_true(is.na(table$class) && is.na(table$predicted))
  expect_match(table$explanation, "no rate")
  expect_equal(score_primitives(setups_of(read_cells(path)), known_primitives, table)$values[1], 0)
})

predicted_cpu <- function(cell) {
  predict_cell(read_setup(c(cell, list(provenance = list(server_cpus = 0)))), known_primitives)[
    figure == "cpu_us_per_request"
  ]$predicted
}

test_that("true primitives score better than doubled, halved and shuffled ones", {
  # Cells whose servers cost what the primitives say.
  modes <- c("thread-per-request", "fixed-pool", "virtual-thread-per-request", "event-loop")
  paths <- unlist(lapply(modes, function(name) {
    root <- new_folder()
    configured <- list(
      study = list(server = list(package = "artifact.sockets.mode")), mode = list(options = list()),
      tool = open_load(rate_per_s = 100), tier = list(path = "/jmeter/test", sleep_ms = 0)
    )
    cell <- list(cell = list(study = "demo", mode = name, tier = "low", tool = "wrk2"), configuration = configured)
    cost <- predicted_cpu(cell)
    write_cell(
      root, mode = name, tier = "low", tool = "wrk2", histogram_ms = rep(0.2, 100), configuration = configured,
      provenance = list(server_cpus = list(0)), server = list(cpu_us_per_request = cost, gc_pause_ms = 0)
    )
  }))
  setups <- setups_of(read_cells(paths))
  predictions <- predict_cells(setups, summarise_cells(paths), known_primitives)
  score <- score_primitives(setups, known_primitives, predictions)
  true <- score[primitives == "as measured"]
  expect_gte(true$within_10, 4)
  expect_true(all(score[primitives %in% c("doubled", "halved")]$within_10 == 0))
  expect_lt(median(score[primitives == "shuffled"]$within_10), true$within_10)
  expect_equal(score$within_10, score_primitives(setups, known_primitives, predictions)$within_10)
})

test_that("a run of which nothing is valid has predictions all the same", {
  table <- measured_pool(cpu_us = 160, valid = FALSE)
  expect_equal(table$figure, c("throughput_per_s", "latency_mean_ms", "cpu_us_per_request"))
  expect_true(all(is.na(table$measured)) && all(is.na(table$class)) && all(table$explanation == ""))
})

test_that("predictions are read as they were written", {
  path <- tempfile(fileext = ".csv")
  table <- measured_pool(cpu_us = 160)
  write_table(table, path)
  expect_equal(read_predictions(path), table, ignore_attr = TRUE)
})

# 500 users who sleep 100 ms each before as many threads: 5,000 a second.
sleepers <- function() {
  read_setup(list(
    cell = list(study = "demo", mode = "mode", tier = "tier", tool = "jmeter"),
    configuration = list(
      study = list(server = list(package = "artifact.tomcat")),
      mode = list(options = list(spring.threads.virtual.enabled = TRUE)),
      tool = closed_load(loops = NULL, warm_up_s = 1, duration_s = 2), tier = list(path = "/sleep", sleep_ms = 100)
    ),
    provenance = list(server_cpus = list(0))
  ))
}

# The explanation of a value that is off by a factor, with the evidence as given.
why_off <- function(factor, figure = "throughput_per_s", ...) {
  evidence <- list(server_cpu_share = 0.2, generator_cpu_share = 0.1, gc_share = 0, users_alive = 500)
  row <- c(list(
    figure = figure, predicted = if (figure == "throughput_per_s") 5000 else 100, residual = factor - 1
  ), modifyList(evidence, list(...)))
  row$measured <- row$predicted * factor
  explain_residual(row, sleepers(), known_primitives)
}

test_that("users who were not there explain by as much as they are fewer, and not what is better", {
  expect_match(why_off(0.4, users_alive = 200), "of 500 users 200 were there on average; for those the model gives")
  expect_equal(why_off(0.7, users_alive = 200), "unexplained")
  expect_equal(why_off(1.6, users_alive = 200), "unexplained")
  expect_equal(why_off(0.4), "unexplained")
  # Throughput and latency that fall together are no sign of missing users by themselves.
  expect_equal(why_off(0.4, users_alive = NA_real_), "unexplained")
})

test_that("the collector explains by as much as it stopped the server", {
  expect_match(why_off(0.75, gc_share = 0.25), "stopped the server for 25 %")
  expect_match(why_off(1.33, "latency_mean_ms", gc_share = 0.25), "stopped the server for 25 %")
  expect_equal(why_off(0.3, gc_share = 0.1), "unexplained")
  expect_equal(why_off(1.25, gc_share = 0.25), "unexplained")
})

test_that("a generator at its limit explains what is worse, if the server is not at its own", {
  expect_match(why_off(0.5, generator_cpu_share = 0.95), "the generator used 95 % of its CPUs")
  expect_equal(why_off(1.5, generator_cpu_share = 0.95), "unexplained")
  expect_equal(why_off(0.5, generator_cpu_share = 0.95, server_cpu_share = 0.9), "unexplained")
  expect_equal(why_off(0.5, generator_cpu_share = 0.6), "unexplained")
})

test_that("neither CPUs that were used up nor wide intervals explain", {
  expect_equal(why_off(0.5, server_cpu_share = 1), "unexplained")
  wide <- list(low = 1, high = 1e6, measured_low = 1, measured_high = 1e6)
  expect_equal(do.call(why_off, c(list(0.5), wide)), "unexplained")
})
