# A summary with the given figures: a row per mode and repetition.
summary_of <- function(mode, versus, statistic = "throughput_per_s", resolution = 0.001) {
  side <- function(name, against, figures) {
    data.table(
      study = "demo", mode = name, versus = against, tier = "low", tool = "jmeter",
      repetition = seq_along(figures), outcome = "completed", valid = TRUE, failed_checks = "",
      latency_resolution_ms = resolution, figure = figures
    )
  }
  summary <- rbind(side("pool", "thread", mode), side("thread", NA_character_, versus))
  setnames(summary, "figure", statistic)[]
}

compare_one <- function(summary, which = "throughput_per_s") {
  compare_modes(summary, compared_statistics[statistic == which])
}

test_that("the estimate is the geometric mean of the ratios within repetitions", {
  row <- compare_one(summary_of(c(200, 400, 1600), c(100, 100, 100)))
  expect_equal(row$estimate, (2 * 4 * 16)^(1 / 3))
  expect_equal(row[, c(mode, versus)], c("pool", "thread"))
  expect_equal(row[, c(pairs, mode_median, versus_median)], c(3, 400, 100))
  # A block that was slow for both sides leaves the ratio alone.
  steady <- compare_one(summary_of(c(200, 20, 400), c(100, 10, 200)))
  expect_equal(c(steady$low, steady$high), c(2, 2))
})

test_that("verdicts follow the interval", {
  verdict <- function(mode, versus) compare_one(summary_of(mode, versus))$verdict
  expect_equal(verdict(c(150, 151, 149), c(100, 100, 100)), "higher")
  expect_equal(verdict(c(50, 51, 49), c(100, 100, 100)), "lower")
  expect_equal(verdict(c(100, 101, 102), c(100, 101, 102)), "equivalent")
  expect_equal(verdict(c(50, 150, 250), c(100, 100, 100)), "undecided")
  expect_equal(verdict(150, 100), "one repetition")
})

test_that("a family of comparisons asks more of each than a single one", {
  # Told apart alone; among nineteen equals it is what chance brings.
  one <- summary_of(100 * exp(0.1 + c(-1, 0, 1) * 0.03), c(100, 100, 100))
  expect_equal(compare_one(one)$verdict, "higher")
  noisy <- exp(c(-1, 0, 1) * 0.3)
  others <- rbindlist(lapply(1:19, function(tier) {
    # Under another tool, so that their noise says nothing of the first one's.
    summary_of(100 * noisy, c(100, 100, 100))[, `:=`(tier = paste0("tier-", ..tier), tool = "wrk2")]
  }))
  rows <- compare_one(rbind(one, others))
  row <- rows[tier == "low"]
  expect_equal(row$p_adjusted, min(1, 20 * row$p_value))
  expect_true(row$low > 1 && row$verdict == "undecided")
})

test_that("intervals and p-values are those of t tests, less what rounding can do", {
  judged <- function(effects, widen, margin) {
    count <- length(effects)
    df <- if (count > 1) count - 1 else NA_real_
    judge_effects(mean(effects), sd(effects) / sqrt(count), df, widen, margin)
  }
  effects <- c(0.2, 0.25, 0.4, 0.31)
  found <- judged(effects, 0, 0.5)
  expect_equal(c(found$low, found$high), c(t.test(effects)$conf.int))
  expect_equal(found$p_value, t.test(effects)$p.value)
  expect_equal(found$equivalence_p_value, t.test(effects, mu = 0.5, alternative = "less")$p.value)
  expect_equal(judged(effects, 0.1, 0.5)$p_value, t.test(effects - 0.1)$p.value)
  expect_equal(judged(effects, 1, 0.5)$p_value, 1)
  p_values <- function(...) unlist(judged(...)[c("p_value", "equivalence_p_value")], use.names = FALSE)
  expect_equal(p_values(c(0, 0, 0), 0, 0.05), c(1, 0))
  expect_equal(p_values(c(0.3, 0.3), 0, 0.05), c(0, 1))
  expect_true(all(is.na(p_values(0.3, 0, 0.05))))
})

test_that("effect sizes are Hedges' g, whose correction takes away the bias of few values", {
  set.seed(5)
  sizes <- replicate(4000, effect_size(rnorm(6, mean = 2)))
  expect_equal(mean(sizes), 2, tolerance = 0.05)
  expect_true(is.na(effect_size(c(1, 2))))
})

test_that("of equals, few are told apart", {
  set.seed(11)
  figures <- function() 100 * exp(rnorm(3, 0, 0.05))
  summary <- rbindlist(lapply(1:60, function(tier) {
    summary_of(figures(), figures())[, tier := paste0("tier-", ..tier)]
  }))
  rows <- compare_one(summary)
  expect_lte(mean(rows$verdict %in% c("higher", "lower")), 0.05)
})

test_that("a summary without baselines makes a table without rows, which can be read back", {
  none <- compare_modes(summary_of(c(1, 1), c(1, 1))[mode == "thread"])
  expect_equal(nrow(none), 0)
  path <- file.path(new_folder(), "comparisons.csv")
  write_table(none, path)
  expect_equal(names(read_comparisons(path)), names(none))
  expect_type(read_comparisons(path)$verdict, "character")
  expect_type(read_comparisons(path)$estimate, "double")
})

