test_that("two runs agree where the interval of the change holds none", {
  run <- function(name, estimates, cpu_us) {
    cells <- data.table(study = "s", mode = "m", tier = "t", tool = "jmeter", outcome = "completed", valid = TRUE, latency_valid = TRUE, cpu_us_per_request = cpu_us)
    statistics <- c("throughput_per_s", "latency_p99_ms", "cpu_us_per_request", "threads_peak")
    list(name = name, comparisons = compared(statistic = statistics, estimate = estimates, noise = 0.1, df = 10), summary = cells)
  }
  first <- run("first", c(2, 1, 3, 0.5), 100)
  other <- run("other", c(2.1, 1, 3, 5), 200)
  # Values that are exactly the same in both could not have differed.
  expect_equal(table_of_agreement(list(first, other)), data.table(
    Runs = "first and other", "Agree (%)" = "66.7 [9.43, 99.2]", Comparisons = 3L, "CPU time of a request" = "2 times"
  ))
  expect_equal(table_of_agreement(list(first, other, first))$Runs, c("first and other", "first and first"))
  other$comparisons <- other$comparisons[0]
  expect_equal(nrow(table_of_agreement(list(first, other))), 0)
})

test_that("runs stand with the named one first and then the latest", {
  ended <- vapply(setNames(nm = list.files(runs_folder)), function(name) jsonlite::read_json(file.path(runs_folder, name, "run.json"))$ended, "")
  latest <- names(sort(ended, decreasing = TRUE))
  names_of <- function(...) vapply(read_all_shipped(runs_folder, ...), `[[`, "", "name")
  expect_equal(names_of(), latest)
  expect_equal(names_of(latest[3]), c(latest[3], latest[-3]))
})

test_that("a README without markers is refused", {
  lines <- c("a", "<!-- readme:begin run (by hand) -->", "old", "<!-- readme:end run -->", "b")
  expect_equal(with_blocks(lines, list(run = c("new", "er"))), c(lines[1:2], "new", "er", lines[4:5]))
  expect_error(with_blocks(lines, list(findings = "new")), "no pair of markers")
})

# ---- Shipping

# A checkout to ship into.
checkout <- function() {
  root <- new_folder()
  for (stage in c("analysis", "paper")) dir.create(file.path(root, stage, "runs"), recursive = TRUE)
  file.copy(c(file.path(analysis_folder, "PROTOCOL.md"), guide_file), file.path(root, "analysis"))
  root
}

with_pdf <- function(run, pages) {
  pdf(file.path(run$results, "report.pdf"))
  for (page in seq_len(pages)) plot.new()
  dev.off()
  run
}

ship <- function(run, root, name = "") ship_run(run$results, run$paths, 3, name, root, "0123456789")
tables_of_run <- c("summary.csv", "comparisons.csv", "capacity.csv", "occupancy.csv", "bands.csv", "run.json")
# Folders too, and the files' digests.
files_in <- function(root) {
  of <- function(folders) list.files(root, all.files = TRUE, recursive = TRUE, include.dirs = folders, full.names = TRUE)
  list(of(TRUE), tools::md5sum(of(FALSE)))
}

test_that("a run is shipped under its date and machine, with tables, reports and pictures, and never in place of another", {
  root <- checkout()
  run <- with_pdf(write_whole_run(), 2)
  name <- "2026-11-22-cpu"
  expect_equal(ship(run, root), name)
  of_paper <- file.path(root, "paper/runs", name)
  expect_setequal(list.files(file.path(root, "analysis/runs"), all.files = TRUE, no.. = TRUE), name)
  expect_setequal(list.files(file.path(root, "analysis/runs", name)), c(tables_of_run, "cells.tar.xz"))
  expect_setequal(list.files(of_paper), c("report.html", "report.pdf", "findings-light.svg", "findings-dark.svg"))
  expect_match(readLines(file.path(of_paper, "findings-dark.svg")), "#0D1117", all = FALSE)
  before <- files_in(root)
  expect_error(ship(run, root), "2026-11-22-cpu is there already; --config name=", fixed = TRUE)
  expect_equal(files_in(root), before)
  expect_equal(ship(run, root, "second"), "second")
})

test_that("a run that cannot be shipped leaves nothing", {
  root <- checkout()
  before <- files_in(root)
  run <- with_pdf(write_whole_run(), 13)
  expect_error(ship(run, root), "the paper has 13 pages, more than 12")
  # By then the tables and pictures are written.
  page <- file.path(with_pdf(run, 2)$results, "report.html")
  writeLines(strrep("x", 2^20 * (run_mib_at_most + 1)), page)
  expect_error(ship(run, root), "MiB, more than 8")
  writeLines("", page)
  unlink(run$paths[1])
  expect_error(ship(run, root), "the run is incomplete")
  expect_equal(files_in(root), before)
})

