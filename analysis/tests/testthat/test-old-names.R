# A cell as schema 2 has it.
old_cell <- function(...) {
  write_cell(
    new_folder(), mode = "pool-again", schema = 2, histogram_ms = 1:10, tool = "wrk2",
    session = list(group = "pool"), labels = list(mode = list(versus = "pool", title = "pool-again")),
    load = list(requests_offered = NULL, requests_asked = 12),
    validity = list(checks = list(list(id = "treatment", passed = FALSE))), ...
  )
}

test_that("a cell of schema 2 is read with the new names", {
  path <- old_cell(configuration = list(
    study = list(server = list(package = "artifact.tomcat", jvm_options = "-Djdk.virtualThreadScheduler.parallelism=4")),
    tool = list(threads = 30), tier = list(path = "/api/query-test", sleep_ms = 20),
    mode = list(options = list(spring.threads.virtual.enabled = TRUE, requests.permits = 7, other = 1))
  ))
  cell <- read_cell(path)
  row <- summarise_cell(cell)
  expect_equal(
    row[, .(mode, baseline, comparison, mode_title, failed_checks, requests_offered, users)],
    data.table(
      mode = "pool-a-a", baseline = "pool", comparison = "pool", mode_title = "pool-a-a", failed_checks = "observed",
      requests_offered = 12, users = 30
    )
  )
  expect_equal(cell$configuration$mode$options, list(virtual = TRUE, permits = 7L, other = 1L))
  expect_equal(read_setup(cell)[c("kind", "holds_connection", "most_inside")], list(kind = "virtual", holds_connection = TRUE, most_inside = 7))
  expect_equal(cell$configuration$mode$carriers, 4)
  # Found by its new name, too.
  expect_equal(read_cell(sub("pool-again", "pool-a-a", path))$path, path)
})

test_that("the kind of an old mode follows from its class, where it has one that is known", {
  kind_of <- function(class, package = "artifact.sockets.mode") new_mode(list(class = class), list(package = package))$kind
  expect_equal(kind_of("FixedPoolAsPublished"), "pool")
  expect_equal(kind_of("VirtualThreadPerRequest"), "virtual")
  expect_equal(kind_of("ThreadPerRequest"), "thread-each")
  expect_equal(kind_of("EventLoop"), "event-loop")
  expect_equal(kind_of("Jetty"), "")
  expect_equal(kind_of("mvc.Application", "artifact.stacks"), "pool")
  expect_equal(kind_of("helidon.Service", "artifact.stacks"), "")
})

test_that("tables of before are read with the new names, and those of now as they are", {
  old <- data.table(session = "one", mode = "pool-again", versus = "pool", versus_median = 1, group = "demo", tool = "curve", ended = "top_of_ladder")
  new <- data.table(session = "one", mode = "pool-a-a", baseline = "pool", baseline_median = 1, comparison = "demo", tool = "sweep", ended = "highest_rate")
  expect_equal(with_new_names(copy(old)), new)
  expect_equal(with_new_names(copy(new)), new)
  # Groups of stacks stay.
  expect_named(with_new_names(data.table(mode = "pool", group = "write")), c("mode", "group"))
})
