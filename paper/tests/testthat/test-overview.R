cells_with <- function(...) lapply(list(...), function(commit) list(provenance = list(commit = commit)))

test_that("the commit of the cells is named, or that it is not recorded", {
  expect_equal(sentence_commit(cells_with("0123456789abcdef", "0123456789abcdef")), "Commit of the cells: `0123456789ab`.")
  expect_equal(sentence_commit(cells_with(NULL, NULL)), "Commit not recorded in the cells.")
  expect_equal(
    sentence_commit(cells_with("0123456789abcdef", "fedcba9876543210", NULL)),
    "Commits of the cells: `0123456789ab` and `fedcba987654`. Commit not recorded in 1 cell."
  )
})
