# The rules of validity 19 and comparisons 22: each test fails with the rule of before.

one_row <- function(slices, wanted, ...) compare_modes(measured_of(slices, ...), compared_statistics[statistic == wanted])
latency_of <- function(pool, thread = list()) one_row(turns(pool, thread), "latency_mean_ms")

test_that("a latency takes three rounds in which both sides count, and not half of each side's slices", {
  kept <- function(rounds, latency_ms) list(kept = 1:8 %in% rounds, reason = fifelse(1:8 %in% rounds, "", "undisturbed"), latency_mean_ms = latency_ms)
  both <- function(pool, thread) latency_of(kept(pool, 20), kept(thread, 10))
  # Three of eight are enough.
  expect_equal(both(1:3, 1:8)[, c(reason, rounds)], c("", "3"))
  # Six of each side have four in common; five and five may have two.
  expect_equal(both(1:6, 3:8)$rounds, 4)
  expect_match(both(1:5, 4:8)$reason, "2 of 8 rounds count on both sides (lost: undisturbed 6)", fixed = TRUE)
  # All of two that were planned.
  expect_equal(one_row(turns(list(round = 1:2), list())[round <= 2], "latency_mean_ms")$reason, "")
})

test_that("where disturbances leave too few rounds, a difference beyond what they can do is a bound, and a smaller one nothing", {
  spoiled <- function(factor) {
    latency_of(list(latency_mean_ms = 10 * factor * c(1, 1.05, 0.95, 1, 1.02, 0.98), kept = c(TRUE, TRUE, rep(FALSE, 4)), reason = c("", "", rep("undisturbed", 4))))
  }
  far <- spoiled(20)
  expect_equal(far$bound, "at_least")
  expect_equal(far$estimate, 20 / disturbance_at_most, tolerance = 0.02)
  expect_true(far$low > 1 && far$high == Inf)
  expect_equal(spoiled(1 / 20)$bound, "at_most")
  expect_true(rounds_too_few(spoiled(4)$reason))
  # A cell that lacks nothing but such slices is no other case.
  slices <- turns(list(latency_mean_ms = 200, kept = FALSE, reason = "undisturbed"), list(latency_mean_ms = c(10, 10.1, 9.9)))
  slices[mode == "pool", `:=`(latency_valid = FALSE, kept_few = TRUE)]
  expect_equal(one_row(slices, "latency_mean_ms")$bound, "at_least")
  expect_match(one_row(slices[, kept_few := FALSE], "latency_mean_ms")$reason, "no valid cell")
})

test_that("a round counts for latency if the CPU was as fast for both sides, and speed alone excludes neither", {
  at <- function(speed) latency_of(list(speed_server = speed, latency_mean_ms = c(20, 20, 20, 80)), list(speed_server = 1.5))
  expect_equal(at(c(1.5, 1.4, 1.6, 1.5))$rounds, 4)
  expect_equal(at(c(1.5, 1.4, 1.6, 2))[, c(rounds, estimate)], c(3, 2))
  # A busy pool leaves no probe.
  expect_equal(at(NA_real_)$rounds, 4)
})

test_that("one disturbed round of six does not decide a percentile", {
  slices <- turns(list(round = 1:6))
  round_of <- function(tail) c(rep(10, 980), rep(tail, 20))
  sides <- function(of_pool) histograms_named(slices, list(pool = histogram_of(lapply(of_pool, round_of)), thread = histogram_of(lapply(rep(100, 6), round_of))))
  p99 <- function(of_pool) one_row(slices, "latency_p99_ms", histograms = sides(of_pool))
  expect_equal(p99(rep(70, 6))$estimate, 0.7)
  disturbed <- p99(c(rep(70, 5), 300))
  expect_equal(disturbed$estimate, (0.7^5 * 3)^(1 / 6))
  expect_equal(disturbed$mode_value / disturbed$baseline_value, disturbed$estimate)
  # The error is that of the estimate: six rounds of which one differs.
  expect_equal(disturbed$within, sd(log(c(rep(0.7, 5), 3))) / sqrt(6))
  # Rounds with too few requests are put together.
  expect_equal(blocks_of(rep(300, 6), 0.99), c(1, 1, 2, 2, 3, 3))
  expect_equal(blocks_of(c(1000, 200), 0.99), c(1, 1))
  expect_equal(blocks_of(rep(100, 6), 0.99), rep(1, 6))
})

