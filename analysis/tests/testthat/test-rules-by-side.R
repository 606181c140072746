# Slices of several modes with thread as the baseline; `lost` has the rounds that a rule took of each.
slices_losing <- function(lost, rule = "generator_healthy", count = 12) {
  rbindlist(lapply(names(lost), function(mode) {
    taken <- seq_len(count) %in% lost[[mode]]
    rounds_of(mode, kept = !taken, reason = fifelse(taken, rule, ""), count = count)
  }))
}
none <- integer()
thrice <- c(a = "thread", b = "thread", c = "thread")

rules_of <- function(slices, baselines = c(pool = "thread")) rules_by_side(summary_of_slices(slices, baselines), slices)
unequal_of <- function(pool, thread, ...) rules_of(slices_losing(list(pool = pool, thread = thread), ...))[study != "all"]$unequal
counts <- c("mode_lost", "mode_count", "baseline_lost", "baseline_count")

test_that("a rule that takes nine of twelve slices of one side and none of the other is unequal", {
  # Lateness did so when its limit was a share of the p99 of the slice itself.
  rows <- rules_of(slices_losing(list(pool = 1:9, thread = none)))
  expect_equal(rows[study != "all", c("what", "rule", counts, "unequal"), with = FALSE],
    data.table(what = "slices", rule = "generator_healthy", mode_lost = 9, mode_count = 12, baseline_lost = 0, baseline_count = 12, unequal = TRUE)
  )
  expect_equal(rows[study != "all"]$p_value, fisher.test(matrix(c(9, 3, 0, 12), 2))$p.value)
  expect_true(rows[study == "all"]$unequal)
  expect_equal(read_back(rows, read_rules_by_side)[study != "all"], rows[study != "all"])
  # The other way round, too.
  expect_true(unequal_of(none, 1:9))
})

test_that("a rule that sees the machine alone is not, nor one that took as much of both", {
  both <- rules_of(slices_losing(list(pool = 1:9, thread = c(1:8, 12)), "undisturbed"))
  expect_false(any(both$unequal))
  # Nor twice as many by chance.
  expect_false(any(rules_of(slices_losing(list(pool = 1:2, thread = 5)))$unequal))
  # Nor what is not by chance, but less than twice as many.
  expect_false(unequal_of(1:200, 1:110, count = 300))
})

test_that("each rule is counted by itself, of rounds that both sides have", {
  slices <- slices_losing(list(pool = 1:4, thread = 3:4), "compiled;undisturbed", count = 6)
  slices[mode == "pool" & round == 4, reason := "idle_neighbors"]
  rows <- rules_of(slices[!(mode == "thread" & round == 1)])
  expect_equal(rows[study != "all", c("rule", counts), with = FALSE], data.table(
    rule = c("compiled", "idle_neighbors", "undisturbed"), mode_lost = c(2, 1, 2), mode_count = 5, baseline_lost = c(2, 0, 2), baseline_count = 5
  ))
  # A slice of the profiler is none of them.
  expect_equal(nrow(rules_of(slices[, kind := "profiled"])), 0)
})

test_that("over all, a baseline counts once, and modes that lose their rounds in turns are unequal", {
  # Each alone loses too few for a test of its own.
  rows <- rules_of(slices_losing(list(thread = none, a = 1:4, b = 5:8, c = 9:12)), thrice)
  expect_false(any(rows[study != "all"]$unequal))
  all <- rows[study == "all"]
  expect_equal(all[, ..counts], data.table(mode_lost = 12, mode_count = 36, baseline_lost = 0, baseline_count = 12))
  # A loss of one mode a round, dealt out: the baseline is spared with a chance of 3 in 4 each time.
  expect_gt(all$p_value, 0.02)
  rows <- rules_of(slices_losing(list(thread = none, a = 1:12, b = 1:3, c = 10:12)), thrice)
  expect_true(rows[study == "all"]$unequal)
  expect_equal(rows[study != "all" & unequal]$mode, "a")
})

test_that("the test of a rule holds its level where losses are of the machine", {
  local_value("deals", 99)
  set.seed(2)
  # Drawn before the test, which sets a seed of its own.
  draws <- replicate(40, setNames(lapply(1:4, function(mode) which(runif(12) < 0.3)), c("thread", names(thrice))), simplify = FALSE)
  found <- vapply(draws, function(lost) rules_of(slices_losing(lost), thrice)[study == "all"]$unequal, NA)
  expect_lte(sum(found), 6)
})

test_that("a round lost to the CPU's speed counts at the slower side", {
  slices <- slices_losing(list(pool = none, thread = none), count = 10)
  slices[, speed_server := fifelse(mode == "pool" & round <= 8, 1.3, 1)]
  rows <- rules_of(slices)
  expect_columns(rows[study != "all"], rule = "unequal_speed", mode_lost = 8, baseline_lost = 0, unequal = TRUE)
  # Without a probe none is lost.
  slices[mode == "thread", speed_server := NA]
  expect_equal(nrow(rules_of(slices)), 0)
})

test_that("rules of cells are counted by session", {
  slices <- turns(sessions = 8)
  summary <- summary_of_slices(slices)[, failed_checks := fifelse(mode == "pool", "settled;little", fifelse(repetition == 1, "little", ""))]
  rows <- rules_by_side(summary, slices)
  expect_equal(rows[study != "all", c("what", "rule", counts, "unequal"), with = FALSE], data.table(
    what = "cells", rule = c("little", "settled"), mode_lost = 8, mode_count = 8, baseline_lost = c(1, 0), baseline_count = 8, unequal = TRUE
  ))
  one <- rules_by_side(summary[repetition == 2], slices[repetition == 2])
  # One session cannot show it.
  expect_true(all(is.na(one[study != "all"]$p_adjusted)))
  expect_false(any(one$unequal))
})
