service <- function(...) {
  one <- list(
    rate_per_s = 250, wait_ms = 40, cpu_ms = 5, cpus = 2, threads = 200, connections = 10, held_ms = 20, heap_mib = 512, request_kib = 100
  )
  modifyList(one, list(...))
}
answer_one <- function(...) as.list(answer_services(as.data.table(service(...))))

test_that("requests in flight are Little's, and a limit, the CPUs and a pool have their bounds", {
  one <- answer_one()
  expect_equal(one$in_flight, 250 * 0.045)
  # 200 / 45 ms, 2 / 5 ms, 10 / 20 ms.
  expect_equal(one[c("bound_per_s", "bound_by", "utilization", "backlog_per_s")], list(
    bound_per_s = 400, bound_by = "cpus", utilization = 0.625, backlog_per_s = 0
  ))
  expect_equal(one[c("doubled_per_s", "doubled_backlog_per_s")], list(doubled_per_s = 400, doubled_backlog_per_s = 100))
  expect_equal(answer_one(held_ms = 50)[c("bound_per_s", "bound_by")], list(bound_per_s = 200, bound_by = "connections"))
  expect_equal(answer_one(threads = 9)[c("bound_per_s", "bound_by")], list(bound_per_s = 200, bound_by = "threads"))
})

test_that("beyond the bound no more are served, and the rest waits", {
  one <- answer_one(rate_per_s = 500)
  expect_equal(one[c("in_flight", "backlog_per_s")], list(in_flight = 400 * 0.045, backlog_per_s = 100))
  # 512 MiB hold 5,242 requests of 100 KiB, and 600 more a second come than are served.
  expect_equal(one$fills_s, (5242 - 18) / 600)
  expect_true(is.na(answer_one(rate_per_s = 100)$fills_s))
})

test_that("virtual threads lift the limit of threads and nothing else", {
  expect_equal(answer_one(threads = 9)[c("virtual_per_s", "virtual_by")], list(virtual_per_s = 400, virtual_by = "cpus"))
  expect_equal(answer_one()[c("virtual_per_s", "virtual_by")], list(virtual_per_s = 400, virtual_by = "cpus"))
  # Pinned, a request keeps its carrier as a pool of as many threads would.
  expect_equal(answer_one()$pinned_per_s, answer_one(threads = 2)$bound_per_s)
})

test_that("bounds are those of bounds.csv where a closed loop has them", {
  wait_s <- 0.1
  expect_equal(answer_one(threads = 50, wait_ms = 100, cpu_ms = 1e-9, connections = NA, held_ms = NA)$bound_per_s, least_bound(NA, 50, wait_s, NA)$bound_per_s)
  expect_equal(answer_one(threads = NA, connections = NA, held_ms = NA)$bound_per_s, least_bound(NA, NA, 0.04, 2 / 0.005)$bound_per_s)
})

test_that("pools are the smallest in which one request in a hundred waits", {
  for (offered in c(0, 0.5, 10, 100)) {
    size <- pool_enough(offered)
    expect_lte(erlang_c(size, offered), waits_at_most)
    if (size > 1) expect_gt(erlang_c(size - 1, offered), waits_at_most)
  }
  one <- answer_one()
  expect_equal(c(one$threads_enough, one$connections_enough), c(pool_enough(11.25), pool_enough(5)))
  expect_equal(one$threads_useful, 18)
  expect_equal(one$heap_needed_mib, 11.25 * 100 / 1024)
})

test_that("what is not given limits nothing", {
  one <- answer_one(threads = NA, connections = NA, held_ms = NA)
  expect_equal(one[c("bound_by", "virtual_by")], list(bound_by = "cpus", virtual_by = "cpus"))
  expect_true(is.na(one$connections_enough))
})

test_that("each limit binds in some example", {
  answers <- answer_services(service_examples())
  expect_setequal(answers$bound_by, c("threads", "cpus", "connections"))
  expect_setequal(answers$virtual_by, c("cpus", "connections"))
  expect_true(any(answers$backlog_per_s > 0) && any(is.finite(answers$fills_s)))
})

test_that("measured values are divided by what each formula predicts of them", {
  bounds <- data.table(
    users = c(500, 500, 100, NA), bound_by = c("admitted", "admitted", "cpu", "admitted"), bound_per_s = c(500, 1000, 400, 5000),
    mva_per_s = c(500, NA, NA, NA), measured_per_s = c(490, 700, NA, 2000)
  )
  found <- measured_by_formula(bounds)
  expect_equal(found$formula, c("admitted", "mva"))
  expect_equal(found$cells, c(2, 1))
  expect_equal(unlist(found[1, .(middle, least, most, near)]), c(middle = 0.84, least = 0.7, most = 0.98, near = 0.5))
})
