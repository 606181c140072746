# One row that counts for everything; each test changes it.
cell_that <- function(...) as.data.table(modifyList(list(valid = TRUE, latency_valid = TRUE, outcome = "completed"), list(...)))
slice_that <- function(...) rounds_of("pool", ...)
counted_as <- c(throughput_per_s = "offered", error_share = "offered", cpu_us_per_request = "completed", latency_mean_ms = "latency", latency_p99_ms = "latency")
which_count <- function(cells) vapply(names(counted_as), function(statistic) counts_for(cells, statistic), NA)
which_slices <- function(slices, excluding = TRUE) vapply(names(counted_as), function(statistic) nrow(slices_for(slices, statistic, excluding)) == 1, NA)
only <- function(...) setNames(counted_as %in% c(...), names(counted_as))

test_that("statistics count cells as the table of estimands says, and unknown columns like CPU time", {
  expect_equal(vapply(names(counted_as), counts_of, ""), counted_as)
  expect_equal(counts_of("latency_p99_9_ms"), "latency")
  expect_equal(counts_of("gc_pause_ms"), "completed")
  expect_equal(c(counts_of("threads_peak"), counts_of("rss_mib"), counts_of("capacity_per_s")), c("process", "process", "sweep"))
})

test_that("a cell that only latency distrusts keeps CPU time and throughput", {
  expect_equal(which_count(cell_that()), only("offered", "completed", "latency"))
  expect_equal(which_count(cell_that(latency_valid = FALSE)), only("offered", "completed"))
  expect_equal(which_count(cell_that(valid = FALSE, latency_valid = FALSE)), only())
})

test_that("a server that died or refuses keeps goodput and error share, and a load beyond the limits has nothing", {
  for (outcome in c("server_died", "hung", "refused")) expect_equal(which_count(cell_that(outcome = outcome)), only("offered"), info = outcome)
  expect_equal(which_count(cell_that(outcome = "beyond_limits")), only())
  expect_equal(which_count(cell_that(outcome = "server_died", valid = FALSE)), only())
})

test_that("a late generator, a slow machine and a compiler at work exclude a slice from latency alone", {
  expect_equal(which_slices(slice_that()), only("offered", "completed", "latency"))
  for (reason in c("generator_healthy", "steady_speed", "compiled", "undisturbed", "idle_neighbors", "compiled;undisturbed")) {
    disturbed <- slice_that(kept = FALSE, reason = reason)
    expect_equal(which_slices(disturbed), only("offered", "completed"), info = reason)
    # With no rule, it counts.
    expect_equal(which_slices(disturbed, excluding = FALSE), only("offered", "completed", "latency"), info = reason)
  }
})

test_that("throughput and CPU time do not count where others took the CPU from a server that used the rest", {
  took <- function(used_s, others = 0.4, reason = "undisturbed") {
    slice_that(kept = FALSE, reason = reason, server_cpu_s = used_s, duration_s = 1, server_cpus = 1, others_cpu_share = others, steal_share = 0)
  }
  expect_equal(counted_as[which_slices(took(0.55))], c(error_share = "offered"))
  # Another limit than the CPU decides, or no other program took it.
  expect_equal(which_slices(took(0.3)), only("offered", "completed"))
  expect_equal(which_slices(took(0.95, others = 0, reason = "compiled")), only("offered", "completed"))
  expect_equal(which_slices(took(0.55), excluding = FALSE), only("offered", "completed", "latency"))
})

test_that("a slice that did not complete keeps goodput and error share, and one of another tier nothing", {
  died <- slice_that(kept = FALSE, reason = "not_completed;compiled")
  expect_equal(which_slices(died), only("offered"))
  expect_equal(which_slices(died, excluding = FALSE), only("offered"))
  expect_equal(which_slices(slice_that(kept = FALSE, reason = "idle_connections")), only())
  expect_equal(which_slices(slice_that(valid = FALSE)), only())
})

test_that("the latency of a cell that is not trusted counts as the bound that it is", {
  expect_equal(which_slices(slice_that(latency_valid = FALSE)), only("offered", "completed"))
  expect_equal(which_slices(slice_that(latency_valid = FALSE, bound_latency = "at_least")), only("offered", "completed", "latency"))
  expect_equal(which_slices(slice_that(valid = FALSE, latency_valid = FALSE, bound_latency = "at_least")), only())
})
