primary_of <- function(statistic) data.table(study = "demo", tier = "low", tool = "wrk2", mode = "pool", statistic = statistic)
finding_of <- function(statistic) {
  list(list(id = "first", study = "demo", pairs = list(only = list(mode = "pool", tier = "low", tool = "wrk2", statistic = statistic, holds = "better"))))
}

# The variants of a finding that holds where the pool is better, by their names.
variants_of_finding <- function(measured, statistic) {
  primaries <- primary_of(statistic)
  comparisons <- add_verdicts(compare_modes(measured, compared_statistics[statistic == primaries$statistic]), primaries)
  rows <- judge_variants(c(measured, list(capacity = no_capacities())), comparisons, finding_of(statistic), primaries)
  expect_equal(nrow(take_problems()), 0)
  decided <- decide_findings(finding_of(statistic), comparisons)
  expect_equal(rows[variant == "as it is", .(holds, estimate, low, high, verdict)], decided[, .(holds, estimate, low, high, verdict)])
  split(rows, by = "variant")
}
of_variants <- function(rows, column) vapply(rows, function(row) row[[column]], rows[[1]][[column]])

test_that("a disturbed round decides a finding only where no slice is excluded", {
  latency_ms <- c(8, 8.1, 7.9, 8, 8.1, 90)
  disturbed <- list(latency_p99_ms = latency_ms, latency_mean_ms = latency_ms, kept = c(rep(TRUE, 5), FALSE), reason = c(rep("", 5), "undisturbed"))
  rows <- variants_of_finding(measured_of(turns(disturbed, list(latency_mean_ms = c(10, 10.1, 9.9, 10, 9.9, 10.1)))), "latency_mean_ms")
  expect_mapequal(of_variants(rows, "holds"), c(
    "as it is" = "yes", "speed as measured" = "yes", "all slices" = "open", "own noise alone" = "yes", "mean of rounds" = "yes", "all requests" = "yes"
  ))
  expect_equal(rows[["all slices"]]$reason, not_measured_well)
})

test_that("a cell that lost too many slices counts where none is excluded", {
  lost <- list(latency_mean_ms = c(8, 8.1, 7.9, 8), kept = c(TRUE, FALSE, FALSE, FALSE), reason = c("", "compiled", "undisturbed", "undisturbed"), latency_valid = FALSE)
  measured <- measured_of(turns(lost, list(latency_mean_ms = c(10, 10.1, 9.9, 10))))
  verdicts <- function(failed) {
    measured$summary[mode == "pool", failed_checks := failed]
    of_variants(variants_of_finding(measured, "latency_mean_ms"), "verdict")[c("as it is", "all slices")]
  }
  expect_equal(unname(verdicts("rounds_kept")), c("not comparable", "lower"))
  # Not what failed for another reason.
  expect_equal(verdicts("rounds_kept;settled")[["all slices"]], "not comparable")
})

test_that("CPU time as measured is that without the correction, in rounds of any speed", {
  expect_estimates <- function(slices, statistic) {
    rows <- variants_of_finding(measured_of(slices), statistic)
    expect_equal(c(rows[["as it is"]]$estimate, rows[["speed as measured"]]$estimate), c(0.8, 1))
  }
  own <- list(cpu_us_per_request = 80, cpu_us_measured = c(99, 101, 100, 100))
  expect_estimates(turns(own, list(cpu_us_per_request = 100, cpu_us_measured = c(100, 100, 101, 99))), "cpu_us_per_request")
  slower <- list(latency_mean_ms = c(8, 8.1, 7.9, 16), speed_server = c(1, 1, 1, 1.3))
  expect_estimates(turns(slower, list(latency_mean_ms = 10, speed_server = 1)), "latency_mean_ms")
})

# Shipped runs whose sessions lie apart, or do not; each of a host.
lenders <- function(host, spread) {
  comparison_rows(mode = paste0("other-", 1:12), estimate = 1, host = host, spread = spread * exp(rnorm(12, 0, 0.1)), df_within = 15, rounds = 18)
}

test_that("noise that other runs lend decides, all of it or that of a host", {
  set.seed(1)
  known <- rbind(lenders("steady", 0.005), lenders("unsteady", 0.3))
  rounds <- 1000 * c(1.01, 0.99, 1, 1.01, 0.99, 1)
  slices <- turns(list(throughput_per_s = 1.15 * rounds), list(throughput_per_s = rev(rounds)))
  rows <- variants_of_finding(measured_of(slices, offered_per_s = 1e6, known = known), "throughput_per_s")
  expect_equal(
    of_variants(rows, "holds")[c("as it is", "own noise alone", "without host unsteady", "without host steady")],
    c("as it is" = "open", "own noise alone" = "yes", "without host unsteady" = "yes", "without host steady" = "open")
  )
  width <- function(name) log(rows[[name]]$high / rows[[name]]$low)
  expect_gt(width("as it is"), 2 * width("without host unsteady"))
})

test_that("a mean of rounds does not weigh them, and all requests are one percentile", {
  rows_of <- function(...) variants_of_finding(measured_of(turns(list(throughput_per_s = c(...)), list(throughput_per_s = 100)), offered_per_s = 1e6), "throughput_per_s")
  expect_equal(rows_of(100, 100, 100, 1600)[["as it is"]]$reason, not_measured_well)
  estimates <- of_variants(rows_of(90, 110, 100, 140), "estimate")
  expect_equal(unname(estimates[c("as it is", "mean of rounds", "all requests")]), c(1.1, exp(mean(log(c(0.9, 1.1, 1, 1.4)))), 1.1))
})

test_that("one disturbed round of four decides a percentile of all requests, not one of blocks", {
  slices <- turns(list(latency_p99_ms = c(8, 8, 8, 40)), list(latency_p99_ms = 10))[, requests_recorded := 1000]
  pooled <- function(slow, pool) {
    of_mode <- lapply(list(pool = c(8, 8, 8, 40), thread = rep(10, 4)), function(p99) histogram_of(lapply(p99, function(p99) c(rep(1, 1000 - slow), rep(p99, slow)))))
    measured <- measured_of(slices, histograms = histograms_named(slices, of_mode))
    base <- compare_modes(measured, compared_statistics[statistic == "latency_p99_ms"])
    pool(measured, effects_of_statistics(measured, base)$latency_p99_ms)
  }
  expect_equal(exp(pooled(20, pool_requests)$centre), 0.8)
  expect_equal(pooled(100, pool_requests)[, c(exp(centre), df_within)], c(4, 3))
  expect_lt(exp(pooled(100, pool_as_is)$centre), 2)
})
