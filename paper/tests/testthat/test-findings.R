decided <- function(...) {
  row <- data.table(
    finding = "one", pair = "a", outcome = "better", chosen = 1, study = "demo", tier = "high", tool = "wrk2", mode = "pool",
    baseline = "thread", statistic = "cpu_us_per_request", unit = "µs", effect = "ratio", estimate = 0.5, low = 0.45, high = 0.55,
    bound = "", reason = "", pairs = 3, sessions = 3, baseline_value = 104.4, mode_value = 52.2,
    fcr_low = NA_real_, fcr_high = NA_real_
  )
  changes <- list(...)
  for (column in names(changes)) set(row, j = column, value = changes[[column]])
  if (is.null(changes$estimate_all)) row[, estimate_all := estimate]
  row[]
}
finding <- list(
  id = "one", topic = "A pool", study = "demo", pairs = list(a = list(bound = list(users = 500, admitted = 50))),
  told = list(list(title = "A pool is cheaper", say = "A request takes {a.from} and {a.to} ({a}; {a.bound}).", do = "Use it."))
)

test_that("a finding says its outcome with its values, and no other", {
  told <- told_findings(decided(), list(finding, modifyList(finding, list(id = "two"))))
  expect_length(told, 1)
  expect_equal(tell_finding(told[[1]]), paste(
    "**A pool is cheaper.** A request takes 104 µs and 52.2 µs (2 × [1.8, 2.2]; bound 10 × = 500 users ÷ 50 admitted).",
    "*In practice:* Use it."
  ))
  open <- told_findings(decided(chosen = NA_real_, outcome = "open"), list(finding))
  expect_length(first_findings(open), 0)
  expect_equal(sentence_open_findings(open), "**This run decides none of its findings** (@sec-primaries).")
  other <- told_findings(decided(finding = "two"), list(modifyList(finding, list(id = "two", topic = "A loop"))))
  expect_equal(sentence_open_findings(c(open, other)), "1 of 2 findings are not decided by this run; @sec-primaries says why.")
  expect_match(sentence_open_findings(list()), "^None of the comparisons that the findings name was measured")
  expect_equal(sentence_open_findings(told), "")
})

test_that("a ratio in prose is never below 1, and a bound keeps its side", {
  expect_equal(times_of(decided()), "2 × [1.8, 2.2]")
  expect_equal(times_of(decided(estimate = 9.169, low = 8.25, high = 10.19)), "9.2 × [8.2, 10]")
  expect_equal(times_of(decided(estimate = 1.027, low = 1.003, high = 1.05)), "1.03 × [1, 1.05]")
  expect_equal(times_of(decided(bound = "at_most")), "at least 1.8 ×")
  expect_equal(times_of(decided(estimate = 4, low = 3, high = Inf, bound = "at_least")), "at least 3 ×")
  expect_equal(times_of(decided(fcr_low = 0.4, fcr_high = 0.625)), "2 × [1.6, 2.5]")
  expect_equal(times_of(decided(fcr_low = 0.2, fcr_high = 0.9)), "at least 1.1 ×")
  expect_equal(times_of(decided(low = 0.1, high = 1.1)), "not measured well enough")
  expect_equal(times_of(decided(pairs = 1)), paste0("2 × [1.8, 2.2]", one_session_mark))
  expect_equal(times_of(decided(estimate = NA_real_, reason = not_measured_well)), "not measured well enough")
  expect_equal(value_of(4582, "1/s"), "4,582/s")
})

test_that("a ratio says what it would be with no slice excluded where that is another, and one sentence tells of all others", {
  expect_equal(times_of(decided(estimate_all = 0.48)), "2 × [1.8, 2.2]")
  expect_equal(times_of(decided(estimate_all = 0.4)), "2 × [1.8, 2.2; with no slice excluded: 2.5 ×]")
  expect_equal(times_of(decided(estimate_all = NA_real_)), "2 × [1.8, 2.2]")
  told <- function(...) list(list(rows = rbindlist(list(decided(), ...))))
  expect_equal(sentence_without_exclusion(told()), "All ratios of these findings stand with no slice excluded: none changes.")
  expect_equal(
    sentence_without_exclusion(told(decided(estimate_all = 0.49), decided(estimate_all = 0.4))),
    "All other ratios of these findings stand with no slice excluded: the largest change is 2.04 %."
  )
  expect_equal(sentence_without_exclusion(list()), "")
})

test_that("findings of one session stand in the text, with a mark", {
  one <- list(list(rows = decided(pairs = 1)))
  expect_match(sentence_one_session(one), "^These findings rest on \\*\\*one session\\*\\*, marked ‡")
  expect_match(sentence_one_session(c(one, list(list(rows = decided())))), "^\\*\\*One session\\*\\* is marked ‡")
  expect_equal(sentence_one_session(list(list(rows = decided()))), "")
})

