occupied <- function(cell, per_s, pool_wait_ms = NA_real_) {
  summary <- data.table(as.data.table(cell$cell), repetition = 1L, outcome = "completed", valid = TRUE, throughput_per_s = per_s, pool_wait_mean_ms = pool_wait_ms)
  occupy_modes(list(cell), with_cell_columns(summary))
}
# Users that wait, hold a connection, are on a CPU, and are not admitted.
expect_users <- function(expected, ...) expect_equal(occupied(...)[, c(waiting, connection, cpu, not_admitted)], expected)
fifty <- tomcat_cell(closed_load(), list(threads = 50))

test_that("users wait, or are not admitted, or are on a CPU, and all of them stand somewhere", {
  # 50 of 500 users are admitted, and sleep 100 ms.
  expect_users(c(48, 0, 2, 450), fifty, 480)
  expect_users(c(50, 0, 0, 450), tomcat_cell(closed_load(), list(virtual = TRUE, permits = 50)), 500)
  expect_users(c(470, 0, 30, 0), tomcat_cell(closed_load(), list(virtual = TRUE)), 4700)
  # A carrier that is pinned admits one.
  pinned <- tomcat_cell(closed_load(users = 50), list(virtual = TRUE, lock = "synchronized"), "/api/lock-test", 20, jdk = 21)
  expect_users(c(0.98, 0, 0.02, 49), pinned, 49)
  # A mode that serves more than its users allow has no users below 0.
  expect_users(c(500, 0, 0, 0), fifty, 6000)
})

test_that("users before a pool of connections are those that its server counts", {
  query <- function(options) tomcat_cell(closed_load(users = 200), options, "/api/query-test", 20, holds = "connection")
  expect_users(c(9.8, 181.3, 8.9, 0), query(list(virtual = TRUE, pool = 10)), 490, 370)
  # Behind a semaphore of the pool's size no request waits for a connection, and where no wait is counted all who lack one are not admitted.
  expect_users(c(9.8, 0.0049, 0.1951, 190), query(list(threads = 500, permits = 10, pool = 10)), 490, 0.01)
  expect_users(c(9.8, 0, 0.2, 190), query(list(threads = 500, pool = 10)), 490)
})

test_that("open loops have no users", {
  expect_equal(nrow(occupied(tomcat_cell(open_load()), 100)), 0)
})
