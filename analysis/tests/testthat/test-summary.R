row_of <- function(...) summarise_cell(read_cell(write_cell(new_folder(), ...)))
answered <- function(...) row_of(elapsed_ms = 1:10, ...)
expect_unknown <- function(row, ...) expect_true(all(is.na(as.list(row)[c(...)])))

test_that("both tools give the same percentiles of the same values", {
  values <- c(1:99, 500)
  columns <- paste0("latency_", c("mean", "sd", "min", "p50", "p90", "p95", "p99", "p99_9", "max"), "_ms")
  truth <- c(54.5, sqrt(mean((values - 54.5)^2)), 1, 50, 90, 95, 99, 500, 500)
  for (row in list(row_of(elapsed_ms = values), row_of(tool = "wrk2", histogram_ms = values))) {
    expect_equal(unlist(row[, ..columns], use.names = FALSE), truth, tolerance = 1e-5)
  }
})

test_that("failed requests count as the source counted them, and not in the primary figures", {
  row <- row_of(
    elapsed_ms = c(10, 20, 30, 1000), codes = c("200", "200", "200", "Non HTTP: refused"),
    load = list(error_share = 0.25, responses_2xx = 3, errors = list(connect_refused = 1), received_bytes = 4 * 164, sent_bytes = 4 * 120)
  )
  # Four samples from 0 ms to 30 + 1000 ms.
  expect_columns(
    row, latency_mean_ms = 20, latency_max_ms = 30, latency_all_mean_ms = 265, latency_all_max_ms = 1000, error_percent = 25, errors = "connect_refused=1",
    throughput_all_per_s = 4 / 1.03, received_kib_per_s = 4 * 164 / 1024 / 1.03, sent_kib_per_s = 4 * 120 / 1024 / 1.03
  )
})

test_that("the server's figures are scaled to their units", {
  expect_columns(
    answered(provenance = list(commit = "abc")), commit = "abc", rss_peak_mib = 100, machine_context_switches_per_request = 4, session = "session-1 on 0123456789ab", warm_up_ended = "idle", slices_kept = 4,
    rss_mib = 95, generator = "Apache JMeter", generator_version = "5.6.3"
  )
})

test_that("counters and backend are columns, and NA where a cell has none", {
  row <- answered(
    server = list(counters = list(pool_waits = 10, pool_wait_ms = 50), peak_accept_queue = 7),
    backend = list(id = "mariadb", cpus = 0:1, cpu_share = 0.25, peak_rss_bytes = 2^20),
    load = list(answers_per_s = 5, latency_mean_ms = 400, concurrency_offered = 4)
  )
  # A quarter of two CPUs for 2 s, over ten requests.
  expect_columns(
    row, pool_waits = 10, pool_wait_mean_ms = 5, accept_queue_peak = 7, backend_cpu_us_per_request = 1e5, under_way = 2, users = 4
  )
  expect_unknown(row, "connections")
  expect_unknown(answered(server = list(counters = list())), "pool_waits", "backend")
})

test_that("pinned is not pinned_ms", {
  expect_columns(answered(server = list(counters = list(pinned_ms = 600), counted_requests = 40)), counted_requests = 40, pinned = NA_real_, pinned_ms = 600)
})

test_that("a step beyond the limits has its reason and no value", {
  row <- row_of(
    tool = "wrk2", outcome = "beyond_limits", outcome_reason = "too many", validity = list(valid = FALSE, checks = list(list(id = "completed", passed = FALSE))),
    configuration = list(tool = list(rate_per_s = 99991, connections = 1e5)), load = list(requests_recorded = 0, error_share = 0, throughput_per_s = 0, duration_s = 0)
  )
  expect_columns(row, outcome = "beyond_limits", outcome_reason = "too many", offered_per_s = 99991, connections = 1e5)
  expect_unknown(row, "throughput_per_s", "error_share", "duration_s", "latency_p50_ms")
})

test_that("corrected latency is primary, uncorrected stands beside it", {
  row <- row_of(tool = "wrk2", histogram_ms = c(1, 900), uncorrected_ms = c(1, 2))
  expect_columns(row, latency_p99_ms = 900, latency_uncorrected_p99_ms = 2, received_kib_per_s = 1)
  expect_unknown(row, "latency_all_p99_ms")
})

test_that("a server that died, or answers otherwise after its load, did not survive, unless its answers vary", {
  survived <- function(after, ..., answers_vary = NULL) {
    answered(answers = list(before = "a", after = after), configuration = list(mode = list(answers_vary = answers_vary)), ...)$survived
  }
  expect_equal(c(survived("a"), survived("a", outcome = "server_died"), survived("b"), survived("b", answers_vary = TRUE)), c(1, 0, 0, 1))
  # One that still holds requests of its load is not asked.
  expect_equal(survived(NULL, outcome_reason = "3 requests in flight"), 1)
})

test_that("a file that is wrong is named, with the reason", {
  folder <- new_folder()
  path <- write_cell(folder, elapsed_ms = 1:3)
  expect_error(read_cell(file.path(folder, "none.json")), "none.json: no such file")
  expect_error(row_of(elapsed_ms = 1:3, schema = 2), "cell.json: schema 2 is not known; known: 3")
  writeLines("{\"schema\": 3, ", path)
  expect_error(read_cell(path), "cell.json: not JSON")
  writeLines("{\"schema\": 3}", path)
  expect_error(read_cell(path), "cell.json: no cell, session, labels")
})
