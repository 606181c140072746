test_that("a single look has the whole error", {
  expect_equal(look_levels(1), 0.05, tolerance = 1e-7)
  expect_equal(look_levels(7, 0.01), 0.01, tolerance = 1e-7)
})

test_that("the recursion finds the constants that Pocock published", {
  # Jennison and Turnbull (2000), table 2.1: equal limits that spend 5 % over so many looks.
  for (known in list(c(2, 2.178), c(3, 2.289), c(5, 2.413), c(8, 2.512))) {
    walk <- walk_start()
    spent <- 0
    for (look in seq_len(known[1])) {
      spent <- spent + ended_beyond(walk, 1, known[2] * sqrt(look))
      walk <- still_within(walk, 1, known[2] * sqrt(look))
    }
    expect_equal(spent, 0.05, tolerance = 1e-3)
    # The rest has not ended.
    expect_equal(sum(walk$mass), 1 - spent, tolerance = 1e-6)
  }
})

test_that("each look spends error in proportion to its sessions, and all spend alpha", {
  set.seed(1)
  for (looks in list(1:2, 2:4, 3:8, c(3, 6, 9))) {
    sums <- Reduce(`+`, lapply(diff(c(0, looks)), function(sessions) rnorm(4e5, sd = sqrt(sessions))), accumulate = TRUE)
    ends <- Map(function(sum, sessions, level) abs(sum) / sqrt(sessions) > qnorm(1 - level / 2), sums, looks, look_levels(looks))
    expect_equal(mean(Reduce(`|`, ends)), 0.05, tolerance = 0.03)
    spent <- vapply(seq_along(looks), function(look) mean(ends[[look]] & !Reduce(`|`, ends[seq_len(look - 1)], FALSE)), 0)
    expect_equal(spent, 0.05 * diff(c(0, looks)) / max(looks), tolerance = 0.1)
  }
  # A test that looks again and again at the level of one look reports far too much.
  expect_gt(mean(Reduce(`|`, Map(function(sum, sessions) abs(sum) / sqrt(sessions) > qnorm(0.975), sums, looks))), 0.09)
})

test_that("looks after three to eight sessions have the intervals that were found by simulation", {
  # The first look spends three eighths, exactly; all else was found to about 1 %.
  expect_equal(look_levels(3:8)[1], 0.05 * 3 / 8, tolerance = 1e-7)
  # Half-widths in units of a session's noise, with t of n + 2 degrees of freedom.
  half_widths <- function(looks) qt(1 - look_levels(looks) / 2, looks + 2) / sqrt(looks)
  expect_lt(max(abs(half_widths(3:8) / c(1.96, 1.72, 1.45, 1.24, 1.08, 0.98) - 1)), 0.011)
  expect_lt(max(abs(half_widths(c(3, 6, 9)) / c(2.06, 1.16, 0.84) - 1)), 0.011)
})

test_that("looks are after two and three sessions, and together have the whole error", {
  levels <- look_levels(2:3)
  expect_equal(c(level_now(2, 3), level_now(3, 3)), levels)
  # Two of three sessions spend two thirds of it.
  expect_equal(levels[1], 0.05 * 2 / 3, tolerance = 1e-7)
  # A run of one session is no look of those; it is judged as strictly as the first of three.
  expect_equal(level_now(1, 3), look_levels(1:3)[1])
  # A session more than planned spends over all that there were.
  expect_equal(level_now(4, 3), look_levels(2:4)[3])
})

test_that("a third session where two do not decide reports no more than 5 % of equals", {
  set.seed(2)
  first <- rnorm(4e5, sd = sqrt(2))
  last <- first + rnorm(4e5)
  beyond <- function(sum, sessions, level) abs(sum) / sqrt(sessions) > qnorm(1 - level / 2)
  differs <- function(levels) mean(beyond(first, 2, levels[1]) | beyond(last, 3, levels[2]))
  expect_equal(differs(c(level_now(2, 3), level_now(3, 3))), 0.05, tolerance = 0.02)
  # At 5 % each it would report more.
  expect_gt(differs(c(0.05, 0.05)), 0.06)
})

test_that("looks that do not grow are refused", {
  expect_error(look_levels(c(3, 3)))
  expect_error(look_levels(numeric()))
})
