setup_of <- function(mode = "fixed-pool", options = list(), tool = list(), sleep_ms = 0,
                     path = "/work", ..., package = "artifact.sockets.mode", cpus = 1) {
  read_setup(list(
    cell = list(study = "demo", mode = mode, tier = "tier", tool = "tool"),
    configuration = list(
      study = list(server = list(package = package)), tool = tool,
      mode = list(options = options, ...),
      tier = list(path = path, sleep_ms = sleep_ms), testbed = list(request_timeout_s = 10)
    ),
    provenance = list(server_cpus = seq_len(cpus))
  ))
}

tomcat <- function(tool, options = list(), path = "/api/sleep-test", sleep_ms = 100, ...) {
  setup_of("tomcat-200", options, tool, sleep_ms, path, ..., package = "artifact.tomcat")
}

predicted <- function(setup, which, column = "predicted") {
  predict_cell(setup, known_primitives)[figure == which][[column]]
}

test_that("Java's pool grows only when its queue is full", {
  inside <- function(users) setup_of(tool = closed_load(threads = users), sleep_ms = 100)$most_inside
  expect_equal(c(inside(5), inside(110), inside(115), inside(500)), c(10, 10, 15, 20))
  small <- list("core-threads" = 2, "max-threads" = 4, "queue-capacity" = 1)
  expect_equal(setup_of(options = small, tool = closed_load())$most_inside, 4)
  older <- setNames(small, gsub("-", "_", names(small)))
  expect_equal(setup_of(options = older, tool = closed_load())$most_inside, 4)
  rate <- function(rate) setup_of(tool = open_load(rate_per_s = rate), sleep_ms = 100)$most_inside
  expect_equal(c(rate(97), rate(397)), c(10, 20))
  runs_itself <- setup_of("caller-runs-pool", tool = closed_load(), sleep_ms = 100)
  expect_equal(runs_itself$most_inside, 21)
})

test_that("Tomcat's threads, permits, connections, clients and pinned carriers are bounds", {
  inside <- function(options, ...) tomcat(closed_load(), options, ...)$most_inside
  virtual <- list(spring.threads.virtual.enabled = TRUE)
  expect_equal(inside(list()), 200)
  expect_equal(inside(list(server.tomcat.threads.max = 50)), 50)
  expect_equal(inside(virtual), Inf)
  expect_equal(inside(c(virtual, requests.permits = 50)), 50)
  expect_equal(inside(virtual, path = "/api/query-test?kind=wait"), 10)
  pool <- list("spring.datasource.hikari.maximum-pool-size" = 20)
  expect_equal(inside(c(virtual, pool), path = "/api/query-test?kind=wait"), 20)
  expect_equal(inside(list(server.tomcat.threads.max = 1, remote.client = "event-loop")), Inf)
  lock <- c(virtual, lock.kind = "synchronized")
  expect_equal(inside(lock, jdk = 21, cpus = 2), 2)
  expect_equal(inside(lock, jdk = 25), Inf)
})

test_that("threads / service time is the closed loop's bound, as the source found it", {
  setup <- tomcat(closed_load(), list(server.tomcat.threads.max = 50))
  expect_equal(predicted(setup, "throughput_per_s"), 500, tolerance = 0.01)
  expect_equal(predicted(setup, "latency_mean_ms"), 950, tolerance = 0.01)
  expect_equal(predicted(setup, "throughput_per_s", "model"), "threads / service time")
  setup <- tomcat(closed_load(), list(spring.threads.virtual.enabled = TRUE))
  expect_equal(predicted(setup, "throughput_per_s"), 5000, tolerance = 0.01)
  expect_equal(predicted(setup, "latency_mean_ms"), 100, tolerance = 0.01)
})

