# A comparison of one side: `ratio` with the noise of a session's log ratio.
compared <- function(ratio, noise = 0.05, pairs = 3, df = 4, ...) {
  row <- data.table(
    study = "demo", tier = "low", tool = "jmeter", mode = "pool", baseline = "thread", statistic = "throughput_per_s", unit = "1/s",
    effect = "ratio", estimate = ratio, low = ratio / 1.1, high = ratio * 1.1, verdict = "higher", bound = "", reason = "", pairs = pairs,
    spread = noise, noise = noise, df = df, least = 0
  )
  changes <- list(...)
  for (column in names(changes)) set(row, j = column, value = changes[[column]])
  row[]
}

change_of <- function(there, here) {
  reproduce(sides_of_comparisons(there), sides_of_comparisons(here), comparison_keys)
}

test_that("a change is the ratio of both ratios, with Welch's interval", {
  row <- change_of(compared(4, noise = 0.06, df = 2), compared(5, noise = 0.03, df = 4))
  expect_equal(c(row$there, row$here, row$change), c(4, 5, 1.25))
  a <- 0.06^2 / 3
  b <- 0.03^2 / 3
  df <- (a + b)^2 / (a^2 / 2 + b^2 / 4)
  reach <- qt(0.975, df) * sqrt(a + b)
  expect_equal(c(row$change_low, row$change_high), 1.25 * exp(c(-reach, reach)))
  expect_equal(c(row$expected_low, row$expected_high), 4 * exp(c(-reach, reach)))
})

test_that("an expected range of many powers of ten is none", {
  row <- change_of(compared(4, noise = 0.05), compared(4, noise = 0.05))
  expect_match(change_table(row)$expected, "^3\\.[0-9]+ to 4\\.[0-9]+$")
  row[, `:=`(expected_low = 1e-9, expected_high = 1e9)]
  expect_equal(change_table(row)$expected, "not bounded")
  row[, `:=`(change_low = 1e-9, change_high = 1e9)]
  expect_equal(change_table(row)[["here / there"]], "1 [not bounded]")
  # One end is a bound.
  row[, `:=`(expected_low = 3, expected_high = Inf, change_low = 0, change_high = 2)]
  expect_equal(unlist(change_table(row)[, .(expected, `here / there`)], use.names = FALSE), c("3 to ∞", "at most 2"))
  row[, `:=`(change_low = 0.5, change_high = Inf)]
  expect_equal(change_table(row)[["here / there"]], "at least 0.5")
  row[, `:=`(expected_low = NA_real_, expected_high = NA_real_)]
  expect_equal(change_table(row)$expected, no_figure)
})

test_that("verdicts follow the margin and the test", {
  verdict <- function(...) change_of(compared(4, noise = 0.02), compared(...))$verdict
  expect_equal(verdict(4.2, noise = 0.02), "reproduced")
  expect_equal(verdict(6, noise = 0.02), "differs")
  expect_equal(verdict(4.2, noise = 0.6), "open")
  # A change that is there and surely small is no difference.
  expect_equal(verdict(4.4, noise = 0.001), "reproduced")
  # Small perhaps, and perhaps not.
  expect_equal(verdict(4.95, noise = 0.05), "open")
})

test_that("one session has the noise of the other run, and its degrees of freedom alone", {
  unknown <- function(ratio) compared(ratio, pairs = 1, noise = NA_real_, df = NA_real_)
  row <- change_of(compared(4, noise = 0.05), unknown(4))
  reach <- qt(0.975, 4) * 0.05 * sqrt(1 / 3 + 1)
  expect_equal(c(row$expected_low, row$expected_high), 4 * exp(c(-reach, reach)))
  # The other way round as well.
  expect_equal(change_of(unknown(4), compared(4, noise = 0.05))$change_high, row$change_high)
  # Noise of its own is Welch's.
  noisy <- change_of(compared(4, noise = 0.05), compared(4, pairs = 1, noise = 0.3))
  expect_equal(noisy$change_high, exp(qt(0.975, welch_df(0.05^2 / 3, 4, 0.3^2, 4)) * sqrt(0.05^2 / 3 + 0.3^2)))
  both <- change_of(unknown(4), unknown(9))
  expect_equal(c(both$verdict, both$reason), c("open", "one session on both sides"))
  expect_true(is.na(both$change_low))
  # No error is below the quantum.
  expect_equal(change_of(compared(4, noise = 0), compared(4, noise = 0, least = 0.1))$change_high, exp(qt(0.975, 4) * 0.1))
})

