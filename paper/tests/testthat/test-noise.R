# Comparisons of a mode with itself, of which two have small p-values, and one of two modes.
with_a_a <- function() {
  row <- function(mode, tier, estimate, p_value, statistic = "throughput_per_s") {
    compared(
      tier = tier, tool = "jmeter", mode = mode, baseline = "pool", statistic = statistic, estimate = estimate, low = 0.8 * estimate,
      high = 1.2 * estimate, baseline_value = 100, mode_value = 100 * estimate, spread = 0.1, p_value = p_value
    )
  }
  rbind(
    row("pool-a-a", "low", 1.01, 0.5), row("pool-a-a", "high", 1.2, 0.001), row("pool-a-a", "low", 0.9, 0.04, "cpu_us_per_request"),
    row("pool-a-a", "high", 1, 0.9, "cpu_us_per_request"), row("thread", "low", 3, 0.0001)
  )
}

test_that("false alarms are counted among modes that are compared with themselves", {
  exact <- format_number(100 * binom.test(2, 4)$conf.int)
  expect_said(sentence_false_alarms(with_a_a()), sprintf("differs at 5 %% in 2 of 4 comparisons, 50 %% (95 %% interval %s to %s %%); 5 %% is expected", exact[1], exact[2]))
  expect_said(sentence_false_alarms(with_a_a()[, reason := not_measured_well]), "no value of both has a ratio")
  expect_equal(table_a_a(with_a_a())[["p at most 5 %"]], c("no", "yes", "yes", "no"))
  expect_equal(table_a_a(with_a_a())$Values[2], "100 and 120/s")
})

test_that("a positive control that was not found is said in bold", {
  controls <- data.table(
    control = c("compute for 2.1 ms in place of 2 ms", "sleep for 105 ms in place of 100 ms"), statistic = c("cpu_us_per_request", "latency_mean_ms"),
    estimate = c(1.04, NA), low = c(1.02, NA), high = c(1.06, NA), true_low = c(1.03, 1.04), true_high = 1.05, found = c(TRUE, FALSE),
    reason = c("", not_measured_well)
  )
  expect_said(
    sentence_controls(controls), "2.1 ms in place of 2 ms changes the CPU time per request by a factor of 1.03 to 1.05; 1.04 [1.02, 1.06] is found",
    "**not measured**: to sleep for 105 ms in place of 100 ms (not measured well enough)."
  )
  expect_match(sentence_controls(controls[2]), "^Positive controls that were")
  expect_said(sentence_controls(controls[1][, found := FALSE]), "1.04 [1.02, 1.06] is **not the same**.")
  path <- tempfile(fileext = ".csv")
  write_table(controls, path)
  expect_equal(read_found_controls(path), controls)
})

test_that("coverage stands with power", {
  found <- data.table(
    statistic = "throughput_per_s", sessions = 3, rounds = 6, design = "", comparisons = 900, coverage = 0.951, wide = 0, half_width = 0.04, false = 0.05,
    found_5 = 0.6, found_10 = 0.93, found_20 = 1, same = 0.7
  )
  expect_equal(table_coverage(found)[, c(Metric, `Coverage (%)`, `Finds 10 %`, `Same (%)`)], c("Throughput", "95", "93", "70"))
  both <- rbind(found, copy(found)[, `:=`(sessions = 1, coverage = 0.83, false = 0.12)], copy(found)[, design := "five comparisons"])
  # Designs that chance does not explain are named, and no other.
  expect_said(
    sentence_coverage(both), "in 3 designs. ", " 83 to 95 % of the comparisons (median 95 %)", " 5 to 12 % find",
    "Below 95 % by more than chance: throughput, 1 session of 6 rounds (83 %)."
  )
})

test_that("cells that were measured again are counted", {
  results <- new_folder()
  expect_equal(replaced_cells(results), 0)
  for (day in 1:2) dir.create(file.path(results, "replaced/demo/pool/low/jmeter/rep-1", sprintf("2026010%dT000000Z", day)), recursive = TRUE)
  expect_equal(replaced_cells(results), 2)
})

test_that("cells in which the compiler took much of the CPU are named, others are not", {
  cells <- data.table(mode = c("a", "a", "b", "c"), tier = "low", compiler_marked = c(1, 1, 0, NA))
  told <- sentence_compiler(cells)
  expect_said(told, "much of the server's CPU time in cells of `a` at `low`:")
  expect_unsaid(told, "`b`")
  expect_equal(sentence_compiler(cells[3:4]), "")
})

test_that("cells whose whole heap was collected are named", {
  cells <- data.table(study = "s", mode = c("a", "b", "c"), tier = "low", tool = "wrk2", full_collections = c(0, 3, NA), heap_varied = 0)
  expect_said(sentence_full_collections(cells), "within windows of `s/b/low/wrk2`**: their heap is too small")
  expect_equal(sentence_full_collections(cells[-2]), "")
})

test_that("primary ratios that rest on excluded slices are counted", {
  rows <- data.table(primary = c(1, 1, 1, 0), effect = "ratio", estimate = c(2, 2, 1, 1), estimate_all = c(2, 2.3, NA, 3))
  expect_equal(numbers_in(sentence_without_exclusion(rows)), c(1, 2, 5, 15))
  expect_equal(sentence_without_exclusion(rows[3:4]), "")
})
