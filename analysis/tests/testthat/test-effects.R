in_session <- function(found, at = 1) as.list(found[session == paste0("session-", at)])
pooled_effects <- function(...) pool_sessions(effects_of(...))

# ---- Common rounds

test_that("a session has the rounds that both sides have, and its values divide to its effect", {
  # The pool's third round and the thread's fourth have no partner.
  slices <- rbind(
    rounds_of("pool", throughput_per_s = c(200, 400, 9e9), round = c(1, 2, 3), duration_s = c(1, 3, 1)),
    rounds_of("thread", throughput_per_s = c(100, 160, 9e-9), round = c(1, 2, 4), duration_s = c(1, 3, 1))
  )
  found <- in_session(effects_of(slices))
  expect_equal(unlist(found[c("mode_value", "baseline_value", "rounds")], use.names = FALSE), c((200 + 3 * 400) / 4, (100 + 3 * 160) / 4, 2))
  expect_equal(found$effect, log(found$mode_value / found$baseline_value))
  # Each round's change as a share of its side's mean.
  changes <- c(200, 400) / found$mode_value - c(100, 160) / found$baseline_value
  expect_equal(c(found$within, found$df_within), c(var(changes) / 2, 1))
})

test_that("each statistic is weighed by what it is counted in", {
  weighed <- function(statistic, values, ...) effects_of(turns(c(setNames(list(values), statistic), list(...))), statistic)$mode_value
  expect_equal(weighed("throughput_per_s", c(1, 2, 6), duration_s = c(1, 1, 2)), 15 / 4)
  expect_equal(weighed("error_share", c(0, 0, 0.5), requests_recorded = c(100, 100, 200)), 0.25)
  expect_equal(weighed("cpu_us_per_request", c(1, 2, 6), answers_per_s = c(1, 1, 2), duration_s = c(2, 2, 1)), 18 / 6)
  expect_equal(weighed("latency_mean_ms", c(1, 2, 6), requests_recorded = c(1, 1, 2)), 15 / 4)
})

test_that("a session without a common round takes all rounds of both sides", {
  mode <- c(210, 190, 206)
  baseline <- c(100, 104)
  slices <- rbind(rounds_of("pool", throughput_per_s = mode, round = 1:3), rounds_of("thread", throughput_per_s = baseline, round = 4:5))
  found <- in_session(effects_of(slices))
  expect_equal(found$effect, log(mean(mode) / mean(baseline)))
  expect_equal(found$within, var(mode / mean(mode)) / 3 + var(baseline / mean(baseline)) / 2)
  expect_equal(c(found$df_within, found$rounds), c(3, 2))
})

test_that("cells of different sessions are no pair, but a baseline measured again with one is", {
  slices <- rbind(turns(list(throughput_per_s = 2000)), rounds_of("pool", throughput_per_s = c(9, 9, 9), session = 2), rounds_of("thread", session = 3, count = 3))
  expect_equal(effects_of(slices)$effect, log(2))
  beside <- rounds_of("thread", throughput_per_s = c(3, 3, 3), session = 2, beside = "pool")
  expect_equal(effects_of(rbind(slices, beside))[order(session), effect], log(c(2, 3)))
})

test_that("a profiled slice and a disturbed one are no rounds", {
  slices <- turns(list(latency_mean_ms = c(20, 20, 900), kept = c(TRUE, TRUE, FALSE), reason = c("", "", "compiled")))
  found <- in_session(effects_of(slices, "latency_mean_ms"))
  expect_equal(c(found$effect, found$rounds), c(log(2), 2))
  expect_equal(in_session(effects_of(slices, "latency_mean_ms", excluding = FALSE))$mode_value, 940 / 3)
  profiled <- rbind(slices, rounds_of("pool", kind = "profiled", latency_mean_ms = 9e9, round = 3))
  expect_equal(in_session(effects_of(profiled, "latency_mean_ms"))$mode_value, 20)
})

test_that("a second that slows both sides is no variance within the session", {
  both <- c(1000, 1010, 5, 990, 1000)
  found <- in_session(effects_of(turns(list(throughput_per_s = 2 * both), list(throughput_per_s = both))))
  expect_equal(c(found$effect, found$within, found$df_within), c(log(2), 0, 4))
})

# ---- Percentiles

