test_that("a bound whose interval reaches far is none", {
  rows <- data.table(
    estimate = 4, low = c(3, 1e-5, NA, 3, 3), high = c(6, 1e5, NA, 5, 1e5), verdict = "bounded",
    bound = c("at_least", "at_least", "at_least", "at_most", "at_most")
  )
  expect_equal(effect_with_interval(rows), c("at least 3", "not bounded", "at least 4", "at most 5", "not bounded"))
})

test_that("shares stand on 100 samples at least, and with their interval", {
  expect_equal(share_of_samples(16, 35), "")
  expect_equal(share_of_samples(c(46, 46), c(99, 100)), c("", "46 % [37, 56]"))
  expect_equal(count_of_samples(c(35, 100)), c("n = 35: too few", "n = 100"))
})

test_that("effects say in how many sessions they are valid, and the estimate at worst", {
  row <- data.table(
    estimate = 2.45, low = 1.2, high = 5, bound = "", verdict = "undecided", worst = c(2.29, NA), pairs = 2,
    mode_valid = 2, mode_invalid = 1, mode_missing = 0
  )
  expect_equal(effect_with_interval(row), c("2.45 [1.2, 5] (2 of 3 sessions, at worst 2.29)", "2.45 [1.2, 5] (2 of 3 sessions)"))
})

test_that("capacities are printed with their bound, and a mode that is not known has a look", {
  pooled <- pool_capacity(capacities_with("pool", c(200, 300, 210), "thread", "at_least"))
  expect_equal(capacity_text(pooled)[1], "at least 233")
  expect_match(mode_colours(c("mine", "event-loop"))[["mine"]], "^#[0-9A-F]{6}$")
})

test_that("the sentence on coverage says what was recorded", {
  coverage <- fread(file.path(analysis_folder, "coverage.csv"))
  expect_match(sentence_coverage(coverage), sprintf("^In %d simulated settings", nrow(coverage)))
  expect_match(sentence_coverage(coverage), sprintf("%s to %s %% of the quiet", format_number(100 * min(coverage$quiet)), format_number(100 * max(coverage$quiet))))
})