test_that("a text that names a value that is none is not told", {
  expect_length(first_findings(told_findings(decided(mode_value = NA_real_), list(finding))), 0)
  expect_length(first_findings(told_findings(decided(estimate = NA_real_), list(finding))), 0)
  other <- rbind(decided(), decided(pair = "b", estimate = NA_real_, mode_value = NA_real_))
  expect_length(first_findings(told_findings(other, list(finding))), 1)
})

test_that("a figure shows the values of its text, with intervals of the cells that count", {
  cells <- with_cell_columns(data.table(
    study = "demo", tier = "high", tool = "wrk2", mode = rep(c("pool", "thread"), each = 3), repetition = rep(1:3, 2), outcome = "completed",
    valid = TRUE, latency_valid = TRUE, cpu_us_per_request = c(50, 51, 52, 100, 100, 900)
  ))
  values <- values_of_finding(list(rows = decided()), cells)
  expect_equal(values$mode, c("thread", "pool"))
  expect_equal(values$value, c(104.4, 52.2))
  # Cells that differ ninefold say nothing.
  expect_true(is.na(values$low[1]) && values$low[2] < 52.2 && values$high[2] > 52.2)
  expect_true(all(is.na(values_of_finding(list(rows = decided()), cells[repetition == 1])$low)))
})

test_that("a name that is no value of a finding is an error", {
  finding$told[[1]]$say <- "It takes {b}."
  expect_error(tell_finding(told_findings(decided(), list(finding))[[1]]), "names {b}", fixed = TRUE)
})

test_that("every text of guide.yaml has values for its names", {
  for (finding in read_findings(file.path(analysis_folder, "guide.yaml"))) {
    rows <- rbindlist(lapply(names(finding$pairs), function(name) decided(finding = finding$id, pair = name)))
    for (place in seq_along(finding$told)) {
      expect_false(grepl("[{}]", tell_finding(told_findings(copy(rows)[, chosen := place], list(finding))[[1]])))
    }
  }
})

guide_file <- file.path(analysis_folder, "guide.yaml")
told_of_run <- function(run) {
  shipped <- with_verdicts(read_shipped(file.path(analysis_folder, "runs"), run), guide_file)
  findings <- read_findings(guide_file)
  told_findings(decide_findings(findings, shipped$comparisons), findings)
}

test_that("findings of the shipped runs agree with the values beside them, and keep their bounds", {
  for (run in list.files(file.path(analysis_folder, "runs"))) {
    told <- Filter(function(finding) !is.null(finding$text), told_of_run(run))
    expect_gte(length(told), 5)
    rows <- rbindlist(lapply(told, `[[`, "rows"))
    decided <- rows[outcome %in% c("better", "worse")]
    expect_true(decided[, all(sign(log(mode_value / baseline_value)) == sign(log(estimate)))], label = run)
    # A window's count is a little more or less than its share of the rate.
    expect_true(rows[!is.na(bound_ratio), all(exp(abs(log(estimate))) <= 1.02 * bound_ratio)], label = run)
  }
})

test_that("no finding says what the shipped cells refute", {
  # Helidon on virtual threads takes less CPU time than WebFlux; the tail differs where throughput does not; ten
  # connections serve less with the call before the transaction than 50 with it inside; no time-out was measured.
  refuted <- "than virtual threads|makes no difference|before the transaction, and|time-out|TLS"
  guide <- read_guide(file.path(analysis_folder, "guide.yaml"))
  texts <- c(
    unlist(lapply(read_findings(file.path(analysis_folder, "guide.yaml")), `[[`, "told")), unlist(lapply(guide, `[[`, "practice"))
  )
  expect_false(any(grepl(refuted, texts)))
  expect_match("WebFlux takes less CPU time than virtual threads", refuted)
})

test_that("findings that a run does not measure stand in one line", {
  known <- list(list(id = "a", topic = "One"), list(id = "b", topic = "Two"), list(id = "c", topic = "Three"))
  expect_equal(sentence_unmeasured_findings(known[2], known), "Not in this run: One; Three.")
  expect_equal(sentence_unmeasured_findings(known, known), "")
})

test_that("advice is for the situations that were measured", {
  all <- list(study = "demo", summary = data.table(tier = "high", tool = "wrk2"))
  situations <- lapply(c("high", "low"), function(tier) list(study = "demo", tier = tier, tool = "wrk2", practice = paste("At", tier)))
  expect_equal(tell_practice(situations, all), "At high")
  expect_match(tell_practice(situations[2], all), "^The threats")
})
