# One row that counts for everything; each test changes it.
counted_as <- c(throughput_per_s = "offered", error_share = "offered", cpu_us_per_request = "completed", latency_mean_ms = "latency", latency_p99_ms = "latency")
# The statistics that count are those of these kinds.
expect_counted <- function(found, ..., info = NULL) expect_equal(found, setNames(counted_as %in% c(...), names(counted_as)), info = info)
which_count <- function(...) {
  cell <- as.data.table(modifyList(list(valid = TRUE, latency_valid = TRUE, outcome = "completed"), list(...)))
  vapply(names(counted_as), function(statistic) counts_for(cell, statistic), NA)
}
which_slices <- function(..., excluding = TRUE) {
  slice <- rounds_of("pool", ...)
  vapply(names(counted_as), function(statistic) nrow(slices_for(slice, statistic, excluding)) == 1, NA)
}

test_that("what is no estimand counts like latency or CPU time", {
  expect_equal(c(counts_of("latency_p99_9_ms"), counts_of("gc_pause_ms")), c("latency", "completed"))
})

test_that("a cell that only latency distrusts keeps CPU time and throughput", {
  expect_counted(which_count(), "offered", "completed", "latency")
  expect_counted(which_count(latency_valid = FALSE), "offered", "completed")
  expect_counted(which_count(valid = FALSE, latency_valid = FALSE))
})

test_that("a server that died or refuses keeps goodput and error share, and a load beyond the limits has nothing", {
  for (outcome in c("server_died", "hung", "refused")) expect_counted(which_count(outcome = outcome), "offered", info = outcome)
  expect_counted(which_count(outcome = "beyond_limits"))
  expect_counted(which_count(outcome = "server_died", valid = FALSE))
})

test_that("a late generator, a slow machine and a compiler at work exclude a slice from latency alone", {
  expect_counted(which_slices(), "offered", "completed", "latency")
  for (reason in c("generator_healthy", "steady_speed", "compiled", "undisturbed", "idle_neighbors", "compiled;undisturbed")) {
    expect_counted(which_slices(kept = FALSE, reason = reason), "offered", "completed", info = reason)
    # With no rule, it counts.
    expect_counted(which_slices(kept = FALSE, reason = reason, excluding = FALSE), "offered", "completed", "latency", info = reason)
  }
})

test_that("throughput and CPU time do not count where others took the CPU from a server that used the rest", {
  took <- function(used_s, others = 0.4, reason = "undisturbed", ...) {
    which_slices(kept = FALSE, reason = reason, server_cpu_s = used_s, duration_s = 1, server_cpus = 1, others_cpu_share = others, steal_share = 0, ...)
  }
  expect_equal(counted_as[took(0.55)], c(error_share = "offered"))
  # Another limit than the CPU decides, or no other program took it.
  expect_counted(took(0.3), "offered", "completed")
  expect_counted(took(0.95, others = 0, reason = "compiled"), "offered", "completed")
  expect_counted(took(0.55, excluding = FALSE), "offered", "completed", "latency")
})

test_that("a slice that did not complete keeps goodput and error share, and one of another tier nothing", {
  for (excluding in c(TRUE, FALSE)) expect_counted(which_slices(kept = FALSE, reason = "not_completed;compiled", excluding = excluding), "offered")
  for (reason in c("idle_connections", "unthrottled", "stood_still")) expect_counted(which_slices(kept = FALSE, reason = reason), info = reason)
  expect_counted(which_slices(valid = FALSE))
})

test_that("the latency of a cell that is not trusted counts as the bound that it is", {
  expect_counted(which_slices(latency_valid = FALSE), "offered", "completed")
  expect_counted(which_slices(latency_valid = FALSE, bound_latency = "at_least"), "offered", "completed", "latency")
  expect_counted(which_slices(valid = FALSE, latency_valid = FALSE, bound_latency = "at_least"))
})