test_that("a slice of a closed loop has the latencies of what is answered within it", {
  slice <- closed_load(threads = 100, loops = NULL, warm_up_s = 1, duration_s = 4)
  remote <- function(options) tomcat(slice, options, "/v1/hello", 1000)
  expect_equal(predicted(remote(list()), "throughput_per_s"), 100, tolerance = 0.01)
  expect_equal(predicted(remote(list()), "latency_mean_ms"), 1000, tolerance = 0.01)
  # One thread: the users who are answered have waited for 1, 2, 3 and 4 s, not for a round of 100.
  one <- remote(list(server.tomcat.threads.max = 1))
  expect_equal(predicted(one, "throughput_per_s"), 1, tolerance = 0.01)
  expect_equal(predicted(one, "latency_mean_ms"), 2500, tolerance = 0.01)
})

test_that("after a warm-up a closed loop for a time is steady", {
  tool <- closed_load(threads = 200, loops = NULL, duration_s = 2, warm_up_s = 1)
  pool <- list(server.tomcat.threads.max = 500, "spring.datasource.hikari.maximum-pool-size" = 5)
  setup <- tomcat(tool, pool, "/api/query-test?kind=wait", 20)
  expect_equal(predicted(setup, "throughput_per_s"), 250, tolerance = 0.05)
  expect_equal(predicted(setup, "latency_mean_ms"), 800, tolerance = 0.05)
})

test_that("users who wait equally long ask together, at the highest rate", {
  loop <- function(tool) predicted(setup_of("event-loop", tool = tool, sleep_ms = 100), "cpu_us_per_request")
  closed <- function(...) loop(closed_load(threads = 10, loops = NULL, duration_s = 2, ...))
  at <- function(rate) loop(open_load(rate_per_s = rate, connections = 10000))
  # A hundred a second, and yet no rare requests.
  expect_equal(closed(), at(10000))
  expect_gt(at(100), at(10000))
  # Over a ramp-up they come one by one.
  expect_gt(closed(ramp_up_s = 1), at(10000))
})

test_that("an open loop gets what it asks for up to the bound, and then waits ever longer", {
  few <- list(server.tomcat.threads.max = 5)
  setup <- tomcat(open_load(rate_per_s = 40), few)
  expect_equal(predicted(setup, "throughput_per_s"), 40)
  expect_equal(predicted(setup, "latency_mean_ms"), 100, tolerance = 0.01)
  setup <- tomcat(open_load(rate_per_s = 100, duration_s = 8, warm_up_s = 0), few)
  expect_equal(predicted(setup, "throughput_per_s"), 50, tolerance = 0.02)
  # After t seconds the queue is t seconds long: 4 s on average, and the service time.
  expect_equal(predicted(setup, "latency_mean_ms"), 4100, tolerance = 0.01)
  # The answers to what is asked in the last second come too late to count.
  setup <- tomcat(open_load(rate_per_s = 10, duration_s = 4, warm_up_s = 0.5), sleep_ms = 1000)
  expect_equal(predicted(setup, "throughput_per_s"), 10 * 3.5 / 4, tolerance = 0.01)
  # So few connections that they are the bound.
  setup <- tomcat(open_load(rate_per_s = 100, connections = 2), few)
  expect_equal(predicted(setup, "throughput_per_s"), 20, tolerance = 0.01)
})

test_that("CPU per request is that of the simplest server of its kind at the same rate", {
  cpu <- function(mode, rate = 10000, ...) {
    predicted(setup_of(mode, tool = open_load(rate_per_s = rate, connections = 10000), ...), "cpu_us_per_request")
  }
  expect_equal(cpu("event-loop"), 65)
  expect_equal(cpu("thread-per-request"), 90)
  expect_equal(cpu("fixed-pool"), 68)
  expect_equal(cpu("virtual-thread-per-request"), 67)
  expect_equal(cpu("fixed-pool", 100, path = "/work?sleep_ms=0&cpu_us=500"), 500 + 140)
  expect_equal(cpu("virtual-thread-per-request", sleep_ms = 100), 74)
  expect_equal(cpu("fixed-pool", 100, sleep_ms = 10), 160)
  expect_equal(cpu("event-loop", sleep_ms = 100), 70)
  # Halfway between two rates on a scale of logarithms.
  expect_equal(cpu("event-loop", 1000), 97.5)
  rare <- setup_of("event-loop", tool = open_load(rate_per_s = 1000))
  expect_equal(predicted(rare, "cpu_us_per_request", "high"), 1.1 * 97.5)
})

