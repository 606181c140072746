# ---- A mode --------------------------------------------------------------------------------------

test_that("sessions that all say between two rates have no interval without width", {
  # The capacity of an event loop on 25 November was 4,320 [4,320, 4,320].
  three <- capacities_with("pool", rep(sqrt(4320 * 4800), 3), width = 4800 / 4320)
  row <- pool_capacity(three)
  expect_equal(row$capacity_per_s, sqrt(4320 * 4800), tolerance = 1e-6)
  expect_lt(row$low, 4330)
  expect_gt(row$high, 4790)
  # Nor does a hundredfold of the same help.
  many <- pool_capacity(capacities_with("pool", rep(sqrt(4320 * 4800), 300), width = 4800 / 4320))
  expect_gt(many$high / many$low, (4800 / 4320)^(2 * 1.96 / sqrt(12)) * 0.999)
})

test_that("brackets too wide to say anything have no number", {
  wide <- rbind(capacities_with("pool", c(500, 500, 500), "thread", width = 12), capacities_with("thread", c(100, 103, 101)))
  expect_equal(pool_capacity(wide)$mode, "thread")
  row <- compare_capacities(wide)
  expect_equal(row$reason, "not measured well enough")
  expect_true(row[, is.na(estimate) && is.na(low) && is.na(high) && is.na(mode_value) && is.na(p_value)])
})

test_that("a bound counts where others have both ends, and is one where none has", {
  some <- rbind(
    capacities_with("pool", c(200, 300, 210), "thread", c("", "at_least", "")), capacities_with("thread", c(100, 100, 101))
  )
  pooled <- pool_capacity(some)
  expect_equal(pooled[mode == "pool", bound], "")
  expect_gt(pooled[mode == "pool", capacity_per_s], 206)
  row <- compare_capacities(some)
  expect_equal(row[, c(bound, pairs)], c("", 3))
  # Without a bracket: at least the mean of what was kept.
  bounds <- copy(some)[mode == "pool", `:=`(bound_capacity = "at_least", why_bounded = "above the highest rate")]
  pooled <- pool_capacity(bounds)[mode == "pool"]
  expect_equal(pooled$capacity_per_s, (200 * 300 * 210)^(1 / 3))
  expect_equal(pooled[, c(bound, why_bounded)], c("at_least", "above the highest rate"))
  expect_true(is.na(pooled$low))
  row <- compare_capacities(bounds)
  expect_equal(row[, c(bound, reason)], c("at_least", ""))
  expect_equal(row$high, Inf)
  expect_lt(row$p_value, 0.05)
  expect_true(row$low > 1.5 && row$low < row$estimate && is.na(row$equivalence_p_value))
  # A baseline that is at least so much: the ratio is at most that.
  inverse <- rbind(capacities_with("pool", c(100, 101), "thread"), capacities_with("thread", c(200, 201), bound = "at_least"))
  row <- compare_capacities(inverse)
  expect_equal(row[, c(bound, low)], c("at_most", "0"))
  expect_lt(row$p_value, 0.05)
  # A bound on the wrong side of 1 decides nothing.
  row <- compare_capacities(inverse[mode == "thread", `:=`(bound_capacity = "at_most")])
  expect_equal(row[, c(bound, p_value)], c("at_least", "1"))
})

test_that("bounds against each other, and sides without a capacity, are not compared", {
  both <- rbind(capacities_with("pool", c(300, 300), "thread", "at_least"), capacities_with("thread", c(300, 300), bound = "at_least"))
  expect_equal(compare_capacities(both)$reason, "both sides are bounds")
  one_broken <- rbind(capacities_with("pool", c(200, 201), "thread"), capacities_with("thread", c(100, 100)))
  one_broken[mode == "pool", `:=`(valid = FALSE, failed_checks = "observed")]
  expect_equal(compare_capacities(one_broken)$reason, "no valid cell of the mode (observed)")
  expect_equal(compare_capacities(one_broken[mode == "pool"])$reason, "no valid cell of the mode (observed); no cell of its baseline")
  apart <- rbind(capacities_with("pool", c(200, 201), "thread"), capacities_with("thread", c(100, 100))[, session := paste("later", session)])
  expect_equal(compare_capacities(apart)$reason, "no session has values of both sides")
})

# ---- A mode and its baseline -----------------------------------------------------------------------

