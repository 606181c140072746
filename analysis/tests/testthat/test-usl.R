loads <- c(1, 2, 4, 8, 16, 32, 64)

# Noise of a known seed, a share of the figure as in the cells.
measured_at <- function(n, ..., noise = 0.01) {
  set.seed(7)
  usl_throughput(n, ...) * exp(rnorm(length(n), sd = noise))
}

test_that("the law's own coefficients are found again, within their intervals", {
  n <- rep(loads, 3)
  fit <- fit_usl(n, measured_at(n, lambda = 1000, sigma = 0.05, kappa = 0.001))
  expect_equal(fit$reason, "")
  expect_equal(fit$loads, 7)
  for (name in c("lambda", "sigma", "kappa")) {
    true <- c(lambda = 1000, sigma = 0.05, kappa = 0.001)[[name]]
    expect_equal(fit[[name]], true, tolerance = 0.1)
    expect_lt(fit[[paste0(name, "_low")]], true)
    expect_gt(fit[[paste0(name, "_high")]], true)
  }
  expect_equal(fit$peak_n, sqrt(0.95 / 0.001), tolerance = 0.1)
})

test_that("what does not cost each other has no peak", {
  fit <- fit_usl(loads, measured_at(loads, lambda = 50, sigma = 0.2, kappa = 0))
  expect_equal(fit$sigma, 0.2, tolerance = 0.1)
  expect_lt(fit$kappa, 0.001)
  linear <- fit_usl(rep(loads, 2), measured_at(rep(loads, 2), lambda = 50))
  expect_equal(linear$lambda, 50, tolerance = 0.05)
  expect_lt(linear$sigma, 0.01)
})

test_that("too few loads are no curve", {
  fit <- fit_usl(rep(c(1, 10, 100), 5), rep(c(10, 80, 300), 5))
  expect_true(is.na(fit$lambda))
  expect_equal(fit$reason, "fewer than 4 loads with a request or more at once")
  expect_equal(fit$loads, 3)
  # Less than one request at once is an idle server, not a load.
  expect_equal(fit_usl(c(0.1, 0.2, 0.5, 0.9, 2), 1:5)$loads, 1)
})

test_that("every mode gets its own curve from its valid cells", {
  n <- c(2, 4, 8, 16, 32)
  summary <- rbindlist(lapply(c("pool", "thread"), function(name) {
    x <- measured_at(n, lambda = if (name == "pool") 100 else 50, sigma = 0.1)
    data.table(
      study = "demo", mode = name, tool = "jmeter", path = "/", tier = as.character(n),
      throughput_per_s = x, latency_mean_ms = 1000 * n / x, outcome = "completed", valid = TRUE
    )
  }))
  summary[mode == "thread" & tier == "32", valid := FALSE]
  fits <- fit_modes(summary)
  expect_equal(fits[mode == "pool", lambda], 100, tolerance = 0.05)
  expect_equal(fits[mode == "thread", lambda], 50, tolerance = 0.05)
  expect_equal(fits[order(mode), loads], c(5, 4))
})

test_that("a database's transactions of different kinds are different curves", {
  expect_equal(
    what_is_asked(c("/work", NA, ""), c("mid", "read-only-10", "point-select-100")),
    c("/work", "read-only", "point-select")
  )
})
