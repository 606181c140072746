test_that("errors are counted by kind", {
  errors <- c("connect_refused=7;http_503=9;reset=1", "", "timeout=3", "connect_timeout=4;timeout=12")
  expect_equal(errors_of(errors, "timeout"), c(0, 0, 3, 12))
  expect_equal(errors_of(errors, "http_503"), c(9, 0, 0, 0))
})