test_that("a ratio is that of the values beside it", {
  capacity <- rbind(capacities_with("pool", c(200, 230, 190), "thread", width = 1.2), capacities_with("thread", c(100, 104, 96), width = 1.1))
  row <- compare_capacities(capacity)
  pooled <- pool_capacity(capacity)
  expect_identical(row$estimate, row$mode_value / row$baseline_value)
  expect_identical(row[, c(mode_value, baseline_value)], pooled[match(c("pool", "thread"), mode), capacity_per_s])
  expect_equal(row[, c(statistic, tool)], c("capacity_per_s", "sweep"))
  expect_equal(row[, c(pairs, sessions, rounds, df)], c(3, 3, 0, 4))
  # The error of both sides, never below what their brackets allow.
  expect_equal(row$high / row$estimate, exp(qt(0.975, 4) * row$noise / sqrt(3)))
  expect_equal(row$least, sqrt(log(1.2)^2 + log(1.1)^2) / sqrt(12))
  expect_gte(row$noise / sqrt(3), row$least)
})

test_that("a run of one session has the scale of another run", {
  capacity <- rbind(capacities_with("pool", 200, "thread"), capacities_with("thread", 100))
  expect_equal(compare_capacities(capacity)$reason, "one session, and no other run knows its noise")
  expect_true(is.na(pool_capacity(capacity)$low[1]))
  shipped <- list(scale = 0.05, df = 30)
  row <- compare_capacities(capacity, shipped)
  expect_equal(row$reason, "")
  expect_lt(row$p_value, 0.05)
  expect_equal(row$df, 30)
  expect_lt(row$high / row$low, compare_capacities(capacity, list(scale = 0.1, df = 30))[, high / low])
  # Sessions of its own are better.
  two <- rbind(capacities_with("pool", c(200, 204), "thread"), capacities_with("thread", c(100, 100)))
  expect_equal(compare_capacities(two, shipped), compare_capacities(two))
})

test_that("the scale of a shipped run can be read from its table", {
  for (name in names_of_runs(file.path(analysis_folder, "runs"))) {
    capacity <- read_capacity(file.path(analysis_folder, "runs", name, "capacity.csv"))
    found <- capacity_scale(capacity)
    expect_true(found$scale > 0.03 && found$scale < 0.3 && found$df > 20)
    rows <- compare_capacities(capacity)
    expect_true(all(rows[reason == "", is.finite(estimate) & estimate > low & estimate < high & high / low <= 4]))
  }
})

test_that("the interval of the ratio holds the truth", {
  set.seed(3)
  # Sessions differ for both modes alike, processes for each by itself.
  experiments <- 60
  sessions <- CJ(tier = sprintf("tier-%02d", seq_len(experiments)), repetition = 1:3)
  sessions[, machine := exp(rnorm(.N, 0, 0.05))]
  drawn <- function(mode, saturation, baseline) {
    found <- rbindlist(lapply(sessions$machine, function(machine) {
      as.data.table(find_capacity(mm1_steps(saturation * machine * exp(rnorm(1, 0, 0.03)), saturation * machine), 3))
    }))
    rows <- capacities_with(mode, found$capacity_per_s, baseline, tier = sessions$tier)
    rows[, `:=`(
      repetition = sessions$repetition, session = paste(sessions$tier, sessions$repetition), within_per_s = found$within_per_s,
      beyond_per_s = found$beyond_per_s, bound_capacity = found$bound_capacity
    )]
  }
  capacity <- rbind(drawn("pool", 12000, "thread"), drawn("thread", 8000, NA))
  truth <- mm1_capacity(12000, 3) / mm1_capacity(8000, 3)
  held <- function(capacity) compare_capacities(capacity)[, sum(low <= truth & truth <= high)]
  # 95 %, of 60: fewer than 52 would be seen once in 500 runs.
  expect_gte(held(capacity), 52)
  # Falsified capacities of one side are found.
  expect_lt(held(copy(capacity)[mode == "pool", `:=`(within_per_s = 1.4 * within_per_s, beyond_per_s = 1.4 * beyond_per_s)]), 10)
})

test_that("without curves there is nothing to compare", {
  none <- capacities_of(list())
  expect_equal(nrow(compare_capacities(none)), 0)
  expect_equal(nrow(pool_capacity(none)), 0)
  expect_equal(capacity_scale(none), list(scale = NA_real_, df = 0))
})

# ---- The guide -----------------------------------------------------------------------------------

test_that("every tier with a baseline is a situation of the guide", {
  capacity <- rbind(capacities_with("pool", c(200, 201), "thread"), capacities_with("thread", c(100, 100)))
  capacity[, tier_title := "any rate"]
  found <- curve_situations(capacity, compare_capacities(capacity))
  expect_length(found, 1)
  expect_equal(found[[1]][c("study", "baseline", "tier", "tool")], list(study = "demo", baseline = "thread", tier = "low", tool = "sweep"))
  expect_equal(found[[1]]$title, "Any rate: 99th percentile within 20 ms")
  expect_length(curve_situations(capacity[0], compare_capacities(capacity[0])), 0)
})
