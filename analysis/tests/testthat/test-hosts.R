# Comparisons of so many runs of each host, whose ratios differ between hosts by this standard deviation.
runs_of <- function(hosts, sd, count = 40, runs = 2, noise = 0.02, study = "quiet") {
  at_host <- matrix(rnorm(count * length(hosts), 0, sd), count)
  of_run <- function(host) {
    comparison_rows(
      study = study, tier = paste0("tier-", seq_len(count)), pairs = 1, noise = noise, host = hosts[host], estimate = 2 * exp(at_host[, host] + rnorm(count, 0, noise))
    )
  }
  rbindlist(lapply(rep(seq_along(hosts), runs), of_run))
}
hosts <- c("a", "b", "c")

test_that("hosts that differ by nothing but noise have the range of that noise, and others a wider one", {
  set.seed(1)
  same <- elsewhere(runs_of(hosts, 0), character())
  expect_lt(same$between_hosts[1], 0.01)
  expect_lt(same[, median(log(high_elsewhere / low_elsewhere)) / 2], 0.05)
  apart <- elsewhere(runs_of(hosts, 0.15), character())
  expect_equal(apart$between_hosts[1], 0.15, tolerance = 0.2)
  expect_gt(apart[, median(log(high_elsewhere / low_elsewhere)) / 2], 0.3)
  expect_true(all(apart[, hosts == 3 & low_elsewhere < centre_elsewhere & centre_elsewhere < high_elsewhere]))
})

test_that("studies that start something have a deviation of their own", {
  set.seed(2)
  rows <- rbind(runs_of(hosts, 0.15, study = "starting"), runs_of(hosts, 0))
  found <- elsewhere(rows, "starting")
  between <- unique(found[, .(starts, between_hosts)])
  expect_gt(between[starts == "yes", between_hosts], 0.1)
  expect_lt(between[starts == "no", between_hosts], 0.01)
  # In one class, what starts nothing would be as uncertain.
  expect_gt(elsewhere(rows, character())$between_hosts[1], 0.05)
})

test_that("a host that is left out lies in the range of the others in 95 of 100 cases, and one that is another kind does not", {
  set.seed(3)
  left <- rbindlist(lapply(1:5, function(run) hosts_left_out(runs_of(hosts, 0.1, 200), character())))
  expect_gt(left[, sum(held) / sum(comparisons)], 0.93)
  rows <- runs_of(hosts, 0.02, 200)
  odd <- hosts_left_out(rows[host == "c", estimate := 3 * estimate], character())
  expect_gt(odd[host == "c"]$score, 1.5 * odd[host == "a"]$score)
})

test_that("two hosts leave one degree of freedom, and a range that wide", {
  set.seed(5)
  rows <- elsewhere(runs_of(hosts[1:2], 0.1), character())
  half <- rows[, median(log(high_elsewhere / low_elsewhere)) / 2]
  # Student's t of one degree is 12.7, and the mean of two adds half of the variance.
  expect_equal(half, qt(0.975, 1) * sqrt(1.5) * rows$between_hosts[1], tolerance = 0.05)
})

test_that("one host has no range, and what the load fixes or bounds is none of it", {
  expect_equal(nrow(elsewhere(runs_of("a", 0), character())), 0)
  expect_equal(names(elsewhere(runs_of("a", 0), character())), names(no_elsewhere()))
  expect_equal(nrow(elsewhere(runs_of(hosts, 0)[, fixed := 1], character())), 0)
  expect_equal(nrow(elsewhere(runs_of(hosts, 0)[, bound := "at_least"], character())), 0)
  expect_equal(nrow(hosts_left_out(runs_of(hosts[1:2], 0), character())), 0)
})

test_that("the studies that start something are studies", {
  studies <- unique(unlist(lapply(read_findings(file.path(analysis_folder, "guide.yaml")), `[[`, "study")))
  starts <- read_starts(file.path(analysis_folder, "guide.yaml"))
  expect_true(length(starts) > 0 && any(starts %in% studies))
})
