effects_of <- function(effects, quantum = 0) {
  data.table(unit = paste0("session-", seq_along(effects)), effect = effects, quantum = quantum)
}

test_that("a swap that takes the effect away removes all of it", {
  row <- traced_of()
  expect_equal(row$before, exp(mean(log(c(202 / 101, 198 / 99, 201 / 100)))))
  expect_equal(row$after, exp(mean(log(c(101 / 100, 99 / 100, 101 / 101)))))
  expect_equal(row$share, 1 - log(row$after) / log(row$before))
  expect_true(row$share_low > 0.9 && row$share_high < 1.1)
  expect_equal(row[, c(over, units)], c("sessions", "3"))
  expect_equal(row[, c(before_mode, before_baseline)], c(mean(c(202, 198, 201)), 100))
  # A count is divided by the requests that it belongs to, and not printed without them.
  expect_equal(row[, c(counted_before_mode, counted_before_baseline, counted_after_mode, counted_after_baseline)], c(1, 0.002, 0.001, 0.001))
  old <- traced_of(demo_summary()[, counted_requests := NULL])
  expect_equal(old[, c(share, counted_before_mode)], c(row$share, NA))
})

test_that("an effect that stays has a share near 0, one that turns round more than all, and no effect none, however small what is left", {
  expect_equal(traced_of(demo_summary(kept_cpu = c(202, 200, 202)))$share, 0, tolerance = 0.02)
  expect_equal(traced_of(demo_summary(kept_cpu = c(50, 50, 50.5)))$share, 2, tolerance = 0.02)
  expect_true(is.na(share_that_goes(effects_of(c(0.1, -0.1, 0.02)), effects_of(c(0, 0.01, 0)))[1]))
  expect_true(is.na(share_that_goes(effects_of(0.7), effects_of(0))[1]))
})

test_that("the interval of the share holds the truth in 95 % of cases, and is not narrower than the quantum of what was counted", {
  set.seed(5)
  holds <- replicate(1000, {
    block <- rnorm(4, 0, 0.1)
    found <- share_that_goes(effects_of(1 + block + rnorm(4, 0, 0.1)), effects_of(0.1 + block + rnorm(4, 0, 0.1)))
    found[2] <= 0.9 && found[3] >= 0.9
  })
  expect_equal(mean(holds, na.rm = TRUE), 0.95, tolerance = 0.02)
  expect_equal(share_that_goes(effects_of(c(1, 1, 1), 0.01), effects_of(c(0, 0, 0), 0.01)), c(1, 0.99, 1.01))
})

test_that("one session has the interval of its rounds, and says so", {
  rounds <- function(mode, tier, ...) rounds_of(mode, tier = tier, cpu_us_per_request = c(...))
  slices <- rbind(rounds("threads", "fresh", 200, 204), rounds("pool", "fresh", 100, 101), rounds("threads", "kept", 100, 102), rounds("pool", "kept", 100, 101))
  row <- traced_of(demo_summary()[repetition == 1], slices = slices)
  expect_equal(row[, c(over, units)], c("rounds", "2"))
  expect_equal(row$before, exp(mean(log(c(2, 204 / 101)))))
  expect_false(is.na(row$share_low))
  # Without rounds there is an effect, and no share that could be bounded.
  bare <- traced_of(demo_summary()[repetition == 1])
  expect_equal(bare[, c(before, share, before_low)], c(2, NA, NA))
})

test_that("a dose has the slope of its response and what it reaches of the law", {
  row <- traced_of(dose_summary(), dose_cause())
  expect_equal(row$share, 1)
  expect_equal(row[, c(law_least, law_most)], rep(mean(c(1, 0.97, 0.94) * c(0.99, 1, 1.01)), 2))
  expect_equal(row[, c(before, after)], c(250, 2500) * row$law_least)
  # Where something else is the limit, the slope falls short of the law.
  short <- traced_of(dose_summary()[mode == "pool-50", throughput_per_s := 500], dose_cause())
  expect_lt(short$share_high, 0.5)
  expect_equal(short$law_least, 0.2)
})

test_that("a dose may have a tier of its own", {
  summary <- dose_summary()[, `:=`(tier = sub("pool-", "users-", mode), mode = "virtual")]
  cause <- dose_cause()
  cause$doses$modes <- lapply(c(5, 10, 50), function(users) list(dose = users, mode = "virtual", tier = paste0("users-", users)))
  values <- c("before", "after", "share", "law_least")
  expect_equal(traced_of(summary, cause)[, ..values], traced_of(dose_summary(), dose_cause())[, ..values])
  expect_match(traced_of(summary[tier != "users-50"], cause)$reason, "no cells of virtual at users-50")
})

test_that("a cause without cells says so, and has no values", {
  absent <- traced_of(demo_summary()[tier == "fresh"])
  expect_match(absent$reason, "no cells of threads at kept")
  expect_true(is.na(absent$share))
  invalid <- demo_summary()[mode == "pool", `:=`(valid = FALSE, failed_checks = "share_2xx")]
  expect_match(traced_of(invalid)$reason, "no valid cells of pool at fresh \\(share_2xx\\)")
  expect_equal(traced_of(invalid, demo_cause(cells = "run"))$reason, "")
  expect_equal(traced_of(demo_summary()[tier == "kept", session := "another"])$reason, "no session has all sides")
  expect_match(traced_of(dose_summary()[mode != "pool-50"], dose_cause())$reason, "no cells of pool-50 at fresh")
})

