test_that("the profiler costs what profiled slices take over plain ones of their session", {
  root <- new_folder()
  paths <- vapply(1:3, function(repetition) {
    cost <- c(99, 100, 101, 100) * repetition
    write_cell(root, tool = "wrk2", histogram_ms = 1:10, repetition = repetition,
      slices = known_slices(cpu_us_per_request = cost))
  }, "")
  cost <- profiler_cost(as_measured(summarise_cells(paths), read_loads(paths)$slices))
  cpu <- cost[statistic == "cpu_us_per_request"]
  # The profiled slice is made of the first plain one.
  expect_equal(cpu$estimate, 1.1 * 0.99, tolerance = 1e-4)
  expect_true(cpu$low < 1.1 && cpu$high > 1.08)
  expect_equal(cpu[, c(pairs, rounds)], c(3, 3))
  expect_equal(cost[statistic == "throughput_per_s", estimate], 1)
  one <- profiler_cost(as_measured(summarise_cells(paths[1]), read_loads(paths[1])$slices))
  expect_equal(one[statistic == "cpu_us_per_request", pairs], 1)
  out <- tempfile(fileext = ".csv")
  write_table(cost, out)
  expect_equal(setindex(read_comparisons(out), NULL), setindex(copy(cost)[, `:=`(fixed = as.numeric(fixed), cpu_limited = as.numeric(cpu_limited))], NULL), ignore_attr = TRUE)
  none <- profiler_cost(as_measured(summarise_cells(paths)[0], no_slices()))
  expect_equal(names(none), names(cost))
})
