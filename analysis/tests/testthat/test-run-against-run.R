# Comparisons of a run that measured ratios of these truths, with noise that it knows by so many degrees of freedom.
run_that_found <- function(truths, noise = 0.1, df = 6) {
  count <- length(truths)
  comparison_rows(tier = paste0("tier-", seq_len(count)), estimate = truths * exp(rnorm(count, 0, noise / sqrt(3))), noise = noise * sqrt(rchisq(count, df) / df), df = df)
}

test_that("two runs of the same hold 95 % of the intervals of a change", {
  set.seed(1)
  truths <- exp(rnorm(800))
  a <- run_that_found(truths)
  b <- run_that_found(truths, noise = 0.2)
  found <- run_against_run(a, b)
  expect_equal(found[, statistic], c("throughput_per_s", "all"))
  expect_equal(found$comparisons, c(800, 800))
  expect_true(all(found$low < 0.95 & found$high > 0.95))
  expect_equal(found$share, found$held / found$comparisons)
  expect_equal(found[1, c(low, high)], c(binom.test(found$held[1], 800)$conf.int))
  # One run, or the other, 20 % higher; noise said to be half of what it is.
  higher <- function(rows) copy(rows)[, estimate := 1.2 * estimate]
  less_noise <- function(rows) copy(rows)[, noise := noise / 2]
  expect_lt(run_against_run(a, higher(b))$high[1], 0.9)
  expect_lt(run_against_run(higher(a), b)$high[1], 0.9)
  expect_lt(run_against_run(less_noise(a), less_noise(b))$high[1], 0.8)
  # The quantum is part of the noise.
  expect_gt(run_against_run(copy(a)[, `:=`(noise = 0.01, least = 0.2)], b)$share[1], 0.95)
})

test_that("a comparison that cannot have differed, or has no noise of sessions, does not count", {
  set.seed(2)
  a <- run_that_found(rep(2, 10))
  b <- run_that_found(rep(2, 10))
  counted <- function(change) {
    altered <- copy(b)
    change(altered)
    run_against_run(a, altered)[statistic == "all", comparisons]
  }
  expect_equal(counted(function(rows) rows[1, pairs := 1]), 10)
  expect_equal(counted(function(rows) rows[1:2, bound := "at_least"]), 8)
  expect_equal(counted(function(rows) rows[1:3, estimate := NA]), 7)
  expect_equal(counted(function(rows) rows[1, fixed := 1]), 9)
  expect_equal(counted(function(rows) rows[1, tier := "another"]), 9)
  # No request failed in either run.
  none <- function(rows) with_columns(rows, effect = "difference", estimate = 0)
  expect_equal(nrow(run_against_run(none(a), none(b))), 0)
})

test_that("a run that is judged again without its cells keeps the rules by which its slices were judged", {
  path <- withr::local_tempfile(lines = '{"rules": {"comparisons": 3, "validity": 19}, "judged_again": {"comparisons": 3, "validity": 20}}')
  note_rules(path, analysis_folder, "comparisons")
  facts <- jsonlite::read_json(path)
  protocol <- read_protocol(file.path(analysis_folder, "PROTOCOL.md"))
  expect_equal(facts$judged_again, list(comparisons = rules_version(protocol, "comparisons"), validity = 20L))
  expect_equal(facts$rules, list(comparisons = rules_version(protocol, "comparisons"), validity = 19L))
})
