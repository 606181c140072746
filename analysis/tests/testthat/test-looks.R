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

# Comparisons that some look decides, each look at its share of the error, or at all of it.
decided <- function(pooled, corrected) {
  shares <- shares_of_looks()
  judged <- pooled[, judge_family(.SD, equivalence$ratio, if (corrected) shares[.BY$look] else 1), by = look]
  if (!corrected) return(judged[, any(low > 0 | high < 0), by = id]$V1)
  over_looks(judged, "id")[, low > 0 | high < 0]
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
    pooled <- pool_looks(null_sessions(1000, 8))
    expect_lte(mean(decided(pooled, corrected = TRUE)), 0.05)
    expect_gt(mean(decided(pooled, corrected = FALSE)), 0.1)
  })
})

test_that("of differences that are reported over looks at most 5 % are false", {
  set.seed(15)
  # Families of ten comparisons, each a statistic: none of them differs, so each report is false.
  with_looks(3, 5, {
    rows <- pool_looks(null_sessions(600, 8))[, `:=`(
      statistic = paste0("family-", id %% 60), effect = "ratio", reason = "", worst = NA_real_
    )]
    false <- decide(rows[order(statistic, id, look)])[, any(verdict %in% c("higher", "lower")), by = statistic]$V1
    expect_lte(mean(false), 0.05)
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
