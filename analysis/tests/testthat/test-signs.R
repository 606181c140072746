guide_file <- file.path(analysis_folder, "guide.yaml")
signed <- Filter(function(finding) !is.null(finding$sign), read_findings(guide_file))

runs <- lapply(setNames(nm = names_of_runs(file.path(analysis_folder, "runs"))), read_shipped, folder = file.path(analysis_folder, "runs"))

# The signs of a shipped run, with its summary changed.
tried_in <- function(shipped, change = identity) {
  decided <- decide_findings(signed, add_verdicts(shipped$comparisons, read_primaries(guide_file)), shipped_facts(guide_file))
  try_signs(signed, decided, change(shipped$summary), shipped$occupancy)
}

# On a host of EPYC's second generation requests have 1.5 switches with SCHED_BATCH, too, and 2.6 without it: no count lies between the sides of all hosts.
not_shown <- "2026-11-29-epyc-3 wake-ups"

test_that("a sign shows in each run that measured it but one, with the effect and not without it", {
  tried <- rbindlist(lapply(runs, tried_in), idcol = "run")
  expect_equal(tried[state == "not shown", paste(run, finding)], not_shown)
  expect_equal(tried[, .N, by = run]$N, rep(length(signed), uniqueN(tried$run)))
  expect_gte(tried[state == "shown", uniqueN(finding)], 5)
})

test_that("a sign that is on both sides, or on neither, does not show", {
  state <- function(change) tried_in(runs[["2026-11-27-xeon"]], change)[finding == "wake-ups"]$state
  expect_equal(state(identity), "shown")
  for (switches in c(0, 1.4, 1.5, 9)) expect_equal(state(function(summary) copy(summary)[, machine_context_switches_per_request := switches]), "not shown")
  expect_equal(state(function(summary) copy(summary)[mode == "virtual-batch", machine_context_switches_per_request := NA_real_]), "not measured")
  expect_equal(state(function(summary) copy(summary)[, machine_context_switches_per_request := NULL]), "not measured")
})