test_that("failing is an effect without a baseline", {
  summary <- rbind(
    side_cells("short", valid = FALSE, error_share = c(0.98, 0.99, 1), accept_queue_peak = 101),
    side_cells("long", error_share = 0, accept_queue_peak = 0)
  )
  cause <- replace(demo_cause(cells = "run"), c("difference", "counter", "swaps"), list(
    list(mode = "short", statistic = "error_share", mode_words = "a short queue"), list(title = "connections", unit = "at the peak", value = "accept_queue_peak"),
    list(list(does = "a long queue", changes = list(mode = "long")))
  ))
  row <- traced_of(summary, cause)
  expect_equal(row[, c(before, after, share)], c(0.99, 0, 1))
  expect_equal(row[, c(counted_before_mode, counted_after_mode, counted_before_baseline)], c(101, 0, NA))
})

test_that("the steps of a difference add up to it, and each has its share", {
  rows <- traced_of(stepped_summary(), stepped_cause())
  expect_equal(rows[, paste(kind, does)], c("step another client", "step another server", "whole together", "pair a third client"))
  expect_equal(rows$after, c(30, -50, -20, 60))
  expect_equal(rows[kind == "step", prod(before)], rows[kind == "whole"]$before)
  expect_equal(rows[, c(before_baseline, before_mode)], c(100, 130, 100, 130, 130, 80, 80, 190))
  expect_equal(rows$share, c(-1.5, 2.5, 1, -3))
  expect_true(all(rows[, after_low < after & after < after_high]))
  expect_equal(rows[, c(counted_before_baseline, counted_before_mode)], c(10, 16, 10, 16, 16, 4, 4, 20))
  expect_equal(unique(rows$over), "sessions")
})

test_that("steps are over units that all of them have, and a mode that is missing is named", {
  stepped <- function(summary, ...) traced_of(summary, stepped_cause(), ...)
  short <- stepped(stepped_summary()[!(mode == "other-client" & repetition == 3)])
  expect_equal(short[kind == "step"]$units, c(2, 2))
  expect_equal(short[kind == "step", sum(after)], short[kind == "whole"]$after)
  expect_equal(unique(stepped(stepped_summary()[mode != "other-client"])$reason), "no cells of other-client at fresh")
  # A mode next to the steps keeps none of them from being given.
  expect_equal(stepped(stepped_summary()[mode != "third-client"])[reason != ""]$kind, "pair")
  rounds <- Map(function(mode, us) rounds_of(mode, tier = "fresh", cpu_us_per_request = us), stepped_modes, list(c(99, 101), c(131, 129), c(80, 80), c(190, 190)))
  one <- stepped(stepped_summary()[repetition == 1], rbindlist(rounds))[kind == "step"]
  expect_equal(one[, paste(over, units, round(after, 9))], c("rounds 2 30", "rounds 2 -50"))
})

test_that("a counted wait is at most the mean latency; a row that breaks it is listed and not printed", {
  summary <- demo_summary()
  expect_equal(nrow(waits_beyond_latency(summary)), 0)
  summary[mode == "pool" & tier == "fresh" & repetition == 2, `:=`(pool_wait_mean_ms = 11, pool_wait_ms = 1100)]
  summary[mode == "threads" & tier == "fresh" & repetition == 1, `:=`(pinned = 10, pinned_ms = 101)]
  wrong <- waits_beyond_latency(summary)
  expect_equal(wrong[, paste(mode, repetition, counter, wait_ms)], c("pool 2 pool_wait_mean_ms 11", "threads 1 pinned_mean_ms 10.1"))
  kept <- without_impossible_waits(summary[, pool_wait_mean_ms := fcoalesce(pool_wait_mean_ms, 9)])
  expect_true(all(is.na(kept[mode == "pool" & tier == "fresh" & repetition == 2, c(pool_wait_ms, pool_wait_mean_ms)])))
  expect_equal(sum(!is.na(kept$pool_wait_mean_ms)), nrow(kept) - 1)
  expect_true(all(is.na(kept$pinned)))
})

test_that("CPU time that moved between groups of stacks has its noise", {
  moved_with <- function(samples) moved_rows(list(demo_cause(), dose_cause()), rbind(groups_of("threads", 150, c(300, 100, 0)), groups_of("pool", 0, samples)))
  moved <- moved_with(c(0, 100, 0))[group != unseen_group]
  expect_equal(moved[, paste(cause, group)], c("start thread start", "start write"))
  expect_equal(moved$more_us, c(150, 0))
  # One session: Poisson's error of 300 samples, for three groups at once.
  expect_equal(moved$reach_us[1], qnorm(1 - 0.05 / 6) * sqrt((200 / 400)^2 * 300 + 0.5^2))
  expect_equal(moved$beyond, c(TRUE, FALSE))
  # Too few samples.
  expect_equal(nrow(moved_with(c(0, 99, 0))), 0)
})

test_that("the causes of the report can be computed, and have what it says of them", {
  causes <- read_causes(file.path(analysis_folder, "causes.yaml"))
  expect_equal(profiled_sides(causes[["connection-limit"]])$baseline$mode, "tomcat-200-connections-20000")
  traced <- trace_causes(causes, demo_summary(), no_slices())
  expect_setequal(traced$id, names(causes))
  expect_equal(anyDuplicated(names(causes)), 0)
  expect_true(all(grepl("no cells of", traced$reason)))
  expect_has <- function(given, keys, id) expect_equal(setdiff(keys, names(given)), character(), info = id)
  for (cause in causes) {
    expect_has(cause, c("title", "study", "tool", "tier", "mechanism"), cause$id)
    difference <- cause$difference
    if (is.null(difference)) next
    expect_has(difference, c("mode", "mode_words", if ("baseline" %in% names(difference)) "baseline_words"), cause$id)
    for (step in c(cause$steps, cause$pairs)) expect_has(step, c("part", "does", "mode"), cause$id)
    if (!is.null(cause$steps)) expect_equal(tail(cause$steps, 1)[[1]]$mode, difference$mode)
  }
})
