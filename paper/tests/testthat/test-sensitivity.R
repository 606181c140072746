variant_rows <- function(...) {
  holds <- list(...)
  rbindlist(lapply(names(holds), function(id) {
    variants <- c("as it is", "speed as measured", "all slices", "without host A", "without host B")
    data.table(finding = id, variant = variants, holds = holds[[id]], estimate = 2, low = 1.8, high = 2.2)
  }))
}
titled <- list(tail = list(title = "The `tail`"), limit = list(title = "The limit"), other = list(title = "Another"))

test_that("findings that another analysis changes are in the table, and the first in any case", {
  rows <- variant_rows(tail = c("yes", "yes", "open", "yes", "open"), limit = "yes", other = "unmeasured")
  expect_equal(table_sensitivity(rows, titled, "limit"), data.table(
    Finding = c("The tail", "The limit"), "As it is" = "yes (2)", "Speed as measured" = "yes (2)", "All slices" = c("open (2)", "yes (2)"),
    "Without a host" = c("yes without 1, open without 1", "yes")
  ))
  expect_equal(nrow(table_sensitivity(rows, titled)), 1)
  text <- sentence_sensitivity(rows)
  expect_equal(numbers_in(text), c(1, 2, 1, 1))
  expect_said(text, "*all slices* changes 1")
})

test_that("findings that no variant changes have a sentence of their own, and a run without them none", {
  expect_equal(sentence_sensitivity(variant_rows(limit = "yes")), "Each measured finding has the same verdict in each variant of the analysis.")
  unmeasured <- variant_rows(limit = "unmeasured")
  expect_equal(sentence_sensitivity(unmeasured), "")
  expect_equal(nrow(table_sensitivity(unmeasured, titled, "limit")), 0)
})

test_that("a rule that takes unequally is named with its comparisons", {
  rows <- data.table(
    study = c("all", "demo", "demo"), tier = c("", "low", "low"), tool = c("", "wrk2", "wrk2"), mode = c("", "a", "b"), baseline = c("", "pool", "pool"), what = "slices",
    rule = "compiled", mode_lost = c(10, 9, 1), mode_count = c(24, 12, 12), baseline_lost = c(0, 0, 1), baseline_count = 12, p_value = c(0.001, 0.0004, 1),
    p_adjusted = c(0.001, 0.0008, 1), unequal = c(TRUE, TRUE, FALSE)
  )
  text <- sentence_rules(rows)
  expect_match(text, "In 1 comparison .*`compiled` from `a` \\(9 of 12\\) and `pool` \\(0 of 12\\) at `low`")
  expect_said(text, "Over all comparisons `compiled` takes")
  expect_equal(unlist(table_rules(rows)[, .(Rule, `Of modes`, `Of baselines`, `Twice as many on one side`, `Beyond chance`, `p of all`)], use.names = FALSE),
    c("compiled", "10 of 24 (42 %)", "0 of 12 (0 %)", "1 of 2", "1", "0.001 *")
  )
  alike <- sentence_rules(rows[, unequal := FALSE])
  expect_said(alike, "No rule takes more than twice as many")
  expect_unsaid(alike, "Over all")
})
