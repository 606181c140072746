guided <- function(...) {
  rows <- data.table(
    study = "demo", tier = "high", tool = "wrk2", mode = c("pool", "loop"), baseline = "thread", statistic = "cpu_us_per_request",
    better = "lower", effect = "ratio", estimate = c(0.5, 0.9), low = c(0.45, 0.8), high = c(0.55, 1.1), df = 4, bound = "", reason = "",
    fixed = 0, verdict = c("lower", "undecided"), mode_value = c(50, 90), baseline_value = 100, equivalence_p_value = 0.5
  )
  changes <- list(...)
  for (column in names(changes)) set(rows, j = column, value = changes[[column]])
  rows[]
}

test_that("a mode stands as its verdict says", {
  expect_equal(standing(guided()), c("better", "open"))
  expect_equal(standing(guided(verdict = c("higher", "same"))), c("worse", "same"))
  expect_equal(standing(guided(verdict = c("fixed", "not comparable"))), c("fixed", "none"))
  expect_equal(standing(guided(verdict = "lower", better = "higher")), c("worse", "worse"))
  # A verdict goes before the interval.
  expect_equal(standing(guided(verdict = "undecided")), c("open", "open"))
})

test_that("what is no primary stands where its interval does", {
  expect_equal(standing(guided(verdict = "")), c("better", "open"))
  expect_equal(standing(guided(verdict = "", low = 1.01, high = 1.5)), c("worse", "worse"))
  expect_equal(standing(guided(verdict = "", effect = "difference", low = c(0.1, -0.1), high = 0.2)), c("worse", "open"))
  expect_equal(standing(guided(verdict = "", equivalence_p_value = c(0.04, 0.06))), c("same", "open"))
  expect_equal(standing(guided(verdict = "", fixed = 1)), c("fixed", "fixed"))
  expect_equal(standing(guided(verdict = "", reason = "throughputs differ by more than 20 %", low = NA_real_, high = NA_real_)), c("none", "none"))
})

demo_situation <- function(...) {
  modifyList(list(
    title = "A demo", study = "demo", baseline = "thread", tier = "high", tool = "wrk2", statistics = "cpu_us_per_request"
  ), list(...))
}

test_that("a situation has its modes, the best first, and what was not measured has the reason", {
  compared <- rbind(guided()[2:1], guided(statistic = "latency_p99_ms"))
  found <- compare_guide(list(demo_situation(), demo_situation(tier = "top")), compared)
  expect_equal(found[, .(situation, mode, standing)], data.table(
    situation = "A demo", mode = c("pool", "loop", ""), standing = c("better", "open", "none")
  ))
  expect_equal(found[3, .(tier, reason, estimate)], data.table(tier = "top", reason = no_cell_of_it, estimate = NA_real_))
  named <- compare_guide(list(demo_situation(modes = c("loop", "other"))), compared)
  expect_equal(named[, .(mode, reason)], data.table(mode = c("loop", "other"), reason = c("", no_cell_of_it)))
  faster <- rbind(guided()[2:1])[, better := "higher"]
  expect_equal(compare_guide(list(demo_situation()), faster)$mode, c("loop", "pool"))
  path <- tempfile()
  write_table(compare_guide(list(demo_situation()), compared[0]), path)
  expect_equal(read_comparisons(path)[, .(standing, reason)], data.table(standing = "none", reason = no_cell_of_it))
})

test_that("of modes that are asked about none is left out, and capacity is that of the curve", {
  situation <- demo_situation(modes = "loop", statistics = c("cpu_us_per_request", "rss_mib", "capacity_per_s"))
  capacity <- guided(statistic = "capacity_per_s", better = "higher", tool = "sweep", verdict = "higher")
  found <- compare_guide(list(situation), rbind(guided(verdict = "higher"), guided(statistic = "rss_mib"), capacity))
  expect_equal(found[, .(mode, statistic, standing)], data.table(
    mode = "loop", statistic = situation$statistics, standing = c("worse", "open", "better")
  ))
})

