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
  old <- data.table(session = "one", mode = "pool-again", versus = "pool", versus_median = 1, group = "demo", tool = "curve")
  new <- data.table(session = "one", mode = "pool-a-a", baseline = "pool", baseline_median = 1, comparison = "demo", tool = "sweep")
  expect_equal(with_new_names(copy(old)), new)
  expect_equal(with_new_names(copy(new)), new)
  # Groups of stacks stay.
  expect_named(with_new_names(data.table(mode = "pool", group = "write")), c("mode", "group"))
})

# ---- Shipped runs --------------------------------------------------------------------------------

xeon <- read_shipped(file.path(analysis_folder, "runs"), "2026-11-25-xeon")

test_that("a shipped run is compared by the rules of today", {
  row <- xeon$comparisons[
    study == "request-threads" & tier == "high" & tool == "wrk2" & mode == "fixed-pool" & baseline == "thread-per-request" & statistic == "cpu_us_per_request"
  ]
  expect_equal(row$reason, "")
  expect_true(row[, low >= 0.30 & estimate > low & estimate < high & high <= 0.42])
  expect_lt(row$p_value, 1e-3)
})

test_that("every pair of a shipped run divides to its estimate, or differs by it", {
  for (name in names_of_runs(file.path(analysis_folder, "runs"))) {
    rows <- read_shipped(file.path(analysis_folder, "runs"), name)$comparisons[is.finite(estimate) & statistic != "capacity_per_s"]
    expect_gt(nrow(rows), 100)
    expect_equal(rows[, fifelse(effect == "ratio", mode_value / baseline_value, mode_value - baseline_value)], rows$estimate, tolerance = 1e-6, info = name)
    expect_true(rows[, all(reason == "")], info = name)
    expect_lte(rows[effect == "ratio" & low > 0 & is.finite(high), max(high / low)], span_at_most)
  }
})

test_that("a falsified cell of a shipped run changes its ratio", {
  old <- function(change = identity) {
    folder <- file.path(analysis_folder, "runs", "2026-11-25-xeon")
    tables <- list(
      summary = change(read_summary(file.path(folder, "summary.csv"))), comparisons = read_comparisons(file.path(folder, "comparisons.csv")),
      capacity = read_capacity(file.path(folder, "capacity.csv"))
    )
    tables$summary <- tables$summary[study == "request-threads" & tier == "high" & tool == "wrk2"]
    old_comparisons(tables)[mode == "fixed-pool" & statistic == "cpu_us_per_request"]
  }
  doubled <- old(function(summary) summary[mode == "fixed-pool", cpu_us_per_request := 2 * cpu_us_per_request])
  expect_equal(doubled$estimate, 2 * old()$estimate)
  faster <- old(function(summary) summary[mode == "fixed-pool", throughput_per_s := 1.3 * throughput_per_s])
  expect_equal(faster$reason, "throughputs differ by more than 20 %")
})

test_that("rules of before that found what a mode did, or what makes latency longer, are read so", {
  expect_equal(rejudged(character()), list(valid = TRUE, latency_valid = TRUE))
  expect_equal(rejudged("settled"), list(valid = TRUE, latency_valid = FALSE))
  expect_equal(rejudged(c("share_2xx", "completed")), list(valid = TRUE, latency_valid = TRUE))
  expect_equal(rejudged(c("share_2xx", "observed")), list(valid = FALSE, latency_valid = FALSE))
})
