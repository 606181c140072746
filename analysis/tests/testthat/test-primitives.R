write_costs <- function(values, statistic = "cpu", repetition = seq_along(values)) {
  path <- tempfile(fileext = ".csv")
  fwrite(data.table(primitive = "platform-park", rate_per_s = NA, statistic, repetition, value = values, unit = "us"), path)
  path
}

test_that("repetitions are pooled by their geometric mean", {
  row <- summarise_primitives(vapply(1:3, function(number) write_costs(c(2, 4, 8)[number], repetition = number), ""))
  expect_equal(row[, .(mean, repetitions)], data.table(mean = 4, repetitions = 3L))
  expect_lt(row$low, 4)
  expect_true(is.na(summarise_primitives(write_costs(2))$low))
})

test_that("a cost that is not above 0 in every repetition has no mean, and says so", {
  for (value in c(0, -2, NA)) {
    path <- write_costs(c(2, value, 8))
    row <- summarise_primitives(path)
    expect_true(is.na(row$mean) && is.na(row$low))
    expect_equal(row$reason, "not measured well enough: above 0 in 2 of 3 repetitions")
    write_table(row, path)
    expect_equal(read_primitives(path), row, ignore_attr = TRUE)
  }
  # A slice below 0 is noise, as long as its repetition is above.
  expect_equal(summarise_primitives(write_costs(c(-2, 4, 1, 1), repetition = c(1, 1, 2, 2)))$mean, 1)
})

test_that("a table without repetitions is one of a single repetition", {
  path <- write_costs(c(2, 4), repetition = c(1, 1))
  expected <- summarise_primitives(path)
  fwrite(fread(path)[, repetition := NULL], path)
  expect_equal(summarise_primitives(path), expected)
  expect_equal(expected[, .(mean, repetitions)], data.table(mean = 3, repetitions = 1L))
})

# ---- Cost of a request ---------------------------------------------------------------------------

cost <- function(setup, rate = setup$rate_per_s) request_cost(setup, known_primitives, rate)

test_that("a request costs what it costs the simplest server of its kind at the same rate", {
  cpu <- function(kind, rate = 10000, ...) cost(setup_of(kind = kind, tool = open_load(rate_per_s = rate), ...))
  expect_equal(cpu("event-loop"), 65)
  expect_equal(cpu("thread-each"), 90)
  expect_equal(cpu("pool"), 68)
  expect_equal(cpu("virtual"), 67)
  expect_equal(cpu("pool", 100, path = "/work?sleep_ms=0&cpu_us=500"), 500 + 140)
  expect_equal(cpu("virtual", sleep_ms = 100), 74)
  expect_equal(cpu("pool", 100, sleep_ms = 10), 160)
  expect_equal(cpu("event-loop", sleep_ms = 100), 70)
  # Halfway between two rates on a scale of logarithms.
  expect_equal(cpu("event-loop", 1000), 97.5)
  expect_equal(cpu("event-loop", 1), 130)
})

test_that("a request on a connection that is kept must be woken on the mode's own kind of thread", {
  cpu <- function(kind) cost(setup_of(kind = kind, tool = open_load(rate_per_s = 1000, keep_alive = TRUE)))
  kinds <- c("thread-each", "pool", "virtual", "event-loop")
  expect_equal(vapply(kinds, cpu, 0, USE.NAMES = FALSE), c(10, 10, 15, 11))
})

test_that("a request to Tomcat has its own base, and a sleep or a statement is added", {
  cpu <- function(options, path = "/ping", ...) cost(tomcat(open_load(keep_alive = TRUE), options, path, ...))
  virtual <- list(virtual = TRUE)
  expect_equal(cpu(list(), sleep_ms = 0), 400)
  expect_equal(cpu(list(), sleep_ms = 100), 400 + 180 - 160)
  expect_equal(cpu(virtual, sleep_ms = 100), 400 + 150 - 135)
  # The answer of the database wakes the thread, so that its wait is no sleep besides.
  expect_equal(cpu(virtual, holds = "connection", sleep_ms = 20), 400 + 170 - 120)
  # Neither is that of a remote; the thread that a call keeps is in the request, a worker's start is not.
  calling <- function(client, ...) cpu(c(list(client = client), ...), "/v1/hello", sleep_ms = 1000)
  expect_equal(calling("blocking"), 400 + 300 - 160)
  expect_equal(calling("blocking", virtual), 400 + 300 - 160)
  expect_equal(calling("worker-threads"), 400 + 300 - 120)
  expect_equal(calling("event-loop"), 400 + 280 - 120)
  # Noise may make a difference that no request can cost.
  false <- copy(known_primitives)[primitive == "platform-thread-beside-request", mean := 1000]
  expect_equal(request_cost(tomcat(open_load(), sleep_ms = 100), false, 100), least_us)
})

test_that("what no primitive speaks of, or was not measured well enough, has no cost", {
  expect_true(is.na(cost(tomcat(open_load(), list(), "/api/file-test", 0))))
  expect_true(is.na(cost(tomcat(open_load(), list(client = "pooled"), "/v1/hello", 1000))))
  expect_true(is.na(cost(setup_of(kind = "thread-each", tool = open_load(rate_per_s = 2503), sleep_ms = 2000))))
  without <- copy(known_primitives)[primitive == "tomcat-request", mean := NA]
  expect_true(is.na(request_cost(tomcat(open_load()), without, 100)))
})
