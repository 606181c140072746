guided <- function(...) {
  rows <- data.table(
    study = "demo", tier = "high", tool = "wrk2", mode = c("pool", "loop"), baseline = "thread", statistic = "cpu_us_per_request",
    better = "lower", effect = "ratio", estimate = c(0.5, 0.9), low = c(0.45, 0.8), high = c(0.55, 1.1), df = 4, bound = "", reason = "",
    verdict = c("lower", "undecided"), mode_valid = 3, mode_invalid = 0, baseline_valid = 3, baseline_invalid = 0
  )
  changes <- list(...)
  for (column in names(changes)) set(rows, j = column, value = changes[[column]])
  rows[]
}

test_that("a mode stands as its verdict says, or by who keeps up", {
  expect_equal(standing(guided()), c("better", "open"))
  expect_equal(standing(guided(verdict = c("higher", "equivalent"))), c("worse", "same"))
  failed <- guided(verdict = "not comparable", reason = "no valid cells of its baseline (share_2xx)", baseline_valid = 0, baseline_invalid = 3)
  expect_equal(standing(failed), c("alone", "alone"))
  fell_behind <- guided(verdict = "not comparable", reason = "no valid cells of the mode (little)", mode_valid = 0, mode_invalid = 3)
  expect_equal(standing(fell_behind), c("out", "out"))
  expect_equal(standing(copy(fell_behind)[, tool := "jmeter"]), c("none", "none"))
})

test_that("the intervals of several modes hold together", {
  wider <- holding_together(guided())
  reach <- qt(0.025 / 2, 4) / qt(0.025, 4)
  expect_equal(log(wider$low / wider$estimate), reach * log(guided()$low / guided()$estimate))
  expect_equal(holding_together(guided()[1])$low, 0.45)
})

test_that("a situation has its winner, and one that was not measured no row", {
  situation <- list(
    title = "A demo", study = "demo", baseline = "thread", tier = "high", tool = "wrk2", statistics = "cpu_us_per_request"
  )
  summary <- data.table(study = "demo", tool = "wrk2", tier = "high")
  compared <- rbind(guided(), guided(statistic = "latency_p99_ms"))
  found <- compare_guide(list(situation, modifyList(situation, list(tier = "top"))), summary, no_slices(), compared)
  expect_equal(found[, .(mode, standing, best)], data.table(mode = c("pool", "loop"), standing = c("better", "open"), best = c(1, 0)))
  expect_equal(unique(found$situation), "A demo")
  path <- tempfile()
  write_table(compare_guide(list(situation), summary, no_slices(), compared[0]), path)
  expect_equal(nrow(read_comparisons(path)), 0)
})

test_that("of modes that are asked about none is left out, and capacity is that of the curve", {
  situation <- list(
    title = "Pool or loop", study = "demo", baseline = "thread", modes = "loop", tier = "high", tool = "wrk2",
    statistics = c("cpu_us_per_request", "rss_mib", "capacity_per_s")
  )
  memory <- guided(statistic = "rss_mib")
  capacity <- guided(statistic = "capacity_per_s", better = "higher", tool = "sweep", verdict = "higher")
  compared <- rbind(guided(verdict = "higher"), memory, capacity)
  found <- compare_guide(list(situation), data.table(study = "demo", tool = "wrk2", tier = "high", offered_per_s = 1, mode = "loop"), no_slices(), compared)
  expect_equal(found[, .(mode, statistic, standing)], data.table(
    mode = "loop", statistic = situation$statistics, standing = c("worse", "open", "better")
  ))
})

offered <- function(summary) copy(summary)[, offered_per_s := 100][]

test_that("a mode is compared with itself at another tier", {
  situation <- list(
    title = "When to start threads", study = "demo", baseline = "threads", baseline_tier = "fresh", modes = "threads", tier = "kept",
    tool = "wrk2", statistics = "cpu_us_per_request"
  )
  found <- compare_guide(list(situation), offered(demo_summary()), no_slices(), guided()[0])
  expect_equal(found[, .(mode, tier, baseline, standing)], data.table(
    mode = "threads", tier = "kept", baseline = "threads at fresh", standing = "better"
  ))
  expect_equal(found$estimate, (prod(c(101, 99, 101)) / prod(c(202, 198, 201)))^(1 / 3))
  expect_equal(nrow(compare_guide(list(modifyList(situation, list(tier = "top"))), offered(demo_summary()), no_slices(), guided()[0])), 0)
})

