# The row of one statistic.
compare_one <- function(slices, wanted = "throughput_per_s", ...) {
  compare_modes(measured_of(slices, ...), compared_statistics[statistic == wanted])
}
none_given <- function(rows) all(is.na(unlist(rows[, .(estimate, low, high, p_value)])))
reason_of <- function(wanted, pool, thread = list(), ...) compare_one(turns(pool, thread, sessions = 2), wanted, ...)$reason

test_that("a comparison has its estimate, both values, sessions and rounds", {
  set.seed(1)
  # Rounds and sessions vary, so that there is an interval.
  slices <- turns(list(throughput_per_s = 2000), sessions = 3)[, throughput_per_s := throughput_per_s * exp(rnorm(.N, 0, 0.01))]
  row <- compare_one(slices)
  expect_columns(
    row, study = "demo", tier = "low", tool = "wrk2", mode = "pool", baseline = "thread", unit = "1/s", better = "higher", effect = "ratio"
  )
  expect_equal(row[, c(pairs, sessions, rounds)], c(3, 3, 9))
  expect_equal(row$estimate, 2, tolerance = 0.05)
  expect_equal(row$estimate, row$mode_value / row$baseline_value)
  expect_true(row[, low < estimate & estimate < high & p_value < 0.01 & reason == "" & bound == ""])
})

test_that("one session has the interval of its rounds, and no noise of sessions makes it narrower", {
  one <- compare_one(turns(list(throughput_per_s = c(1400, 1500, 1600))))
  expect_equal(one$within, sd(c(1400, 1500, 1600) / 1500) / sqrt(3))
  expect_equal(one$pairs, 1)
  expect_equal(one$high / one$estimate, exp(qt(0.975, 2) * one$within))
})

test_that("what rules exclude is in estimate_all alone", {
  slices <- turns(list(latency_mean_ms = c(20, 20, 20, 60), kept = c(TRUE, TRUE, TRUE, FALSE), reason = c("", "", "", "undisturbed")), sessions = 2)
  expect_equal(compare_one(slices, "latency_mean_ms")[, c(estimate, estimate_all, rounds)], c(2, 3, 6))
  expect_equal(compare_one(slices)[, estimate == estimate_all], TRUE)
})

# ---- Reasons

test_that("a side without valid cells is named, with the rule that failed", {
  slices <- turns(sessions = 2)
  invalid <- copy(slices)[mode == "pool", `:=`(valid = FALSE, latency_valid = FALSE)]
  expect_equal(compare_one(invalid)[, c(reason, is.na(estimate))], c("no valid cell (observed) of the mode", "TRUE"))
  died <- turns(list(outcome = "server_died", kept = FALSE, reason = "not_completed"), sessions = 2)
  expect_equal(compare_one(died, "cpu_us_per_request")$reason, "no valid cell (server_died) of the mode")
  expect_equal(compare_one(slices[mode == "pool"])$reason, "no cell of its baseline")
  apart <- copy(slices)[mode == "pool", `:=`(session = paste("later", session))]
  expect_equal(compare_one(apart)$reason, "no session has values of both sides")
  # One session is enough, and the others are counted.
  once <- copy(slices)[mode == "pool" & repetition == 1, `:=`(valid = FALSE, latency_valid = FALSE)]
  expect_equal(compare_one(once)[, c(pairs, sessions)], c(1, 2))
  # A mode that has fewer by design than its baseline lacks none.
  expect_equal(compare_one(slices[!(mode == "pool" & repetition == 1)])[, c(pairs, sessions)], c(1, 1))
})

test_that("CPU time has a ratio where throughputs differ by less than 20 %, either way", {
  at <- function(rate) reason_of("cpu_us_per_request", list(throughput_per_s = rate))
  expect_equal(c(at(1190), at(1000 / 1.19)), c("", ""))
  expect_equal(c(at(1210), at(1000 / 1.21)), rep("throughputs differ by more than 20 %", 2))
  row <- compare_one(turns(list(throughput_per_s = 2000), sessions = 2), "cpu_us_per_request")
  expect_true(none_given(row) && is.na(row$estimate_all))
  expect_equal(row[, c(mode_value, baseline_value)], c(100, 100))
  # Switches of the machine are counted at any rate.
  expect_equal(reason_of("machine_context_switches_per_request", list(throughput_per_s = 2000)), "")
})

test_that("a mean latency has a ratio where at most 1 % failed, on both sides", {
  expect_equal(reason_of("latency_mean_ms", list(error_share = 0.0099)), "")
  expect_equal(reason_of("latency_mean_ms", list(error_share = 0.0101)), "more than 1 % of the requests failed")
  expect_equal(reason_of("latency_mean_ms", list(), list(error_share = 0.02)), "more than 1 % of the requests failed")
  expect_equal(reason_of("cpu_us_per_request", list(error_share = 0.02)), "")
})

