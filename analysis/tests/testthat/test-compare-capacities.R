# Both sides of a comparison: capacities of each, see capacities_with().
both_of <- function(pool, thread, bound = "", bound_thread = "", ...) {
  rbind(capacities_with("pool", pool, "thread", bound, ...), capacities_with("thread", thread, bound = bound_thread))
}

# ---- A mode

test_that("sessions that all say between two rates have no interval without width", {
  row <- pool_capacity(capacities_with("pool", rep(sqrt(4320 * 4800), 3), width = 4800 / 4320))
  expect_equal(row$capacity_per_s, sqrt(4320 * 4800), tolerance = 1e-6)
  expect_lt(row$low, 4420)
  expect_gt(row$high, 4690)
})

test_that("loads that leave too much open have no number", {
  wide <- both_of(c(500, 500, 500), c(100, 100.3, 100.1), width = 12)
  expect_equal(pool_capacity(wide)$mode, "thread")
  row <- compare_capacities(wide)
  expect_equal(row$reason, "not measured well enough")
  expect_true(row[, is.na(estimate) && is.na(low) && is.na(high) && is.na(p_value)])
})

test_that("a bound counts where no session of its mode is measured", {
  some <- both_of(c(200, 300, 210), c(100, 100, 101), c("", "at_least", ""))
  pooled <- pool_capacity(some)
  expect_columns(pooled[mode == "pool"], bound = "", capacity_per_s = sqrt(200 * 210), sessions = 2)
  expect_columns(compare_capacities(some), bound = "", pairs = 2, sessions = 3)
  bounds <- both_of(c(200, 300, 210), c(100, 100, 101), "at_least")
  pooled <- pool_capacity(bounds)[mode == "pool"]
  expect_equal(pooled$capacity_per_s, (200 * 300 * 210)^(1 / 3))
  expect_equal(pooled[, c(bound, why_bounded, low)], c("at_least", "above the highest rate", NA))
  row <- compare_capacities(bounds)
  expect_columns(row, bound = "at_least", reason = "", high = Inf)
  expect_true(row$low < row$estimate && is.na(row$equivalence_p_value))
  # A baseline that is at least so much: the ratio is at most that. A bound on the wrong side of 1 decides nothing.
  inverse <- function(bound) compare_capacities(both_of(c(100, 101), c(200, 201), bound_thread = bound))
  expect_equal(inverse("at_least")[, c(bound, low)], c("at_most", "0"))
  expect_equal(inverse("at_most")[, c(bound, p_value)], c("at_least", "1"))
})

test_that("bounds against each other, and sides without a capacity, are not compared", {
  expect_equal(compare_capacities(both_of(c(300, 300), c(300, 300), "at_least", "at_least"))$reason, "bounds on both sides")
  capacity <- both_of(c(200, 201), c(100, 100))
  broken <- copy(capacity)[mode == "pool", `:=`(valid = FALSE, failed_checks = "observed")]
  expect_equal(compare_capacities(broken)$reason, "no valid cell (observed) of the mode")
  expect_equal(compare_capacities(copy(capacity)[mode == "pool", capacity_per_s := NA])$reason, "no valid cell (no capacity found) of the mode")
})

# ---- A mode and its baseline

test_that("a ratio is that of the values beside it", {
  capacity <- rbind(capacities_with("pool", c(200, 230, 190), "thread", width = 1.2), capacities_with("thread", c(100, 104, 96), width = 1.1))
  row <- compare_capacities(capacity)
  expect_equal(row$estimate, row$mode_value / row$baseline_value)
  expect_equal(row[, c(mode_value, baseline_value)], pool_capacity(capacity)[match(c("pool", "thread"), mode), capacity_per_s])
  expect_equal(row[, c(statistic, tool)], c("capacity_per_s", "sweep"))
  expect_equal(row[, c(pairs, sessions, rounds)], c(3, 3, 0))
  expect_equal(row$within, sqrt(log(1.2)^2 + log(1.1)^2) / sqrt(12))
  # A ratio has nothing that sessions have in common.
  expect_lt(compare_capacities(both_of(c(200, 400, 600), c(100, 200, 300)))[, high / low], 1.1)
})

test_that("a run of one session has the noise of another run", {
  capacity <- both_of(200, 100)
  expect_equal(compare_capacities(capacity)$reason, "one session, and no other run knows its noise")
  expect_true(is.na(pool_capacity(capacity)$low[1]))
  shipped <- function(spread) compare_capacities(both_of(c(200, 200), c(100, 100)))[, `:=`(spread = ..spread, pairs = 30)]
  row <- compare_capacities(capacity, shipped(0.05))
  expect_equal(row$reason, "")
  expect_lt(row$p_value, 0.05)
  expect_lt(row$high / row$low, compare_capacities(capacity, shipped(0.1))[, high / low])
})

test_that("the interval of the ratio holds the truth, and is narrow", {
  set.seed(3)
  # Sessions differ for both modes alike, and processes each by itself; estimates are off, and a tenth of the loads is disturbed.
  drawn <- function(mode, per_s, baseline, sessions, process) {
    found <- rbindlist(lapply(sessions$machine, function(machine) {
      own <- per_s * machine * exp(rnorm(1, 0, process))
      as.data.table(find_capacity(drawn_loads(own, own * runif(1, 0.98, 1.15))))
    }))
    rows <- capacities_with(mode, found$capacity_per_s, baseline, tier = sessions$tier)
    rows[, `:=`(repetition = sessions$repetition, session = paste(sessions$tier, sessions$repetition))]
    rows[, c("within_per_s", "beyond_per_s", "bound_capacity") := found[, .(within_per_s, beyond_per_s, bound_capacity)]]
  }
  compared <- function(runs, wrong = 1) {
    rbindlist(lapply(seq_len(runs), function(run) {
      sessions <- CJ(tier = sprintf("tier-%02d", 1:30), repetition = 1:2)[, machine := exp(rnorm(.N, 0, 0.05))]
      capacity <- rbind(drawn("pool", 6000 * wrong, "thread", sessions, 0.05), drawn("thread", 4000, NA, sessions, 0.05))
      compare_capacities(capacity)[reason == "" & bound == ""]
    }))
  }
  held <- function(rows) rows[, mean(low <= 1.5 & 1.5 <= high)]
  rows <- compared(4)
  expect_gte(nrow(rows), 110)
  # 95 %, of 120: fewer than 90 % would be seen once in 70 runs.
  expect_gte(held(rows), 0.9)
  expect_lt(rows[, median(sqrt(high / low))], 1.2)
  expect_lt(held(compared(1, wrong = 1.4)), 0.2)
})

test_that("without curves there is nothing to compare", {
  none <- capacities_of(list())
  expect_equal(c(nrow(compare_capacities(none)), nrow(pool_capacity(none))), c(0, 0))
})
