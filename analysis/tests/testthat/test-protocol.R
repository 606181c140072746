test_that("every set of rules has its versions, without gaps, and commits that exist", {
  protocol <- read_protocol(file.path(analysis_folder, "PROTOCOL.md"))
  expect_setequal(protocol$rules, c("validity", "comparisons", "claims", "causes", "explanations", "predictions", "reproduction", "travel"))
  protocol[, expect_equal(version, seq_len(.N)), by = rules]
  expect_false(is.unsorted(protocol[rules == "causes"]$fixed))
  # Rules that were changed after results say so, or that what they decide had none.
  expect_match(protocol[version > 1 & !after_results]$change, "had no result")
  expect_match(protocol$commit, "^[0-9a-f]{7}$")
})

test_that("verdicts carry the version of their rules", {
  verdicts <- with_rules_version(data.table(verdict = "higher"), "causes", analysis_folder)
  protocol <- read_protocol(file.path(analysis_folder, "PROTOCOL.md"))
  expect_equal(verdicts$rules_version, max(protocol[rules == "causes"]$version))
  # Each script that writes verdicts adds it.
  scripts <- file.path(analysis_folder, c("compare.R", "compare_loops.R", "claims.R", "causes.R", "directions.R", "guide.R", "predict.R", "reproduce.R", "travel.R"))
  for (script in scripts) expect_match(readLines(script), "with_rules_version", all = FALSE, label = script)
  expect_error(rules_version(protocol, "taste"), "no rules of taste")
})

test_that("cells carry the version of the rules on validity that the protocol has", {
  code <- readLines(file.path(dirname(analysis_folder), "workloads", "validity.py"))
  written <- sub("^VERSION = ", "", grep("^VERSION = [0-9]+$", code, value = TRUE))
  expect_equal(as.integer(written), rules_version(read_protocol(file.path(analysis_folder, "PROTOCOL.md")), "validity"))
})

test_that("a row that is no row of the protocol is refused", {
  path <- tempfile(fileext = ".md")
  writeLines(c("| rules | version |", "|---|---|", "| causes | 1 |"), path)
  expect_error(read_protocol(path), "not a row of 6 cells")
})
