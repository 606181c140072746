test_that("the rule takes four rounds at least, and ends when it is precise, clear of a band, or out of time", {
  open <- c(-Inf, Inf)
  alike <- rep_len(c(-0.01, 0.01), rounds_at_most)
  expect_equal(rounds_decided(alike, 1.05, open), rounds_at_least)
  expect_equal(rounds_decided(40 * alike, 1.05, open), rounds_at_most)
  # Outside of the band, and within it.
  expect_equal(rounds_decided(10 * alike + 2, 1.05, c(-1, 1)), rounds_at_least)
  expect_equal(rounds_decided(10 * alike, 1.05, c(-1, 1)), rounds_at_least)
  expect_gt(rounds_decided(10 * alike + 1, 1.05, c(-1, 1)), rounds_at_least)
})

test_that("it is the rule that ends the rounds", {
  script <- paste(
    "import json; from workloads.session import until_decided as rule",
    "found = [rule.ROUNDS_AT_LEAST, *rule.PRECISE.values()]",
    "logs = lambda k: {name: [k * (-0.01) ** 1, k * 0.01] * 2 for name in rule.PRECISE}",
    "found += [rule.is_over(4, 0, logs(k), {}) for k in (1, 40)]",
    "print(json.dumps(list(map(float, found))))", sep = "\n"
  )
  printed <- withr::with_dir(file.path(analysis_folder, ".."), system2("python3", c("-c", shQuote(script)), stdout = TRUE))
  expect_equal(jsonlite::fromJSON(printed), c(rounds_at_least, unname(precise_from), 1, 0))
})

test_that("intervals of named cells hold the truth although the rounds end when they look precise", {
  set.seed(3)
  pairs <- lapply(c(0.02, 0.05, 0.08, 0.15, 0.3), function(sd) list(changes = rnorm(40, 0, sd)))
  found <- simulate_until_decided(pairs, "throughput_per_s", 300)
  expect_gte(found$coverage, 0.93)
  expect_lte(found$coverage, 0.97)
  # Those of the rounds alone, at 95 %, would not.

  spread <- 0.1
  logs <- replicate(1500, {
    all <- rnorm(1, 0, spread * sqrt(0.1)) + rnorm(rounds_at_most, 0, spread)
    all <- all[seq_len(rounds_decided(all, 1.05, c(-Inf, Inf)))]
    abs(mean(all)) <= half_interval(sd(all), length(all) - 1, length(all))
  })
  expect_lt(mean(logs), 0.85)
})

test_that("the coverage of named cells that is shipped is what it was made for", {
  shipped <- fread(file.path(analysis_folder, "coverage.csv"))[design == "one cell until decided"]
  expect_setequal(shipped$statistic, judged_statistics)
  expect_true(all(shipped$coverage >= 0.93 & shipped$coverage <= 0.97))
})
