# ---- How many requests a mode serves concurrently ------------------------------------------------

test_that("Java's pool grows only when its queue is full", {
  inside <- function(users) setup_of(tool = closed_load(users = users), sleep_ms = 100)$most_inside
  expect_equal(c(inside(5), inside(110), inside(115), inside(500)), c(10, 10, 15, 20))
  small <- list("core-threads" = 2, threads = 4, queue = 1)
  expect_equal(setup_of(options = small, tool = closed_load())$most_inside, 4)
  rate <- function(rate) setup_of(tool = open_load(rate_per_s = rate), sleep_ms = 100)$most_inside
  expect_equal(c(rate(97), rate(397)), c(10, 20))
})

test_that("a limit of the client's connections is no client", {
  setup <- function(options) setup_of(options = options, tool = open_load(), path = "/remote?sleep_ms=20&cpu_us=0", sleep_ms = 20)
  expect_equal(setup(list("client-connections" = 500))$call, "")
  expect_equal(setup(list(client = "blocking"))$call, "blocking")
})

virtual <- list(virtual = TRUE)
pinned <- c(virtual, lock = "synchronized")

test_that("threads, permits, connections, clients and pinned carriers are limits", {
  inside <- function(options, ...) tomcat(closed_load(), options, ...)$most_inside
  expect_equal(inside(list(threads = 50)), 50)
  expect_equal(inside(virtual), Inf)
  expect_equal(inside(c(virtual, permits = 50)), 50)
  expect_equal(inside(virtual, holds = "connection"), 10)
  expect_equal(inside(c(virtual, pool = 20), holds = "connection"), 20)
  expect_equal(inside(c(virtual, pool = 20)), Inf)
  # A blocking client keeps the thread, an asynchronous one gives it back.
  expect_equal(inside(list(threads = 1, client = "pooled")), 1)
  expect_equal(inside(list(threads = 1, client = "event-loop")), Inf)
  expect_equal(inside(pinned, jdk = 21, cpus = 2), 2)
  expect_equal(inside(pinned, jdk = 21, carriers = 8), 8)
  expect_equal(inside(pinned, jdk = 25), Inf)
  # A lock that is shared is no such limit.
  expect_equal(inside(c(virtual, lock = "shared"), jdk = 21), Inf)
  # A semaphore before a pool of threads is the smaller limit.
  expect_equal(inside(list(threads = 500, permits = 10)), 10)
})

test_that("of a server that is not known nothing is a limit, and of a pool without a size", {
  expect_equal(setup_of(kind = "", holds = "connection")$most_inside, Inf)
  expect_equal(setup_of(options = list())$most_inside, Inf)
})

# ---- Bounds --------------------------------------------------------------------------------------

# The cells' measured values, a session each.
measured <- function(cells, per_s = 1, cpu_us = 100, ...) {
  rows <- rbindlist(lapply(cells, `[[`, "cell"))
  rows[, `:=`(
    outcome = "completed", valid = TRUE, throughput_per_s = per_s, cpu_us_per_request = cpu_us,
    backend_cpu_us_per_request = NA_real_
  )]
  changes <- list(...)
  if (length(changes) > 0) rows[, names(changes) := changes]
  rows[]
}
bound_one <- function(cell, ...) bound_modes(list(cell), measured(list(cell), ...))
fifty <- tomcat_cell(closed_load(), list(threads = 50))

test_that("the bound is min(users, admitted) / wait", {
  row <- bound_one(fifty, per_s = 490)
  expect_equal(row[, .(users, admitted, wait_ms, bound_per_s, bound_by, measured_per_s)], data.table(
    users = 500, admitted = 50, wait_ms = 100, bound_per_s = 500, bound_by = "admitted", measured_per_s = 490
  ))
  # 500 users on virtual threads against a pool of 50: ten times as many.
  all <- bound_one(tomcat_cell(closed_load(), virtual), cpu_us = 10)
  expect_equal(all[, .(bound_per_s, bound_by, admitted)], data.table(bound_per_s = 5000, bound_by = "users", admitted = NA_real_))
  expect_equal(all$bound_per_s / row$bound_per_s, 10)
  # Pinned on one carrier for 20 ms.
  carrier <- bound_one(tomcat_cell(closed_load(users = 50), pinned, "/api/lock-test", 20, jdk = 21))
  expect_equal(carrier[, .(admitted, bound_per_s, bound_by)], data.table(admitted = 1, bound_per_s = 50, bound_by = "admitted"))
})

test_that("the CPUs are a bound of a closed loop, with what a database takes of them", {
  row <- bound_one(fifty, cpu_us = 4000)
  expect_equal(c(row$bound_per_s, row$bound_by), c("250", "cpu"))
  cell <- modifyList(fifty, list(backend = list(cpus = 1)))
  expect_equal(bound_one(cell, cpu_us = 4000, backend_cpu_us_per_request = 1000)$bound_per_s, 200)
  elsewhere <- modifyList(fifty, list(backend = list(cpus = 2)))
  expect_equal(bound_one(elsewhere, cpu_us = 4000, backend_cpu_us_per_request = 1000)$bound_per_s, 250)
  # Requests that come seldom cost more than the server could serve them for.
  open <- tomcat_cell(open_load(), list(threads = 50))
  expect_equal(bound_one(open, cpu_us = 4000)[, .(bound_per_s, bound_by)], data.table(bound_per_s = 500, bound_by = "admitted"))
  expect_equal(nrow(bound_one(tomcat_cell(open_load(), virtual))), 0)
})

test_that("mean values lie below the bounds, and are those of one request alone", {
  one <- bound_one(tomcat_cell(closed_load(users = 1)), cpu_us = 25000)
  expect_equal(one$mva_per_s, 1 / 0.125)
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

test_that("bounds are read back as they were written, with rows and without", {
  path <- tempfile(fileext = ".csv")
  write_table(bound_one(fifty), path)
  expect_equal(read_bounds(path), bound_one(fifty), ignore_attr = TRUE)
  write_table(bound_modes(list(), measured(list(fifty))), path)
  expect_equal(nrow(read_bounds(path)), 0)
})

test_that("a cell is judged by the bound of its own load, and not by that of ours", {
  # Own users and waits in place of sleep-500's: 1,000 for 20 ms.
  place <- data.table(study = "demo", mode = "virtual", baseline = "platform-50", tier = "sleep-500", tool = "jmeter")
  own <- function(mode, options) {
    cell <- tomcat_cell(closed_load(users = 1000), options, sleep_ms = 20)
    cell$cell$mode <- mode
    cell
  }
  cells <- list(own("virtual", virtual), own("platform-50", list(threads = 50)))
  pair <- list(place = place, cells = cells, measured = list(summary = measured(cells, cpu_us = 10)))
  shipped <- read_shipped(file.path(analysis_folder, "runs"), list.files(file.path(analysis_folder, "runs"))[1])
  place[, study := "virtual-threads"]
  finding <- findings_of_pair(place, file.path(analysis_folder, "guide.yaml"), shipped)[[1]]
  place[, study := "demo"]
  row <- data.table(reason = "", bound = "", statistic = finding$statistic, centre = log(19.4))
  line <- verdict_of_bound(pair, row, data.table())
  expect_equal(line[1], "20")
  expect_match(line[2], "50,000/s (users) against 2,500/s (admitted); measured 19.4", fixed = TRUE)
})
