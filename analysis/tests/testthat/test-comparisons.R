# The row of one statistic.
compare_one <- function(slices, wanted = "throughput_per_s", ...) {
  compare_modes(measured_of(slices, ...), compared_statistics[statistic == wanted])
}
none_given <- function(rows) all(is.na(unlist(rows[, .(estimate, low, high, p_value)])))
reason_of <- function(wanted, pool, thread = list(), ...) compare_one(turns(pool, thread, sessions = 2), wanted, ...)$reason

# Slices of which rounds and sessions vary, so that there is an interval.
noisy_turns <- function(pool = list(), thread = list(), sessions = 3, rounds = 3, sd = 0.01) {
  slices <- turns(c(pool, list(round = seq_len(rounds))), thread, sessions)
  vary <- c("throughput_per_s", "cpu_us_per_request", "latency_mean_ms")
  slices[, (vary) := lapply(.SD, function(values) values * exp(rnorm(.N, 0, sd))), .SDcols = vary][]
}

test_that("a comparison has its estimate, both values, sessions and rounds", {
  set.seed(1)
  row <- compare_one(noisy_turns(list(throughput_per_s = 2000)))
  expect_equal(row[, .(study, tier, tool, mode, baseline, unit, better, effect)], data.table(
    study = "demo", tier = "low", tool = "wrk2", mode = "pool", baseline = "thread", unit = "1/s", better = "higher", effect = "ratio"
  ))
  expect_equal(row[, c(pairs, sessions, rounds)], c(3, 3, 9))
  expect_equal(row$estimate, 2, tolerance = 0.05)
  expect_equal(row$estimate, row$mode_value / row$baseline_value)
  expect_true(row[, low < estimate & estimate < high & p_value < 0.01 & reason == "" & bound == ""])
  # A session that was slow for both sides leaves the ratio alone.
  steady <- turns(list(throughput_per_s = 2000), sessions = 3)[session == "session-2", throughput_per_s := throughput_per_s / 10]
  expect_equal(compare_one(steady)$estimate, 2)
  expect_equal(compare_one(steady)[, high / low], 1, tolerance = 0.01)
})

test_that("one session has the interval of its rounds, and no noise of sessions makes it narrower", {
  one <- compare_one(turns(list(throughput_per_s = c(1400, 1500, 1600))))
  shares <- c(1400, 1500, 1600) / 1500
  expect_equal(one$within, sd(shares) / sqrt(3))
  expect_equal(one$pairs, 1)
  expect_equal(one$high / one$estimate, exp(qt(0.975, 2) * one$within))
})

test_that("shares of errors are compared by difference", {
  row <- compare_one(turns(list(error_share = c(0.30, 0.31, 0.29)), sessions = 3), "error_share")
  expect_equal(row[, c(estimate, mode_value, baseline_value)], c(0.3, 0.3, 0))
  expect_gt(row$low, 0)
  none <- compare_one(turns(sessions = 3), "error_share")
  expect_equal(none[, c(estimate, reason)], c("0", ""))
  expect_lt(none$high, 0.01)
})

test_that("what rules exclude is in estimate_all alone", {
  slices <- turns(list(latency_mean_ms = c(20, 20, 20, 60), kept = c(TRUE, TRUE, TRUE, FALSE), reason = c("", "", "", "undisturbed")), sessions = 2)
  row <- compare_one(slices, "latency_mean_ms")
  expect_equal(row[, c(estimate, estimate_all, rounds)], c(2, 3, 6))
  expect_equal(compare_one(slices)[, estimate == estimate_all], TRUE)
})

# ---- Reasons -------------------------------------------------------------------------------------

test_that("a side without valid cells is named, with the rule that failed", {
  slices <- turns(sessions = 2)
  invalid <- copy(slices)[mode == "pool", `:=`(valid = FALSE, latency_valid = FALSE)]
  expect_equal(compare_one(invalid)[, c(reason, is.na(estimate))], c("no valid cell (observed) of the mode", "TRUE"))
  expect_equal(compare_one(slices[mode == "pool"])$reason, "no cell of its baseline")
  apart <- copy(slices)[mode == "pool", `:=`(session = paste("later", session))]
  expect_equal(compare_one(apart)$reason, "no session has values of both sides")
  # One session is enough, and the others are counted.
  once <- copy(slices)[mode == "pool" & repetition == 1, `:=`(valid = FALSE, latency_valid = FALSE)]
  expect_equal(compare_one(once)[, c(pairs, sessions)], c(1, 2))
})

