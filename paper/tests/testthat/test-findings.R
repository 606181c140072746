decided <- function(...) {
  row <- data.table(
    finding = "one", pair = "a", outcome = "better", chosen = 1, study = "demo", tier = "high", tool = "wrk2", mode = "pool",
    baseline = "thread", statistic = "cpu_us_per_request", unit = "µs", effect = "ratio", estimate = 0.5, low = 0.45, high = 0.55,
    bound = "", verdict = "lower", baseline_value = 104.4, mode_value = 52.2
  )
  changes <- list(...)
  for (column in names(changes)) set(row, j = column, value = changes[[column]])
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
  expect_equal(sentence_open_findings(open), "**This run decides none of its findings.** Not decided by this run: A pool (@sec-demo).")
  other <- told_findings(decided(finding = "two"), list(modifyList(finding, list(id = "two", topic = "A loop"))))
  expect_equal(sentence_open_findings(c(open, other)), "Not decided by this run: A pool (@sec-demo).")
  expect_match(sentence_open_findings(list()), "^None of the comparisons that the findings name was measured")
  expect_equal(sentence_open_findings(told), "")
})

test_that("a ratio in prose is never below 1, and a bound keeps its side", {
  expect_equal(times_of(decided()), "2 × [1.8, 2.2]")
  expect_equal(times_of(decided(estimate = 9.169, low = 8.25, high = 10.19)), "9.2 × [8.2, 10]")
  expect_equal(times_of(decided(estimate = 1.027, low = 1.003, high = 1.05)), "1.03 × [1, 1.05]")
  expect_equal(times_of(decided(bound = "at_most")), "at least 1.8 ×")
  expect_equal(times_of(decided(estimate = 4, low = 3, high = Inf, bound = "at_least")), "at least 3 ×")
  expect_equal(times_of(decided(low = NA_real_, high = NA_real_)), "2 ×, one session")
  expect_equal(times_of(decided(estimate = NA_real_)), "–")
  expect_equal(value_of(4582, "1/s"), "4,582/s")
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

told_of_run <- function(run) {
  folder <- file.path(analysis_folder, "runs", run)
  cells <- with_capacities(read_summary(file.path(folder, "summary.csv")), read_capacity(file.path(folder, "capacity.csv")))
  findings <- read_findings(file.path(analysis_folder, "guide.yaml"))
  told_findings(decide_findings(findings, read_comparisons(file.path(folder, "comparisons.csv")), cells), findings)
}

test_that("findings of the shipped runs agree with the values beside them, and keep their bounds", {
  for (run in list.files(file.path(analysis_folder, "runs"))) {
    told <- Filter(function(finding) !is.null(finding$text), told_of_run(run))
    expect_gte(length(told), 8)
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
  # The page on which virtual threads lose is a finding of the run that decides it.
  shown <- vapply(Filter(function(finding) !is.null(finding$text), told_of_run("2026-11-25-xeon")), `[[`, "", "id")
  expect_true("virtual-outside" %in% shown)
})