test_that("a mode is compared with itself at another tier", {
  slices <- rbind(turns(list(cpu_us_per_request = 200))[, tier := "fresh"], turns(list(cpu_us_per_request = 100))[, tier := "kept"])
  situation <- demo_situation(baseline = "pool", baseline_tier = "fresh", modes = "pool", tier = "kept")
  across <- compare_tiers(list(situation), measured_of(slices))
  expect_equal(across[, .(mode, tier, baseline, estimate, mode_value)], data.table(
    mode = "pool", tier = "kept", baseline = "pool at fresh", estimate = 0.5, mode_value = 100
  ))
  found <- compare_guide(list(situation), add_verdicts(across, across[0, comparison_names, with = FALSE]))
  expect_equal(found[, .(situation, verdict)], data.table(situation = "A demo", verdict = ""))
  expect_null(compare_tiers(list(demo_situation(baseline = "pool", baseline_tier = "fresh", modes = "pool", tier = "top")), measured_of(slices)))
  expect_null(compare_tiers(list(demo_situation()), measured_of(slices)))
})

# ---- Primaries -----------------------------------------------------------------------------------

guide_file <- file.path(analysis_folder, "guide.yaml")

test_that("the primaries are 40 to 60 comparisons that the experiment measures, each once", {
  primaries <- read_primaries(guide_file)
  expect_gte(nrow(primaries), 40)
  power <- sprintf("analysis/guide.yaml: a pair more widens the 95 %% of each first verdict to %.3f %%; primaries", 100 * (1 - 0.05 / nrow(primaries)))
  expect_lte(nrow(primaries), 60, label = power)
  expect_equal(anyDuplicated(primaries), 0)
  expect_named(primaries, comparison_names)
  measured <- primaries[unique(grid_asked()[, .(study, tier, tool, mode)]), on = c("study", "tier", "tool", "mode"), nomatch = NULL]
  missing <- primaries[!measured, on = c("study", "tier", "tool", "mode")]
  expect_equal(missing[, paste(study, mode, tier, tool)], character(), label = "analysis/guide.yaml: pairs that config.yaml does not measure")
  # Nothing is compared with itself.
  expect_equal(primaries[mode_facts(mode)$variant == "A/A", .N], 0)
  expect_true(all(primaries$statistic %in% compared_statistics$statistic))
})

test_that("every pair of a finding with a verdict is a primary, and so is the first statistic of situations", {
  primaries <- read_primaries(guide_file)
  pairs <- rbindlist(lapply(read_findings(guide_file), function(finding) {
    with_verdict <- Filter(function(pair) is.null(pair$without_verdict), finding$pairs)
    rbindlist(lapply(with_verdict, function(pair) c(finding["study"], pair[c("tier", "tool", "mode", "statistic")])))
  }))
  expect_gt(nrow(pairs), 10)
  expect_equal(nrow(pairs[!primaries, on = comparison_names]), 0)
  firsts <- rbindlist(lapply(Filter(function(situation) is.null(situation$baseline_tier), read_guide(guide_file)), function(situation) {
    first <- situation$statistics[1]
    tool <- if (first == "capacity_per_s") "sweep" else situation$tool
    modes <- setdiff(situation$modes, situation$without_verdict)
    if (length(modes) > 0) data.table(study = situation$study, tier = situation$tier, tool, mode = modes, statistic = first)
  }))
  expect_gt(nrow(firsts), 10)
  expect_equal(nrow(firsts[!primaries, on = comparison_names]), 0)
  # No other.
  expect_equal(nrow(primaries[!unique(rbind(pairs, firsts)), on = comparison_names]), 0)
})

test_that("primaries are read from findings and situations, and no statistic but the first, nor a mode without a verdict", {
  path <- tempfile(fileext = ".yaml")
  pair <- list(mode = "pool", baseline = "thread", tier = "high", tool = "wrk2", statistic = "rss_mib")
  finding <- list(id = "one", study = "demo", pairs = list(a = pair, b = modifyList(pair, list(tier = "low", without_verdict = TRUE))))
  situations <- list(
    demo_situation(modes = list("pool", "loop", "shown"), without_verdict = list("shown"), statistics = list("capacity_per_s", "rss_mib")),
    demo_situation(modes = list("pool"), without_verdict = list("pool"), tier = "low"),
    demo_situation(modes = list("pool"), tier = "low", baseline_tier = "high")
  )
  yaml::write_yaml(list(situations = situations, findings = list(finding, finding)), path)
  expect_equal(read_primaries(path), data.table(
    study = "demo", tier = "high", tool = c("wrk2", "sweep", "sweep"), mode = c("pool", "pool", "loop"), statistic = c("rss_mib", rep("capacity_per_s", 2))
  ))
})

