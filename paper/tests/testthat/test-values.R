effect_of <- function(...) effect_with_interval(compared(...))

test_that("a ratio has its interval, its bound, or the reason why there is none", {
  expect_equal(effect_of(), "4 [3, 6]")
  expect_equal(effect_of(bound = "at_least", high = Inf), "at least 3")
  expect_equal(effect_of(bound = "at_most", low = 0), "at most 6")
  expect_equal(effect_of(bound = "at_least", low = NA_real_), "at least 4")
  expect_equal(effect_of(estimate = NA_real_, reason = not_measured_well), "not measured well enough")
  expect_equal(effect_of(estimate = NA_real_), no_figure)
  expect_equal(effect_with_interval(data.table(estimate = 4, low = 3, high = 6, bound = "")), "4 [3, 6]")
})

test_that("what is reported has the interval of a selection, and none that spans more than a factor of 4", {
  expect_equal(effect_of(fcr_low = 2.5, fcr_high = 6.4), "4 [2.5, 6.4]")
  expect_equal(effect_of(fcr_low = 1.5, fcr_high = 10.7), "at least 1.5")
  expect_equal(effect_of(low = 0, high = 1e9), "not measured well enough")
  expect_equal(effect_of(estimate = 0.25, low = 0.1, high = 0.5), "at most 0.5")
  expect_equal(effect_of(estimate = 0.1, low = 0.01, high = 0.19, effect = "difference"), "0.1 [0.01, 0.19]")
})

test_that("effects say in how many sessions both sides are, and one session is marked", {
  expect_equal(effect_of(pairs = 2), "4 [3, 6] (2 of 3 sessions)")
  expect_equal(effect_of(pairs = 1, sessions = 1), paste("4 [3, 6]", one_session_mark))
})

test_that("both values stand with their unit, and a percentile that failures reach is not reached", {
  expect_equal(values_of_both(compared()), "50 and 200/s")
  expect_equal(values_of_both(compared(unit = "ms", mode_value = Inf)), "50 and not reached")
  expect_equal(values_of_both(compared(mode_value = NA_real_)), no_figure)
})

test_that("in the shipped runs each ratio is that of its values", {
  for (run in read_all_shipped(runs_folder, reference_run)) {
    rows <- run$comparisons[is.finite(estimate) & effect == "ratio" & is.finite(mode_value)]
    expect_gt(nrow(rows), 0.4 * nrow(run$comparisons))
    # A bound of rounds that were too few is less by what their disturbance can do.
    rows[, apart := abs(log(mode_value / baseline_value / estimate))]
    rows <- rows[bound == "" | abs(apart - log(disturbance_at_most)) >= 0.001]
    expect_lt(max(rows$apart), 0.001)
  }
})

test_that("capacities are printed with their bound", {
  pooled <- pool_capacity(capacities_with("pool", c(200, 300, 210), "thread", "at_least"))
  expect_equal(capacity_text(pooled)[1], "at least 233")
})
