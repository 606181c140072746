test_that("Erlang C has its known values", {
  # One server: the probability to wait is the utilisation.
  expect_equal(erlang_c(1, 0.6), 0.6)
  # Two servers, by hand: 2 rho^2 / (1 + rho).
  expect_equal(erlang_c(2, 1), 1 / 3)
  # Tables of Erlang C: 10 servers at 8 erlangs.
  expect_equal(erlang_c(10, 8), 0.40918, tolerance = 1e-4)
  expect_equal(erlang_c(3, 3), 1)
})

test_that("a closed network keeps its bounds and Little's law", {
  expect_equal(closed_throughput(50, 0.1, 0), 500)
  expect_equal(closed_throughput(1, 0.1, 0.1), 5)
  expect_equal(closed_throughput(1000, 0.1, 0.01), 100, tolerance = 1e-6)
  # The repairman with two machines: X = 2 / (Z + R), R = D (1 + Q), Q = D / (Z + D).
  expect_equal(closed_throughput(2, 1, 1), 2 / (1 + 1.5))
})
