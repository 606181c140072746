# Cells that are edited stay older than the tables.
aged <- function(paths) Sys.setFileTime(paths, Sys.time() - 60)
expect_refused <- function(run, said, ...) expect_error(condensed(run, ...), said, fixed = TRUE)
of_commit <- function(paths, commit) {
  for (path in paths) edit_record(path, provenance = list(commit = commit))
}

test_that("a shipped run holds the tables, the machine, the commit and the versions of rules", {
  run <- write_whole_run()
  shipped <- shipped_from(run)
  expect_equal(shipped$facts$machine$cpu_model, "A CPU")
  expect_equal(unlist(shipped$facts[c("commit", "analysed_by", "cells", "sessions")], use.names = FALSE), c("0123456789", "0123456789", 6, 3))
  expect_equal(shipped$facts$rules$comparisons, rules_version(read_protocol(file.path(analysis_folder, "PROTOCOL.md")), "comparisons"))
  expect_equal(shipped$facts$session_s[["demo/demo/rep-2"]], 62)
  # Numbers are shortened, and nothing else is.
  expect_equal(shipped$comparisons, read_comparisons(file.path(run$results, "comparisons.csv")), tolerance = 1e-5)
  expect_equal(shipped$summary, read_summary(file.path(run$results, "summary.csv")), tolerance = 1e-5)
  expect_equal(nrow(shipped$capacity), 0)
  expect_error(read_shipped(dirname(condensed(run, out = file.path(new_folder(), "one"))), "two"), "called two; there are: one", fixed = TRUE)
})

test_that("cells beside a default run are counted apart, and of a commit of their own", {
  run <- write_whole_run(commit = "abc")
  expect_equal(shipped_from(run)$facts$beside$cells, 0)
  last <- run$paths[6]
  run$paths <- head(run$paths, 4)
  facts <- shipped_from(run)$facts
  expect_equal(unlist(facts[c("cells", "sessions")]), c(cells = 4, sessions = 2))
  expect_equal(facts$beside[c("cells", "commit")], list(cells = 2L, commit = "abc"))
  expect_equal(names(facts$beside$session_s), "demo/demo/rep-3")
  of_commit(last, "def")
  aged(c(run$paths, last))
  expect_refused(run, "its cells were measured by 2 commits")
})

test_that("a run is of the commit that its cells name, and of no two", {
  expect_equal(shipped_from(write_whole_run(commit = "abc"))$facts[c("commit", "analysed_by")], list(commit = "abc", analysed_by = "0123456789"))
  run <- write_whole_run(commit = "abc")
  expect_refused_of <- function(paths, commit, said) {
    of_commit(paths, commit)
    aged(run$paths)
    expect_refused(run, said)
  }
  expect_refused_of(run$paths[1], "def", "its cells were measured by 2 commits")
  expect_refused_of(run$paths, "def", "its tables are not of the commit that measured its cells (def)")
  expect_refused_of(run$paths, "abc+changed", "code that was not committed (abc+changed)")
})

test_that("a run is named by its date and its machine", {
  named <- function(model) name_of_run(list(ended = "2026-11-25T02:07:49.531+00:00", machine = list(cpu_model = model)))
  models <- c("Intel(R) Xeon(R) Processor", "AMD EPYC", "AMD Ryzen 9", "Neoverse-N1", "Apple M9")
  expect_equal(unname(vapply(models, named, "")), paste0("2026-11-25-", c("xeon", "epyc", "ryzen", "neoverse", "cpu")))
})

test_that("long decimals are cut, and versions stay", {
  path <- tempfile(fileext = ".csv")
  writeLines(c("a,version,b", "0.123456789012,1.10.0,1.10", "-1.23456789e-7,25.0.1+9,"), path)
  expect_equal(shortened_numbers(path), data.table(a = c("0.123457", "-1.23457e-07"), version = c("1.10.0", "25.0.1+9"), b = c("1.10", NA)))
})

test_that("a run that is not whole is refused", {
  run <- write_whole_run()
  unlink(dirname(run$paths[1]), recursive = TRUE)
  expect_refused(run, "the run is incomplete: 1 of 6 cells are missing (demo/fixed-pool/low/wrk2/rep-1)")
  run <- write_whole_run()
  run$paths <- c(run$paths, sub("rep-3", "rep-4", run$paths[5:6]))
  expect_refused(run, "fewer repetitions than the 3 of the default run")
})

test_that("tables older than a cell, of fewer cells, or of two machines are refused", {
  run <- write_whole_run()
  Sys.setFileTime(file.path(run$results, "comparisons.csv"), Sys.time() - 3600)
  expect_refused(run, "comparisons.csv is missing or older than a cell")
  run <- write_whole_run()
  write_table(summarise_cells(run$paths[1:4]), file.path(run$results, "summary.csv"))
  expect_refused(run, "the tables lack cells of config.yaml")
  run <- write_whole_run()
  file.copy(write_run(new_folder(), 1, facts = list(cpu_model = "Another CPU"))[1], run$paths[1], overwrite = TRUE)
  aged(run$paths[1])
  expect_refused(run, "its cells come from 2 machines")
})

test_that("code that is not committed is refused, but for what shipping writes", {
  root <- new_folder()
  git <- function(...) system2("git", c("-C", root, ...), stdout = FALSE, stderr = FALSE)
  write <- function(text, name) writeLines(text, file.path(root, name))
  expect_error(committed_code(root), "is no checkout of git")
  git("init")
  dir.create(file.path(root, "analysis/runs"), recursive = TRUE)
  write("x", "analysis/code.R")
  git("add", "analysis/code.R")
  git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-m", "first")
  expect_match(committed_code(root), "^[0-9a-f]{40}$")
  for (name in c("analysis/runs/summary.csv", "README.md")) write("x", name)
  expect_match(committed_code(root, c("analysis/runs", "README.md")), "^[0-9a-f]{40}$")
  expect_error(committed_code(root), "README.md", fixed = TRUE)
  unlink(file.path(root, "README.md"))
  write("y", "analysis/code.R")
  expect_error(committed_code(root, "analysis/runs"), "code is not committed (analysis/code.R)", fixed = TRUE)
})
