test_that("both tools give the same percentiles of the same values", {
  values <- c(1:99, 500)
  folder <- new_folder()
  closed <- summarise_cell(read_cell(write_cell(folder, elapsed_ms = values)))
  open <- summarise_cell(read_cell(write_cell(folder, tool = "wrk2", histogram_ms = values)))
  figures <- c("mean", "sd", "min", "p50", "p90", "p95", "p99", "p99_9", "max")
  columns <- paste0("latency_", figures, "_ms")
  truth <- c(54.5, sqrt(mean((values - 54.5)^2)), 1, 50, 90, 95, 99, 500, 500)
  expect_equal(unlist(closed[, ..columns], use.names = FALSE), truth)
  expect_equal(unlist(open[, ..columns], use.names = FALSE), truth, tolerance = 1e-5)
})

test_that("failed requests count as the source counted them, and not in the primary figures", {
  path <- write_cell(
    new_folder(),
    elapsed_ms = c(10, 20, 30, 1000), codes = c("200", "200", "200", "Non HTTP: refused"),
    load = list(
      error_share = 0.25, responses_2xx = 3, errors = list(connect_refused = 1), received_bytes = 4 * 164, sent_bytes = 4 * 120
    )
  )
  row <- summarise_cell(read_cell(path))
  expect_equal(row$latency_mean_ms, 20)
  expect_equal(row$latency_max_ms, 30)
  expect_equal(row$latency_all_mean_ms, 265)
  expect_equal(row$latency_all_max_ms, 1000)
  expect_equal(row$error_percent, 25)
  expect_equal(row$errors, "connect_refused=1")
  # 4 samples from 0 ms to 30 + 1000 ms.
  expect_equal(row$throughput_all_per_s, 4 / 1.03)
  expect_equal(row$received_kib_per_s, 4 * 164 / 1024 / 1.03)
  expect_equal(row$sent_kib_per_s, 4 * 120 / 1024 / 1.03)
})

test_that("the server's figures are scaled to their units", {
  row <- summarise_cell(read_cell(write_cell(new_folder(), elapsed_ms = 1:10)))
  expect_equal(row$rss_peak_mib, 100)
  expect_equal(row$machine_context_switches_per_request, 4)
  expect_equal(c(row$session, row$warm_up_ended), c("session-1 on 0123456789ab", "idle"))
  expect_equal(c(row$slices_kept, row$rss_mib, row$idle_neighbors_share), c(4, 95, 0.001))
  expect_equal(c(row$generator, row$generator_version), c("Apache JMeter", "5.6.3"))
})

test_that("a server whose answers vary survives its load though it answers otherwise", {
  survived <- function(after, ...) {
    answers <- list(before = "ab", after = after)
    has_survived(list(outcome = "completed", answers = answers, configuration = list(mode = list(...))))
  }
  expect_equal(c(survived("ab"), survived("cd"), survived("cd", answers_vary = TRUE)), c(1, 0, 1))
})

test_that("counters, backend and rows are columns, and NA where a cell has none", {
  row <- summarise_cell(read_cell(write_cell(
    new_folder(), elapsed_ms = 1:10,
    server = list(
      counters = list(pool_waits = 10, pool_wait_ms = 50, pool_timeouts = 1), peak_accept_queue = 7
    ),
    backend = list(id = "mariadb", cpus = 0:1, cpu_share = 0.25, peak_rss_bytes = 2^20),
    answers = list(rows_before = 3, rows_after = 13),
    load = list(answers_per_s = 5, latency_mean_ms = 400, concurrency_offered = 4)
  )))
  expect_equal(unlist(row[, .(pool_waits, pool_wait_mean_ms, pool_timeouts, accept_queue_peak)]),
    c(pool_waits = 10, pool_wait_mean_ms = 5, pool_timeouts = 1, accept_queue_peak = 7)
  )
  # A quarter of two CPUs for 2 s, over ten requests.
  expect_equal(row$backend_cpu_us_per_request, 1e5)
  expect_equal(c(row$rows_before, row$rows_after, row$under_way, row$users), c(3, 13, 2, 4))
  expect_true(is.na(row$connections))
  none <- list(rows_before = NULL)
  plain <- summarise_cell(read_cell(write_cell(new_folder(), elapsed_ms = 1:10, server = list(counters = list()), answers = none)))
  none <- c("pool_waits", "backend", "backend_cpu_share", "rows_before")
  expect_true(all(is.na(plain[, ..none])))
})

test_that("counters belong to the requests of the whole load, and those of profiled slices to theirs", {
  summary_of <- function(server, ...) {
    summarise_cell(read_cell(write_cell(new_folder(), elapsed_ms = 1:10, server = server, ...)))
  }
  pinning <- list(counters = list(pinned = 30, pinned_ms = 600), counted_requests = 40)
  profiled <- list(counters = list(pinned = 12, pinned_ms = 240), requests = 10, counted_requests = 20)
  row <- summary_of(c(pinning, list(profiled = profiled)), profile = list(slices = 3, kept = 2))
  expect_equal(unlist(row[, .(counted_requests, pinned, pinned_ms)]), c(counted_requests = 40, pinned = 30, pinned_ms = 600))
  expect_equal(c(row$profiled_slices, row$profiled_kept), c(3, 2))
  expect_equal(c(row$profiled_requests, row$profiled_counted_requests), c(10, 20))
  expect_equal(c(row$profiled_pinned, row$profiled_pinned_ms), c(12, 240))
  # Nothing is drawn from profiled slices that were all left out.
  row <- summary_of(c(pinning, list(profiled = profiled)), profile = list(slices = 3, kept = 0))
  drawn <- c("profiled_requests", "profiled_counted_requests", "profiled_pinned", "profiled_pinned_ms")
  expect_true(all(is.na(row[, ..drawn])))
  expect_equal(row$pinned, 30)
  # A tool that does not count its warm-up. pinned_ms is not pinned.
  row <- summary_of(list(counters = list(pinned_ms = 600), counted_requests = NULL), load = list(answers_in_warm_up = 5, in_flight_at_end = 0))
  expect_equal(c(row$counted_requests, row$pinned, row$pinned_ms), c(NA, NA, 600))
})

