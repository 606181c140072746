# CPU time and pauses of each side, at 10,000 answers a second, where the known primitives have their last rate.
start_cells <- function(thread = 140, pool = 60, ..., tier = "extreme", tool = "wrk2", gc_ms = c(8, 2, 1)) {
  us <- c("thread-per-request" = thread, "fixed-pool" = pool, ...)
  data.table(
    study = "request-threads", mode = names(us), tier = tier, tool = tool, outcome = "completed", valid = TRUE, latency_valid = TRUE, cpu_us_per_request = us,
    gc_pause_ms = gc_ms[seq_along(us)], requests = 1000, answers_per_s = 10000
  )
}

starts_of <- function(summary, primitives = known_primitives) {
  parts_of_thread_start(read_causes(file.path(analysis_folder, "causes.yaml"))[["thread-start"]], summary, primitives)
}

test_that("the parts lead from the pool to a thread for each request, and add up", {
  found <- starts_of(start_cells())
  expect_equal(setNames(found$us, found$part), c(pool = 60, "hand-over" = -8, start = 30, collector = 6, rest = 52, thread = 140))
  expect_equal(unique(found[, .(study, tier, tool, rate_per_s)]), data.table(study = "request-threads", tier = "extreme", tool = "wrk2", rate_per_s = 10000))
  expect_equal(found[!part %in% c("pool", "thread"), sum(us)], 80)
})

test_that("small allocation buffers take their part from the rest, without their pauses", {
  found <- starts_of(start_cells("thread-per-request-tlab-4k" = 113))
  # 140 - 8 against 113 - 1.
  expect_equal(found[part %in% c("buffers", "rest")]$us, c(20, 32))
  expect_equal(found[!part %in% c("pool", "thread"), sum(us)], 80)
})

test_that("without a side, a count or a primitive there are no parts", {
  expect_equal(nrow(starts_of(start_cells()[1])), 0)
  expect_equal(nrow(starts_of(start_cells(tier = "extreme-kept"))), 0)
  expect_equal(nrow(starts_of(copy(start_cells())[, gc_pause_ms := NA_real_])), 0)
  expect_equal(nrow(starts_of(start_cells(), known_primitives[0])), 0)
  expect_equal(nrow(starts_of(start_cells(), known_primitives[primitive != "pool-beside-request"])), 0)
})

test_that("cells that fail a check count, as for the cause, and those that did not run do not", {
  expect_equal(nrow(starts_of(copy(start_cells())[, valid := FALSE])), 6)
  expect_equal(nrow(starts_of(copy(start_cells())[, outcome := "beyond_limits"])), 0)
})

test_that("the table is read as it was written, and is empty for older runs", {
  path <- file.path(new_folder(), "thread-start.csv")
  expect_equal(nrow(read_thread_start(path)), 0)
  write_table(starts_of(start_cells()), path)
  expect_equal(read_thread_start(path)$us, starts_of(start_cells())$us)
})