test_that("the p99 of a session is that of its common rounds together, not a mean of p99s", {
  # The pool's slow requests are all in the first round; the thread has no fourth.
  of_thread <- histogram_of(rep(list(rep(2, 400)), 3))
  slices <- rbind(
    rounds_of("pool", latency_p99_ms = c(100, 1, 1, 1000), requests_recorded = c(412, 400, 400, 400)),
    rounds_of("thread", latency_p99_ms = c(2, 2, 2), requests_recorded = 400)
  )
  p99_with <- function(slow, fourth) {
    of_pool <- histogram_of(list(c(rep(1, 400), rep(100, slow)), rep(1, 400), rep(1, 400), fourth))
    in_session(effects_of(slices, "latency_p99_ms", histograms = histograms_named(slices, list(pool = of_pool, thread = of_thread))))
  }
  found <- p99_with(12, rep(1000, 400))
  expect_equal(c(found$mode_value, found$baseline_value, found$rounds, found$effect), c(1, 2, 3, log(1 / 2)))
  # A slow request more, and the p99 is slow.
  expect_equal(p99_with(13, 1)$mode_value, 100)
})

test_that("of 999 requests there is no p99, of 1,000 there is one", {
  sessions_of_p99 <- function(requests) {
    slices <- turns(list(latency_p99_ms = 5, requests_recorded = requests / 3))
    of_mode <- list(pool = histogram_of(rep(list(rep(5, requests / 3)), 3)), thread = histogram_of(rep(list(rep(10, 1000)), 3)))
    pooled_effects(slices, "latency_p99_ms", histograms = histograms_named(slices, of_mode))
  }
  expect_equal(sessions_of_p99(999)$why, too_few)
  expect_columns(sessions_of_p99(1002), why = "", mode_value = 5, baseline_value = 10)
})

test_that("a session that is too short for a percentile leaves it to the others", {
  found <- effects_of(turns(sessions = 2))[, `:=`(mode_value = c(NA, 2), baseline_value = 1, effect = c(NA, log(2)))]
  expect_columns(pool_sessions(found), why = "", pairs = 1L, centre = log(2))
  expect_equal(pool_sessions(found[, `:=`(mode_value = NA, effect = NA)])$why, too_few)
})

# ---- The quantum

test_that("threads that wait 100 ms are not known better than 5 % of a window of 2 s, however many rounds and sessions there are", {
  slices <- turns(list(duration_s = rep(2, 9)), list(duration_s = 2), sessions = 3)
  least <- function(loop) pooled_effects(slices, loop = loop, sleep_ms = 100)$least
  # An open loop has no batches: it counts requests.
  expect_equal(c(least("closed"), least("open")), sqrt(2) * c(0.05, 1 / 1000) / sqrt(12))
})

test_that("a share steps by a request, a percentile by the clock of its tool, a thread by one", {
  step <- function(statistic, ...) quantum_of(rounds_of("pool", ..., count = 1)[, `:=`(loop = "closed", sleep_ms = 0)], statistic)
  expect_equal(step("error_share", requests_recorded = 50), 1 / 50)
  expect_equal(step("throughput_per_s", requests_recorded = 50), 1 / 50)
  expect_equal(step("latency_p99_ms", latency_p99_ms = 20, tool = "jmeter"), 1 / 20)
  expect_equal(step("latency_p99_ms", latency_p99_ms = 20), 0.001 / 20)
  expect_equal(step("latency_p50_ms", latency_p50_ms = 20, tool = "sysbench"), 0.018)
  expect_equal(step("cpu_us_per_request"), 0)
  threads <- effects_of(turns(list(threads_peak = 40), list(threads_peak = 20)), "threads_peak")
  expect_equal(threads$least, sqrt((1 / 40^2 + 1 / 20^2) / 12))
})

# ---- Processes

test_that("memory and threads are those of a process' first load, before any profiled slice", {
  first <- turns(list(rss_mib = c(90, 110, 100)), list(rss_mib = 50))
  # A later tier, which has what the first one left.
  later <- copy(first)[, `:=`(tier = "high", start_epoch_s = start_epoch_s + 1000, rss_mib = 900)]
  memory <- function(...) effects_of(rbind(...), "rss_mib")
  expect_columns(memory(first, later), mode_value = 110, baseline_value = 50)
  # A first load that does not count leaves no value to the second.
  for (before in list(first, copy(first)[, valid := FALSE])) expect_equal(NROW(effects_of(rbind(before, later), "rss_mib", place = place_of(tier = "high"))), 0)
  # A profiler that came first; one that came after the second slice.
  profiled <- function(second) rounds_of("pool", kind = "profiled", start_epoch_s = second)
  expect_equal(NROW(memory(first, profiled(1))), 0)
  expect_equal(memory(first, profiled(15))$mode_value, 90)
  # A baseline that was measured again beside a cell.
  again <- list(rounds_of("pool", session = 2, rss_mib = c(300, 300)), rounds_of("thread", session = 2, beside = "pool", rss_mib = c(150, 150)))
  expect_equal(memory(turns(), rbindlist(again))[order(session), exp(effect)], c(1, 2))
})

# ---- Bounds

