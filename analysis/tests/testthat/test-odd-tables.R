# No number that is unknown, or 0, stops a verb that reads its table: each in turn.

run <- small_run()
measured <- measured_cells(run$paths)
summary <- measured$summary
capacity <- capacities_of(read_cells(run$curves))
primaries <- data.table(study = "demo", tier = "low", tool = "wrk2", mode = "fixed-pool", statistic = c("throughput_per_s", "latency_mean_ms"))
comparisons <- add_verdicts(rbind(compare_modes(measured), compare_capacities(capacity), fill = TRUE), primaries)
demo_cells <- read_cells(run$paths[1:2])

# A statistic of each way to estimate one.
estimated <- compared_statistics[, statistic[1], by = .(counts, weight, statistic %in% names(percentile_of))]$V1
one_statistic <- function(column) if (column %in% estimated) column else "throughput_per_s"
finding <- list(
  id = "one", study = "demo", pairs = list(pair = list(mode = "fixed-pool", tier = "low", tool = "wrk2", statistic = "throughput_per_s", holds = "better"))
)
demo_difference <- function(statistic) {
  list(list(
    id = "one", study = "demo", tool = "wrk2", tier = "low",
    difference = list(mode = "fixed-pool", baseline = "thread-per-request", statistic = statistic),
    counter = list(title = "started", unit = "", value = "threads_started / counted_requests"),
    swaps = list(list(does = "nothing", changes = list(mode = "fixed-pool")))
  ))
}
demo_claim <- function(statistic) {
  list(list(
    id = "one", source = "a", where = "b", claim = "c", published = "d", treatment = "same", differs = "", because = "e", rule = list(above = 1),
    decided_by = list(list(study = "demo", mode = "fixed-pool", baseline = "thread-per-request", tiers = "low", tool = "wrk2", statistic = statistic))
  ))
}

places <- data.table(id = 1L, study = "demo", tier = "low", tool = "wrk2", mode = "fixed-pool", baseline = "thread-per-request")
compared <- function(measured, wanted) add_verdicts(compare_places(measured, places, compared_statistics[statistic == wanted]), primaries)

# Those that read a column; slices would stand in for the summary, so there are none.
summary_verbs <- function(summary, column) {
  statistic <- one_statistic(column)
  measured <- as_measured(summary)
  causes <- list(causes = function() trace_causes(demo_difference(statistic), summary, no_slices()), bounds = function() bound_modes(demo_cells, summary))
  if (!column %in% c(estimated, "requests", "offered_per_s", "users", "sleep_ms")) return(causes)
  compare <- list(compare = function() compared(measured, statistic))
  if (column != "cpu_us_per_request") return(compare)
  c(causes, compare, list(
    claims = function() judge_claims(demo_claim(statistic), list(summary = summary, measured = measured, comparisons = comparisons[0], extras = read_claim_extras("")))
  ))
}

slice_verbs <- function(slices, column) {
  speed <- list(speed = function() with_usual_speed(slices, speed_law(slices)))
  if (column == "probe_us") return(speed)
  changed <- as_measured(summary, slices, measured$histograms)
  c(
    list(compare = function() compared(changed, one_statistic(column)), values = function() with_session_values(summary, slices, measured$histograms)),
    if (column == "cpu_us_per_request") speed,
    if (column == "throughput_per_s") list(causes = function() trace_causes(demo_difference(column), summary, slices))
  )
}

# Columns of the comparisons on which verdicts and findings rest.
comparison_verbs <- function(rows, column) {
  list(
    verdicts = function() add_verdicts(rows, primaries), findings = function() decide_findings(list(finding), rows),
    alarms = function() false_alarms(rows)
  )
}

# Columns that compared statistics and the counters of causes rest on.
used_of_summary <- c(
  intersect(estimated, names(summary)), "requests", "offered_per_s", "users", "sleep_ms", "counted_requests", "threads_started", "pool_wait_mean_ms"
)
expect_none_stopped <- function(table, verbs, columns = numbers_of(table), rows = seq_len(nrow(table))) expect_none(stopped_by_columns(table, columns, rows, verbs))

test_that("no value of the summary stops a verb", {
  expect_none_stopped(summary, summary_verbs, used_of_summary, which(summary$mode == "fixed-pool"))
})

test_that("no value of the slices stops a verb", {
  slices <- read_loads(run$paths)$slices
  used <- c(intersect(estimated, names(slices)), "requests_recorded", "answers_per_s", "duration_s", "probe_us")
  expect_none_stopped(slices, slice_verbs, used, which(slices$mode == "fixed-pool"))
})

test_that("no value of the comparisons stops a verb", {
  expect_none_stopped(comparisons, comparison_verbs, c("estimate", "low", "high", "mode_value", "baseline_value", "p_value", "equivalence_p_value", "df"))
})

test_that("no value of capacities stops a verb", {
  expect_none_stopped(capacity, function(capacity, column) {
    list(
      compare = function() compare_capacities(capacity), pool = function() pool_capacity(capacity), summary = function() with_capacities(summary, capacity)
    )
  }, rows = 1L)
})

test_that("no count of samples stops a verb", {
  groups <- group_cpu(run$paths, read_stack_groups(file.path(analysis_folder, "stack-groups.csv")))
  expect_none_stopped(groups, function(groups, column) list(moved = function() moved_rows(demo_difference("throughput_per_s"), groups)))
})
