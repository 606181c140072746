# ---- How many requests a mode serves concurrently

test_that("Java's pool grows only when its queue is full", {
  inside <- function(tool) setup_of(tool = tool, sleep_ms = 100)$most_inside
  expect_equal(vapply(c(5, 110, 115, 500), function(users) inside(closed_load(users = users)), 0), c(10, 10, 15, 20))
  expect_equal(vapply(c(97, 397), function(rate) inside(open_load(rate_per_s = rate)), 0), c(10, 20))
  small <- list("core-threads" = 2, threads = 4, queue = 1)
  expect_equal(setup_of(options = small, tool = closed_load())$most_inside, 4)
})

test_that("a limit of the client's connections is no client", {
  call_of <- function(options) setup_of(options = options, tool = open_load(), path = "/remote?sleep_ms=20&cpu_us=0", sleep_ms = 20)$call
  expect_equal(c(call_of(list("client-connections" = 500)), call_of(list(client = "blocking"))), c("", "blocking"))
})

virtual <- list(virtual = TRUE)
pinned <- c(virtual, lock = "synchronized")

test_that("threads, permits, connections, clients and pinned carriers are limits", {
  expect_inside <- function(most, options, ...) expect_equal(tomcat(closed_load(), options, ...)$most_inside, most)
  expect_inside(50, list(threads = 50))
  expect_inside(Inf, virtual)
  expect_inside(50, c(virtual, permits = 50))
  expect_inside(10, virtual, holds = "connection")
  expect_inside(20, c(virtual, pool = 20), holds = "connection")
  expect_inside(Inf, c(virtual, pool = 20))
  # A blocking client keeps the thread, an asynchronous one gives it back.
  expect_inside(1, list(threads = 1, client = "pooled"))
  expect_inside(Inf, list(threads = 1, client = "event-loop"))
  expect_inside(2, pinned, jdk = 21, cpus = 2)
  expect_inside(8, pinned, jdk = 21, carriers = 8)
  expect_inside(Inf, pinned, jdk = 25)
  # A lock that is shared is no such limit.
  expect_inside(Inf, c(virtual, lock = "shared"), jdk = 21)
  # A semaphore before a pool of threads is the smaller limit.
  expect_inside(10, list(threads = 500, permits = 10))
})

test_that("of a server that is not known nothing is a limit, and of a pool without a size", {
  expect_equal(setup_of(kind = "", holds = "connection")$most_inside, Inf)
  expect_equal(setup_of(options = list())$most_inside, Inf)
})

# ---- Bounds

# The cells' measured values, a session each.
measured <- function(cells, per_s = 1, cpu_us = 100, ...) {
  rows <- rbindlist(lapply(cells, `[[`, "cell"))
  with_columns(rows, outcome = "completed", valid = TRUE, throughput_per_s = per_s, cpu_us_per_request = cpu_us, backend_cpu_us_per_request = NA_real_) |>
    with_columns(...)
}
bound_one <- function(cell, ...) bound_modes(list(cell), measured(list(cell), ...))
fifty <- tomcat_cell(closed_load(), list(threads = 50))

test_that("the bound is min(users, admitted) / wait", {
  row <- bound_one(fifty, per_s = 490)
  expect_columns(
    row, users = 500, admitted = 50, wait_ms = 100, bound_per_s = 500, bound_by = "admitted", measured_per_s = 490
  )
  # 500 users on virtual threads against a pool of 50: ten times as many.
  all <- bound_one(tomcat_cell(closed_load(), virtual), cpu_us = 10)
  expect_columns(all, bound_per_s = 5000, bound_by = "users", admitted = NA_real_)
  # Pinned on one carrier for 20 ms.
  carrier <- bound_one(tomcat_cell(closed_load(users = 50), pinned, "/api/lock-test", 20, jdk = 21))
  expect_columns(carrier, admitted = 1, bound_per_s = 50, bound_by = "admitted")
})

test_that("the CPUs are a bound of a closed loop, with what a database takes of them", {
  expect_equal(bound_one(fifty, cpu_us = 4000)[, c(bound_per_s, bound_by)], c("250", "cpu"))
  with_database <- function(cpu) bound_one(modifyList(fifty, list(backend = list(cpus = cpu))), cpu_us = 4000, backend_cpu_us_per_request = 1000)$bound_per_s
  # On the server's CPU, and on another.
  expect_equal(c(with_database(1), with_database(2)), c(200, 250))
  # Requests that come seldom cost more than the server could serve them for.
  open <- tomcat_cell(open_load(), list(threads = 50))
  expect_columns(bound_one(open, cpu_us = 4000), bound_per_s = 500, bound_by = "admitted")
  expect_equal(nrow(bound_one(tomcat_cell(open_load(), virtual))), 0)
})

test_that("mean values lie below the bounds, and are those of one request alone", {
  expect_equal(bound_one(tomcat_cell(closed_load(users = 1)), cpu_us = 25000)$mva_per_s, 1 / 0.125)
  # 20 threads, 18 ms of waiting and 2.15 ms of CPU time: beyond the knee the CPU is what limits them.
  many <- bound_one(tomcat_cell(closed_load(), list(threads = 20), sleep_ms = 18), cpu_us = 2150)
  expect_true(many$mva_per_s < many$bound_per_s && many$mva_per_s > 0.98 * many$bound_per_s)
  expect_true(is.na(bound_one(tomcat_cell(closed_load(), sleep_ms = 0))$mva_per_s))
})

test_that("only valid sessions count, and a CPU time that cannot be bounds nothing", {
  summary <- measured(list(fifty, fifty, fifty), per_s = c(480, 490, 3), valid = c(TRUE, TRUE, FALSE))
  expect_equal(bound_modes(list(fifty), summary)$measured_per_s, 485)
  for (cpu_us in c(0, -1, NA)) expect_equal(bound_one(fifty, cpu_us = cpu_us)$bound_by, "admitted")
  expect_true(is.na(bound_one(fifty, valid = FALSE)$measured_per_s))
})

test_that("a cell is judged by the bound of its own load, and not by that of ours", {
  # Own users and waits in place of sleep-500's: 1,000 for 20 ms.
  own <- function(mode, options) {
    cell <- tomcat_cell(closed_load(users = 1000), options, sleep_ms = 20)
    edited(cell, cell = list(mode = mode))
  }
  cells <- list(own("virtual", virtual), own("platform-50", list(threads = 50)))
  pair <- list(place = data.table(mode = "virtual", baseline = "platform-50"), cells = cells, measured = list(summary = measured(cells, cpu_us = 10)))
  line <- verdict_of_bound(pair, data.table(reason = "", bound = "", statistic = "throughput_per_s", centre = log(19.4)), data.table())
  expect_equal(line[1], "20")
  expect_match(line[2], "50,000/s (users) against 2,500/s (admitted); measured 19.4", fixed = TRUE)
})
