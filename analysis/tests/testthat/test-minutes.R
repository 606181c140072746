# A primary comparison of one session whose rounds vary by 10 %, and slices that last a second each, two seconds apart.
undecided_of <- function(estimate, within = 0.05, rounds = 4) {
  comparison_rows(verdict = "undecided", estimate = estimate, pairs = 1, spread = NA_real_, within = within, df_within = rounds - 1, rounds = rounds)
}
measured_for <- function(known = NULL) {
  slices <- turns()[, start_epoch_s := 4 * round + 2 * (mode == "thread")]
  summary <- summary_of_slices(slices)[, `:=`(start_up_s = 1, warm_up_s = 29)]
  as_measured(summary, slices, known = known)
}

test_that("the rounds that are lacking decide, and fewer would not", {
  row <- undecided_of(1.12)
  found <- lacking(row, measured_for())
  expect_equal(found$lacks, "rounds")
  reach <- function(count) qt(0.975, count - 1) * 0.1 / sqrt(count)
  expect_lt(reach(found$rounds_needed), log(1.12))
  expect_gt(reach(found$rounds_needed - 1), log(1.12))
  # Both sides of a round are two seconds apart, and both servers start and warm up for half a minute.
  expect_equal(found$minutes, (60 + 4 * found$rounds_needed) / 60)
})

test_that("the same is shown by rounds too", {
  found <- lacking(undecided_of(1.001, 0.02), measured_for())
  expect_equal(found$lacks, "rounds")
  expect_lt(qt(0.95, found$rounds_needed - 1) * 0.04 / sqrt(found$rounds_needed), log(1.05))
})

test_that("where processes differ by more than the ratio, sessions are lacking and not rounds", {
  known <- rbindlist(lapply(1:6, function(at) copy(undecided_of(1.1, 0.05))[, `:=`(mode = paste0("other-", at), pairs = 3, rounds = 12, spread = 0.15)]))
  found <- lacking(undecided_of(1.2), measured_for(known))
  expect_equal(found$lacks, "sessions")
  expect_gt(found$minutes, found$sessions_needed)
  # Half of the difference is lost among processes.
  expect_equal(lacking(undecided_of(1.03), measured_for(known))$lacks, "more")
})
