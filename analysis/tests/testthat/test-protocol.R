test_that("every set of rules has its versions, without gaps, and commits", {
  protocol <- read_protocol(file.path(analysis_folder, "PROTOCOL.md"))
  expect_setequal(protocol$rules, c("validity", "comparisons", "claims", "causes", "reproduction"))
  protocol[, expect_equal(version, seq_len(.N)), by = rules]
  protocol[, expect_false(is.unsorted(fixed)), by = rules]
  expect_equal(protocol[rules == "validity" & version == 1]$after_results, FALSE)
  expect_equal(protocol[rules == "validity" & version == 9]$commit, "335c75e")
})

test_that("verdicts carry the version of their rules", {
  verdicts <- with_rules_version(data.table(verdict = "higher"), "causes", analysis_folder)
  protocol <- read_protocol(file.path(analysis_folder, "PROTOCOL.md"))
  expect_equal(verdicts$rules_version, max(protocol[rules == "causes"]$version))
  expect_error(rules_version(protocol, "taste"), "no rules of taste")
})

test_that("cells carry the version of the rules on validity that the protocol has", {
  code <- readLines(file.path(dirname(analysis_folder), "workloads", "record", "validity.py"))
  written <- sub("^VERSION = ", "", grep("^VERSION = [0-9]+$", code, value = TRUE))
  expect_equal(as.integer(written), rules_version(read_protocol(file.path(analysis_folder, "PROTOCOL.md")), "validity"))
})

test_that("what begins like a version and is none is refused", {
  path <- tempfile(fileext = ".md")
  writeLines(c("## causes", "", "**1** (2026-11-25, after results). No commit."), path)
  expect_error(read_protocol(path), "not a version of a rule: **1**", fixed = TRUE)
})