test_that("comparisons are read back as they were written", {
  rows <- compare_one(rbind(
    summary_of(c(150, 151, 149), c(100, 100, 100)),
    summary_of(c(50, 150, 250), c(100, 100, 100))[, tier := "mid"],
    summary_of(150, 100)[, tier := "high"]
  ))
  path <- file.path(new_folder(), "comparisons.csv")
  write_table(rows, path)
  expect_equal(read_comparisons(path), rows, ignore_attr = TRUE)
})

test_that("one repetition has an estimate and no interval", {
  row <- compare_one(summary_of(150, 100))
  expect_equal(row$estimate, 1.5)
  expect_true(is.na(row$low) && is.na(row$bootstrap_high))
})

test_that("an invalid cell is never pooled", {
  summary <- summary_of(c(200, 200, 9999), c(100, 100, 100))
  summary[mode == "pool" & repetition == 3, `:=`(valid = FALSE, failed_checks = "share_2xx")]
  row <- compare_one(summary)
  expect_equal(row$estimate, 2)
  expect_equal(row[, c(pairs, mode_valid, mode_invalid, versus_valid)], c(2, 2, 1, 3))

  summary[mode == "pool", `:=`(valid = FALSE, failed_checks = "share_2xx")]
  row <- compare_one(summary)
  expect_equal(row$verdict, "not comparable")
  expect_equal(row$reason, "no valid cells of the mode (share_2xx)")
  expect_true(is.na(row$estimate))
})

test_that("a cell that did not complete is not pooled, whatever its validity says", {
  summary <- summary_of(c(200, 200, 9999), c(100, 100, 100))
  summary[mode == "pool" & repetition == 3, outcome := "server_died"]
  expect_equal(compare_one(summary)$estimate, 2)
})

test_that("repetitions that one side lacks are counted and left out", {
  summary <- summary_of(c(200, 200, 200), c(100, 100, 100))
  row <- compare_one(summary[!(mode == "pool" & repetition == 1)])
  expect_equal(row[, c(pairs, mode_missing, versus_missing)], c(2, 1, 0))
  row <- compare_one(summary_of(c(1, 1), c(1, 1))[mode == "pool"])
  expect_equal(row$reason, "no cells of its baseline")
})

test_that("figures at the tool's resolution do not pass for equal", {
  coarse <- summary_of(c(1, 1, 1), c(1, 1, 1), "latency_p50_ms", resolution = 1)
  row <- compare_one(coarse, "latency_p50_ms")
  expect_equal(row$verdict, "undecided")
  expect_equal(c(row$low, row$high), c(1 / 4, 4))
  zero <- summary_of(c(0, 0, 0), c(1, 1, 1), "latency_p50_ms", resolution = 1)
  expect_equal(compare_one(zero, "latency_p50_ms")$reason, "a figure of 0 has no ratio")
})

test_that("shares of errors are compared by difference", {
  summary <- summary_of(c(0.30, 0.31, 0.29), c(0, 0, 0), "error_share")
  row <- compare_one(summary, "error_share")
  expect_equal(row$estimate, 0.30)
  expect_equal(row$verdict, "higher")
  none <- compare_one(summary_of(c(0, 0, 0), c(0, 0, 0), "error_share"), "error_share")
  expect_equal(none$verdict, "equivalent")
})

test_that("at three repetitions t holds the truth in 95 % of cases, and a bootstrap cannot", {
  set.seed(7)
  log_ratios <- replicate(4000, rnorm(3, log(1.3), 0.1), simplify = FALSE)
  holds <- function(interval) interval[1] <= log(1.3) && interval[2] >= log(1.3)
  expect_gt(mean(vapply(lapply(log_ratios, t_interval), holds, NA)), 0.94)
  # No resample leaves the range of what was seen.
  expect_lt(mean(vapply(lapply(log_ratios, range), holds, NA)), 0.78)
  inside <- bootstrap_interval(log_ratios[[1]])
  expect_true(inside[1] >= min(log_ratios[[1]]) && inside[2] <= max(log_ratios[[1]]))
})

test_that("the bootstrap repeats itself and comes close to t with many repetitions", {
  set.seed(3)
  effects <- rnorm(40)
  expect_equal(bootstrap_interval(effects), bootstrap_interval(effects))
  expect_equal(bootstrap_interval(effects), t_interval(effects), tolerance = 0.15)
})

test_that("blocks drawn whole carry the noise of their requests, and drawing those again doubles it", {
  set.seed(4)
  blocks <- lapply(rnorm(60), function(level) rnorm(20, level, 4))
  variance_of <- function(draw) var(replicate(2000, mean(vapply(sample(blocks, replace = TRUE), draw, 0))))
  truth <- (1 + 4^2 / 20) / 60
  expect_equal(variance_of(mean), truth, tolerance = 0.15)
  twice <- variance_of(function(requests) mean(sample(requests, replace = TRUE)))
  expect_equal(twice - variance_of(mean), 4^2 / 20 / 60, tolerance = 0.25)
})
