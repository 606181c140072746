# Slices of cells, each with a CPU time of its own, on CPUs whose speed changes from slice to slice.
slices_at <- function(exponent, cells = 40, noise = 0.02, probes = c(200, 200, 220, 330)) {
  set.seed(1)
  rbindlist(lapply(seq_len(cells), function(cell) {
    probe_us <- sample(probes, 4, replace = TRUE) * exp(rnorm(4, 0, 0.01))
    data.table(
      study = "s", mode = paste0("mode-", cell), tier = paste0("tier-", cell), round = 1:4, tool = "wrk2", session = "a", beside = "", kind = "plain",
      reason = "", probe_us = probe_us, cpu_us_per_request = 50 * cell * (probe_us / 200)^exponent * exp(rnorm(4, 0, noise))
    )
  }))
}
exponent_of <- function(...) speed_law(slices_at(...))$exponent

test_that("the exponent is found between slices of one cell, whatever the cells cost", {
  law <- speed_law(slices_at(0.7))
  expect_equal(law$exponent, 0.7, tolerance = 0.05)
  expect_true(law$low < 0.7 && 0.7 < law$high)
  expect_equal(c(law$slices, law$cells), c(160, 40))
  expect_gt(law$spread_measured, 0.1)
  expect_equal(law$spread_usual, 0.02, tolerance = 0.15)
  # A slow machine makes no request take less time, nor lengthens one by more than the probe. Without a relation nothing is changed.
  expect_equal(c(exponent_of(1.6), exponent_of(-0.5), exponent_of(0)), c(1, 0, 0))
})

test_that("a mode that leaves its CPUs slower than others is no evidence, nor are few slices or none with a probe", {
  slices <- slices_at(0, probes = 200)
  # Half of the modes have slow CPUs and cheap requests, in all of their slices.
  slices[as.integer(sub("mode-", "", mode)) %% 2 == 0, `:=`(probe_us = probe_us * 1.6, cpu_us_per_request = cpu_us_per_request / 3)]
  expect_equal(speed_law(slices)$exponent, 0)
  few <- speed_law(slices_at(0.7, cells = 5))
  expect_equal(few$exponent, 0)
  expect_equal(at_usual_speed(c(100, 200), c(200, 300), few), c(100, 200))
  expect_equal(speed_law(slices_at(0.7)[, probe_us := NA_real_])$exponent, 0)
})

test_that("CPU time is given at the usual speed, and as measured beside it", {
  slices <- slices_at(0.7, noise = 0)
  law <- speed_law(slices)
  usual <- with_usual_speed(slices, law)
  expect_equal(usual$cpu_us_measured, slices$cpu_us_per_request)
  expect_lt(max(usual[, sd(log(cpu_us_per_request)), by = mode]$V1), 1e-6)
  expect_equal(at_usual_speed(100, law$usual_us, law), 100)
  expect_lt(at_usual_speed(100, 2 * law$usual_us, law), 65)
  # Where there was no probe it is the measured one.
  expect_equal(at_usual_speed(100, NA_real_, law), 100)
})

test_that("both sides of a round are corrected alike, or neither is, so that no ratio changes", {
  slices <- slices_at(0.7)
  law <- speed_law(slices)
  # Modes with a probe of their own speed, and one that leaves none.
  slices[, tier := "low"][mode == "mode-2", probe_us := 2 * probe_us][mode == "mode-3", probe_us := NA_real_]
  usual <- with_usual_speed(slices, law)
  expect_false(isTRUE(all.equal(usual$cpu_us_per_request, slices$cpu_us_per_request)))
  expect_true(all(usual[, uniqueN(round(cpu_us_per_request / cpu_us_measured, 9)), by = round]$V1 == 1))
})

test_that("slices under the profiler, or left out for another reason, have no say", {
  slices <- slices_at(0.7)
  falsified <- with_columns(slices, cpu_us_per_request = rev(slices$cpu_us_per_request), kind = "profiled")
  disturbed <- with_columns(falsified, kind = "plain", reason = "undisturbed")
  expect_equal(speed_law(rbind(slices, falsified, disturbed)), speed_law(slices))
  expect_equal(speed_law(rbind(slices, with_columns(slices, reason = "steady_speed")))$slices, 320)
})