test_that("bounds decide in one direction, and none against each other", {
  at_least <- list(bound = "at_least")
  with_bound <- function(ratio, ...) compared(ratio, noise = 0.02, ...)
  expect_equal(change_of(with_bound(4), with_bound(8, bound = "at_least"))$verdict, "differs")
  higher <- change_of(with_bound(4), with_bound(4, bound = "at_least"))
  expect_equal(c(higher$verdict, higher$change_high), c("open", Inf))
  expect_equal(change_of(with_bound(8, bound = "at_least"), with_bound(4))$verdict, "differs")
  expect_equal(change_of(with_bound(4, bound = "at_least"), with_bound(9))$verdict, "open")
  expect_equal(change_of(with_bound(4, bound = "at_least"), with_bound(9, bound = "at_least"))$reason, "bounds on both sides")
})

test_that("what cannot be compared says why, and what the shipped run has not is left out", {
  there <- compared(4)
  row <- change_of(there, compared(NA_real_, reason = "no valid cell (observed) of the mode", noise = NA_real_, pairs = 0))
  expect_equal(c(row$verdict, row$reason), c("open", "here: no valid cell (observed) of the mode"))
  expect_equal(nrow(change_of(compared(NA_real_, reason = "hung"), compared(4))), 0)
  expect_equal(nrow(change_of(there, compared(4, tier = "high"))), 0)
})

test_that("what is the same in every session is reproduced", {
  share <- function(value) {
    compared(value, noise = 0, statistic = "error_share", effect = "difference", spread = 0)
  }
  row <- change_of(share(0), share(0))
  expect_equal(row$verdict, "reproduced")
  expect_equal(row$p_value, 1)
  expect_equal(change_of(share(0), share(0.4))$verdict, "differs")
})

test_that("of runs that agree one in twenty seems to differ, of those at the margin one in twenty to agree", {
  set.seed(1)
  count <- 4000
  noise <- 0.08
  side <- function(sessions, centre) {
    effects <- matrix(rnorm(count * sessions, centre, noise), count)
    compared(
      exp(rowMeans(effects)), pairs = sessions, df = sessions - 1,
      noise = if (sessions > 1) apply(effects, 1, sd) else NA_real_, within = 0.01
    )[, tier := paste0("tier-", seq_len(count))]
  }
  for (sessions in c(1, 3)) {
    equal <- change_of(side(3, 1), side(sessions, 1))
    expect_lt(abs(mean(equal$p_value <= 0.05) - 0.05), 0.02)
    apart <- change_of(side(3, 1), side(sessions, 1 + reproduction_margins$ratio))
    expect_lt(mean(apart$equivalence_p_value <= 0.05), 0.06)
  }
})

# ---- Cells -------------------------------------------------------------------------------------

test_that("a run is not compared with itself, and a repetition beside it is", {
  run <- write_whole_run()
  shipped <- shipped_from(run)
  expect_null(read_run(run$results, shipped))
  # A cell that was measured again alone, its baseline in turns with it.
  again <- write_run(new_folder(), 1, "again", 260)
  kept <- file.path(run$results, "cells/demo/fixed-pool/low/wrk2/rep-101")
  dir.create(file.path(kept, "baseline"), recursive = TRUE)
  file.copy(list.files(dirname(again[1]), full.names = TRUE), kept)
  file.copy(list.files(dirname(again[2]), full.names = TRUE), file.path(kept, "baseline"))
  found <- read_run(run$results, shipped)
  expect_equal(found$alone$mode, "fixed-pool")
  rows <- reproduce_run(shipped, found)
  ratio <- rows[baseline != "" & statistic == "throughput_per_s"]
  expect_equal(c(ratio$there, ratio$here), c((200 * 205 * 195)^(1 / 3) / 100, 2.6), tolerance = 1e-4)
  expect_equal(c(ratio$sessions_there, ratio$sessions_here), c(3, 1))
  # Threads are counted once a cell, so their ratio needs the record of the baseline.
  expect_equal(rows[baseline != "" & statistic == "threads_peak", verdict], "reproduced")
  value <- rows[baseline == "" & statistic == "throughput_per_s"]
  logs <- log(c(200, 205, 195))
  reach <- qt(0.975, 2) * sd(logs) * sqrt(1 / 3 + 1)
  expect_equal(c(value$expected_low, value$expected_high), exp(mean(logs) + c(-reach, reach)), tolerance = 1e-4)
  expect_equal(value$verdict, "open")
  expect_equal(rows[statistic == "waiting_at_once", c(there, here)], c((200 * 205 * 195)^(1 / 3), 260) / 10, tolerance = 1e-4)
  expect_equal(rows[statistic == "completed", verdict], "reproduced")
})