test_that("a server that died is compared by goodput and errors, and by nothing else", {
  died <- list(outcome = "server_died", throughput_per_s = 500, error_share = 0.4, kept = FALSE, reason = "not_completed")
  row <- function(wanted) compare_one(turns(died, sessions = 2), wanted)
  expect_equal(row("throughput_per_s")$estimate, 0.5)
  expect_equal(row("error_share")$estimate, 0.4)
  for (wanted in c("cpu_us_per_request", "latency_mean_ms", "threads_peak")) expect_match(row(wanted)$reason, "no valid cell (server_died)", fixed = TRUE)
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
  row <- compare_one(slices, "latency_p99_ms", histograms = histograms_named(slices, list(pool = failing, thread = reached)))
  expect_match(row$reason, "not reached by the mode")
  expect_true(none_given(row))
  expect_match(compare_one(slices, "latency_p99_ms", histograms = histograms_named(slices, list(pool = failing, thread = failing)))$reason, "on either side")
  # The median is reached.
  expect_equal(compare_one(slices, "latency_p50_ms", histograms = histograms_named(slices, list(pool = failing, thread = reached)))$reason, "")
})

test_that("an interval beyond a factor of 4 is not given", {
  ends <- function(sd) {
    row <- data.table(study = "demo", tier = "low", tool = "wrk2", mode = "pool", baseline = "thread", statistic = "rss_mib", effect = "ratio", reason = "", cpu_limited = FALSE)
    row[, `:=`(mode_value = 1.5, baseline_value = 1, estimate = 1.5, estimate_all = 1.5, low = 1.5 / sd, high = 1.5 * sd, p_value = 0.5, equivalence_p_value = 0.5, bound = "")]
  }
  expect_equal(with_reasons(ends(1.99))$reason, "")
  wide <- with_reasons(ends(2.01))
  expect_equal(wide$reason, not_measured_well)
  expect_true(none_given(wide))
  # On one side of no effect its nearer end is a bound, in either direction; what has another reason has none.
  aside <- function(times, why = "") with_reasons(ends(2.01)[, c("estimate", "low", "high") := lapply(.SD, `*`, times), .SDcols = c("estimate", "low", "high")][, reason := why])
  expect_equal(aside(10)[, .(reason, bound, low, high, p_value)], data.table(reason = "", bound = "at_least", low = 15 / 2.01, high = Inf, p_value = 0.5))
  expect_equal(aside(10, "no valid cell")[, .(reason, bound)], data.table(reason = "no valid cell", bound = ""))
  expect_equal(aside(0.1)[, .(reason, bound, low, high)], data.table(reason = "", bound = "at_most", low = 0, high = 0.15 * 2.01))
  # A bound is open, and a difference has no factor.
  expect_equal(with_reasons(ends(2.01)[, high := Inf])$reason, "")
  expect_equal(with_reasons(ends(2.01)[, effect := "difference"])$reason, "")
  expect_equal(with_reasons(ends(NA))$reason, alone_and_unknown)
  # Slices: rounds that differ by a factor of three.
  expect_equal(reason_of("cpu_us_per_request", list(cpu_us_per_request = c(100, 900, 300))), not_measured_well)
})

test_that("a bounded side gives an open interval and is compared", {
  row <- compare_one(turns(list(throughput_per_s = c(4000, 4100, 4200), bound_throughput = "at_least"), sessions = 2))
  expect_equal(row[, .(bound, high, reason)], data.table(bound = "at_least", high = Inf, reason = ""))
  expect_gt(row$low, 1)
  row <- compare_one(turns(list(throughput_per_s = c(900, 910, 905), bound_throughput = "at_most"), sessions = 2))
  expect_equal(row[, .(bound, low)], data.table(bound = "at_most", low = 0))
  both <- list(bound_throughput = "at_least")
  expect_equal(reason_of("throughput_per_s", both, both), "bounds on both sides")
})

# ---- Fixed by the load ---------------------------------------------------------------------------

test_that("a rate that both serve is fixed, and one that a side does not serve is not", {
  fixed <- function(pool, thread = 1000, ...) compare_one(turns(list(throughput_per_s = pool), list(throughput_per_s = thread)), ...)$fixed
  open <- function(...) fixed(..., loop = "open", offered_per_s = 1000)
  expect_true(open(1000))
  expect_true(open(951))
  expect_false(open(949))
  expect_false(open(1000, 900))
  expect_false(fixed(1000, loop = "open", offered_per_s = NA_real_))
})

test_that("users who wait fix what they offer, and those who do not wait fix nothing", {
  fixed <- function(pool, users, sleep_ms) {
    compare_one(turns(list(throughput_per_s = pool), list(throughput_per_s = 1000)), loop = "closed", users = users, sleep_ms = sleep_ms)$fixed
  }
  # 100 users and 100 ms: at most 1,000 requests a second.
  expect_true(fixed(990, 100, 100))
  expect_false(fixed(900, 100, 100))
  expect_false(fixed(990, 500, 100))
  expect_false(fixed(990, 100, 0))
})

test_that("only throughput is fixed", {
  rows <- compare_modes(measured_of(turns(), loop = "open", offered_per_s = 1000))
  expect_equal(rows[fixed == TRUE, statistic], "throughput_per_s")
})

# ---- Power ---------------------------------------------------------------------------------------

