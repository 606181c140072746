# A comparison of one side: `ratio` with the noise of a session's log ratio.
compared <- function(ratio, noise = 0.05, pairs = 3, df = 4, ...) {
  comparison_rows(tool = "jmeter", estimate = ratio, low = ratio / 1.1, high = ratio * 1.1, verdict = "higher", pairs = pairs, spread = noise, noise = noise, df = df, ...)
}

change_of <- function(there, here) reproduce(there, here)

test_that("a change is the ratio of both ratios, with Welch's interval", {
  row <- change_of(compared(4, noise = 0.06, df = 2), compared(5, noise = 0.03, df = 4))
  expect_equal(c(row$there, row$here, row$change), c(4, 5, 1.25))
  a <- 0.06^2 / 3
  b <- 0.03^2 / 3
  ends <- c(-1, 1) * qt(0.975, (a + b)^2 / (a^2 / 2 + b^2 / 4)) * sqrt(a + b)
  expect_equal(row[, c(change_low, change_high, expected_low, expected_high)], c(1.25 * exp(ends), 4 * exp(ends)))
})

test_that("verdicts follow the margin and the test", {
  verdict <- function(...) change_of(compared(4, noise = 0.02), compared(...))$verdict
  expect_equal(verdict(4.2, noise = 0.02), "reproduced")
  expect_equal(verdict(6, noise = 0.02), "differs")
  expect_equal(verdict(4.2, noise = 0.6), "open")
  # A change that is there and surely small is no difference, and one that is perhaps small is open.
  expect_equal(verdict(4.4, noise = 0.001), "reproduced")
  expect_equal(verdict(4.95, noise = 0.05), "open")
})

test_that("one session has the noise of the other run, and its degrees of freedom alone", {
  unknown <- function(ratio) compared(ratio, pairs = 1, noise = NA_real_, df = NA_real_)
  row <- change_of(compared(4), unknown(4))
  reach <- qt(0.975, 4) * 0.05 * sqrt(1 / 3 + 1)
  expect_equal(c(row$expected_low, row$expected_high), 4 * exp(c(-reach, reach)))
  # The other way round as well.
  expect_equal(change_of(unknown(4), compared(4))$change_high, row$change_high)
  # Noise of its own is Welch's.
  noisy <- change_of(compared(4), compared(4, pairs = 1, noise = 0.3))
  expect_equal(noisy$change_high, exp(qt(0.975, welch_df(0.05^2 / 3, 4, 0.3^2, 4)) * sqrt(0.05^2 / 3 + 0.3^2)))
  both <- change_of(unknown(4), unknown(9))
  expect_equal(both[, c(verdict, reason, change_low)], c("open", "one session on both sides", NA))
  # No error is below the quantum.
  expect_equal(change_of(compared(4, noise = 0), compared(4, noise = 0, least = 0.1))$change_high, exp(qt(0.975, 4) * 0.1))
})

test_that("bounds decide in one direction, and none against each other", {
  change <- function(there, here, bound_there = "", bound_here = "") change_of(compared(there, 0.02, bound = bound_there), compared(here, 0.02, bound = bound_here))
  expect_equal(change(4, 8, "", "at_least")$verdict, "differs")
  expect_columns(change(4, 4, "", "at_least"), verdict = "open", change_high = Inf)
  expect_equal(change(8, 4, "at_least")$verdict, "differs")
  expect_equal(change(4, 9, "at_least")$verdict, "open")
  expect_equal(change(4, 9, "at_least", "at_least")$reason, "bounds on both sides")
})

test_that("a row that cannot be compared says why, and one that the shipped run has not is left out", {
  there <- compared(4)
  row <- change_of(there, compared(NA_real_, reason = "no valid cell (observed) of the mode", noise = NA_real_, pairs = 0))
  expect_equal(c(row$verdict, row$reason), c("open", "here: no valid cell (observed) of the mode"))
  expect_equal(nrow(change_of(compared(NA_real_, reason = "hung"), there)), 0)
  expect_equal(nrow(change_of(there, compared(4, tier = "high"))), 0)
})

test_that("shares that are the same in every session are reproduced", {
  share <- function(value) compared(value, noise = 0, statistic = "error_share", effect = "difference", spread = 0)
  expect_columns(change_of(share(0), share(0)), verdict = "reproduced", p_value = 1)
  expect_equal(change_of(share(0), share(0.4))$verdict, "differs")
})

test_that("of runs that agree one in twenty seems to differ, of those at the margin one in twenty to agree", {
  set.seed(1)
  count <- 4000
  side <- function(sessions, centre) {
    effects <- matrix(rnorm(count * sessions, centre, 0.08), count)
    noise <- if (sessions > 1) apply(effects, 1, sd) else NA_real_
    compared(exp(rowMeans(effects)), noise, sessions, sessions - 1, within = 0.01, tier = paste0("tier-", seq_len(count)))
  }
  for (sessions in c(1, 3)) {
    equal <- change_of(side(3, 1), side(sessions, 1))
    expect_lt(abs(mean(equal$p_value <= 0.05) - 0.05), 0.02)
    apart <- change_of(side(3, 1), side(sessions, 1 + reproduction_margins$ratio))
    expect_lt(mean(apart$equivalence_p_value <= 0.05), 0.06)
  }
})

test_that("a cell that was measured alone is judged by itself, whichever others are there", {
  judged <- function(count, alone) {
    rows <- function(first) compared(c(first, rep(4, count - 1)), noise = 0.08, tier = paste0("tier-", seq_len(count)))
    here <- rows(5.6)
    reproduce(rows(4), here, if (alone) here[1] else here[0])[tier == "tier-1"]
  }
  one <- judged(1, TRUE)
  for (count in c(2, 30)) expect_equal(judged(count, TRUE), one)
  expect_equal(one$beyond_p_adjusted, one$beyond_p_value)
  expect_gt(judged(30, FALSE)$beyond_p_adjusted, one$beyond_p_adjusted)
})

# ---- Runs

test_that("a report is not compared with itself, but by its sessions that are new", {
  run <- write_whole_run()
  shipped <- shipped_from(run)
  # Sessions of another day, and those of the shipped run.
  report_of <- function(paths) {
    measured <- measured_cells(paths)
    run_of_report(c(measured, list(comparisons = compare_modes(measured), cells = read_cells(paths))), shipped)
  }
  expect_null(report_of(run$paths))
  again <- write_run(new_folder(), 1, "again", 260)
  found <- report_of(c(run$paths, again))
  expect_equal(found$summary$session, rep(found$summary$session[1], 2))
  rows <- reproduce_run(shipped, found)
  row <- rows[statistic == "throughput_per_s"]
  expect_equal(row[, c(there, here)], c((200 * 205 * 195)^(1 / 3) / 100, 2.6), tolerance = 1e-4)
  expect_equal(row[, c(sessions_there, sessions_here)], c(3, 1))
  # Without a cell of its baseline a mode is compared with nothing.
  expect_equal(nrow(reproduce_run(shipped, report_of(c(run$paths, again[1])))), 0)
  # Its mean restates the throughput in a closed loop alone.
  found$summary[, loop := "closed"]
  expect_setequal(setdiff(rows$statistic, reproduce_run(shipped, found)$statistic), "latency_mean_ms")
})

test_that("machines differ in what makes their kind, and not in the size of their memory", {
  differing <- function(...) differing_facts(machine, modifyList(machine, list(...)))
  expect_equal(differing(kernel = "6.2", cpu_quota = 1.5, memory_bytes = 9e9), c("kernel", "cpu_quota"))
  # Older runs do not say the version.
  expect_equal(differing(cpu_version = "6-1"), character())
})
