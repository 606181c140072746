# Variances of figures with the given true standard deviations, of so many values each.
variances_of <- function(spreads, values = 3) {
  vapply(spreads, function(spread) var(rnorm(values, sd = spread)), 0)
}

# How often the interval of a mean of values around 0 holds the 0.
holds_the_truth <- function(spreads, values = 3) {
  drawn <- lapply(spreads, function(spread) rnorm(values, sd = spread))
  variances <- vapply(drawn, var, 0)
  df <- rep(values - 1, length(spreads))
  found <- moderate(variances, df, family_noise(variances, df))
  mean(abs(vapply(drawn, mean, 0)) <= qt(0.975, found$df) * found$noise / sqrt(values))
}

test_that("figures that vary alike lend each other what they know", {
  set.seed(1)
  variances <- variances_of(rep(0.1, 40))
  family <- family_noise(variances, rep(2, 40))
  expect_equal(sqrt(family$variance), 0.1, tolerance = 0.1)
  expect_gt(family$df, 10)
  found <- moderate(variances, rep(2, 40), family)
  expect_lt(diff(range(found$noise)), diff(range(sqrt(variances))) / 4)
  expect_true(all(found$df > 10 & found$df <= 80))
})

test_that("figures that vary by orders of magnitude are left to themselves", {
  set.seed(2)
  variances <- variances_of(10^seq(-4, 1, length.out = 40))
  family <- family_noise(variances, rep(2, 40))
  expect_lt(family$df, 1)
  expect_equal(moderate(variances[40], 2, family)$noise, sqrt(variances[40]), tolerance = 0.35)
})

test_that("95 % of intervals hold the truth, in small families and large, of like noise and unlike", {
  set.seed(3)
  rate <- function(spreads) mean(replicate(300, holds_the_truth(spreads())))
  expect_gt(rate(function() rep(0.1, 40)), 0.94)
  expect_gt(rate(function() rep(0.1, family_at_least)), 0.93)
  expect_gt(rate(function() exp(rnorm(40, sd = 1))), 0.93)
  expect_gt(rate(function() exp(rnorm(family_at_least, sd = 1))), 0.92)
})

test_that("a few figures, or such as do not vary, are no family", {
  expect_equal(family_noise(variances_of(rep(1, family_at_least - 1)), rep(2, family_at_least - 1)), no_family)
  expect_equal(family_noise(c(rep(0, 20), 1), rep(2, 21)), no_family)
  expect_equal(moderate(c(4, 9), c(2, 2), no_family), list(noise = c(2, 3), df = c(2, 2)))
})

test_that("one value has no noise, whatever its family says", {
  set.seed(4)
  variances <- c(NA, variances_of(rep(1, 20)))
  df <- c(0, rep(2, 20))
  found <- moderate(variances, df, family_noise(variances, df))
  expect_true(is.na(found$noise[1]) && is.na(found$df[1]))
  expect_false(anyNA(found$noise[-1]))
})
