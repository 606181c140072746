# Comparisons of a mode with itself, one of them a false alarm, and one of two modes.
with_a_a <- function() {
  row <- function(mode, tier, verdict, estimate, p_value, statistic = "throughput_per_s") {
    data.table(
      study = "demo", tier = tier, tool = "jmeter", mode = mode, baseline = "pool",
      statistic = statistic, effect = "ratio", estimate = estimate, spread = 0.1, pairs = 3,
      p_value = p_value, verdict = verdict
    )
  }
  rbind(
    row("pool-a-a", "low", "equivalent", 1.01, 0.5),
    row("pool-a-a", "high", "higher", 1.2, 0.001),
    row("pool-a-a", "low", "undecided", 0.9, 0.04, "cpu_us_per_request"),
    row("pool-a-a", "high", "undecided", 1, 0.9, "cpu_us_per_request"),
    row("thread", "low", "higher", 3, 0.0001)
  )
}

test_that("false alarms are counted among modes that are compared with themselves", {
  found <- false_alarms(with_a_a())
  expect_equal(found[c("differ", "comparisons", "unadjusted", "places", "places_differ")], list(
    differ = 1L, comparisons = 4L, unadjusted = 2L, places = 2L, places_differ = 1L
  ))
  exact <- binom.test(1, 2)$conf.int
  expect_equal(c(found$share, found$low, found$high), c(0.5, exact[1], exact[2]))
  expect_match(
    sentence_false_alarms(with_a_a()), "in 1 of 4 comparisons \\(.* in 2\\)\\. They are at 2 places, of which 1 has one: 50 %"
  )
  expect_null(false_alarms(with_a_a()[mode == "thread"]))
  expect_equal(sentence_false_alarms(with_a_a()[0]), "No mode was measured against itself.")
  once <- with_a_a()[, `:=`(pairs = 1, spread = NA_real_, verdict = "one session")]
  expect_null(false_alarms(once))
  expect_match(sentence_false_alarms(once), "one session decides nothing")
})

test_that("the noise floor holds 95 % of the ratios of one mode with itself", {
  set.seed(2)
  runs <- 400
  figures <- function() exp(rnorm(runs, 0, 0.05))
  summary <- data.table(
    study = "demo", mode = rep(c("pool", "pool-a-a"), each = runs),
    baseline = rep(c(NA, "pool"), each = runs), tier = "low", tool = "jmeter",
    repetition = rep(seq_len(runs), 2), outcome = "completed", valid = TRUE, failed_checks = "",
    throughput_per_s = c(figures(), figures())
  )
  for (column in setdiff(compared_statistics$statistic, c("throughput_per_s", "capacity_per_s"))) summary[, (column) := NA_real_]
  summary <- with_cell_columns(summary)
  floor <- noise_floor(compare_modes(summary, no_slices()), summary)
  row <- floor[statistic == "throughput_per_s"]
  truth <- exp(qnorm(0.975) * sqrt(2) * 0.05)
  expect_equal(c(row$floor, row$floor_between_sessions), c(truth, truth), tolerance = 0.02)
  expect_true(is.na(floor[statistic == "error_share", floor]))
  # One session shows how far apart two runs were, and no more.
  once <- compare_modes(summary[repetition == 1], no_slices())
  apart <- abs(log(once[statistic == "throughput_per_s", estimate]))
  first <- noise_floor(once, summary)[statistic == "throughput_per_s"]
  expect_equal(first$floor, exp(qnorm(0.975) * apart))
  shown <- table_noise(floor)
  expect_equal(shown$Differ[1], "0 of 1")
  expect_equal(shown$"Same session"[2], no_figure)
})

test_that("cells that were measured again are counted", {
  results <- new_folder()
  expect_equal(replaced_cells(results), 0)
  cell <- file.path(results, "replaced", "demo", "pool", "low", "jmeter", "rep-1")
  for (time in c("20260101T000000Z", "20260102T000000Z")) dir.create(file.path(cell, time), recursive = TRUE)
  expect_equal(replaced_cells(results), 2)
})
