starts_of <- function(spread, of_starts, starts = 6, rounds = 8) lapply(seq_len(starts), function(start) rnorm(1, 0, of_starts) + rnorm(rounds, 0, spread))

shares_of <- function(recorded, truth, rule, draws = 400) {
  found <- vapply(seq_len(draws), function(draw) verdicts_of_draw(recorded, truth, 5)[rule], "")
  mean(found == "slower")
}

test_that("equal builds whose starts differ are called slower by a rule that looks at rounds, and not by starts", {
  set.seed(1)
  recorded <- starts_of(0.02, 0.02)
  recorded <- lapply(recorded, `-`, mean(vapply(recorded, mean, 0)))
  expect_lte(shares_of(recorded, 0, 1), 0.03)
  expect_gte(shares_of(recorded, 0, 2), 0.2)
})

test_that("twice the limit is found by starts", {
  set.seed(2)
  recorded <- starts_of(0.01, 0)
  recorded <- lapply(recorded, `-`, mean(unlist(recorded)))
  expect_gte(shares_of(recorded, 10, 1), 0.95)
})

test_that("a folder without comparisons is named", {
  expect_error(alarms_of_runs(new_folder(), 5, draws = 1), "has no comparison of two variants with three starts")
})
