# So many sessions of each of so many comparisons whose modes are alike, as session_effects() has them.
null_sessions <- function(count, sessions) {
  data.table(
    id = rep(seq_len(count), each = sessions), session = paste0("s", seq_len(sessions)), repetition = seq_len(sessions),
    effect = rnorm(count * sessions), within = NA_real_, rounds = NA_integer_, low = 0, high = 0, least = 0, bound = 0,
    zero = FALSE
  )
}

# Repetitions in the base, and looks that may follow, for the length of a test.
with_looks <- function(base, later, code) {
  before <- as.list(looks)
  on.exit(list2env(before, looks))
  list2env(list(base = base, later = later), looks)
  code
}

# The p-values of t tests of no difference at each look: a row per comparison, a column per look.
p_of_looks <- function(effects, base) {
  vapply(base:ncol(effects), function(sessions) {
    seen <- effects[, seq_len(sessions)]
    centre <- rowMeans(seen)
    error <- sqrt((rowSums(seen^2) - sessions * centre^2) / (sessions - 1) / sessions)
    2 * pt(-abs(centre) / error, sessions - 1)
  }, numeric(nrow(effects)))
}

test_that("the shares of all looks are the whole error, and grow after the base", {
  expect_equal(shares_of_looks(), 1)
  with_looks(3, 5, {
    expect_equal(sum(shares_of_looks()), 1)
    expect_equal(shares_of_looks()[1:3], c(0.5, 0.02, 0.06))
    expect_equal(look_of(c(1, 3, 4, 8, 101)), c(1, 1, 2, 6, 6))
  })
  expect_equal(look_of(c(1, 3, 101)), c(1, 1, 1))
})

test_that("who looks again decides falsely in 5 % at most, and in more without the correction", {
  set.seed(14)
  with_looks(3, 5, {
    # No comparison differs. To stop at the first look that decides is to have what some look decides.
    p <- p_of_looks(matrix(rnorm(40000 * 8), ncol = 8), 3)
    expect_lte(mean(apply(t(t(p) / shares_of_looks()), 1, min) <= 0.05), 0.05)
    expect_gt(mean(apply(p, 1, min) <= 0.05), 0.1)
  })
})

test_that("a verdict rests on the smallest p-value of all looks, each by its share", {
  set.seed(15)
  with_looks(3, 5, {
    found <- null_sessions(60, 8)
    rows <- pool_looks(found)[, `:=`(statistic = paste0("family-", id %% 6), effect = "ratio", reason = "", worst = NA_real_)]
    decided <- decide(rows[order(statistic, id, look)])[order(id)]
    p <- p_of_looks(matrix(found$effect, ncol = 8, byrow = TRUE), 3)
    expect_equal(decided$p_value, pmin(1, apply(t(t(p) / shares_of_looks()), 1, min)))
    expect_equal(decided$verdict %in% c("higher", "lower"), decided$p_adjusted <= 0.05)
    # An interval that leaves 1 out is one of such a p-value.
    expect_equal(decided[, low > 1 | high < 1], decided$p_value <= 0.05)
  })
})

test_that("what an earlier look decided stays decided, and one look is as without a budget", {
  found <- null_sessions(1, 4)[, effect := c(1, 1.001, 0.999, 0)]
  with_looks(3, 5, {
    row <- over_looks(pool_looks(found)[, judge_family(.SD, equivalence$ratio, shares_of_looks()[.BY$look]), by = look], "id")
    expect_gt(row$low, 0.99)
    expect_equal(row[, c(pairs, look)], c(4, 2))
    expect_lt(row$p_value, 0.001)
  })
  alone <- over_looks(pool_looks(found)[, judge_family(.SD, equivalence$ratio), by = look], "id")
  expect_equal(alone[, c(low, high)], t_interval(found$effect))
})

test_that("a comparison without a further session keeps its interval when others have one", {
  set.seed(16)
  found <- null_sessions(2, 4)[id == 1 | repetition < 4]
  with_looks(3, 5, {
    rows <- pool_looks(found)[, `:=`(statistic = "throughput_per_s", effect = "ratio", reason = "", worst = NA_real_)]
    rows <- add_intervals(rows[order(id, look)])
    expect_equal(rows[, .(id, look, pairs)], data.table(id = 1:2, look = 2:1, pairs = 4:3))
    base <- judge_family(pool_sessions(found[id == 2]), equivalence$ratio, 0.5)
    expect_equal(rows[id == 2, c(low, high)], exp(base[, c(low, high)]))
  })
})
