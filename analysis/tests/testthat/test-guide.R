guided <- function(...) {
  rows <- comparison_rows(
    tier = "high", mode = c("pool", "loop"), statistic = "cpu_us_per_request", better = "lower", estimate = c(0.5, 0.9), low = c(0.45, 0.8),
    high = c(0.55, 1.1), df = 4, verdict = c("lower", "undecided"), mode_value = c(50, 90), baseline_value = 100, equivalence_p_value = 0.5
  )
  with_columns(rows, ...)
}
guide_file <- file.path(analysis_folder, "guide.yaml")
place_keys <- c("study", "tier", "tool", "mode")

test_that("a mode stands as its verdict says, and what is no primary where its interval does", {
  expect_standing <- function(expected, ...) expect_equal(standing(guided(...)), expected)
  # A verdict goes before the interval.
  expect_standing(c("better", "open"))
  expect_standing(c("open", "open"), verdict = "undecided")
  expect_standing(c("worse", "same"), verdict = c("higher", "same"))
  expect_standing(c("fixed", "none"), verdict = c("fixed", "not comparable"))
  expect_standing(c("worse", "worse"), verdict = "lower", better = "higher")
  expect_standing(c("better", "open"), verdict = "")
  expect_standing(c("worse", "worse"), verdict = "", low = 1.01, high = 1.5)
  expect_standing(c("worse", "open"), verdict = "", effect = "difference", low = c(0.1, -0.1), high = 0.2)
  expect_standing(c("same", "open"), verdict = "", equivalence_p_value = c(0.04, 0.06))
  expect_standing(c("fixed", "fixed"), verdict = "", fixed = 1)
  expect_standing(c("none", "none"), verdict = "", reason = "throughputs differ by more than 20 %", low = NA_real_, high = NA_real_)
})

# ---- Primaries

test_that("the primaries are 40 to 60 comparisons, each once", {
  primaries <- read_primaries(guide_file)
  expect_gte(nrow(primaries), 40)
  power <- sprintf("analysis/guide.yaml: a pair more widens the 95 %% of each first verdict to %.3f %%; primaries", 100 * (1 - 0.05 / nrow(primaries)))
  expect_lte(nrow(primaries), 60, label = power)
  expect_equal(anyDuplicated(primaries), 0)
  expect_named(primaries, comparison_names)
  # Nothing is compared with itself.
  expect_equal(primaries[mode_facts(mode)$variant == "A/A", .N], 0)
})

test_that("pairs, rivals and predictions are measured by the experiment, or by its extras", {
  of_extras <- fread(text = lines_of_grid("print(Grid(grid.config | {'extras': ['heaps', 'rivals']}).grid_table(), end='')"))
  findings <- read_findings(guide_file)
  of_predictions <- rbindlist(lapply(read_predictions(guide_file), function(each) as.data.table(each[comparison_names])))
  expect_measured <- function(asked, grid) {
    expect_gt(nrow(asked), 20)
    missing <- asked[!grid, on = place_keys, paste(study, mode, tier, tool)]
    expect_equal(missing, character(), label = "analysis/guide.yaml: not in config.yaml")
    expect_true(all(asked$statistic %in% compared_statistics$statistic))
  }
  expect_measured(rbind(read_primaries(guide_file), places_of_pairs(findings)), grid_asked())
  expect_measured(read_rivals(findings), of_extras)
  expect_measured(of_predictions, of_extras)
})

test_that("primaries are read from findings and situations, but no pair without a verdict", {
  path <- tempfile(fileext = ".yaml")
  pair <- list(mode = "pool", baseline = "thread", tier = "high", tool = "wrk2", statistic = "rss_mib")
  finding <- list(id = "one", study = "demo", pairs = list(a = pair, b = modifyList(pair, list(tier = "low", without_verdict = TRUE))))
  situation <- list(study = "demo", tier = "high", tool = "sweep", statistic = "capacity_per_s", modes = c("pool", "loop"))
  yaml::write_yaml(list(situations = list(situation), findings = list(finding, finding)), path)
  expect_equal(read_primaries(path), data.table(
    study = "demo", tier = "high", tool = c("wrk2", "sweep", "sweep"), mode = c("pool", "pool", "loop"), statistic = c("rss_mib", rep("capacity_per_s", 2))
  ))
})

