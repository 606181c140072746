control_of_pool <- list(list(
  does = "compute 5 % longer", mode = "pool-slow", tier = "high", tool = "jmeter", statistic = "cpu_us_per_request", true_ratio = c(1.03, 1.05)
))

judged <- function(low, high, ...) {
  row <- comparison_rows(
    mode = "pool-slow", baseline = "pool", tier = "high", tool = "jmeter", statistic = "cpu_us_per_request", estimate = sqrt(low * high), low = low, high = high
  )
  judge_controls(with_columns(row, ...), control_of_pool)
}

test_that("a control is found where its interval lies above 1 and overlaps the true ratio", {
  expect_equal(judged(1.02, 1.06), data.table(
    control = "compute 5 % longer", statistic = "cpu_us_per_request", estimate = sqrt(1.02 * 1.06), low = 1.02, high = 1.06,
    true_low = 1.03, true_high = 1.05, found = TRUE, reason = ""
  ))
  for (overlapping in list(c(1.001, 1.03), c(1.035, 1.045), c(1.05, 1.2))) expect_true(judged(overlapping[1], overlapping[2])$found)
  # It holds 1, begins at 1, lies above the true ratio, or below.
  for (apart in list(c(0.99, 1.08), c(1, 1.08), c(1.051, 1.07), c(1.005, 1.029), c(0.94, 0.97))) expect_false(judged(apart[1], apart[2])$found)
  none <- judged(NA_real_, NA_real_, reason = "no valid cells of the mode")
  expect_columns(none, found = FALSE, reason = "no valid cells of the mode")
})

test_that("only a slower mode against its own baseline is a control", {
  for (other in list(list(mode = "pool-a-a"), list(baseline = "fixed-pool"), list(tier = "other"), list(tool = "other"), list(statistic = "other"))) {
    found <- do.call(judged, c(list(1.02, 1.06), other))
    expect_equal(found[, .(found, estimate, reason)], data.table(found = FALSE, estimate = NA_real_, reason = no_cell_of_it), info = names(other))
    expect_named(found, names(judged(1.02, 1.06)))
  }
  expect_equal(nrow(judge_controls(comparison_rows(mode = "pool-slow", baseline = "pool", estimate = 1, low = 1, high = 1), list())), 0)
})

test_that("the controls are the slower modes of the experiment, each where it is measured", {
  of_guide <- yaml::read_yaml(file.path(analysis_folder, "guide.yaml"))$controls
  controls <- rbindlist(lapply(of_guide, `[`, c("mode", "tier", "tool", "statistic")))
  modes <- fread(text = lines_of_grid("print(grid.modes_table(), end='')"))
  measured <- grid_asked()[mode %in% modes[variant == "slower"]$mode]
  expect_gte(nrow(measured), 2)
  expect_equal(unique(controls[order(tier), .(mode, tier, tool)]), measured[order(tier), .(mode, tier, tool)])
  expect_true(all(controls$statistic %in% compared_statistics$statistic))
  for (each in of_guide) expect_lte(each$true_ratio[[1]], each$true_ratio[[2]])
})
