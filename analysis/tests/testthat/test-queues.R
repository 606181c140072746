test_that("Erlang C has its known values", {
  # One server: the probability to wait is the utilisation.
  expect_equal(erlang_c(1, 0.6), 0.6)
  # Two servers, by hand: 2 rho^2 / (1 + rho).
  expect_equal(erlang_c(2, 1), 1 / 3)
  # Tables of Erlang C: 10 servers at 8 erlangs.
  expect_equal(erlang_c(10, 8), 0.40918, tolerance = 1e-4)
  expect_equal(erlang_c(3, 3), 1)
})

test_that("waiting is that of M/M/c, half of it in M/D/1, and none where all is regular", {
  expect_equal(queue_wait_s(0.8, 1, 1), 4)
  expect_equal(queue_wait_s(0.8, 1, 1, service_cv2 = 0), 2)
  expect_equal(queue_wait_s(0.8, 1, 1, 0, 0), 0)
  expect_equal(queue_wait_s(8, 10, 1), 0.40918 / 2, tolerance = 1e-4)
  expect_equal(queue_wait_s(2, 1, 1), Inf)
  expect_equal(queue_wait_s(2, Inf, 1), 0)
})

test_that("a closed network keeps its bounds and Little's law", {
  expect_equal(closed_throughput(50, 0.1, 0), 500)
  expect_equal(closed_throughput(1, 0.1, 0.1), 5)
  expect_equal(closed_throughput(1000, 0.1, 0.01), 100, tolerance = 1e-6)
  # The repairman with two machines: X = 2 / (Z + R), R = D (1 + Q), Q = D / (Z + D).
  expect_equal(closed_throughput(2, 1, 1), 2 / (1 + 1.5))
})

test_that("users served in line wait for half a round in the first, for a whole one then", {
  # Two users, two answers each, one a second: latencies 1, 2, 2, 2.
  expect_equal(in_line_latency_s(2, 4, 1), 7 / 4)
  # Cut off before the first round is over: those that were answered are the lucky ones.
  expect_equal(in_line_latency_s(100, 9, 1), 5)
})

test_that("in a window users wait since they began, and for a round once all had an answer", {
  # One at a time, one a second: answers after 2, 3, 4 and 5 s of ten users, of three users after 2, 3, 3 and 3.
  expect_equal(window_latency_s(10, 1, 1, 1.5, 4), mean(2:5))
  expect_equal(window_latency_s(3, 1, 1, 1.5, 4), mean(c(2, 3, 3, 3)))
  expect_equal(window_latency_s(10, 1, 0.1, 1, 4), NA_real_)
})
