run_of <- function(verdicts, cpu_us, valid = TRUE) {
  list(
    facts = list(
      ended = "2026-11-23T16:37:56", commit = "259802d39c7f38", machine = list(cpu_model = "A CPU", cpus = 2, kernel = "6.1")
    ),
    summary = data.table(
      study = "s", mode = c("pool", "virtual"), tier = "t", tool = "wrk2", valid = valid, outcome = "completed",
      cpu_us_per_request = cpu_us
    ),
    comparisons = data.table(
      study = "s", tier = "t", tool = "wrk2", mode = "virtual", versus = "pool",
      statistic = c("throughput_per_s", "latency_p99_ms", "cpu_us_per_request", "rss_mib"), verdict = verdicts
    )
  )
}

test_that("a replication counts what is decided in both runs, and what is decided the opposite way", {
  reference <- run_of(c("lower", "equivalent", "higher", "higher"), c(100, 200))
  text <- sentence_of_replication(reference, run_of(c("lower", "higher", "lower", "undecided"), c(300, 500)), "replication-there")
  expect_match(text, "kernel 6.1, commit `259802d`; [PDF](paper/replication-there/report.pdf)", fixed = TRUE)
  expect_match(text, "Of 3 comparisons with a verdict in both runs, 1 have the same, and 1 the opposite.", fixed = TRUE)
  expect_match(text, "has 2 cells, and 2 are valid. A request took 2.75 times the CPU time there", fixed = TRUE)
})

test_that("a replication with nothing in common counts nothing", {
  reference <- run_of(c("lower", "equivalent", "higher", "higher"), c(100, 200))
  text <- sentence_of_replication(reference, run_of(rep("undecided", 4), c(300, 500), valid = FALSE), "replication-there")
  expect_no_match(text, "verdict in both|CPU time")
})

test_that("the replications that are shipped stand with the latest first, and no other folder is one", {
  runs <- read_replications(analysis_folder)
  expect_setequal(names(runs), list.files(analysis_folder, "^replication-"))
  ended <- vapply(runs, function(run) run$facts$ended, "")
  expect_identical(unname(ended), sort(unname(ended), decreasing = TRUE))
  expect_length(read_replications(tempfile()), 0)
})
