loads <- c(1, 2, 4, 8, 16, 32, 64)

# Noise of a known seed, a share of the figure as in the cells.
measured_at <- function(n, ..., noise = 0.01) {
  set.seed(7)
  usl_throughput(n, ...) * exp(rnorm(length(n), sd = noise))
}

test_that("the law's own coefficients are found again, within their intervals", {
  n <- rep(loads, 3)
  fit <- fit_usl(n, measured_at(n, lambda = 1000, sigma = 0.05, kappa = 0.001), rep(1:3, each = 7))
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
  fit <- fit_usl(loads, measured_at(loads, lambda = 50, sigma = 0.2, kappa = 0), rep(1, 7))
  expect_equal(fit$sigma, 0.2, tolerance = 0.1)
  expect_lt(fit$kappa, 0.001)
  linear <- fit_usl(rep(loads, 2), measured_at(rep(loads, 2), lambda = 50), rep(1:2, each = 7))
  expect_equal(linear$lambda, 50, tolerance = 0.05)
  expect_lt(linear$sigma, 0.01)
})

test_that("too few loads are no curve", {
  fit <- fit_usl(rep(c(1, 10, 100), 5), rep(c(10, 80, 300), 5), rep(1:5, each = 3))
  expect_true(is.na(fit$lambda))
  expect_equal(fit$reason, "fewer than 4 loads")
  expect_equal(fit$loads, 3)
})

test_that("the unit is the session: what its cells share widens the intervals, and copies do not narrow them", {
  set.seed(9)
  holds <- replicate(100, {
    shared <- rep(rnorm(3, 0, 0.1), each = 7)
    x <- usl_throughput(rep(loads, 3), 1000, 0.05, 0.001) * exp(shared + rnorm(21, 0, 0.01))
    fit <- fit_usl(rep(loads, 3), x, rep(1:3, each = 7))
    fit$lambda_low <= 1000 && 1000 <= fit$lambda_high
  })
  # By the standard errors of 21 points it is 71 %.
  expect_gte(mean(holds), 0.9)
  once <- measured_at(rep(loads, 3), lambda = 1000, sigma = 0.05, kappa = 0.001)
  width <- function(copies) {
    fit <- fit_usl(rep(loads, 3 * copies), rep(once, copies), rep(rep(1:3, each = 7), copies))
    fit$sigma_high - fit$sigma_low
  }
  expect_equal(width(4), width(1), tolerance = 1e-3)
  expect_true(is.na(fit_usl(rep(loads, 2), once[1:14], rep(1:2, each = 7))$sigma_low))
})

# Cells of a closed loop: a row per number of users and session.
scaling_cells <- function(mode, x_of, n = c(2, 4, 8, 16, 32), sessions = 3) {
  cells <- CJ(users = n, session = seq_len(sessions))
  cells[, .(
    study = "demo", mode = mode, tool = "sysbench", path = "/", tier = as.character(users), loop = "closed",
    sleep_ms = 0, requests_asked = NA_real_, session = as.character(session), users,
    throughput_per_s = x_of(users), outcome = "completed", valid = TRUE
  )]
}

test_that("every mode gets its own curve from its valid cells, over its configured users", {
  summary <- rbind(
    scaling_cells("pool", function(n) measured_at(n, lambda = 100, sigma = 0.1)),
    scaling_cells("thread", function(n) measured_at(n, lambda = 50, sigma = 0.1))
  )
  # Latency has no part in it, or the law would fit whatever the response is.
  summary[, latency_mean_ms := 7]
  summary[mode == "thread" & tier == "32", valid := FALSE]
  fits <- fit_modes(summary)
  expect_equal(fits[mode == "pool", lambda], 100, tolerance = 0.05)
  expect_equal(fits[mode == "thread", lambda], 50, tolerance = 0.05)
  expect_equal(fits[order(mode), loads], c(5, 4))
})

test_that("what its configuration fixes is not fitted", {
  reason <- function(...) fit_modes(scaling_cells("pool", function(n) 10 * n)[, (names(list(...))) := list(...)])$reason
  expect_equal(reason(sleep_ms = 100), "a configured delay fixes the throughput")
  expect_equal(reason(loop = "open"), "the configured rate fixes the throughput")
  expect_equal(reason(requests_asked = 500), "each user sends a number of requests, so users come and go")
  expect_equal(reason(sleep_ms = NA_real_), "")
})

test_that("a throughput that does not follow the law is off by much", {
  # It falls at once: no smooth law bends so.
  odd <- scaling_cells("pool", function(n) ifelse(n > 8, 30, 100) * n)
  fit <- fit_modes(odd)
  expect_gt(max(abs(log(usl_throughput(c(2, 32), fit$lambda, fit$sigma, fit$kappa) / c(200, 960)))), 0.1)
})

test_that("a database's transactions of different kinds are different curves", {
  expect_equal(
    what_is_asked(c("/work", NA, ""), c("mid", "read-only-10", "point-select-100")),
    c("/work", "read-only", "point-select")
  )
})