test_that("a request on a connection that is kept must be woken on the mode's own kind of thread", {
  cpu <- function(mode) {
    kept <- setup_of(mode, tool = open_load(rate_per_s = 1000, connections = 100, keep_alive = TRUE))
    predicted(kept, "cpu_us_per_request")
  }
  modes <- c("thread-per-request", "fixed-pool", "virtual-thread-per-request", "event-loop")
  expect_equal(vapply(modes, cpu, 0, USE.NAMES = FALSE), c(10, 10, 15, 11))
})

test_that("a request to Tomcat has its own base, and a sleep or a statement is added", {
  cpu <- function(options, path = "/ping", ...) {
    predicted(tomcat(open_load(rate_per_s = 100, keep_alive = TRUE), options, path, ...), "cpu_us_per_request")
  }
  virtual <- list(spring.threads.virtual.enabled = TRUE)
  expect_equal(cpu(list(), sleep_ms = 0), 400)
  expect_equal(cpu(list(), sleep_ms = 100), 400 + 180 - 160)
  expect_equal(cpu(virtual, sleep_ms = 100), 400 + 150 - 135)
  # The answer of the database wakes the thread, so that its wait is no sleep besides.
  expect_equal(cpu(virtual, "/api/query-test?kind=wait", sleep_ms = 20), 400 + 170 - 120)
  # Neither is that of a remote; the thread that a call keeps is in the request, a worker's start is not.
  calling <- function(client, ...) cpu(c(list(remote.client = client), ...), "/v1/hello", sleep_ms = 1000)
  expect_equal(calling("blocking"), 400 + 300 - 160)
  expect_equal(calling("blocking", virtual), 400 + 300 - 160)
  expect_equal(calling("worker-threads"), 400 + 300 - 120)
  expect_equal(calling("event-loop"), 400 + 280 - 120)
  # False primitives may have differences that no request can cost.
  false <- copy(known_primitives)[primitive == "platform-thread-beside-request", mean := 1000]
  row <- predict_cell(tomcat(open_load(), sleep_ms = 100), false)[figure == "cpu_us_per_request"]
  expect_equal(row$predicted, least_us)
  # Nothing is predicted from primitives that are missing.
  without <- known_primitives[primitive != "tomcat-request"]
  rows <- predict_cell(tomcat(open_load(rate_per_s = 1000)), without)
  expect_equal(rows[is.finite(predicted)]$figure, c("throughput_per_s", "latency_mean_ms"))
})

test_that("what no primitive speaks of has a reason and no number", {
  silent <- function(setup) {
    rows <- predict_cell(setup, known_primitives)[figure == "cpu_us_per_request"]
    expect_equal(c(rows$predicted, rows$model), c(NA, no_prediction))
    setup$silent
  }
  logging <- list("registration.as-published" = TRUE)
  expect_match(silent(tomcat(open_load(), list(), "/api/file-test", 0)), "file")
  window <- closed_load(threads = 50, loops = NULL, warm_up_s = 0.5, duration_s = 1.5)
  expect_match(silent(tomcat(window, list(), "/api/file-test", 0)), "file")
  expect_match(silent(tomcat(open_load(), logging, "/registration", 0)), "exception")
  expect_match(silent(tomcat(open_load(), list(remote.client = "pooled"), "/v1/hello", 1000)), "pool of connections")
  expect_match(silent(tomcat(open_load(id = "wrk2", at_once = TRUE))), "no rate")
  expect_match(silent(setup_of("something-else", tool = open_load())), "do not know")
  expect_match(silent(setup_of("thread-per-request", tool = open_load(rate_per_s = 2503), sleep_ms = 2000)), "asleep at once")
  # Of the others the reason is empty.
  expect_equal(tomcat(open_load())$silent, "")
})

test_that("of a request that neither waits nor works no latency is predicted", {
  row <- predict_cell(setup_of("thread-per-request", tool = open_load()), known_primitives)[figure == "latency_mean_ms"]
  expect_equal(row$model, no_prediction)
  expect_match(why_unpredicted(setup_of("thread-per-request", tool = open_load()), row$figure), "idle CPU")
  work <- setup_of("fixed-pool", tool = open_load(), path = "/work?sleep_ms=0&cpu_us=500")
  expect_gt(predicted(work, "latency_mean_ms"), 0.5)
})