test_that("a prediction is refuted beyond its bound alone", {
  named <- function(...) list(of = "It", study = "demo", tier = "high", tool = "wrk2", statistic = "cpu_us_per_request", ...)
  judged <- judge_predictions(list(
    named(mode = "pool", at_least = 0.6), named(mode = "loop", at_most = 0.8), named(mode = "loop", at_most = 1), named(mode = "absent", at_least = 9)
  ), guided())
  expect_equal(judged$refuted, c(TRUE, TRUE, FALSE))
  expect_columns(
    judged[refuted == TRUE], mode = c("pool", "loop"), at_least = c(0.6, NA), at_most = c(NA, 0.8), estimate = c(0.5, 0.9)
  )
  expect_equal(
    read_back(judged, read_comparisons)[, .(mode, at_least, at_most, refuted == 1)], judged[, .(mode, at_least, at_most, refuted)], check.attributes = FALSE
  )
})

test_that("guide.yaml is valid by its schema, which refuses a condition that cannot fail", {
  changed <- function(from, to) {
    path <- tempfile(fileext = ".yaml")
    lines <- readLines(guide_file)
    at <- grep(from, lines, fixed = TRUE)[1]
    lines[at] <- sub(from, to, lines[at], fixed = TRUE)
    writeLines(lines, path)
    path
  }
  faults <- schema_faults("guide", c(
    guide_file, changed("holds: better", "holds: [better, same, worse]"), changed("holds: better", "holds: open"),
    changed("excluded_by: [same, worse]", "excluded_by: [open]")
  ))
  expect_true(all(mapply(grepl, c("^$", "findings.0.pairs", "findings.0.pairs", "findings.0.alternatives.0.excluded_by.0"), faults)), info = faults)
})

# ---- The experiment

test_that("each finding has a condition on one pair at least", {
  for (finding in read_findings(guide_file)) expect_gt(length(unlist(lapply(finding$pairs, `[[`, "holds"))), 0, label = finding$id)
})

test_that("a finding holds where each outcome is one of its own, and is unmeasured where a pair has no cell", {
  pair_of <- function(...) list(tier = "high", tool = "wrk2", statistic = "cpu_us_per_request", ...)
  finding <- list(id = "one", study = "demo", pairs = list(
    a = pair_of(mode = "pool", bounded = TRUE, holds = "better"), b = pair_of(mode = "loop", holds = c("better", "same"))
  ))
  facts <- no_facts()
  facts$loads <- rbind(facts$loads, list(study = "demo", tier = "high", tool = "wrk2", users = 500, wait_ms = 100), fill = TRUE)
  facts$modes <- rbind(facts$modes, list(study = "demo", mode = "thread", tier = "high", tool = "wrk2", admitted = 50), fill = TRUE)
  decided <- decide_findings(list(finding), guided(), facts)
  expect_columns(decided[1], users = 500, wait_ms = 100, mode_admitted = NA_real_, baseline_admitted = 50)
  expect_columns(
    decided, finding = "one", pair = c("a", "b"), outcome = c("better", "open"), expected = c("better", "better same"), holds = "open", bound_ratio = c(10, NA),
    mode_value = c(50, 90), baseline_value = 100
  )
  holds <- function(...) unique(decide_findings(list(finding), guided(...))$holds)
  expect_equal(holds(verdict = c("lower", "same")), "yes")
  # One that is refuted outweighs one that is open.
  expect_equal(holds(verdict = c("undecided", "higher")), "no")
  # A pair that gives values alone decides nothing.
  finding$pairs$b$holds <- NULL
  expect_equal(holds(verdict = c("lower", "higher")), "yes")
  expect_columns(
    decide_findings(list(finding), guided()[1]), pair = c("a", "b"), outcome = c("better", "none"), holds = "unmeasured", reason = c("", no_cell_of_it)
  )
  # One that cannot be decided has the reason.
  broken <- decide_findings(list(finding), rbind(guided(), guided()))
  expect_columns(broken, pair = c("a", "b"), outcome = "none", holds = "open")
  expect_match(broken$reason, "could not be computed: two comparisons of demo/pool/high/wrk2", all = FALSE)
  read <- read_back(decide_findings(list(finding), guided()), read_comparisons)
  expect_columns(read, outcome = c("better", "open"), expected = c("better", ""), holds = "yes")
})