test_that("a late generator gives a latency two ends, and takes no slice", {
  slices <- turns()
  values <- function(ms) histogram_of(rep(list(rep(ms, 1000)), 3))
  p99 <- function(pool) one_row(slices, "latency_p99_ms", histograms = histograms_named(slices, list(pool = pool, thread = values(10))))
  exact <- p99(values(20))
  late <- p99(c(values(20), list(without_lag = values(16))))
  expect_equal(late$estimate, 2)
  expect_equal(log(exact$low / late$low), log(20 / 16), tolerance = 1e-6)
  expect_equal(late$high, exact$high)
  # The two may be the same, so late.
  expect_gt(p99(c(values(10.4), list(without_lag = values(9.6))))$p_value, p99(values(10.4))$p_value)
})

test_that("older records are judged by today's rules, and their measurements are not lost", {
  write_older <- function(version, generator_cpu_share = 0.3) {
    slices <- known_slices(
      kept = c("false", "false", "false", "true"), reason = c("generator_healthy", "steady_speed", "undisturbed", ""), generator_cpu_share = generator_cpu_share
    )
    read_cell(write_cell(new_folder(), tool = "wrk2", histogram_ms = 1:4, slices = slices, configuration = list(slices = list(rounds = 4)), validity = list(
      version = version, valid = TRUE, latency_valid = FALSE, checks = list(list(id = "slices_kept", concerns = "latency", passed = FALSE)), bounds = list()
    )))
  }
  expect_kept <- function(cell, kept, latency_valid) {
    expect_equal(read_slices_of(cell)[kind == "plain", kept], kept)
    expect_equal(cell$validity$latency_valid, latency_valid)
  }
  cell <- write_older(18)
  expect_kept(cell, c(TRUE, TRUE, FALSE, TRUE), TRUE)
  expect_length(cell$validity$checks, 1)
  # The words of workloads/record/validity.py.
  expect_equal(
    cell$validity$checks[[1]][c("id", "rule")],
    list(id = "rounds_kept", rule = "at least 3 rounds count for latency: completed, undisturbed, with CPU time left to the generator")
  )
  # A generator that used up its CPU is no witness.
  busy <- write_older(18, 0.95)
  expect_kept(busy, c(FALSE, TRUE, FALSE, TRUE), FALSE)
  expect_equal(identity_of(busy)$failed_checks, "rounds_kept")
  # Records of today are as they were written.
  expect_kept(write_older(19), c(FALSE, FALSE, FALSE, TRUE), FALSE)
})

test_that("CPU times have a ratio whatever the throughputs where both servers used up their CPUs in a closed loop", {
  reason <- function(cpu, of_loop) {
    slices <- turns(list(throughput_per_s = 1000, cpu_us_per_request = cpu), list(throughput_per_s = 1400, cpu_us_per_request = cpu / 1.4))
    one_row(slices, "cpu_us_per_request", loop = of_loop)[, c(reason, cpu_limited)]
  }
  expect_equal(reason(990, "closed"), c("", "TRUE"))
  expect_equal(reason(500, "closed"), c(throughputs_differ, "FALSE"))
  expect_equal(reason(990, "open"), c(throughputs_differ, "FALSE"))
})

test_that("shares are no better known than by their requests, and no worse for those of others", {
  ends <- binomial_ends(c(0, 7, 1400), 1400)
  exact <- vapply(c(0, 7, 1400), function(count) binom.test(count, 1400)$conf.int, numeric(2))
  expect_equal(rbind(ends$low, ends$high), exact, ignore_attr = TRUE)
  share <- function(pool, thread, requests) {
    one_row(turns(list(error_share = pool, requests_recorded = requests), list(error_share = thread, requests_recorded = requests)), "error_share")
  }
  none <- share(0, 0, 466)
  expect_equal(none$estimate, 0)
  expect_equal(none$high, binomial_ends(0, 3 * 466)$high, tolerance = 0.2)
  expect_lt(none$high, 0.01)
  many <- share(0.3, 0.1, 50)
  expect_gt(many$high - many$low, 0.15)
})