test_that("each prediction is of a comparison that the experiment measures, and is refuted beyond its bound alone", {
  grid <- fread(text = lines_of_grid("print(Grid(grid.config | {'extras': ['rivals']}).grid_table(), end='')"))
  asked <- rbindlist(lapply(read_predictions(guide_file), function(each) as.data.table(each[comparison_names])))
  expect_gt(nrow(asked), 20)
  expect_equal(asked[!grid, on = c("study", "tier", "tool", "mode"), paste(mode, tier)], character())
  expect_true(all(asked$statistic %in% compared_statistics$statistic))
  named <- function(...) list(of = "It", study = "demo", tier = "high", tool = "wrk2", statistic = "cpu_us_per_request", ...)
  judged <- judge_predictions(list(
    named(mode = "pool", at_least = 0.6), named(mode = "loop", at_most = 0.8), named(mode = "loop", at_most = 1), named(mode = "absent", at_least = 9)
  ), guided())
  expect_equal(judged$refuted, c(TRUE, TRUE, FALSE))
  expect_equal(judged[refuted == TRUE, .(mode, at_least, at_most, estimate)], data.table(
    mode = c("pool", "loop"), at_least = c(0.6, NA), at_most = c(NA, 0.8), estimate = c(0.5, 0.9)
  ))
  path <- tempfile()
  write_table(judged, path)
  expect_equal(read_comparisons(path)[, .(mode, at_least, at_most, refuted == 1)], judged[, .(mode, at_least, at_most, refuted)], check.attributes = FALSE)
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
    changed("excluded_by: [same, worse]", "excluded_by: [open]"), changed("        swap: ", "        swop: ")
  ))
  named <- c("^$", "findings.0.pairs", "findings.0.pairs", "findings.0.alternatives.0.excluded_by.0", "swop")
  expect_true(all(mapply(grepl, named, faults)), info = faults)
})

# ---- The experiment ------------------------------------------------------------------------------

test_that("the guide's situations are measured by the experiment", {
  grid <- grid_asked()
  for (situation in read_guide(file.path(analysis_folder, "guide.yaml"))) {
    there <- grid[study == situation$study & tool == situation$tool]
    expect_true(situation$baseline %in% there[tier == c(situation$baseline_tier, situation$tier)[1]]$mode)
    # Some of its modes may be of an extra.
    expect_true(is.null(situation$modes) || any(situation$modes %in% there[tier == situation$tier]$mode))
    expect_true(all(situation$without_verdict %in% situation$modes))
    if ("capacity_per_s" %in% situation$statistics) expect_true("sweep" %in% grid[study == situation$study & tier == situation$tier]$tool)
    expect_true(all(situation$statistics %in% compared_statistics$statistic))
  }
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
  expect_equal(decided[1, .(users, wait_ms, mode_admitted, baseline_admitted)], data.table(users = 500, wait_ms = 100, mode_admitted = NA_real_, baseline_admitted = 50))
  expect_equal(decided[, .(finding, pair, outcome, expected, holds, bound_ratio, mode_value, baseline_value)], data.table(
    finding = "one", pair = c("a", "b"), outcome = c("better", "open"), expected = c("better", "better same"), holds = "open", bound_ratio = c(10, NA),
    mode_value = c(50, 90), baseline_value = 100
  ))
  holds <- function(...) unique(decide_findings(list(finding), guided(...))$holds)
  expect_equal(holds(verdict = c("lower", "same")), "yes")
  expect_equal(holds(verdict = "higher"), "no")
  # One that is refuted outweighs one that is open.
  expect_equal(holds(verdict = c("undecided", "higher")), "no")
  # A pair that gives values alone decides nothing.
  finding$pairs$b$holds <- NULL
  expect_equal(holds(verdict = c("lower", "higher")), "yes")
  expect_equal(decide_findings(list(finding), guided()[1])[, .(pair, outcome, holds, reason)], data.table(
    pair = c("a", "b"), outcome = c("better", "none"), holds = "unmeasured", reason = c("", no_cell_of_it)
  ))
  # One that cannot be decided has the reason.
  broken <- decide_findings(list(finding), rbind(guided(), guided()))
  expect_equal(broken[, .(pair, outcome, holds)], data.table(pair = c("a", "b"), outcome = "none", holds = "open"))
  expect_match(broken$reason, "could not be computed: two comparisons of demo/pool/high/wrk2", all = FALSE)
  path <- tempfile()
  write_table(decide_findings(list(finding), guided()), path)
  expect_equal(read_comparisons(path)[, .(outcome, expected, holds)], data.table(outcome = c("better", "open"), expected = c("better", ""), holds = "yes"))
})