test_that("a side that is bounded bounds the ratio, either way", {
  bounded <- function(pool = "", thread = "") effects_of(turns(list(bound_throughput = pool), list(bound_throughput = thread)))
  bound <- function(...) bounded(...)$bound
  expect_equal(c(bound(), bound("at_least"), bound("at_most")), c(0, 1, -1))
  expect_equal(c(bound("", "at_least"), bound("", "at_most"), bound("at_least", "at_most")), c(-1, 1, 1))
  expect_true(is.na(bound("at_least", "at_least")))
  expect_equal(pool_sessions(bounded("at_least", "at_least"))$why, "bounds on both sides")
  # A bound of throughput says nothing of CPU time.
  expect_equal(effects_of(turns(list(bound_throughput = "at_least")), "cpu_us_per_request")$bound, 0)
  expect_equal(effects_of(turns(list(bound_latency = "at_least", latency_valid = FALSE)), "latency_mean_ms")$bound, 1)
})

# ---- Over sessions

test_that("over sessions values are geometric means, and of differences means", {
  slices <- turns(thread = list(throughput_per_s = 100), sessions = 3)
  slices[mode == "pool", `:=`(throughput_per_s = c(200, 400, 1600)[repetition], error_share = c(0.1, 0.2, 0.6)[repetition])]
  found <- pooled_effects(slices)
  expect_columns(found, mode_value = (200 * 400 * 1600)^(1 / 3), baseline_value = 100, pairs = 3L)
  expect_equal(c(found$centre, found$spread), c(mean(log(c(2, 4, 16))), sd(log(c(2, 4, 16)))))
  shares <- pool_sessions(effects_of(slices, "error_share"), FALSE)
  expect_equal(c(shares$centre, shares$mode_value, shares$baseline_value), c(0.3, 0.3, 0))
  # A value of 0 has no ratio.
  expect_equal(pooled_effects(turns(list(throughput_per_s = 0)))$why, "a value of 0 has no ratio")
})

# ---- Intervals

test_that("without others to lend noise, intervals and p-values are those of t tests", {
  effects <- c(0.2, 0.25, 0.4, 0.31)
  judged <- function(margin = 0.5, ...) {
    row <- data.table(centre = mean(effects), spread = sd(effects), within = 0.01, df_within = 8, rounds = 12, pairs = 4, least = 0, bound = 0)
    judge_effects(with_columns(row, ...), margin)
  }
  found <- judged()
  expect_equal(c(found$low, found$high), c(t.test(effects)$conf.int))
  expect_equal(found$p_value, t.test(effects)$p.value)
  expect_equal(found$equivalence_p_value, t.test(effects, mu = 0.5, alternative = "less")$p.value)
  # Equivalent at 5 %: the interval of 90 % lies within the margin.
  expect_equal(judged(max(t.test(effects, conf.level = 0.9)$conf.int))$equivalence_p_value, 0.05)
  # Never below the quantum of what was counted, which does not shrink with sessions.
  expect_equal(judged(least = 0.3)$error, 0.3)
  bounded <- judged(bound = 1)
  expect_equal(c(bounded$low, bounded$high), c(found$low, Inf))
  expect_true(is.na(bounded$equivalence_p_value))
  expect_equal(judged(bound = -1)[, c(low, p_value)], c(-Inf, 1))
})

# Comparisons that are a hundred times as noisy as others, with no effect: two sessions of so many rounds, and what a process adds.
comparisons_of_noise <- function(count, rounds, process = 0.1) {
  rbindlist(lapply(exp(runif(count, log(0.002), log(0.2))), function(sd) {
    values <- matrix(rnorm(2 * rounds, 0, sd), rounds) + rep(rnorm(2, 0, sd * sqrt(process)), each = rounds)
    means <- colMeans(values)
    data.table(
      sd = sd, centre = mean(means), spread = sd(means), within = sqrt(mean(apply(values, 2, var)) / rounds), df_within = 2 * (rounds - 1),
      rounds = 2 * rounds, pairs = 2, least = 0, bound = 0
    )
  }))
}

test_that("intervals hold the truth with two rounds, for what is noisy as for what is not", {
  set.seed(4)
  judged <- rbindlist(lapply(1:4, function(run) judge_effects(comparisons_of_noise(60, 2), log(1.05))))
  expect_true(all(judged[, mean(low <= 0 & 0 <= high), by = .(noisy = sd > 0.02)]$V1 > 0.91))
  # One of sessions and two of rounds, and little from others that are so unlike.
  expect_lt(max(judged$df), 5)
})

test_that("processes that vary much more than rounds explain are not known better than they show", {
  set.seed(5)
  others <- comparisons_of_noise(59, 6)
  held <- vapply(1:20, function(run) judge_effects(rbind(comparisons_of_noise(1, 6, process = 20), others), log(1.05))[1, low <= 0 & 0 <= high], NA)
  expect_gt(mean(held), 0.7)
})
