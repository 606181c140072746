decided <- function(...) {
  row <- data.table(
    finding = "one", pair = "a", outcome = "better", chosen = 1, study = "demo", tier = "high", tool = "wrk2", mode = "pool",
    versus = "thread", statistic = "cpu_us_per_request", effect = "ratio", estimate = 0.5, low = 0.45, high = 0.55, bound = "",
    verdict = "lower"
  )
  changes <- list(...)
  for (column in names(changes)) set(row, j = column, value = changes[[column]])
  row[]
}
finding <- list(id = "one", topic = "A pool", study = "demo", told = list(list(
  title = "A pool is cheaper", say = "On {a.mode} a request took {a} the CPU time of {a.versus}: {a.verdict}.", do = "Use it."
)))

test_that("a finding says its outcome with its values, and no other", {
  told <- told_findings(decided(), list(finding, modifyList(finding, list(id = "two"))))
  expect_length(told, 1)
  expect_equal(tell_finding(told[[1]]), paste(
    "**A pool is cheaper.** On `pool` a request took 0.5 × [0.45, 0.55] the CPU time of `thread`: better. *What to do:* Use it."
  ))
  expect_match(tell_finding(told_findings(decided(bound = "at_most"), list(finding))[[1]]), "took at most 0.55 × the", fixed = TRUE)
  open <- told_findings(decided(chosen = NA_real_, outcome = "open"), list(finding))
  expect_length(first_findings(open), 0)
  expect_equal(sentence_open_findings(open), "**This run decides none of its findings.** Not decided by this run: A pool (@sec-demo).")
  other <- told_findings(decided(finding = "two"), list(modifyList(finding, list(id = "two", topic = "A loop"))))
  expect_equal(sentence_open_findings(c(open, other)), "Not decided by this run: A pool (@sec-demo).")
  expect_match(sentence_open_findings(list()), "^None of the comparisons that the findings name was measured")
  expect_equal(sentence_open_findings(told), "")
})

test_that("a name that is no value of a finding is an error", {
  finding$told[[1]]$say <- "It took {b}."
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
