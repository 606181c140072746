# Comparisons with these p-values, a tier each; all of them primaries but those in `others`.
rows_with <- function(p_value, equivalence_p_value = 1, pairs = 3, ...) {
  count <- max(length(p_value), length(equivalence_p_value))
  rows <- comparison_rows(
    tier = sprintf("tier-%02d", seq_len(count)), estimate = 2, low = 1.8, high = 2 * 2 / 1.8, df = 10, p_value = p_value,
    equivalence_p_value = equivalence_p_value, pairs = pairs, fixed = FALSE
  )
  with_columns(rows, ...)
}
judged <- function(rows, primaries = rows[, comparison_names, with = FALSE]) add_verdicts(rows, primaries)
verdict_of <- function(...) judged(rows_with(...))$verdict

test_that("p-values are adjusted after Holm, over the primaries alone", {
  p <- c(0.001, 0.015, 0.02)
  found <- judged(rows_with(p))
  expect_equal(found$p_adjusted, pmin(1, c(3 * 0.001, 2 * 0.015, 0.03)))
  # A hundred others, however small, have no verdict and change none.
  rows <- rows_with(c(p, rep(c(1e-9, 0.5), 50)))
  more <- judged(rows, rows[1:3, comparison_names, with = FALSE])
  expect_equal(more[1:3], found[, names(more), with = FALSE])
  expect_true(more[4:103, all(verdict == "" & !primary & is.na(p_adjusted) & is.na(fcr_low))])
  # Primaries would.
  expect_equal(judged(rows)$p_adjusted[1], 53 * 0.001)
})

test_that("a primary that is fixed or has no number is not tested", {
  rows <- rows_with(c(0.06, 0.04, 0.04))[2, fixed := TRUE][3, `:=`(reason = "throughputs differ by more than 20 %", p_value = NA, equivalence_p_value = NA, estimate = NA)]
  found <- judged(rows)
  expect_equal(found$verdict, c("undecided", "fixed", "not comparable"))
  expect_equal(found$p_adjusted, c(0.06, NA, NA))
  expect_true(all(found$primary))
})

test_that("a verdict has the direction of the estimate", {
  found <- verdict_of(rep(1e-6, 4), effect = c("ratio", "ratio", "difference", "difference"), estimate = c(2, 0.5, 0.1, -0.1))
  expect_equal(found, c("higher", "lower", "higher", "lower"))
})

test_that("equivalence has its own tests, and the margin of the statistic", {
  expect_equal(verdict_of(0.001, 0.001), "same")
  # Each by itself, however many there are.
  expect_equal(verdict_of(1, rep(0.01, 50)), rep("same", 50))
  # 8 % apart: within the margin of a mean latency and of CPU time, beyond that of throughput.
  eight <- list(throughput_per_s = 1080, latency_mean_ms = 10.8, cpu_us_per_request = 108)
  set.seed(4)
  slices <- turns(c(eight, list(round = 1:4)), sessions = 3)
  for (column in names(eight)) set(slices, j = column, value = slices[[column]] * exp(rnorm(nrow(slices), 0, 0.001)))
  found <- judged(compare_modes(measured_of(slices))[statistic %in% names(eight)])
  expect_equal(found[match(names(eight), statistic), verdict], c("higher", "same", "same"))
  expect_gt(found[statistic == "throughput_per_s", equivalence_p_value], 0.99)
})

test_that("the level is 5 %, however many sessions there are", {
  for (pairs in 1:3) {
    expect_equal(c(verdict_of(0.049, pairs = pairs), verdict_of(0.051, pairs = pairs)), c("higher", "undecided"), info = pairs)
    expect_equal(c(verdict_of(1, 0.049, pairs), verdict_of(1, 0.051, pairs)), c("same", "undecided"), info = pairs)
  }
})

test_that("intervals of comparisons that are reported are widened for the selection", {
  # One of twenty is reported: its interval has a confidence of 1 - 0.05 / 20.
  found <- judged(rows_with(c(1e-6, rep(0.5, 19))))
  row <- found[1]
  wider <- qt(1 - 0.05 / 20 / 2, 10) / qt(0.975, 10)
  expect_equal(log(row[, c(fcr_low, fcr_high)] / 2), wider * log(row[, c(low, high)] / 2))
  expect_true(all(is.na(found[-1, fcr_low])))
  # Where all are reported nothing was selected.
  all_reported <- judged(rows_with(rep(1e-6, 5)))
  expect_equal(all_reported[, .(fcr_low, fcr_high)], all_reported[, .(fcr_low = low, fcr_high = high)])
  # A pair that is called the same is reported, too.
  expect_equal(judged(rows_with(c(1e-6, 1, 1), c(1, 1e-6, 1)))[, sum(!is.na(fcr_low))], 2)
})

test_that("the wider interval of an inverse ratio is the inverse", {
  first <- function(...) judged(rows_with(c(1e-6, 0.5, 0.5), ...))[1]
  there <- first()
  back <- first(estimate = 1 / 2, low = 1 / (2 * 2 / 1.8), high = 1 / 1.8)
  expect_equal(back[, c(fcr_low, fcr_high)], 1 / there[, c(fcr_high, fcr_low)])
  expect_equal(c(there$verdict, back$verdict), c("higher", "lower"))
  difference <- first(effect = "difference", estimate = 0.1, low = 0.05, high = 0.15)
  expect_equal(difference[, fcr_high - estimate], difference[, estimate - fcr_low])
  # An open end stays open.
  bounded <- first(high = Inf, bound = "at_least")
  expect_equal(bounded$fcr_high, Inf)
  expect_lt(bounded$fcr_low, bounded$low)
})