test_that("a percentile that failures reach has a reason, and its bound is not given", {
  slices <- turns(list(error_share = 0.02), sessions = 2)
  reached <- histogram_of(rep(list(rep(5, 1000)), 3))
  failing <- histogram_of(rep(list(rep(5, 980)), 3), failed = 20)
  row <- function(wanted, thread) compare_one(slices, wanted, histograms = histograms_named(slices, list(pool = failing, thread = thread)))
  expect_match(row("latency_p99_ms", reached)$reason, "not reached by the mode")
  expect_true(none_given(row("latency_p99_ms", reached)))
  expect_match(row("latency_p99_ms", failing)$reason, "on either side")
  # The median is reached.
  expect_equal(row("latency_p50_ms", reached)$reason, "")
})

test_that("an interval beyond a factor of 4 is not given", {
  ends <- function(sd, times = 1, ...) {
    row <- comparison_rows(
      statistic = "rss_mib", cpu_limited = FALSE, mode_value = 1.5, baseline_value = 1, estimate = 1.5 * times, estimate_all = 1.5, low = 1.5 * times / sd,
      high = 1.5 * times * sd, p_value = 0.5, equivalence_p_value = 0.5
    )
    with_reasons(with_columns(row, ...))
  }
  expect_equal(ends(1.99)$reason, "")
  expect_equal(ends(2.01)$reason, not_measured_well)
  expect_true(none_given(ends(2.01)))
  # On one side of no effect its nearer end is a bound, in either direction; what has another reason has none.
  expect_columns(ends(2.01, 10), reason = "", bound = "at_least", low = 15 / 2.01, high = Inf, p_value = 0.5)
  expect_columns(ends(2.01, 10, reason = "no valid cell"), reason = "no valid cell", bound = "")
  expect_columns(ends(2.01, 0.1), reason = "", bound = "at_most", low = 0, high = 0.15 * 2.01)
  # A bound is open, and a difference has no factor.
  expect_equal(ends(2.01, high = Inf)$reason, "")
  expect_equal(ends(2.01, effect = "difference")$reason, "")
  expect_equal(ends(NA)$reason, alone_and_unknown)
  # Slices: rounds that differ by a factor of three.
  expect_equal(reason_of("cpu_us_per_request", list(cpu_us_per_request = c(100, 900, 300))), not_measured_well)
})

test_that("a rate that both serve is fixed, and so is what users who wait offer, and only throughput is", {
  # 100 users and 100 ms: at most 1,000 requests a second. Those who do not wait fix nothing.
  cases <- fread(
    "loop,   offered_per_s, users, sleep_ms, mode_value, baseline_value, fixed
     open,   1000,          NA,    NA,       1000,       1000,           TRUE
     open,   1000,          NA,    NA,       951,        1000,           TRUE
     open,   1000,          NA,    NA,       949,        1000,           FALSE
     open,   1000,          NA,    NA,       1000,       900,            FALSE
     open,   NA,            NA,    NA,       1000,       1000,           FALSE
     closed, NA,            100,   100,      990,        1000,           TRUE
     closed, NA,            100,   100,      900,        1000,           FALSE
     closed, NA,            500,   100,      990,        1000,           FALSE
     closed, NA,            100,   0,        990,        1000,           FALSE"
  )[, `:=`(study = "demo", tool = "wrk2", tier = paste(.I), statistic = "throughput_per_s", offered_per_s = as.numeric(offered_per_s))]
  expect_equal(is_fixed_by_load(cases, cases), cases$fixed)
  rows <- compare_modes(measured_of(turns(), loop = "open", offered_per_s = 1000))
  expect_equal(rows[fixed == TRUE, statistic], "throughput_per_s")
})

# ---- Tables

test_that("a summary without baselines makes a table without rows, which can be read back, and has the types of one with rows", {
  type_of <- function(column) if (is.numeric(column)) "number" else class(column)
  types_of <- function(table) vapply(table, type_of, "")
  none <- compare_modes(measured_of(turns()[mode == "thread"]))
  expect_equal(nrow(none), 0)
  expect_equal(types_of(compare_modes(measured_of(turns()))), types_of(none))
  flags <- c("fixed", "cpu_limited")
  expect_equal(types_of(read_back(none, read_comparisons)), replace(types_of(none), flags, "number"))
})

test_that("an interval whose ends are both far off is not spelled out", {
  texts <- with_interval(c(7, 7, 0.1), c(0.02, 0.2, -90), c(2000, 2000, 90))
  expect_equal(texts, c("7 [not bounded]", "7 [0.2, 2,000]", paste("0.1", interval_text(-90, 90))))
})

test_that("threads that live for one short request have no peak to compare", {
  rows <- data.table(study = "demo", tier = c("low", "long", "kept"), tool = "wrk2", mode = "event-loop", baseline = "thread-per-request")
  summary <- data.table(study = "demo", tier = rows$tier, tool = "wrk2", mode = "thread-per-request", sleep_ms = c(0, 100, 0), threads_started = c(99, 99, 5), counted_requests = 100)
  expect_equal(are_short_lived(rows, summary), c(TRUE, FALSE, FALSE))
  expect_equal(are_short_lived(copy(rows)[, `:=`(mode = baseline, baseline = mode)], summary), c(TRUE, FALSE, FALSE))
  expect_false(any(are_short_lived(copy(rows)[, baseline := "fixed-pool"], summary)))
})
