test_that("slices of cells and of their baselines are one table", {
  root <- new_folder()
  again <- list(id = "again")
  grid <- write_cell(root, repetition = 2, elapsed_ms = 1:4, session = again)
  write_cell(mode = "thread-per-request", repetition = 2, elapsed_ms = 1:4, session = again, folder = file.path(dirname(grid), "baseline"))
  dead <- write_cell(root, mode = "event-loop", outcome = "start_failed", validity = list(valid = FALSE))
  slices <- read_loads(c(grid, dead))$slices
  expect_equal(slices[, .N, by = .(mode, beside, session)], data.table(
    mode = c("fixed-pool", "thread-per-request"), beside = c("", "fixed-pool"), session = "again on 0123456789ab", N = 5L
  ))
  # A baseline that was measured again is no cell of the grid.
  expect_equal(summarise_cells(grid)$mode, "fixed-pool")
})

test_that("a step of a curve that counts although it fails a rule says so", {
  rows <- known_slices()[1:2][, `:=`(kept = "true", reason = c("compiled", ""), stands = c(TRUE, FALSE))]
  expect_equal(read_loads(write_cell(new_folder(), elapsed_ms = 1:4, slices = rows))$slices$stands, c(TRUE, FALSE))
})

test_that("older slices, which do not say whether a quota stopped them, stand with those that do", {
  root <- new_folder()
  older <- write_cell(root, elapsed_ms = 1:4, slices = known_slices())
  newer <- write_cell(root, mode = "event-loop", elapsed_ms = 1:4, slices = known_slices()[, throttled := 0])
  slices <- read_loads(c(older, newer))$slices
  expect_equal(slices[, .(unknown = all(is.na(throttled))), by = mode]$unknown, c(TRUE, FALSE))
})