# Three sessions of four rounds; slices vary by 2 % and processes by 1 %. At one tier a request takes the pool so many times as long.
with_slower_pool <- function(times) {
  slices <- rbindlist(lapply(sprintf("tier-%02d", 1:8), function(tier) turns(list(round = 1:4), sessions = 3)[, tier := ..tier]))
  slices[, process := rnorm(1, 0, 0.01), by = .(tier, mode, repetition)]
  slices[, slower := fifelse(mode == "pool" & tier == "tier-01", log(times), 0)]
  slices[, throughput_per_s := exp(7 + process - slower + rnorm(.N, 0, 0.02))]
  compare_one(slices)[, .(tier, p_value, high)]
}

test_that("a mode that takes 10 % more service time is distinguished, and of equals one in twenty is", {
  set.seed(3)
  found <- replicate(10, with_slower_pool(1.1)[tier == "tier-01", high < 1])
  expect_gte(mean(found), 0.9)
  alike <- replicate(6, with_slower_pool(1)[, mean(p_value <= 0.05)])
  expect_lte(mean(alike), 0.12)
})

# ---- Tables --------------------------------------------------------------------------------------

test_that("a summary without baselines makes a table without rows, which can be read back", {
  none <- compare_modes(measured_of(turns()[mode == "thread"]))
  expect_equal(nrow(none), 0)
  path <- file.path(new_folder(), "comparisons.csv")
  write_table(none, path)
  expect_equal(names(read_comparisons(path)), names(none))
  expect_type(read_comparisons(path)$reason, "character")
  expect_type(read_comparisons(path)$estimate, "double")
})

test_that("comparisons are read back as they were written", {
  set.seed(2)
  primary <- data.table(study = "demo", tier = "low", tool = "wrk2", mode = "pool", statistic = "error_share")
  rows <- setindex(add_verdicts(compare_modes(measured_of(noisy_turns())), primary), NULL)
  path <- file.path(new_folder(), "comparisons.csv")
  write_table(rows, path)
  flags <- c("fixed", "primary", "cpu_limited")
  expect_equal(read_comparisons(path), copy(rows)[, (flags) := lapply(.SD, as.numeric), .SDcols = flags])
})

test_that("an interval whose ends are both far off is not spelled out", {
  texts <- with_interval(c(7, 7, 0.1), c(0.02, 0.2, -90), c(2000, 2000, 90))
  expect_equal(texts, c("7 [not bounded]", "7 [0.2, 2,000]", paste("0.1", interval_text(-90, 90))))
})

test_that("one pair can be compared alone, or a mode with itself at another tier", {
  slices <- rbind(turns(list(throughput_per_s = 2000), sessions = 2), turns(list(throughput_per_s = 500), sessions = 2)[, tier := "high"])
  measured <- measured_of(slices)
  place <- as.list(place_of())[-1]
  found <- effect_between(measured, place, "throughput_per_s")
  expect_equal(c(found$estimate, found$pairs), c(2, 2))
  expect_equal(found$estimate, compare_modes(measured)[tier == "low" & statistic == "throughput_per_s", estimate])
  across <- effect_between(measured, modifyList(place, list(baseline = "pool", baseline_tier = "high")), "throughput_per_s")
  expect_equal(across$estimate, 4)
  expect_equal(effect_between(measured, modifyList(place, list(baseline = "loop")), "throughput_per_s")$reason, "no cell of its baseline")
})

test_that("a mode with fewer sessions by design than its baseline lacks none", {
  paths <- write_run(new_folder(), 2)
  sessions_of <- function(paths) {
    loads <- read_loads(paths)
    compare_modes(as_measured(summarise_cells(paths), loads$slices, loads$histograms))[statistic == "throughput_per_s", c(pairs, sessions)]
  }
  expect_equal(sessions_of(paths), c(2, 2))
  expect_equal(sessions_of(paths[!grepl("fixed-pool.*rep-2", paths)]), c(1, 1))
})

test_that("a table without comparisons has their types", {
  paths <- write_run(new_folder(), 1)
  loads <- read_loads(paths)
  some <- compare_modes(as_measured(summarise_cells(paths), loads$slices, loads$histograms))
  none <- compare_capacities(capacities_of(list()))
  expect_equal(nrow(none), 0)
  type_of <- function(column) if (is.numeric(column)) "number" else class(column)
  expect_equal(vapply(rbind(some, none, fill = TRUE), type_of, ""), vapply(some, type_of, ""))
})

test_that("threads that live for one short request have no peak to compare", {
  rows <- data.table(study = "demo", tier = c("low", "long", "kept"), tool = "wrk2", mode = "event-loop", baseline = "thread-per-request")
  summary <- data.table(study = "demo", tier = rows$tier, tool = "wrk2", mode = "thread-per-request", sleep_ms = c(0, 100, 0), threads_started = c(99, 99, 5), counted_requests = 100)
  expect_equal(are_short_lived(rows, summary), c(TRUE, FALSE, FALSE))
  expect_equal(are_short_lived(copy(rows)[, `:=`(mode = baseline, baseline = mode)], summary), c(TRUE, FALSE, FALSE))
  expect_false(any(are_short_lived(copy(rows)[, baseline := "fixed-pool"], summary)))
})
