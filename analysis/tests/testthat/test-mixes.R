test_that("requests that share a server, or wait for it in order, last as long as by hand", {
  # Two come together and take 1 and 3: both have half of the server until the first has ended.
  expect_equal(shared_sojourns(c(0, 0), c(1, 3), Inf), c(2, 4))
  expect_equal(shared_sojourns(c(0, 0), c(1, 3), 1), c(1, 4))
  # Two of three share it; the third begins when they have ended.
  expect_equal(shared_sojourns(c(0, 0, 0), c(1, 1, 1), 2), c(2, 2, 3))
  # The second comes when the first has half of its 2 left: 1 + 2 * 1 for the first, then the second alone.
  expect_equal(shared_sojourns(c(0, 1), c(2, 2), 2), c(3, 3))
  # The server is idle in between.
  expect_equal(shared_sojourns(c(0, 10), c(1, 1), Inf), c(1, 1))
  # The second comes when the first is half served, and half as fast from then on.
  expect_equal(shared_sojourns(c(0, 0.5), c(1, 1), Inf), c(1.5, 1.5))
  # A single request takes one CPU of two, three take two thirds each; the third waits where two are admitted.
  expect_equal(shared_sojourns(c(0, 0), c(1, 3), Inf, cpus = 2), c(1, 3))
  expect_equal(shared_sojourns(c(0, 0, 0), c(2, 2, 2), Inf, cpus = 2), c(3, 3, 3))
  expect_equal(shared_sojourns(c(0, 0, 0), c(2, 2, 2), 2, cpus = 2), c(2, 2, 4))
  # A limit below one would serve no request, ever.
  expect_error(shared_sojourns(c(0, 0), c(1, 1), -1), "at_a_time >= 1")
  expect_equal(shared_sojourns(numeric(), numeric(), 1), numeric())
})

test_that("means are those of Pollaczek and Khinchine, and of processor sharing", {
  # One in ten takes ten times as long: E[S] = 1.9, E[S^2] = 10.9.
  set.seed(7)
  arrives <- cumsum(-log(runif(5e4)) / 0.3)
  service <- fifelse(runif(5e4) <= 0.1, 10, 1)
  waits <- shared_sojourns(arrives, service, 1) - service
  expect_equal(mean(waits), 0.3 * 10.9 / 2 / (1 - 0.57), tolerance = 0.05)
  # Processor sharing: each lasts its own service over the idle share, whatever the others take.
  lasts <- shared_sojourns(arrives, service, Inf)
  for (own in c(1, 10)) expect_equal(mean(lasts[service == own]), own / (1 - 0.57), tolerance = 0.05)
  # All serve the same work in the same time.
  ends <- vapply(c(1, 20, Inf), function(at_a_time) max(arrives[1:500] + shared_sojourns(arrives[1:500], service[1:500], at_a_time)), 0)
  expect_equal(ends, rep(ends[1], 3))
})

test_that("a server that a few share lies between both ends", {
  of <- lapply(c(1, 2, 4, 16, Inf), function(at_a_time) mix_percentiles_ms(337, 0.01, 1, 50, at_a_time))
  p99 <- vapply(of, `[[`, 0, 2)
  expect_true(all(diff(p99) < 0.2))
  # Four share it nearly as all do where few long ones come together, and not where many do.
  expect_gt(p99[1], 10 * p99[5])
  expect_gt(p99[3], 3 * p99[4])
  expect_lt(mix_percentiles_ms(199, 0.01, 1, 50, 4)[[2]], 1.1 * mix_percentiles_ms(199, 0.01, 1, 50, Inf)[[2]])
  # The short ones gain what the long ones pay.
  expect_gt(of[[5]][[3]], 1.3 * of[[1]][[3]])
  # The same requests each time.
  expect_equal(mix_percentiles_ms(337, 0.01, 1, 50, 4), of[[3]])
  expect_equal(mix_percentiles_ms(1000, 0.01, 1, 50, 1), as.list(rep(Inf, 3)))
  expect_true(all(is.na(unlist(mix_percentiles_ms(337, 0.01, 1, 50, NA)))))
})

test_that("carriers by the rule of thumb let short requests pass as the kernel's time slices do, and half of them do not", {
  # A load of the experiment, and one that it does not have: rate, share of long ones, milliseconds of each kind.
  for (load in list(c(467, 0.01, 1.2, 50), c(60, 0.1, 1, 100))) {
    of_a_cpu <- load[1] * c(1 - load[2], load[2]) * load[3:4] / 1000
    carriers <- carriers_that_suffice(of_a_cpu[1], of_a_cpu[2])
    p99 <- function(at_a_time) mix_percentiles_ms(load[1], load[2], load[3], load[4], at_a_time)[[2]]
    shared <- p99(Inf)
    expect_lt(p99(carriers), 1.3 * shared)
    expect_gt(p99(floor(carriers / 2)), 2 * shared)
  }
})


# A cell of Tomcat that is loaded with two paths.
mix_cell <- function(options = list(threads = 200), ..., mixed_in = "/api/long-test?cpu_us=50000") {
  tool <- c(open_load(rate_per_s = 337), list(mix = list(path = mixed_in, share = 0.01)))
  tomcat_cell(tool, options, path = "/api/cpu-test?cpu_us=1000", sleep_ms = 0, ...)
}

mix_summary <- function(cell, cpu_us = 1690) {
  with_columns(
    as.data.table(cell$cell[cell_place]), outcome = "completed", valid = TRUE, latency_valid = TRUE, cpu_us_per_request = cpu_us, latency_p50_ms = 2,
    latency_p99_ms = 13, latency_mixed_in_p50_ms = 90
  )
}
predict_one <- function(cell, ...) predict_mixes(list(cell), mix_summary(cell, ...))

test_that("a mix is predicted from rate, paths and CPU time", {
  local_value("simulated_requests", 1000)
  row <- predict_one(mix_cell())
  expect_columns(row, rate_per_s = 337, share = 0.01, short_ms = 1, long_ms = 50, at_a_time = 200)
  expect_equal(c(row$stated_utilization, row$utilization), 337 * c(1.49, 1.69) / 1000)
  expect_equal(row[, c(measured_p50_ms, measured_p99_ms, measured_long_p50_ms)], c(2, 13, 90))
  # The 0.2 ms that the server adds are a part of each request's service.
  expect_equal(row[, c(predicted_p50_ms, predicted_p99_ms, predicted_long_p50_ms)], unlist(mix_percentiles_ms(337, 0.01, 1.2, 50.2, 200), use.names = FALSE))
  # A measured time below the stated one is no negative service.
  expect_equal(predict_one(mix_cell(), cpu_us = 1000)$predicted_p99_ms, mix_percentiles_ms(337, 0.01, 1, 50, 200)[[2]])
  # A mix that does anything else than compute has no row.
  expect_equal(nrow(predict_one(mix_cell(mixed_in = "/api/log-test?lines=1"))), 0)
})

test_that("as many requests share the CPU as there are carriers, or threads of a pool", {
  local_value("simulated_requests", 1000)
  at_a_time <- function(...) predict_one(mix_cell(...))$at_a_time
  expect_equal(at_a_time(list(virtual = TRUE)), 1)
  expect_equal(at_a_time(list(virtual = TRUE), carriers = 4), 4)
  expect_equal(at_a_time(list(threads = 50)), 50)
  # The long ones apart: no model of one queue.
  expect_true(is.na(at_a_time(list(virtual = TRUE, "long-threads" = 1))))
  expect_equal(at_a_time(list(virtual = TRUE), cpus = 2), 2)
})
