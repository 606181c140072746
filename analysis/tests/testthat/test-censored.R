exactly <- function(values, width = 1e-4) data.table(low = values - width / 2, high = values + width / 2)

test_that("values that are known exactly have their mean, and the error of a mean", {
  # Normal values: with many of them the likelihood of t with 4 degrees of freedom has its top near their mean.
  set.seed(1)
  ends <- exactly(rt(400, 4) * 0.1 + 5)
  found <- censored_mean(ends$low, ends$high, 0.1)
  expect_equal(found$centre, 5, tolerance = 0.004)
  # Its information is (df + 1) / (df + 3) a value.
  expect_equal(found$error, 0.1 / sqrt(400 * 5 / 7), tolerance = 0.1)
})

test_that("brackets that are alike have their middle, and the error of a uniform value", {
  found <- censored_mean(rep(log(4320), 3), rep(log(4800), 3), 0.005)
  expect_equal(exp(found$centre), sqrt(4320 * 4800), tolerance = 1e-6)
  expect_equal(found$error, log(4800 / 4320) / sqrt(12), tolerance = 0.05)
  # A bracket as wide as a decade, where Newton's method finds nothing.
  found <- censored_mean(rep(log(142.86), 3), rep(log(1714.29), 3), 0.08)
  expect_equal(found$error, log(12) / sqrt(12), tolerance = 0.05)
})

test_that("a session that is a bound moves the mean its way", {
  both <- censored_mean(c(0, 0), c(0.1, 0.1), 0.1)
  expect_gt(censored_mean(c(0, 0, 0.3), c(0.1, 0.1, Inf), 0.1)$centre, both$centre + 0.02)
  expect_lt(censored_mean(c(0, 0, -Inf), c(0.1, 0.1, -0.3), 0.1)$centre, both$centre - 0.02)
  # A bound that the others meet says next to nothing.
  expect_equal(censored_mean(c(0, 0, -3), c(0.1, 0.1, Inf), 0.1), both, tolerance = 0.01)
})

test_that("the scale is found that sessions have, with few of them a place", {
  set.seed(2)
  places <- rep(seq_len(60), each = 3)
  values <- places + 0.1 * rt(180, 4)
  for (width in c(1e-3, 0.1)) {
    from <- floor(values / width) * width
    found <- censored_scale(from, from + width, places)
    expect_equal(found$scale, 0.1, tolerance = 0.2)
    expect_equal(found$df, 120)
  }
  expect_equal(censored_scale(1:3, 2:4, 1:3), list(scale = NA_real_, df = 0))
  # Sessions that differ by no more than their brackets have the least scale.
  expect_lt(censored_scale(c(0, 0), c(1, 1), c(1, 1))$scale, 0.006)
})

test_that("a session that is far off lends its noise to no other place", {
  set.seed(3)
  places <- rep(seq_len(15), each = 3)
  ends <- exactly(places + 0.05 * rnorm(45))
  quiet <- censored_scale(ends$low, ends$high, places)$scale
  ends[1, `:=`(low = low - 1.2, high = high - 1.2)]
  expect_lt(censored_scale(ends$low, ends$high, places)$scale, 1.5 * quiet)
  # In its own place sessions that disagree make the error large.
  error_of <- function(values) with(exactly(values), censored_mean(low, high, 0.05)$error)
  expect_gt(error_of(c(-1, 0, 1)), 5 * error_of(c(-0.03, 0, 0.03)))
})
