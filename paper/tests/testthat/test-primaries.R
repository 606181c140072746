rows_of_guide <- function(...) {
  altered(compared(
    statistic = c("cpu_us_per_request", "latency_p99_ms", "cpu_us_per_request"), mode = c("fixed-pool", "fixed-pool", "event-loop"),
    unit = c("µs", "ms", "µs"), better = "lower", estimate = c(0.5, 0.5, 0.6), low = 0.4, high = c(0.6, 1.2, 0.9), baseline_value = 100,
    mode_value = c(50, 50, 60), verdict = c("lower", "undecided", "lower")
  ), ...)
}

test_that("primary comparisons are counted, and stand with their verdict or the reason why there is none", {
  rows <- rows_of_guide(verdict = c("undecided", "undecided", "lower"))
  rows <- rbind(rows, rows[1][, `:=`(estimate = NA_real_, verdict = "not comparable", reason = not_measured_well)], rows[1][, verdict := "fixed"])
  expect_match(
    sentence_primaries(rows, data.table(mode = 1:6)),
    "names 6 primary .* cells of 5 and decides 2: 1 differ, 1 are fixed by the load, 2 are undecided and 1 has no ratio.$"
  )
  table <- table_primaries(rows)
  expect_equal(table$Verdict, c("better", "same: fixed by the load", "undecided: p = 0.2", "undecided: interval holds 1", "not measured well enough"))
  expect_equal(table$Ratio[5], no_figure)
  expect_equal(table$Values[1], "100 and 60 µs")
})

test_that("the collector stands beside throughputs and percentiles, and few collections are marked", {
  rows <- rows_of_guide(
    statistic = c("throughput_per_s", "latency_p99_ms", "cpu_us_per_request"), mode_collections = c(0, 9, 50), baseline_collections = c(24, NA, 60),
    mode_gc_share = c(0, 0.0031, 0.1), baseline_gc_share = c(0.0123, NA, 0.1)
  )
  expect_equal(collections_text(rows), c("1.2 % (24) / 0", "– / 0.31 % (9)§", ""))
  table <- table_primaries(rows)
  expect_equal(table$GC, collections_text(rows)[c(1, 3, 2)])
  expect_equal(names(table)[5:7], c("Values", "GC", "Ratio"))
  expect_false("GC" %in% names(table_primaries(rows_of_guide())))
})

test_that("an undecided comparison says what it lacks, and a decided one nothing", {
  place <- data.table(study = "s", tier = "t", tool = "jmeter", mode = "m", baseline = "b", statistic = "throughput_per_s")
  of <- function(lacks, rounds = NA, sessions = NA, verdict = "undecided") {
    needed <- data.table(place, lacks, rounds_needed = rounds, sessions_needed = sessions, minutes = 6.2)
    lacks_of(data.table(place, verdict), if (!is.na(lacks)) needed)
  }
  expect_equal(of("rounds", 14), "; about 14 rounds by itself would do: 6 min, `snakemake --cores 4 -f results/cells/s/m/t/jmeter/rep-1/cell.json`")
  expect_equal(of("sessions", sessions = 3), "; about 3 sessions would do: 6 min")
  expect_equal(of("more"), "; processes differ by more than it")
  expect_equal(c(of("rounds", 14, verdict = "higher"), of(NA)), c("", ""))
})
