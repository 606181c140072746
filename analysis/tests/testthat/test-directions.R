# A pool and its baseline, three sessions; the source has the pool at twice the throughput.
measured <- function(pool, thread = c(10, 10, 10), failed = "") {
  side <- function(mode, versus, figures, failed) {
    with_cell_columns(data.table(
      study = "demo", mode = mode, versus = versus, tier = "low", tool = "jmeter", repetition = 1:3,
      outcome = "completed", valid = failed == "", failed_checks = failed, throughput_per_s = figures,
      throughput_all_per_s = figures
    ))
  }
  rbind(side("pool", "thread", pool, failed), side("thread", NA_character_, thread, ""))
}

printed <- function(figure = "throughput_per_s", pool = 20, thread = 10) {
  data.table(
    source = "9-demo-wrk", tier = "low", mode = c("pool", "thread"), figure = figure, value = c(pool, thread),
    study = "demo", tool = "jmeter"
  )
}

directions_in <- function(summary, published = printed()) {
  compared <- compare_modes(summary, no_slices(), compared_statistics[statistic == "throughput_per_s"])
  compare_directions(summary, no_slices(), compared, published)
}

test_that("ours points the same way as the source, the other way, or is not decided", {
  found <- directions_in(measured(c(19, 20, 21)))
  expect_equal(found[, .(figure, theirs, direction)], data.table(figure = "throughput_per_s", theirs = 2, direction = "same"))
  expect_equal(directions_in(measured(c(4.9, 5, 5.1)))$direction, "opposite")
  expect_equal(directions_in(measured(c(5, 10, 21)))$direction, "not decided")
  expect_equal(directions_in(measured(c(19, 20, 21)), printed(pool = 10.001))$direction, "none")
  expect_equal(directions_in(measured(c(19, 20, 21)), printed(thread = 0))$direction, "none")
})

test_that("cells that fail what the source did not check count, and are counted", {
  little <- directions_in(measured(c(19, 20, 21), failed = "little"))
  expect_equal(little[, .(forgiven, verdict, direction)], data.table(forgiven = 3L, verdict = "higher", direction = "same"))
  expect_equal(directions_in(measured(c(19, 20, 21), failed = "share_2xx"))$direction, "not decided")
})

test_that("requests in the same time are compared where the source prints no throughput", {
  both <- rbind(printed(), printed("requests"))
  expect_equal(directions_in(measured(c(19, 20, 21)), both)$figure, "throughput_per_s")
  expect_equal(directions_in(measured(c(19, 20, 21)), printed("requests"))$figure, "requests")
})

test_that("without cells of a source's tiers there is no direction, and the table can be read", {
  path <- tempfile()
  write_table(directions_in(measured(c(19, 20, 21))[, tier := "smoke"]), path)
  none <- read_comparisons(path)
  expect_equal(nrow(none), 0)
  expect_type(none$theirs, "double")
})

test_that("a source's tool is known by the end of its name", {
  files <- list.files(file.path(analysis_folder, "published"), full.names = TRUE)
  tools <- unique(read_all_published(files)[, .(study, tool)])
  expect_equal(tools[order(study)]$tool, c("jmeter", "sysbench", "jmeter", "wrk2", "jmeter"))
})

test_that("a wide interval agrees with no source, though it holds the source's ratio", {
  reading <- function(low, high) agreement(4, data.table(low = low, high = high, verdict = "undecided"))
  expect_equal(reading(3.5, 4.5), "agrees")
  expect_equal(reading(1.57, 13.8), "not decided")
  expect_equal(reading(1.1, 2), "differs")
})

test_that("a reading has the interval of its comparison, or of the same cells the other way round", {
  summary <- measured(c(19, 20, 21))
  published <- printed("throughput_ratio")[mode == "pool"]
  readings <- data.table(study = "demo", of = "pool", mode = c("pool", "thread"), versus = c("thread", "pool"), reading = c("as it is", "turned"))
  compared <- compare_modes(summary, no_slices(), compared_statistics[statistic == "throughput_per_s"])
  found <- compare_readings(summary, no_slices(), compared, published, readings)
  expect_equal(found[1, c(estimate, low, high)], compared[, c(estimate, low, high)])
  expect_equal(prod(found$estimate), 1)
  expect_equal(nrow(compare_readings(summary[0], no_slices(), compared[0], published, readings)), 0)
})
