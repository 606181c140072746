# Cells of a mode that costs `ratio` times what its baseline does, in three sessions of a machine.
sessions_of <- function(root, machine, ratio, repetitions = 1:3, noise = 0.02, ...) {
  provenance <- list(machine = list(
    id = machine, cpu_model = paste("CPU", machine), cpus = 2, memory_bytes = 8 * 2^30, kernel = "6"
  ))
  unlist(lapply(repetitions, function(repetition) {
    moved <- exp(noise * (repetition - 2) + 0.005 * 1:4)
    both <- list("fixed-pool" = ratio * moved, "thread-per-request" = rep(1, 4))
    vapply(names(both), function(mode) {
      write_cell(
        root, mode = mode, versus = if (mode == "fixed-pool") "thread-per-request", repetition = repetition, elapsed_ms = rep(20, 50),
        slices = fake_slices(throughput_per_s = 50 * both[[mode]]), provenance = provenance, ...
      )
    }, "")
  }), use.names = FALSE)
}

travelled <- function(...) {
  paths <- c(...)
  travel(summarise_cells(paths), slices_of_cells(paths))
}

test_that("one machine has nothing to travel to", {
  expect_equal(nrow(travelled(sessions_of(withr::local_tempdir(), "aa", 2))), 0)
})

test_that("machines have their own ratios, and one that is pooled by random effects", {
  rows <- travelled(
    sessions_of(withr::local_tempdir(), "aa", 2), sessions_of(withr::local_tempdir(), "bb", 3),
    sessions_of(withr::local_tempdir(), "cc", 2.5)
  )[statistic == "throughput_per_s"]
  alone <- rows[machine != "all"][order(machine)]
  expect_equal(alone$estimate, c(2, 3, 2.5) * exp(0.0125), tolerance = 1e-6)
  expect_equal(alone$pairs, c(3, 3, 3))
  pooled <- rows[machine == "all"]
  fit <- metafor::rma(log(alone$estimate), sei = alone$error, method = "PM", test = "adhoc")
  expect_equal(c(pooled$estimate, pooled$low, pooled$high), exp(c(fit$b[1], fit$ci.lb, fit$ci.ub)))
  # By hand: equal errors make it the plain mean.
  expect_equal(pooled$estimate, exp(mean(log(alone$estimate))), tolerance = 1e-3)
  expect_gt(pooled$i2, 0.9)
  expect_lt(pooled$q_p_adjusted, 0.05)
  expect_equal(pooled$agreement, "same way")
  expect_true(pooled$next_low < pooled$low && pooled$next_high > pooled$high)
})

test_that("machines that are alike differ in nothing, and opposite ones are found", {
  both <- function(ratio) {
    two <- c(sessions_of(withr::local_tempdir(), "aa", 2), sessions_of(withr::local_tempdir(), "bb", ratio))
    travelled(two)[statistic == "throughput_per_s" & machine == "all"]
  }
  alike <- both(2)
  expect_gt(alike$q_p_value, 0.5)
  expect_equal(alike$i2, 0)
  expect_equal(both(0.5)$agreement, "opposite ways")
  expect_equal(both(1)$agreement, "on some only")
})

test_that("cells of two machines are never paired, even under one name of a session", {
  root <- withr::local_tempdir()
  paths <- sessions_of(root, "aa", 2)
  # The baselines become another machine's.
  for (path in grep("/thread-per-request/", paths, value = TRUE)) {
    writeLines(sub('"id":"aa"', '"id":"bb"', readLines(path), fixed = TRUE), path)
  }
  rows <- compare_modes(summarise_cells(paths), slices_of_cells(paths))
  expect_true(all(rows$verdict == "not comparable"))
  expect_equal(nrow(travelled(paths)), 0)
})

test_that("cells of another experiment are left out", {
  here <- withr::local_tempdir()
  sessions_of(file.path(here, "cells"), "aa", 2)
  same <- sessions_of(withr::local_tempdir(), "bb", 2, 1)
  other <- sessions_of(withr::local_tempdir(), "bb", 2, 1, configuration = list(tool = list(threads = 7)))
  expect_equal(asked_the_same(c(same, other), here), c(TRUE, TRUE, FALSE, FALSE))
})
