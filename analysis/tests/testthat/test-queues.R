test_that("a closed network keeps its bounds and Little's law", {
  expect_equal(closed_throughput(50, 0.1, 0), 500)
  expect_equal(closed_throughput(1, 0.1, 0.1), 5)
  expect_equal(closed_throughput(1000, 0.1, 0.01), 100, tolerance = 1e-6)
  # The repairman with two machines: X = 2 / (Z + R), R = D (1 + Q), Q = D / (Z + D).
  expect_equal(closed_throughput(2, 1, 1), 2 / (1 + 1.5))
})
