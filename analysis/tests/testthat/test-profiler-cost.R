test_that("the profiler costs what profiled slices differ from plain ones", {
  slices <- turns(sessions = 2)
  profiled <- copy(slices)[, `:=`(kind = "profiled", cpu_us_per_request = 110, start_epoch_s = 1000 + start_epoch_s, end_epoch_s = 1000 + end_epoch_s)]
  rows <- profiler_cost(measured_of(rbind(slices, profiled)))
  expect_setequal(rows$mode, c("pool", "thread"))
  expect_equal(rows[statistic == "cpu_us_per_request", estimate], c(1.1, 1.1))
  expect_equal(rows[statistic == "throughput_per_s", estimate], c(1, 1))
  expect_equal(nrow(profiler_cost(measured_of(slices))), 0)
})
