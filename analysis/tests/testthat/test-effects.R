# ---- Noise, simulated ------------------------------------------------------------------------

coverage <- fread(file.path(analysis_folder, "coverage.csv"))

expect_right <- function(found) {
  # 95 % intervals, in the quiet half of the comparisons and in the noisy half.
  expect_gte(min(found$quiet), 0.93)
  expect_gte(min(found$noisy), 0.93)
  expect_lte(max(found$false), 0.05)
  expect_lte(max(found$at_margin, found$false_equivalent), 0.05)
}

test_that("in every setting that was recorded intervals hold the truth and few verdicts are false", {
  expect_right(coverage)
  expect_equal(nrow(coverage), nrow(coverage_settings))
  # What it is worth: Student's t alone would find at most 4 % of the differences.
  expect_gt(coverage[explained == "little" & rounds == 3, min(found)], 0.1)
  expect_gt(max(coverage$found), 0.35)
})

test_that("the record is what the code finds", {
  # For those with three rounds. Intervals of 90 % in place of 95 % would be 0.04 away.
  again <- simulate_coverage(16, coverage_settings[rounds == 3])
  both <- merge(coverage, again, by = names(coverage_settings), suffixes = c("", "_again"))
  for (name in c("quiet", "noisy")) expect_lte(max(abs(both[[name]] - both[[paste0(name, "_again")]])), 0.03)
  # Over all settings: 16 runs of one say little of what happens in one of a hundred.
  for (name in c("quiet", "noisy")) expect_lte(abs(mean(both[[name]] - both[[paste0(name, "_again")]])), 0.006)
  for (name in c("false", "false_equivalent", "at_margin")) expect_lte(mean(again[[name]]), 0.03)
})

# ---- Noise, by hand --------------------------------------------------------------------------

test_that("what sessions add to their slices is shared by a family", {
  set.seed(4)
  spread <- replicate(40, sd(rnorm(3, 0, 0.2)))
  found <- moderate(spread, rep(3, 40), rep(0.1, 40), rep(15, 40))
  expect_equal(median(found$noise), 0.2, tolerance = 0.15)
  expect_lt(diff(range(found$noise)), diff(range(spread)) / 2)
  expect_equal(found$df, rep(2 + family_df_most, 40))
  # A family says no more than what slices explain is known, and the noise of both goes together.
  few <- moderate(spread, rep(3, 40), rep(0.1, 40), rep(3, 40))
  expect_equal(few$df, rep(2 + 3, 40))
  unlike <- moderate(spread * c(1, 10), rep(3, 40), 0.1 * rep(c(1, 10), 20), rep(15, 40))
  expect_equal(unlike$noise, found$noise * c(1, 10))
})

test_that("sessions vary by no less than their slices explain", {
  set.seed(5)
  found <- moderate(replicate(40, sd(rnorm(3, 0, 0.05))), rep(3, 40), rep(0.1, 40), rep(6, 40))
  expect_true(all(found$noise >= 0.1))
})

test_that("one wild comparison does not widen the others of its family", {
  set.seed(8)
  spread <- replicate(40, sd(rnorm(3, 0, 0.2)))
  usual <- moderate(spread, rep(3, 40), rep(0.1, 40), rep(15, 40))
  wild <- moderate(replace(spread, 1, 20), rep(3, 40), rep(0.1, 40), rep(15, 40))
  expect_lt(max(wild$noise[-1] / usual$noise[-1]), 1.2)
})

test_that("a few values, such as do not vary, and such without slices are no family", {
  spread <- c(2, 3, 2, 4, 3, 2, 3)
  alone <- list(noise = spread, df = rep(2, 7))
  expect_equal(moderate(spread, rep(3, 7), rep(1, 7), rep(6, 7)), alone)
  still <- c(rep(0, 20), 1)
  expect_equal(moderate(still, rep(3, 21), rep(1, 21), rep(6, 21))$noise, still)
  expect_equal(moderate(rep(spread, 3), rep(3, 21), rep(NA_real_, 21), rep(NA_real_, 21))$noise, rep(spread, 3))
})

test_that("one session has no noise between sessions, whatever its family says", {
  set.seed(6)
  found <- moderate(c(NA, abs(rnorm(20))), c(1, rep(3, 20)), rep(0.5, 21), rep(6, 21))
  expect_true(is.na(found$noise[1]) && is.na(found$df[1]))
  expect_false(anyNA(found$noise[-1]))
})

# ---- Intervals -------------------------------------------------------------------------------

test_that("intervals and p-values are those of t tests, less what rounding can do", {
  judged <- function(effects, widen, margin) {
    count <- length(effects)
    df <- if (count > 1) count - 1 else NA_real_
    judge_effects(mean(effects), sd(effects) / sqrt(count), df, widen, widen, margin)
  }
  effects <- c(0.2, 0.25, 0.4, 0.31)
  found <- judged(effects, 0, 0.5)
  expect_equal(c(found$low, found$high), c(t.test(effects)$conf.int))
  expect_equal(found$p_value, t.test(effects)$p.value)
  expect_equal(found$equivalence_p_value, t.test(effects, mu = 0.5, alternative = "less")$p.value)
  # Equivalent at 5 %: the interval of 90 % lies within the margin.
  expect_equal(judged(effects, 0, max(t.test(effects, conf.level = 0.9)$conf.int))$equivalence_p_value, 0.05)
  expect_equal(judged(effects, 0.1, 0.5)$p_value, t.test(effects - 0.1)$p.value)
  expect_equal(judged(effects, 1, 0.5)$p_value, 1)
  p_values <- function(...) unlist(judged(...)[c("p_value", "equivalence_p_value")], use.names = FALSE)
  expect_equal(p_values(c(0, 0, 0), 0, 0.05), c(1, 0))
  expect_equal(p_values(c(0.3, 0.3), 0, 0.05), c(0, 1))
  expect_true(all(is.na(p_values(0.3, 0, 0.05))))
})

test_that("rounding goes the way of the tool", {
  reach <- function(...) unlist(rounding_reach(..., logs = FALSE))
  expect_equal(reach(10, "jmeter", "latency_p50_ms"), c(down = 0.5, up = 0.5))
  # Latencies of 9.05 ms: of a hundred, one is recorded as 10 and most as 9.
  expect_equal(reach(10, "jmeter", "latency_p99_ms"), c(down = 1, up = 0))
  expect_equal(reach(10, "wrk2", "latency_p99_ms"), c(down = 0.0005, up = 0.0005))
  # Steps of 1.8 %.
  expect_equal(reach(10, "sysbench", "latency_p99_ms"), c(down = 0.09, up = 0.09))
  expect_equal(reach(10, "jmeter", "latency_mean_ms"), c(down = 0, up = 0))
  expect_equal(rounding_reach(1, "jmeter", "latency_p99_ms", logs = TRUE)$down, Inf)
})