test_that("the condition of each finding names outcomes, of one pair at least", {
  for (finding in read_findings(guide_file)) {
    holds <- unlist(lapply(finding$pairs, `[[`, "holds"))
    expect_gt(length(holds), 0)
    expect_true(all(holds %in% c("better", "worse", "same", "fixed")), label = finding$id)
    expect_true(all(nzchar(c(finding$topic, finding$title, finding$cpus))))
  }
})

test_that("the findings are measured by the experiment, and their bounds are its users and pools", {
  grid <- grid_asked()
  config <- yaml::read_yaml(file.path(analysis_folder, "..", "config.yaml"), merge.precedence = "override")
  options <- options_asked()
  for (finding in read_findings(file.path(analysis_folder, "guide.yaml"))) {
    for (pair in finding$pairs) {
      expect_gt(nrow(grid[study == finding$study & mode == pair$mode & tier == pair$tier & tool == pair$tool]), 0)
      expect_true(pair$statistic %in% compared_statistics$statistic)
    }
  }
})

test_that("the shipped loads and limits are those of config.yaml", {
  config <- yaml::read_yaml(file.path(analysis_folder, "..", "config.yaml"), merge.precedence = "override")
  options <- options_asked()
  facts <- shipped_facts(guide_file)
  for (at in seq_len(nrow(facts$loads))) {
    row <- facts$loads[at]
    tier <- config$studies[[row$study]]$tiers[[row$tier]]
    tools <- Filter(is.list, tier[c("jmeter", "wrk2", "sysbench", "database-client", "overload")])
    of <- function(name) unlist(lapply(tools, function(tool) tool[[name]]))
    path <- or_else(tier$path, config$studies[[row$study]]$path)
    expect_true(is.na(row$users) || row$users %in% c(of("users"), of("clients"), of("workers"), config$studies[[row$study]]$jmeter$users), label = row$tier)
    expect_true(is.na(row$rate_per_s) || row$rate_per_s %in% of("rate_per_s"), label = row$tier)
    expect_true(is.na(row$wait_ms) || row$wait_ms == or_else(tier$sleep_ms, or_else(config$studies[[row$study]]$sleep_ms, 0)), label = row$tier)
    expect_true(is.na(row$cpu_ms) || row$cpu_ms == number_in_path(path, "cpu_us") / 1000, label = row$tier)
    expect_true(is.na(row$long_ms) || row$long_ms == number_in_path(tier$wrk2$mix$path, "cpu_us") / 1000 && row$long_share == tier$wrk2$mix$share, label = row$tier)
    expect_true(is.na(row$times_capacity) || row$times_capacity %in% unlist(of("shares")), label = row$tier)
    expect_true(is.na(row$objective_ms) || row$objective_ms == config$studies[[row$study]]$overload$objective_ms, label = row$tier)
  }
  limited <- facts$modes[is.finite(admitted) & !grepl("synchronized-21", mode)]
  limit_of <- function(study, mode) {
    given <- options[[study]][[mode]][c("threads", "permits", "pool")]
    min(unlist(given), if (study == "stacks" && !grepl("permits", mode)) or_else(given$pool, 10))
  }
  expect_equal(mapply(limit_of, limited$study, limited$mode, USE.NAMES = FALSE), limited$admitted)
})