test_that("records that do not say what their counters belong to are read, and the sum is made of the load", {
  cell <- read_cell(write_cell(
    new_folder(), elapsed_ms = 1:10,
    server = list(counters = list(pinned = 0, pinned_ms = 0), profiled = list(counters = list(pinned = 12, pinned_ms = 240), requests = 10)),
    load = list(answers_in_warm_up = 7, in_flight_at_end = 2, errors = list(connect_refused = 3, http_503 = 1))
  ))
  cell$server$counted_requests <- NULL
  row <- summarise_cell(cell)
  expect_equal(row$counted_requests, 10 + 7 + 2 - 3)
  # Outside of profiled slices nothing was counted: a zero is no count.
  expect_equal(c(row$pinned, row$pinned_ms, row$profiled_pinned, row$profiled_counted_requests), c(NA, NA, 12, NA))
  unknown <- write_cell(new_folder(), elapsed_ms = 1:10, server = list(counted_requests = NULL), load = list(answers_in_warm_up = NULL))
  expect_true(is.na(summarise_cell(read_cell(unknown))$counted_requests))
})

test_that("a cell names the commit that measured it, and an older one none", {
  commit_of <- function(provenance) {
    summarise_cell(read_cell(write_cell(new_folder(), elapsed_ms = 1:10, provenance = provenance)))$commit
  }
  expect_equal(commit_of(list(commit = "abc+changed")), "abc+changed")
  expect_equal(commit_of(list(commit = NULL)), NA_character_)
})

test_that("a step beyond the limits has its reason and no value", {
  path <- write_cell(
    new_folder(), tool = "wrk2", outcome = "beyond_limits", outcome_reason = "too many",
    validity = list(valid = FALSE, checks = list(list(id = "completed", passed = FALSE))),
    configuration = list(tool = list(rate_per_s = 99991, connections = 1e5)),
    load = list(requests_recorded = 0, error_share = 0, throughput_per_s = 0, duration_s = 0)
  )
  row <- summarise_cell(read_cell(path))
  expect_equal(row[, c(outcome, outcome_reason)], c("beyond_limits", "too many"))
  expect_equal(c(row$offered_per_s, row$connections), c(99991, 1e5))
  expect_true(all(is.na(row[, .(throughput_per_s, error_share, duration_s, latency_p50_ms)])))
})

test_that("corrected latency is primary, uncorrected stands beside it", {
  path <- write_cell(
    new_folder(), tool = "wrk2", histogram_ms = c(1, 900), uncorrected_ms = c(1, 2)
  )
  row <- summarise_cell(read_cell(path))
  expect_equal(row$latency_p99_ms, 900)
  expect_equal(row$latency_uncorrected_p99_ms, 2)
  expect_true(is.na(row$latency_all_p99_ms))
  expect_equal(row$received_kib_per_s, 1)
})

test_that("a server that refused is a row with its outcome and no latency", {
  path <- write_cell(
    new_folder(), outcome = "refused", outcome_reason = "no socket\nlistens",
    validity = list(valid = FALSE, checks = list(list(id = "alive_after", passed = FALSE)))
  )
  row <- summarise_cell(read_cell(path))
  expect_equal(row$outcome, "refused")
  expect_equal(row$outcome_reason, "no socket listens")
  expect_equal(row$failed_checks, "alive_after")
  expect_false(row$valid)
  expect_true(is.na(row$latency_p99_ms))
})

test_that("a server that died, or answers otherwise after its load, did not survive", {
  survived <- function(...) summarise_cell(read_cell(write_cell(new_folder(), elapsed_ms = 1:10, ...)))$survived
  same <- list(before = "a", after = "a")
  expect_equal(survived(answers = same), 1)
  expect_equal(survived(answers = same, outcome = "server_died"), 0)
  expect_equal(survived(answers = list(before = "a", after = "b")), 0)
  # One that still holds requests of its load is not asked.
  expect_equal(survived(answers = list(before = "a", after = NULL), outcome_reason = "3 requests in flight"), 1)
})

test_that("rows of both tools and of failures go into one table and come back the same", {
  folder <- new_folder()
  paths <- c(
    write_cell(folder, elapsed_ms = 1:10),
    write_cell(folder, tool = "wrk2", histogram_ms = 1:10, baseline = NULL),
    write_cell(folder, repetition = 2, outcome = "start_failed")
  )
  summary <- summarise_cells(paths)
  out <- file.path(folder, "summary.csv")
  write_table(summary, out)
  expect_equal(read_summary(out), summary, ignore_attr = TRUE)
})

test_that("what is wrong with a file is said with its name", {
  folder <- new_folder()
  path <- write_cell(folder, elapsed_ms = 1:3)
  expect_error(read_cell(file.path(folder, "none.json")), "none.json: no such file")
  expect_error(read_cell(write_cell(folder, mode = "another", elapsed_ms = 1:3, schema = 2)), "cell.json: schema 2 is not known; known: 3")
  writeLines("{\"schema\": 3, ", path)
  expect_error(read_cell(path), "cell.json: not JSON")
  writeLines("{\"schema\": 3}", path)
  expect_error(read_cell(path), "cell.json: no cell, session, labels")
})
