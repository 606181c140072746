test_that("every set of rules has its versions, without gaps, and commits that exist", {
  protocol <- read_protocol(file.path(analysis_folder, "PROTOCOL.md"))
  expect_setequal(protocol$rules, c("validity", "comparisons", "claims", "causes", "explanations", "predictions", "reproduction"))
  protocol[, expect_equal(version, seq_len(.N)), by = rules]
  expect_false(is.unsorted(protocol[rules == "causes"]$fixed))
  # Rules that were changed after results say so.
  expect_true(all(protocol[version > 1]$after_results))
  expect_match(protocol$commit, "^[0-9a-f]{7}$")
})

test_that("verdicts carry the version of their rules", {
  verdicts <- with_rules_version(data.table(verdict = "higher"), "causes", analysis_folder)
  protocol <- read_protocol(file.path(analysis_folder, "PROTOCOL.md"))
  expect_equal(verdicts$rules_version, max(protocol[rules == "causes"]$version))
  # Each script that writes verdicts adds it.
  scripts <- file.path(analysis_folder, c("compare.R", "compare_loops.R", "claims.R", "causes.R", "predict.R", "reproduce.R"))
  for (script in scripts) expect_match(readLines(script), "with_rules_version", all = FALSE, label = script)
  expect_error(rules_version(protocol, "taste"), "no rules of taste")
})

test_that("a row that is no row of the protocol is refused", {
  path <- tempfile(fileext = ".md")
  writeLines(c("| rules | version |", "|---|---|", "| causes | 1 |"), path)
  expect_error(read_protocol(path), "not a row of 6 cells")
})

test_that("no text claims that rules were fixed before results", {
  root <- dirname(analysis_folder)
  files <- c(
    list.files(file.path(root, "paper"), "[.](qmd|R)$", full.names = TRUE, recursive = TRUE),
    list.files(file.path(root, c("analysis", "workloads")), "[.](R|yaml|py)$", full.names = TRUE, recursive = TRUE),
    file.path(root, "README.md")
  )
  said <- vapply(grep("/tests/", files, value = TRUE, invert = TRUE), function(file) {
    text <- paste(readLines(file, warn = FALSE), collapse = " ")
    grepl("before (any|the|its) (result|figure)s?\\b|know no result|figures were seen|rules were written down before", gsub("[\"#[:space:]]+", " ", text))
  }, NA)
  expect_equal(names(said)[said], character())
})
