summary_of_pair <- function(cell, per_s, pool_wait_ms = NA_real_) {
  with_cell_columns(data.table(cell$cell[c("study", "mode", "tier", "tool")] |> as.data.table(),
    repetition = 1L, outcome = "completed", valid = TRUE, throughput_per_s = per_s, pool_wait_mean_ms = pool_wait_ms
  ))
}
users_of <- function(cell, ...) occupy_modes(list(cell), summary_of_pair(cell, ...))[, .(waiting, connection, cpu, not_admitted)]
stand <- function(...) setNames(as.data.table(list(...)), c("waiting", "connection", "cpu", "not_admitted"))

test_that("users wait, or are not admitted, or are on a CPU, and all of them stand somewhere", {
  # 50 of 500 users are admitted, and sleep 100 ms.
  expect_equal(users_of(tomcat_cell(closed_load(), list(threads = 50)), 480), stand(48, 0, 2, 450))
  expect_equal(users_of(tomcat_cell(closed_load(), list(virtual = TRUE, permits = 50)), 500), stand(50, 0, 0, 450))
  expect_equal(users_of(tomcat_cell(closed_load(), list(virtual = TRUE)), 4700), stand(470, 0, 30, 0))
  # A carrier that is pinned admits one.
  pinned <- tomcat_cell(closed_load(users = 50), list(virtual = TRUE, lock = "synchronized"), "/api/lock-test", 20, jdk = 21)
  expect_equal(users_of(pinned, 49), stand(0.98, 0, 0.02, 49))
})

test_that("users before a pool of connections are those that its server counts", {
  query <- function(options) tomcat_cell(closed_load(users = 200), options, "/api/query-test", 20, holds = "connection")
  expect_equal(users_of(query(list(virtual = TRUE, pool = 10)), 490, 370), stand(9.8, 181.3, 8.9, 0))
  # Behind a semaphore of the pool's size no request waits for a connection, and where no wait is counted all who lack one are not admitted.
  expect_equal(users_of(query(list(threads = 500, permits = 10, pool = 10)), 490, 0.01), stand(9.8, 0.0049, 0.1951, 190))
  expect_equal(users_of(query(list(threads = 500, pool = 10)), 490), stand(9.8, 0, 0.2, 190))
})

test_that("a mode that serves more than its users allow has no users below 0", {
  expect_equal(users_of(tomcat_cell(closed_load(), list(threads = 50)), 6000), stand(500, 0, 0, 0))
})

test_that("open loops have no users, and the table is read back as it was written", {
  open <- tomcat_cell(open_load())
  expect_equal(nrow(occupy_modes(list(open), summary_of_pair(open, 100))), 0)
  cell <- tomcat_cell(closed_load(), list(threads = 50))
  rows <- occupy_modes(list(cell), summary_of_pair(cell, 480))
  path <- tempfile(fileext = ".csv")
  write_table(rows, path)
  expect_equal(read_occupancy(path), rows, ignore_attr = TRUE)
  expect_equal(nrow(read_occupancy(tempfile())), 0)
})
