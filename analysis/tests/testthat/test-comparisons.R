# A summary with the given values: a row per mode and repetition.
summary_of <- function(mode, baseline, statistic = "throughput_per_s") {
  side <- function(name, against, figures) {
    data.table(
      study = "demo", mode = name, baseline = against, tier = "low", tool = "jmeter",
      repetition = seq_along(figures), outcome = "completed", valid = TRUE, failed_checks = "",
      figure = figures
    )
  }
  summary <- rbind(side("pool", "thread", mode), side("thread", NA_character_, baseline))
  with_cell_columns(setnames(summary, "figure", statistic))
}

compare_one <- function(summary, which = "throughput_per_s", slices = no_slices()) {
  compare_modes(summary, slices, compared_statistics[statistic == which])
}

# Slices of a cell: `values` by round.
slices_with <- function(mode, values, repetition = 1, statistic = "throughput_per_s", ...) {
  table <- data.table(
    study = "demo", mode = mode, tier = "low", tool = "jmeter", repetition = repetition, beside = "",
    outcome = "completed", valid = TRUE, failed_checks = "", round = seq_along(values), kind = "plain",
    kept = TRUE, value = values
  )
  changes <- list(...)
  for (column in names(changes)) set(table, j = column, value = changes[[column]])
  with_cell_columns(setnames(table, "value", statistic))
}

test_that("the estimate is the geometric mean of the ratios within repetitions", {
  row <- compare_one(summary_of(c(200, 400, 1600), c(100, 100, 100)))
  expect_equal(row$estimate, (2 * 4 * 16)^(1 / 3))
  expect_equal(row[, c(mode, baseline)], c("pool", "thread"))
  expect_equal(row[, c(pairs, mode_median, baseline_median)], c(3, 400, 100))
  # A session that was slow for both sides leaves the ratio alone.
  steady <- compare_one(summary_of(c(200, 20, 400), c(100, 10, 200)))
  expect_equal(c(steady$low, steady$high), c(2, 2))
})

test_that("verdicts follow the interval", {
  verdict <- function(mode, baseline) compare_one(summary_of(mode, baseline))$verdict
  expect_equal(verdict(c(150, 151, 149), c(100, 100, 100)), "higher")
  expect_equal(verdict(c(50, 51, 49), c(100, 100, 100)), "lower")
  expect_equal(verdict(c(100, 101, 102), c(100, 101, 102)), "equivalent")
  expect_equal(verdict(c(50, 150, 250), c(100, 100, 100)), "undecided")
  expect_equal(verdict(150, 100), "one session")
})

