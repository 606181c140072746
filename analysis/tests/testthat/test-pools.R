# Two sizes each; the best by a quarter, noise of a known seed.
grid_of_sizes <- function(repetitions = 3, noise = 0.02) {
  set.seed(3)
  rows <- CJ(study = "demo", mode = "both-pools", tier = "grid-10", repetition = seq_len(repetitions), thread_pool_size = c(1, 4), connection_pool_size = c(2, 8))
  rows[, per_s := 1000 * (1 + 0.25 * (connection_pool_size == 8)) * (1 + 0.1 * repetition) * exp(rnorm(.N, sd = noise))][]
}

test_that("grids are read from valid cells with more than one combination", {
  root <- new_folder()
  # A row per slice; 20 and 30 are their means.
  sizes <- data.table(
    slice = c(1, 1, 2, 2), thread_pool_size = c(1, 2), connection_pool_size = 4, transactions = 10,
    per_s = c(19, 31, 21, 29), p99_ms = 5, fairness = 1
  )
  cell_with <- function(rows, mode, tier, ...) {
    path <- write_cell(root, mode = mode, tier = tier, ...)
    fwrite(rows, file.path(dirname(path), "combinations.csv"))
    path
  }
  one <- cell_with(sizes[c(1, 3)], "hikari-10", "jvm-10")
  paths <- c(
    cell_with(sizes, "both-pools", "grid-10", repetition = 2), one, cell_with(sizes, "both-pools", "grid-100", validity = list(valid = FALSE)),
    write_cell(root, tier = "low")
  )
  grid <- read_grid(read_cells(paths))
  expect_equal(unique(grid[, .(mode, tier, repetition)]), data.table(mode = "both-pools", tier = "grid-10", repetition = 2L))
  expect_equal(grid$per_s, c(20, 30))
  expect_equal(nrow(read_grid(read_cells(one))), 0)
})

test_that("sizes far behind are distinguished from the best, and those that are near are not", {
  sizes <- summarise_combinations(grid_of_sizes())
  expect_equal(sizes[order(connection_pool_size)]$among_best, c(FALSE, FALSE, TRUE, TRUE))
  expect_equal(max(sizes$share), 1)
  expect_equal(sizes$spread[1], 1.02, tolerance = 0.02)
  # Noise of 2 % and three repetitions: the pooled t has 6 degrees of freedom.
  expect_equal(log(sizes$high / sizes$middle), rep(qt(0.975, 6) * log(sizes$spread[1]) / sqrt(3), 4))
  # Between repetitions is taken out: a slow one makes no combination worse.
  slow <- summarise_combinations(grid_of_sizes()[repetition == 2, per_s := per_s / 2])
  expect_equal(slow[, .(among_best, spread)], sizes[, .(among_best, spread)])
})

test_that("each mode has its own best", {
  both <- rbind(grid_of_sizes(), grid_of_sizes()[, `:=`(mode = "both-pools-virtual", per_s = per_s / 2)])
  sizes <- summarise_combinations(both)
  expect_equal(sizes[share == 1]$mode, c("both-pools", "both-pools-virtual"))
  expect_equal(sizes[mode == "both-pools"]$share, sizes[mode == "both-pools-virtual"]$share)
})

test_that("one repetition says nothing of which are as good, and much noise leaves everything among the best", {
  sizes <- summarise_combinations(grid_of_sizes(1))
  expect_true(all(is.na(sizes$among_best) & is.na(sizes$low)))
  expect_equal(max(sizes$share), 1)
  expect_true(all(summarise_combinations(grid_of_sizes(2, noise = 1))$among_best))
})