test_that("CPUs are the bound where nothing waits", {
  setup <- setup_of("thread-per-request", tool = closed_load(threads = 5000, loops = 1))
  expect_equal(predicted(setup, "throughput_per_s"), 1e6 / 90)
  expect_equal(predicted(setup, "throughput_per_s", "low"), 1e6 / 99)
  spread <- setup_of("thread-per-request", tool = closed_load(threads = 500, loops = 1, ramp_up_s = 1))
  expect_equal(predicted(spread, "throughput_per_s"), 500, tolerance = 1e-3)
})

test_that("a transaction of one row is a statement, and a connection made or borrowed for it", {
  costs <- rbind(
    primitive_rows("database-statement" = 30, "database-connect" = 200, "connection-borrow" = 1),
    primitive_rows("database-statement" = 50, "database-connect" = 300, statistic = "server")
  )
  figures <- function(tool, client, engine = "mariadb") {
    cell <- list(
      cell = list(study = "demo", mode = "mode", tier = "tier", tool = tool$id),
      configuration = list(
        mode = list(client = client), tool = tool, tier = list(path = "/point"), engine = list(id = engine)
      ),
      provenance = list(server_cpus = list(0), generator_cpus = list(1))
    )
    rows <- predict_cell(read_setup(cell), costs)[model != no_prediction]
    setNames(as.list(rows$predicted), rows$figure)
  }
  one <- list(id = "database-client", statement = "point", workers = 1, think_ms = 1)
  pooled <- figures(one, list(connections = "hikari", pool_size = 10))
  expect_equal(pooled$cpu_us_per_request, 50)
  expect_equal(pooled$latency_mean_ms, 0.081)
  expect_equal(pooled$throughput_per_s, 1e6 / 1081)
  new <- figures(one, list(connections = "new"))
  expect_equal(new$cpu_us_per_request, 350)
  # Many clients use up the slower side.
  many <- figures(modifyList(one, list(workers = 200)), list(pool_size = 100))
  expect_equal(many$throughput_per_s, 1e6 / 50, tolerance = 0.01)
  # What sysbench itself costs is not known, so that only the database's part is predicted.
  every_4 <- list(id = "sysbench", script = "oltp_point_select", clients = 10)
  expect_equal(figures(every_4, list(reconnect_every = 4)), list(cpu_us_per_request = 50 + 300 / 4))
  expect_length(figures(modifyList(one, list(statement = "read")), list()), 0)
  # The primitives are MariaDB's.
  expect_length(figures(every_4, list(), engine = "postgresql"), 0)
})

test_that("where a pool begins to win follows from the primitives", {
  row <- pool_crossovers(known_primitives, cpus = 1, sizes = 20)
  expect_equal(row$saving_us, 30 - 8)
  expect_equal(c(row$saving_us_low, row$saving_us_high), c(27 - 8.8, 33 - 7.2))
  expect_equal(row$same_from_us, 22 / 0.05)
  expect_equal(row$threads_most_per_s, 1e6 / 90)
  # 20 threads are a bound of 11,111/s where each holds a request for 1.8 ms.
  expect_equal(row$wins_below_wait_ms, 1.8)
})

test_that("repetitions are pooled by their geometric mean, and one that took no time is refused", {
  paths <- replicate(3, tempfile(fileext = ".csv"))
  costs <- data.table(
    primitive = "platform-park", rate_per_s = NA, statistic = "cpu", repetition = 1:3, value = c(2, 4, 8),
    unit = "us"
  )
  for (number in 1:3) fwrite(costs[number], paths[number])
  row <- summarise_primitives(paths)
  expect_equal(row$mean, 4)
  expect_equal(row$repetitions, 3)
  expect_lt(row$low, 4)
  expect_true(is.na(summarise_primitives(paths[1])$low))
  fwrite(costs[, value := 0], paths[1])
  expect_error(summarise_primitives(paths), "not above 0")
})