test_that("to another machine travels no speed", {
  shipped <- shipped_from(write_whole_run())
  rows_on <- function(...) {
    results <- new_folder()
    unlink(dirname(write_run(results, 1, "again", facts = list(...))[2]), recursive = TRUE)
    run <- read_run(results, shipped)
    list(rows = reproduce_run(shipped, run), run = run)
  }
  other <- rows_on(cpu_model = "Another CPU")
  what_travels <- c("error_share", "waiting_at_once", "completed")
  expect_setequal(other$rows$statistic, what_travels)
  expect_setequal(rows_on(kernel = "6.2")$rows$statistic, what_travels)
  # Limits that the shipped run's machine did not have.
  expect_setequal(rows_on(cpu_quota = 1.5)$rows$statistic, what_travels)
  expect_setequal(rows_on(data_in_memory = TRUE)$rows$statistic, what_travels)
  # The size of its memory makes no other kind.
  expect_true("cpu_us_per_request" %in% rows_on(memory_bytes = 9e9)$rows$statistic)
  lines <- print_reproduction(other$rows, shipped, other$run)
  expect_match(lines, "Another kind of machine (cpu model)", fixed = TRUE, all = FALSE)
  expect_match(lines, "^3 values and ratios compared: ", all = FALSE)
})

test_that("a run of many comparisons fits on a screen", {
  shipped <- shipped_from(write_whole_run())
  rows <- rbindlist(lapply(1:60, function(n) change_of(compared(4), compared(if (n == 7) 9 else 4, noise = 0.02))[, tier := paste0("tier-", n)]))
  lines <- print_reproduction(rows, shipped, list(machine = machine))
  expect_lt(length(lines), 36)
  expect_match(lines, "tier-7/", all = FALSE)
  expect_match(tail(lines, 1), "60 values and ratios compared: 59 reproduced, 1 differs, 0 open", fixed = TRUE)
})

test_that("a shipped run is compared with another one, and not with itself", {
  shipped <- shipped_from(write_whole_run())
  other <- shipped_from(write_whole_run(at = "other", rates = c(400, 405, 395)), "2026-11-22-other")
  expect_null(run_of_shipped(shipped, shipped))
  rows <- reproduce_run(shipped, run_of_shipped(other, shipped))
  expect_equal(rows[statistic == "throughput_per_s", c(there, here, sessions_here)], c(2, 4, 3), tolerance = 0.01)
  expect_true(all(rows$baseline != ""))
  expect_match(print_reproduction(rows, shipped, run_of_shipped(other, shipped), other$name), "^here:  2026-11-22-other, A CPU", all = FALSE)
})

test_that("a cell that was measured alone is judged by itself, whichever others are there", {
  rows <- function(ratios) rbindlist(Map(function(ratio, n) compared(ratio, noise = 0.08)[, tier := paste0("tier-", n)], ratios, seq_along(ratios)))
  judged <- function(count, alone) {
    there <- sides_of_comparisons(rows(rep(4, count)))
    here <- sides_of_comparisons(rows(c(5.6, rep(4, count - 1))))
    reproduce(there, here, comparison_keys, if (alone) here[1] else here[0])[tier == "tier-1"]
  }
  one <- judged(1, TRUE)
  for (count in c(2, 30)) expect_equal(judged(count, TRUE), one)
  expect_equal(one$beyond_p_adjusted, one$beyond_p_value)
  expect_gt(judged(30, FALSE)$beyond_p_adjusted, one$beyond_p_adjusted)
})
