primary_of <- function(statistic) data.table(study = "demo", tier = "low", tool = "wrk2", mode = "pool", statistic = statistic)
finding_of <- function(statistic, holds) {
  list(list(id = "first", study = "demo", pairs = list(only = list(mode = "pool", tier = "low", tool = "wrk2", statistic = statistic, holds = holds))))
}

variants_of_finding <- function(measured, statistic, holds) {
  primaries <- primary_of(statistic)
  comparisons <- add_verdicts(compare_modes(measured), primaries)
  rows <- judge_variants(c(measured, list(capacity = no_capacities())), comparisons, finding_of(statistic, holds), primaries)
  expect_equal(nrow(take_problems()), 0)
  decided <- decide_findings(finding_of(statistic, holds), comparisons)
  expect_equal(rows[variant == "as it is", .(holds, estimate, low, high, verdict)], decided[, .(holds, estimate, low, high, verdict)])
  split(rows, by = "variant")
}

test_that("a disturbed round decides a finding only where no slice is excluded", {
  disturbed <- list(
    latency_p99_ms = c(8, 8.1, 7.9, 8, 8.1, 90), latency_mean_ms = c(8, 8.1, 7.9, 8, 8.1, 90), kept = c(rep(TRUE, 5), FALSE), reason = c(rep("", 5), "undisturbed")
  )
  quiet <- list(latency_mean_ms = c(10, 10.1, 9.9, 10, 9.9, 10.1))
  rows <- variants_of_finding(measured_of(turns(disturbed, quiet)), "latency_mean_ms", "better")
  expect_setequal(names(rows), c("as it is", "speed as measured", "all slices", "own noise alone", "mean of rounds", "all requests"))
  expect_equal(vapply(rows, function(row) row$holds, "")[["all slices"]], "open")
  expect_equal(unique(vapply(rows[names(rows) != "all slices"], function(row) row$holds, "")), "yes")
  expect_equal(rows[["all slices"]]$reason, not_measured_well)
})

test_that("a cell that lost too many slices counts where none is excluded", {
  lost <- list(latency_mean_ms = c(8, 8.1, 7.9, 8), kept = c(TRUE, FALSE, FALSE, FALSE), reason = c("", "compiled", "undisturbed", "undisturbed"), latency_valid = FALSE)
  measured <- measured_of(turns(lost, list(latency_mean_ms = c(10, 10.1, 9.9, 10))))
  measured$summary[mode == "pool", failed_checks := "rounds_kept"]
  rows <- variants_of_finding(measured, "latency_mean_ms", "better")
  expect_equal(rows[["as it is"]]$verdict, "not comparable")
  expect_equal(rows[["all slices"]]$verdict, "lower")
  # Not what failed for another reason.
  measured$summary[mode == "pool", failed_checks := "rounds_kept;settled"]
  expect_equal(variants_of_finding(measured, "latency_mean_ms", "better")[["all slices"]]$verdict, "not comparable")
})

test_that("CPU time as measured is that without the correction, in rounds of any speed", {
  own <- list(cpu_us_per_request = 80, cpu_us_measured = c(99, 101, 100, 100))
  slices <- turns(own, list(cpu_us_per_request = 100, cpu_us_measured = c(100, 100, 101, 99)))
  rows <- variants_of_finding(measured_of(slices), "cpu_us_per_request", "better")
  expect_equal(rows[["as it is"]]$estimate, 0.8)
  expect_equal(rows[["speed as measured"]]$estimate, 1)
  slower <- list(latency_mean_ms = c(8, 8.1, 7.9, 16), speed_server = c(1, 1, 1, 1.3))
  slices <- turns(slower, list(latency_mean_ms = 10, speed_server = 1))
  rows <- variants_of_finding(measured_of(slices), "latency_mean_ms", "better")
  expect_equal(rows[["as it is"]]$estimate, 0.8)
  expect_equal(rows[["speed as measured"]]$estimate, 1)
})

# Shipped runs whose sessions lie apart, or do not; each of a host.
lenders <- function(host, spread) {
  rows <- data.table(study = "demo", tier = "low", tool = "wrk2", mode = paste0("other-", 1:12), baseline = "thread", statistic = "throughput_per_s")
  rows[, `:=`(effect = "ratio", estimate = 1, reason = "", bound = "", host = ..host, spread = ..spread * exp(rnorm(.N, 0, 0.1)), pairs = 3, within = 0.01, df_within = 15, rounds = 18, least = 0)][]
}