test_that("a family of comparisons asks more of each than a single one", {
  # Different alone; among nineteen equals it is what chance brings.
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

test_that("of equals, few are reported to differ", {
  set.seed(11)
  figures <- function() 100 * exp(rnorm(3, 0, 0.05))
  summary <- rbindlist(lapply(1:60, function(tier) {
    summary_of(figures(), figures())[, tier := paste0("tier-", ..tier)]
  }))
  rows <- compare_one(summary)
  expect_lte(mean(rows$verdict %in% c("higher", "lower")), 0.05)
})

# Twelve tiers, three sessions of four rounds; slices vary by 2 % and processes by 1 %, as under loads that
# saturate. At one tier a request takes the pool so many times as long.
with_slower_pool <- function(times) {
  slices <- CJ(tier = sprintf("tier-%02d", 1:12), mode = c("pool", "thread"), repetition = 1:3, round = 1:4)
  slices[, process := rnorm(1, 0, 0.01), by = .(tier, mode, repetition)]
  slices[, slower := fifelse(mode == "pool" & tier == "tier-01", log(times), 0)]
  slices[, throughput_per_s := exp(process - slower + rnorm(.N, 0, 0.02))]
  demo <- function(table) {
    with_cell_columns(copy(table)[, `:=`(
      study = "demo", tool = "jmeter", baseline = ifelse(mode == "pool", "thread", NA), outcome = "completed",
      outcome_reason = "", valid = TRUE, failed_checks = ""
    )])
  }
  summary <- demo(slices[, .(throughput_per_s = mean(throughput_per_s)), by = .(tier, mode, repetition)])
  slices <- demo(slices)[, `:=`(kind = "plain", kept = TRUE, beside = "")]
  compare_modes(summary, slices, compared_statistics[statistic == "throughput_per_s"])[, .(tier, verdict)]
}

test_that("a mode that takes 10 % more service time is distinguished, and one that takes no more is not", {
  set.seed(3)
  # 93 of a hundred such runs distinguish it; with two rounds 62 do.
  told <- replicate(20, with_slower_pool(1.1)[tier == "tier-01", verdict == "lower"])
  expect_gte(mean(told), 0.9)
  alike <- replicate(10, with_slower_pool(1)[, mean(verdict %in% c("higher", "lower"))])
  expect_lte(mean(alike), 0.02)
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
  # An older run's table has columns that are no longer computed.
  write_table(copy(rows)[, `:=`(effect_size = 2, bootstrap_low = NA_real_, repetitions_needed = Inf)], path)
  expect_equal(read_comparisons(path)[, names(rows), with = FALSE], rows, ignore_attr = TRUE)
})

test_that("one session has the interval within it, and decides nothing", {
  row <- compare_one(summary_of(150, 100))
  expect_equal(row$estimate, 1.5)
  expect_true(is.na(row$low))
  ratios <- c(1.4, 1.5, 1.6)
  slices <- rbind(slices_with("pool", 100 * ratios), slices_with("thread", c(100, 100, 100)))
  row <- compare_one(summary_of(150, 100), slices = slices)
  expect_equal(row[, .(verdict, pairs, rounds)], data.table(verdict = "one session", pairs = 1L, rounds = 3))
  expect_equal(log(c(row$low, row$high)), c(t.test(log(ratios))$conf.int))
  expect_true(is.na(row$p_adjusted))
})

test_that("slices of a round are paired, whatever differs between rounds", {
  summary <- summary_of(c(1, 1), c(1, 1))
  rounds <- c(1, 5, 25)
  both <- function(repetition) {
    rbind(slices_with("pool", 200 * rounds, repetition), slices_with("thread", 100 * rounds, repetition))
  }
  row <- compare_one(summary, slices = rbind(both(1), both(2)))
  expect_equal(row[, .(estimate, low, high, pairs, rounds, within)], data.table(
    estimate = 2, low = 2, high = 2, pairs = 2L, rounds = 6, within = 0
  ))
  # Neither what a rule left out, nor profiled slices, nor a round without a partner.
  slices <- rbind(both(1), both(2))
  slices[mode == "pool" & repetition == 1 & round == 2, `:=`(kept = FALSE, throughput_per_s = 9e9)]
  slices <- rbind(slices, slices_with("pool", 9e9, 1, kind = "profiled"), slices_with("pool", 9e9, 2, round = 4))
  row <- compare_one(summary, slices = slices)
  expect_equal(row[, c(estimate, rounds)], c(2, 5))
})

test_that("cells of different sessions are no pair, but a baseline measured again is", {
  summary <- summary_of(c(1, 1), c(1, 1))
  summary[mode == "pool" & repetition == 2, session := "again"]
  slices <- rbind(
    slices_with("pool", c(200, 200), 1), slices_with("thread", c(100, 100), 1),
    slices_with("pool", c(900, 900), 2, session = "again"), slices_with("thread", c(100, 100), 2)
  )
  row <- compare_one(summary, slices = slices)
  expect_equal(row[, c(estimate, pairs)], c(2, 1))
  beside <- slices_with("thread", c(300, 300), 2, session = "again", beside = "pool")
  row <- compare_one(summary, slices = rbind(slices, beside))
  expect_equal(row[, c(estimate, pairs)], c(sqrt(2 * 3), 2))
  # A value that only cells have stays with the sessions that both sides share.
  cells <- copy(summary)[, threads_peak := ifelse(mode == "pool", 30, 10)]
  expect_equal(compare_one(cells, "threads_peak", rbind(slices, beside))[, c(estimate, pairs)], c(3, 1))
})

test_that("a cell that is not valid may bound a ratio", {
  summary <- summary_of(c(4, 4.1, 4.2), c(1, 1, 1))
  fails <- function(table, which, bound) {
    copy(table)[mode == which, `:=`(valid = FALSE, failed_checks = "settled", bound_throughput = bound)]
  }
  row <- compare_one(fails(summary, "pool", "at_least"))
  expect_equal(row[, .(verdict, bound, high, pairs, mode_valid)], data.table(
    verdict = "higher", bound = "at_least", high = Inf, pairs = 3L, mode_valid = 0L
  ))
  expect_gt(row$low, 1)
  expect_equal(compare_one(fails(summary, "pool", "at_most"))[, .(verdict, bound, low)], data.table(
    verdict = "bounded", bound = "at_most", low = 0
  ))
  # A baseline that is at least so fast bounds the ratio from above.
  slow <- compare_one(fails(summary_of(c(1, 1.1, 1), c(4, 4, 4)), "thread", "at_least"))
  expect_equal(slow[, .(verdict, bound)], data.table(verdict = "lower", bound = "at_most"))
  both <- compare_one(fails(fails(summary, "pool", "at_least"), "thread", "at_least"))
  expect_equal(both$verdict, "not comparable")
  # No bound where two sessions are without.
  once <- copy(summary)[mode == "pool" & repetition == 3, `:=`(valid = FALSE, failed_checks = "settled", bound_throughput = "at_least")]
  expect_equal(compare_one(once)[, .(bound, pairs, mode_invalid)], data.table(bound = "", pairs = 2L, mode_invalid = 1L))
  # What the cell does not bound is not compared.
  latency <- copy(fails(summary, "pool", "at_least"))[, latency_mean_ms := 1]
  expect_equal(compare_one(latency, "latency_mean_ms")$verdict, "not comparable")
})

test_that("sides that are the same in every session are no member of the family", {
  none <- summary_of(c(0, 0, 0), c(0, 0, 0), "error_share")
  some <- summary_of(c(0.02, 0.03, 0.025), c(0, 0, 0), "error_share")[, tier := "mid"]
  rows <- compare_one(rbind(none, some), "error_share")
  expect_equal(rows$verdict, c("equivalent", "higher"))
  expect_equal(rows$p_adjusted, c(NA, rows$p_value[2]))
})

test_that("counts that are equal in all sessions are no proof without noise", {
  threads <- function(mode, baseline) compare_one(summary_of(rep(mode, 3), rep(baseline, 3), "threads_peak"), "threads_peak")
  row <- threads(21, 20)
  step <- sqrt((log(22 / 21)^2 + log(21 / 20)^2) / 12)
  expect_equal(row$noise, step)
  expect_gt(row$p_value, 0.01)
  expect_equal(threads(40, 20)$verdict, "higher")
  failed <- compare_one(summary_of(rep(0.002, 3), c(0, 0, 0), "error_share"), "error_share")
  expect_equal(failed$noise, sqrt(2 / 12) / 1000)
})

test_that("a percentile beyond which more requests failed is a bound", {
  summary <- summary_of(c(50, 51, 52), c(10, 10.1, 10.2), "latency_p99_ms")
  summary[mode == "pool", error_share := 0.009]
  expect_equal(compare_one(summary, "latency_p99_ms")$bound, "")
  summary[mode == "pool", error_share := 0.011]
  row <- compare_one(summary, "latency_p99_ms")
  expect_equal(row[, .(bound, high, verdict)], data.table(bound = "at_least", high = Inf, verdict = "higher"))
  # Where failing is what the mode is for, it is no bound.
  summary[mode == "pool", must_fail := TRUE]
  expect_equal(compare_one(summary, "latency_p99_ms")$bound, "")
})

test_that("an invalid cell is never pooled", {
  summary <- summary_of(c(200, 200, 9999), c(100, 100, 100))
  summary[mode == "pool" & repetition == 3, `:=`(valid = FALSE, failed_checks = "share_2xx")]
  row <- compare_one(summary)
  expect_equal(row$estimate, 2)
  expect_equal(row[, c(pairs, mode_valid, mode_invalid, baseline_valid)], c(2, 2, 1, 3))

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
  expect_equal(row[, c(pairs, mode_missing, baseline_missing)], c(2, 1, 0))
  row <- compare_one(summary_of(c(1, 1), c(1, 1))[mode == "pool"])
  expect_equal(row$reason, "no cells of its baseline")
})

test_that("a ratio says in how many sessions it is valid, and what it were at worst", {
  summary <- summary_of(c(200, 300, 9999), c(100, 100, 100))
  expect_true(is.na(compare_one(summary)$worst))
  fails <- function(which, check) copy(summary)[mode == which & repetition == 3, `:=`(valid = FALSE, failed_checks = check)]
  # The mode failed: its throughput is taken to be the lower of the two that were seen.
  row <- compare_one(fails("pool", "share_2xx"))
  expect_equal(row$worst, (2 * 3 * 2)^(1 / 3))
  expect_equal(compare_one(fails("thread", "little"))$worst, (2 * 3 * 3)^(1 / 3))
  # What failed was the generator: no more is known.
  row <- compare_one(fails("pool", "generator_healthy"))
  expect_true(is.na(row$worst))
  died <- compare_one(fails("pool", "")[mode == "pool" & repetition == 3, outcome := "server_died"])
  expect_equal(died$worst, (2 * 3 * 2)^(1 / 3))
  latency <- setnames(fails("pool", "share_2xx"), "throughput_per_s", "latency_mean_ms")
  expect_equal(compare_one(latency, "latency_mean_ms")$worst, (2 * 3 * 3)^(1 / 3))
})

test_that("an interval whose ends are both far off is not spelled out", {
  texts <- with_interval(c(7, 7, 0.1), c(0.02, 0.2, -90), c(2000, 2000, 90))
  expect_equal(texts, c("7 [not bounded]", "7 [0.2, 2,000]", paste("0.1", interval_text(-90, 90))))
})

test_that("values at the tool's resolution do not pass for equal", {
  coarse <- summary_of(c(1, 1, 1), c(1, 1, 1), "latency_p50_ms")
  row <- compare_one(coarse, "latency_p50_ms")
  expect_equal(row$verdict, "undecided")
  # Three equal values may have varied by less than a step of both sides, from 0.5 to 1.5 ms.
  reach <- log(1.5) + log(2) + qt(0.975, 2) * sqrt(2 / 12) * (log(1.5) + log(2)) / sqrt(3)
  expect_equal(log(c(row$low, row$high)), c(-reach, reach))
  zero <- summary_of(c(0, 0, 0), c(1, 1, 1), "latency_p50_ms")
  expect_equal(compare_one(zero, "latency_p50_ms")$reason, "a value of 0 has no ratio")
})

test_that("shares of errors are compared by difference", {
  summary <- summary_of(c(0.30, 0.31, 0.29), c(0, 0, 0), "error_share")
  row <- compare_one(summary, "error_share")
  expect_equal(row$estimate, 0.30)
  expect_equal(row$verdict, "higher")
  none <- compare_one(summary_of(c(0, 0, 0), c(0, 0, 0), "error_share"), "error_share")
  expect_equal(none$verdict, "equivalent")
})