test_that("the guide's situations are measured by the experiment", {
  grid <- grid_asked()
  for (situation in read_guide(file.path(analysis_folder, "guide.yaml"))) {
    there <- grid[study == situation$study & tool == situation$tool]
    expect_true(situation$baseline %in% there[tier == c(situation$baseline_tier, situation$tier)[1]]$mode)
    # Some of its modes may be measured with depth=full alone.
    expect_true(is.null(situation$modes) || any(situation$modes %in% there[tier == situation$tier]$mode))
    if ("capacity_per_s" %in% situation$statistics) expect_true("sweep" %in% grid[study == situation$study & tier == situation$tier]$tool)
    expect_true(all(situation$statistics %in% compared_statistics$statistic))
  }
})

valid_cells <- function(...) {
  data.table(
    study = "demo", tier = "high", tool = "wrk2", outcome = "completed", valid = TRUE, session = c("s1", "s2"), ...
  )
}

test_that("a finding says what fits its outcomes, and nothing where a pair was not measured", {
  finding <- list(id = "one", study = "demo", pairs = list(
    a = list(mode = "pool", tier = "high", tool = "wrk2", statistic = "cpu_us_per_request", bound = list(users = 500, admitted = 50)),
    b = list(mode = "loop", tier = "high", tool = "wrk2", statistic = "cpu_us_per_request")
  ), told = list(list(when = list(a = "better", b = "same")), list(when = list(a = c("better", "same")))))
  cells <- valid_cells(mode = "pool", cpu_us_per_request = 50)
  decided <- decide_findings(list(finding), guided(), cells)
  expect_equal(decided[, .(finding, pair, outcome, chosen, bound_ratio)], data.table(
    finding = "one", pair = c("a", "b"), outcome = c("better", "open"), chosen = 2L, bound_ratio = c(10, NA)
  ))
  expect_equal(unique(decide_findings(list(finding), guided(verdict = c("lower", "equivalent")), cells)$chosen), 1L)
  expect_equal(unique(decide_findings(list(finding), guided(verdict = "higher"), cells)$chosen), NA_integer_)
  expect_equal(nrow(decide_findings(list(finding), guided()[1], cells)), 0)
  path <- tempfile()
  write_table(decide_findings(list(finding), guided(), cells), path)
  expect_equal(read_comparisons(path)$outcome, c("better", "open"))
})

test_that("a finding's values are those of the sessions that both sides have", {
  # The baseline's second session is not valid, the mode's is far off: the pair is of the first alone.
  cells <- rbind(
    valid_cells(mode = "thread", cpu_us_per_request = c(100, 900))[session == "s2", valid := FALSE],
    valid_cells(mode = "pool", cpu_us_per_request = c(50, 5))
  )
  expect_equal(shared_values(cells, guided()), data.table(baseline_value = c(100, NA), mode_value = c(50, NA)))
})

test_that("the findings are measured by the experiment, and their bounds are its users and pools", {
  grid <- grid_asked()
  config <- yaml::read_yaml(file.path(analysis_folder, "..", "config.yaml"), merge.precedence = "override")
  options <- options_asked()
  for (finding in read_findings(file.path(analysis_folder, "guide.yaml"))) {
    for (pair in finding$pairs) {
      expect_gt(nrow(grid[study == finding$study & mode == pair$mode & tier == pair$tier & tool == pair$tool]), 0)
      expect_true(pair$statistic %in% compared_statistics$statistic)
      users <- pair$bound$users
      if (!is.null(users)) expect_equal(config$studies[[finding$study]]$tiers[[pair$tier]][[pair$tool]]$users, users)
      connections <- pair$bound$connections
      if (!is.null(connections)) {
        expect_equal(options[[finding$study]][[pair$mode]]$pool, connections)
      }
    }
    for (told in finding$told) expect_true(all(names(told$when) %in% names(finding$pairs)))
  }
})