test_that("a run for others has all that is shipped, and nothing of who or where it was packed", {
  run <- with_pdf(write_whole_run(), 1)
  root <- checkout()
  pack <- function(name = "") pack_run(run$results, run$paths, 3, name, root, "0123456789")
  made <- pack()
  folder <- new_folder()
  for (archive in c(made$tables, made$cells)) {
    untar(archive, exdir = folder)
    listed <- system2("tar", c("--list", "--verbose", "--numeric-owner", "--file", shQuote(archive)), stdout = TRUE)
    expect_true(all(grepl("^-rw-r--r-- 0/0 .* 1970-01-01", listed)))
  }
  expect_setequal(list.files(file.path(folder, "2026-11-22-cpu")), tables_of_run)
  expect_length(Sys.glob(file.path(folder, "cells/*/*/*/*/*/cell.json")), length(run$paths))
  text <- unlist(lapply(list.files(folder, recursive = TRUE, full.names = TRUE), readLines, warn = FALSE))
  for (name in c(run$results, normalizePath(root))) expect_length(grep(name, text, fixed = TRUE, useBytes = TRUE), 0)
  expect_error(pack(), "is there already")
  # The same bytes for the same run.
  expect_equal(unname(tools::md5sum(pack("again")$cells)), unname(tools::md5sum(made$cells)))
})

# ---- The report

test_that("a report counts what it reproduces of another run", {
  shipped <- shipped_from(write_whole_run())
  other <- with(shipped_from(write_whole_run(at = "other"), "other"), run_of(summary, comparisons, facts))
  changes <- reproduce_run(shipped, other)
  text <- sentence_of_reproduction(shipped, other, changes, other$summary)
  expect_said(text, sprintf("the same kind of machine. Of %1$d comparisons that both have, %1$d are reproduced", nrow(changes)))
  expect_said(explanation_of_reproduction(changes), "within a factor of 1.25")
  row <- shipped$comparisons[effect == "ratio" & is.finite(estimate)][1]
  finding <- list(title = "A `title`", rows = copy(row)[, `:=`(estimate = 2 * estimate, finding = "a", run = "b")])
  by_run <- changes_by_run(list(a = finding, b = list(title = "share", rows = copy(row)[, effect := "difference"])), list(shipped, shipped))
  expect_equal(by_run[, .(finding, run, change)], data.table(finding = "A title", run = shipped$name, change = c(0.5, 0.5)))
  expect_equal(nrow(ggplot_build(figure_by_run(by_run))$data[[2]]), 2)
  expect_said(alt_by_run(by_run), "A title: 0.5.")
})

test_that("the end of a run says what it found, what is valid and where the report is", {
  finding <- list(id = "one", topic = "a pool", title = "A pool is cheaper", holds = "yes", rows = data.table(pair = character()))
  text <- c("<!-- if one -->", "1. **`r title`.** It is", "so.", "<!-- end -->", "   And more.")
  two <- list(id = "two", topic = "a loop", holds = "open", rows = data.table())
  all <- list(findings = list(one = finding, two = two), summary = shipped_from(write_whole_run())$summary, results = "results")
  has <- function(lines, pattern) expect_match(lines, pattern, all = FALSE)
  lines <- summary_lines(all, text)
  has(lines, "^- A pool is cheaper. It is so.$")
  has(lines, "^- A loop: not decided here [(]no row of it in findings.csv[)][.]$")
  has(lines, "All 6 cells are valid.")
  expect_equal(tail(lines, 2), paste0("Report: results/report.", c("html", "pdf")))
  expect_no_match(lines, "Problems")
  all$results <- tempfile()
  write_problems(data.table(table = "mixes", message = "a_b: no number", cells = "demo/a;demo/b;demo/c"), all$results, "analyze")
  has(summary_lines(all, text), "^- a_b: no number [(]mixes; demo/a, demo/b and 1 more[)]$")
  # A table that cannot be read takes its lines away, and no others.
  begin_faults(all$results)
  lines <- summary_lines(replace(all, "findings", list(readable("findings.csv", stop("cut off")))), text)
  begin_faults(".")
  has(lines, "^- cut off [(]findings.csv, the findings[)]$")
  has(lines, "All 6 cells are valid.")
  all$summary <- all$summary[1, full_collections := 2]
  has(summary_lines(all, text), "whole heap was collected within windows of demo/fixed-pool/low/wrk2:")
})

test_that("the README says how other runs stand to its findings", {
  held <- function(...) lapply(setNames(list(...), c("one", "two", "three")), function(holds) list(holds = holds))
  of <- function(...) sentence_elsewhere(c("one", "two", "three"), list(...))
  expect_equal(of(held("yes", "open", "unmeasured")), "Of 1 other run: `two` not decided by 1; `three` not measured by 1.")
  expect_equal(of(held("no", "yes", "yes"), held("yes", "yes", "yes")), "Of 2 other runs: `one` refuted by 1.")
  expect_null(of(held("yes", "yes", "yes")))
})
