# A hundred samples of one group, ten of the other.
allocations_with <- function(error = 1) {
  data.table(
    study = "demo", mode = "fixed-pool", tier = "low", tool = "wrk2", group = c("write", "JVM other"), repetition = 1,
    bytes_per_request = c(131072, 13107.2), error_bytes = error * c(13107.2, 4144.86), valid = TRUE
  )
}

test_that("allocations name the groups that allocate most, with shares where there are samples enough", {
  shown <- table_allocations(allocations_with())
  expect_equal(shown[["Most by"]], "write 91 % [84, 95], JVM other 9 % [5, 16]")
  expect_match(shown[["KiB a request"]], "^141 \\[")
  expect_equal(table_allocations(allocations_with(sqrt(10)))[["Most by"]], "write, JVM other")
  expect_equal(nrow(table_allocations(allocations_with()[, valid := FALSE])), 0)
})

test_that("the share of the compiler is that of all samples", {
  groups <- data.table(
    study = "demo", mode = "pool", tier = "low", tool = "wrk2", repetition = 1L, outcome = "completed", valid = TRUE,
    group = c("accept", "write", compiler_group), samples = c(80, 40, 60), cpu_us_per_request = c(60, 40, NA)
  )
  expect_match(sentence_jit(groups), "which took 33.3 % of the samples")
})