test_that("what other runs lend decides, all of it or that of a host", {
  set.seed(1)
  known <- rbind(lenders("steady", 0.005), lenders("unsteady", 0.3))
  round_noise <- function(seed) 1000 * c(1.01, 0.99, 1, 1.01, 0.99, 1)
  slices <- turns(list(throughput_per_s = 1.15 * round_noise(1)), list(throughput_per_s = rev(round_noise(2))))
  rows <- variants_of_finding(measured_of(slices, offered_per_s = 1e6, known = known), "throughput_per_s", "better")
  holds <- vapply(rows, function(row) row$holds, "")
  expect_equal(holds[["as it is"]], "open")
  expect_equal(holds[["own noise alone"]], "yes")
  expect_equal(holds[["without host unsteady"]], "yes")
  expect_equal(holds[["without host steady"]], "open")
  width <- function(name) log(rows[[name]]$high / rows[[name]]$low)
  expect_gt(width("as it is"), 2 * width("without host unsteady"))
})

test_that("a mean of rounds does not weigh them, and all requests are one percentile", {
  slices <- turns(list(throughput_per_s = c(100, 100, 100, 1600), duration_s = c(1, 1, 1, 1)), list(throughput_per_s = 100))
  rows <- variants_of_finding(measured_of(slices, offered_per_s = 1e6), "throughput_per_s", "better")
  expect_equal(rows[["as it is"]]$reason, not_measured_well)
  slices <- turns(list(throughput_per_s = c(90, 110, 100, 140)), list(throughput_per_s = 100))
  rows <- variants_of_finding(measured_of(slices, offered_per_s = 1e6), "throughput_per_s", "better")
  expect_equal(rows[["as it is"]]$estimate, 1.1)
  expect_equal(rows[["mean of rounds"]]$estimate, exp(mean(log(c(0.9, 1.1, 1, 1.4)))))
  expect_equal(rows[["all requests"]]$estimate, 1.1)
})

test_that("one disturbed round of four decides a percentile of all requests, not one of blocks", {
  slices <- turns(list(latency_p99_ms = c(8, 8, 8, 40)), list(latency_p99_ms = 10))[, requests_recorded := 1000]
  steady <- function(p99) c(rep(1, 980), rep(p99, 20))
  of_mode <- list(pool = histogram_of(lapply(c(8, 8, 8, 40), steady)), thread = histogram_of(lapply(c(10, 10, 10, 10), steady)))
  measured <- measured_of(slices, histograms = histograms_named(slices, of_mode))
  base <- add_verdicts(compare_modes(measured), primary_of("latency_p99_ms"))
  effects <- effects_of_statistics(measured, base[statistic == "latency_p99_ms"])
  judged <- pool_requests(measured, effects$latency_p99_ms)
  expect_equal(exp(judged$centre), 0.8)
  of_mode$pool <- histogram_of(lapply(c(8, 8, 8, 40), function(p99) c(rep(1, 900), rep(p99, 100))))
  measured$histograms <- histograms_named(slices, of_mode)
  judged <- pool_requests(measured, effects_of_statistics(measured, base[statistic == "latency_p99_ms"])$latency_p99_ms)
  expect_equal(exp(judged$centre), 4)
  expect_equal(judged$df_within, 3)
  expect_lt(exp(pool_as_is(measured, effects_of_statistics(measured, base[statistic == "latency_p99_ms"])$latency_p99_ms)$centre), 2)
})

test_that("a finding that was not measured says so in each variant, and a table of before is empty", {
  rows <- judge_variants(list(summary = no_cells(), slices = no_slices(), capacity = no_capacities()), no_judged(), finding_of("throughput_per_s", "better"), primary_of("throughput_per_s"))
  expect_equal(unique(rows$holds), "unmeasured")
  expect_equal(names(rows), names(no_sensitivity()))
  path <- file.path(new_folder(), "sensitivity.csv")
  expect_equal(nrow(read_sensitivity(path)), 0)
  write_table(rows, path)
  expect_equal(read_sensitivity(path)$variant, rows$variant)
})
