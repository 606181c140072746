# Rounds of pairs, of which some are five times as noisy as others, with drifts and outliers as machines have them.
noisy_run <- function(pairs, rounds = 6) {
  set.seed(20261125)
  side <- function(name, number) {
    sd <- c(0.02, 0.1)[1 + number %% 2]
    rounds_of(paste0(name, number), session = number, cpu_us_per_request = 100 * exp(rnorm(rounds, 0, sd) + (runif(rounds) < 0.05) * 0.5))
  }
  slices <- rbindlist(lapply(seq_len(pairs), function(at) rbind(side("m", at), side("b", at))))
  measured_of(slices, baselines = setNames(paste0("b", 1:pairs), paste0("m", 1:pairs)), loop = "open", offered_per_s = 5000)
}

test_that("intervals hold known ratios that are put into measured rounds, and power grows with the difference", {
  found <- simulate_coverage(noisy_run(30), 3, list(list(sessions = 1, rounds = 6), list(sessions = 3, rounds = 6)), "cpu_us_per_request")
  # There are 90 and 90 comparisons; 0.95 would be below 0.87 in one test of a thousand.
  expect_gte(min(found$coverage), 0.87)
  expect_lte(max(found$false), 0.15)
  expect_true(all(found$found_20 > found$found_5))
  expect_gt(found[sessions == 3]$found_20, 0.5)
  expect_lt(found[sessions == 3]$half_width, found[sessions == 1]$half_width)
})

test_that("coverage falls where one session does not know how sessions vary", {
  # They vary by thrice what rounds do.
  design <- list(sessions = 1, rounds = 6, process_share = 9)
  pairs <- measured_pairs(noisy_run(10), "cpu_us_per_request")
  set.seed(2)
  lent <- rates_of(pairs, "cpu_us_per_request", design, 3, list(sessions = 3, rounds = 6, process_share = 9))
  alone <- rates_of(pairs, "cpu_us_per_request", design, 3)
  expect_gt(lent$coverage, 0.85)
  expect_lt(alone$coverage, 0.7)
})
