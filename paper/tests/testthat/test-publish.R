# A shipped run of four comparisons of one pair.
run_of_verdicts <- function(verdicts, estimates = c(2, 1, 3, 0.5), name = "2026-11-23-epyc", ended = "2026-11-23T16:37:56") {
  list(
    name = name,
    facts = list(
      ended = ended, commit = "259802d39c7f38", sessions = 3, session_s = list(a = 60, b = 120),
      machine = list(cpu_model = "AMD EPYC", cpus = 2, architecture = "x86_64", kernel = "6.1")
    ),
    comparisons = data.table(
      study = "s", tier = "t", tool = "jmeter", mode = "virtual", baseline = "pool", effect = "ratio", bound = "",
      statistic = c("throughput_per_s", "latency_p99_ms", "cpu_us_per_request", "threads_peak"), verdict = verdicts, estimate = estimates,
      noise = 0.1, df = 10, pairs = 3, fixed = 0, least = 0, reason = ""
    )
  )
}

test_that("two runs agree where the interval of the change holds none", {
  summary <- read_shipped(file.path(analysis_folder, "runs"), reference_run)$summary
  first <- c(run_of_verdicts("higher", name = "first"), list(summary = summary))
  other <- c(run_of_verdicts("higher", c(2.1, 1, 3, 5), "other"), list(summary = copy(summary)[, cpu_us_per_request := 2 * cpu_us_per_request]))
  # Values that are exactly the same in both could not have differed.
  expect_equal(table_of_agreement(list(first, other)), data.table(
    Runs = "first and other", "Agree (%)" = "66.7 [9.43, 99.2]", Comparisons = 3L, "CPU time of a request" = "2 times"
  ))
  other$facts$machine$cpu_version <- "26/2/1"
  expect_true(same_kind(first$facts$machine, other$facts$machine))
  first$facts$machine$cpu_version <- "25/1/1"
  expect_false(same_kind(first$facts$machine, other$facts$machine))
  expect_equal(nrow(table_of_agreement(list(first, other, first))), 3)
  expect_equal(table_of_agreement(list(first, other, first), of_first = TRUE)$Runs, c("first and other", "first and first"))
  other$comparisons <- other$comparisons[0]
  expect_equal(nrow(table_of_agreement(list(first, other))), 0)
  expect_equal(nrow(table_of_agreement(list(first))), 0)
})

test_that("runs stand with the named one first and then the latest", {
  folder <- new_folder()
  made <- condensed(write_whole_run(facts = list(), at = 1), out = new_folder())
  for (day in 1:3) {
    run <- file.path(folder, paste0("run-", day))
    dir.create(run)
    file.copy(list.files(made, full.names = TRUE), run)
    facts <- jsonlite::read_json(file.path(run, "run.json"))
    jsonlite::write_json(replace(facts, "ended", sprintf("2026-11-2%dT12:00:00", day)), file.path(run, "run.json"), auto_unbox = TRUE, null = "null", digits = NA)
  }
  expect_equal(vapply(read_all_shipped(folder, "run-2"), `[[`, "", "name"), c("run-2", "run-3", "run-1"))
  expect_equal(vapply(read_all_shipped(folder), `[[`, "", "name"), c("run-3", "run-2", "run-1"))
})

test_that("a README without markers is refused", {
  lines <- c("a", "<!-- readme:begin run (by hand) -->", "old", "<!-- readme:end run -->", "b")
  expect_equal(with_blocks(lines, list(run = c("new", "er"))), c(lines[1:2], "new", "er", lines[4:5]))
  expect_error(with_blocks(lines, list(findings = "new")), "no pair of markers", fixed = TRUE)
})

test_that("a README's table has no blanks that align its columns", {
  table <- data.table(Finding = 1:2, Command = as_code(c("short", "a -f longer-one")))
  expect_equal(narrow_table(table), c("| Finding|Command |", "|---:|:---|", "| 1|`short` |", "| 2|`a -f longer-one` |"))
})

# ---- Shipping ----------------------------------------------------------------------------------

# A checkout to ship into.
checkout <- function() {
  root <- new_folder()
  for (stage in c("analysis", "paper")) dir.create(file.path(root, stage, "runs"), recursive = TRUE)
  file.copy(file.path(analysis_folder, c("PROTOCOL.md", "guide.yaml")), file.path(root, "analysis"))
  root
}

with_pdf <- function(run, pages) {
  pdf(file.path(run$results, "report.pdf"))
  for (page in seq_len(pages)) plot.new()
  dev.off()
  run
}

ship <- function(run, root, name = "") ship_run(run$results, run$paths, 3, name, root, "0123456789")

files_in <- function(root) sort(list.files(root, all.files = TRUE, recursive = TRUE, include.dirs = TRUE))

test_that("a run is shipped under its date and machine, with tables, reports and pictures", {
  root <- checkout()
  expect_equal(ship(with_pdf(write_whole_run(), 2), root), "2026-11-22-cpu")
  expect_setequal(list.files(file.path(root, "analysis/runs"), all.files = TRUE, no.. = TRUE), "2026-11-22-cpu")
  expect_setequal(list.files(file.path(root, "analysis/runs/2026-11-22-cpu")), c("summary.csv", "comparisons.csv", "capacity.csv", "occupancy.csv", "bands.csv", "cells.tar.xz", "run.json"))
  shown <- list.files(file.path(root, "paper/runs/2026-11-22-cpu"))
  expect_setequal(shown, c("report.html", "report.pdf", "findings-light.svg", "findings-dark.svg"))
  expect_match(readLines(file.path(root, "paper/runs/2026-11-22-cpu/findings-dark.svg")), "#0D1117", all = FALSE)
})

test_that("a name that is there is refused, and what is there stays", {
  root <- checkout()
  run <- with_pdf(write_whole_run(), 2)
  ship(run, root)
  before <- files_in(root)
  content <- readLines(file.path(root, "analysis/runs/2026-11-22-cpu/summary.csv"))
  expect_error(ship(run, root), "2026-11-22-cpu is there already; --config name=", fixed = TRUE)
  expect_equal(files_in(root), before)
  expect_equal(readLines(file.path(root, "analysis/runs/2026-11-22-cpu/summary.csv")), content)
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
  run <- write_whole_run()
  root <- checkout()
  pack <- function(name = "") pack_run(run$results, run$paths, 3, name, root, "0123456789")
  with_pdf(run, 1)
  made <- pack()
  folder <- new_folder()
  untar(made$tables, exdir = folder)
  expect_setequal(list.files(file.path(folder, "2026-11-22-cpu")), c("summary.csv", "comparisons.csv", "capacity.csv", "occupancy.csv", "bands.csv", "run.json"))
  untar(made$cells, exdir = folder)
  expect_equal(length(Sys.glob(file.path(folder, "cells/*/*/*/*/*/cell.json"))), length(run$paths))
  text <- unlist(lapply(list.files(folder, recursive = TRUE, full.names = TRUE), readLines, warn = FALSE))
  for (name in c(run$results, normalizePath(root))) expect_length(grep(name, text, fixed = TRUE, useBytes = TRUE), 0)
  for (archive in c(made$tables, made$cells)) {
    listed <- system2("tar", c("--list", "--verbose", "--numeric-owner", "--file", shQuote(archive)), stdout = TRUE)
    expect_true(all(grepl("^-rw-r--r-- 0/0 .* 1970-01-01", listed)))
  }
  expect_error(pack(), "is there already")
  # The same bytes for the same run.
  expect_equal(unname(tools::md5sum(pack("again")$cells)), unname(tools::md5sum(made$cells)))
})

test_that("run.json of a shipped run has no path", {
  for (path in Sys.glob(file.path(analysis_folder, "runs", "*", "run.json"))) expect_no_match(unlist(jsonlite::read_json(path)), "^/", label = path)
})

# ---- The report --------------------------------------------------------------------------------

test_that("a report says in one line why it compares nothing, and draws nothing then", {
  run <- write_whole_run()
  shipped <- shipped_from(run)
  sentence <- function(other, run = NULL) sentence_of_reproduction(other, run, data.table(), shipped$summary)
  expect_match(sentence(NULL), "compared with no other run")
  expect_match(sentence(shipped), "`2026-11-22-cpu` was measured on A CPU with 2 CPUs (commit `0123456`). This report is made of its cells", fixed = TRUE)
  expect_match(sentence(c(list(summary = shipped$summary[0]), shipped)), "has no cell of a kind that it has")
  expect_equal(explanation_of_reproduction(data.table()), "")
  expect_equal(alt_by_run(changes_by_run(list(), list(shipped))), "")
})

test_that("a report counts what it reproduces of another run", {
  shipped <- shipped_from(write_whole_run())
  other <- run_of_shipped(shipped_from(write_whole_run(at = "other"), "other"), shipped)
  changes <- reproduce_run(shipped, other)
  text <- sentence_of_reproduction(shipped, other, changes, other$summary)
  expect_match(text, sprintf("the same kind of machine. Of %d comparisons that both have, %d are reproduced", nrow(changes), nrow(changes)))
  expect_match(explanation_of_reproduction(changes), "within a factor of 1.25")
  row <- shipped$comparisons[effect == "ratio" & is.finite(estimate)][1]
  finding <- list(title = "A `title`", rows = copy(row)[, `:=`(estimate = 2 * estimate, finding = "a", run = "b")])
  by_run <- changes_by_run(list(a = finding, b = list(title = "share", rows = copy(row)[, effect := "difference"])), list(shipped, shipped))
  expect_equal(by_run[, .(finding, run, change)], data.table(finding = "A title", run = shipped$name, change = c(0.5, 0.5)))
  expect_equal(nrow(ggplot_build(figure_by_run(by_run))$data[[2]]), 2)
  expect_match(alt_by_run(by_run), "A title: 0.5.", fixed = TRUE)
})

test_that("the end of a run says what it found, what is valid and where the report is", {
  summary <- shipped_from(write_whole_run())$summary
  finding <- list(id = "one", topic = "a pool", title = "A pool is cheaper", holds = "yes", rows = data.table(pair = character()))
  text <- c("<!-- if one -->", "1. **`r title`.** It is", "so.", "<!-- end -->", "   And more.")
  all <- list(findings = list(one = finding, two = list(id = "two", topic = "a loop", holds = "open", rows = data.table())), summary = summary, results = "results")
  lines <- summary_lines(all, text)
  expect_match(lines, "^- A pool is cheaper. It is so.$", all = FALSE)
  expect_match(lines, "^- A loop: not decided here [(]no row of it in findings.csv[)][.]$", all = FALSE)
  expect_match(lines, "All 6 cells are valid.", all = FALSE)
  expect_equal(tail(lines, 2), paste0("Report: results/report.", c("html", "pdf")))
  expect_no_match(paste(lines, collapse = " "), "Problems")
  all$results <- tempfile()
  write_problems(data.table(table = "mixes", message = "a_b: no number", cells = "demo/a;demo/b;demo/c"), all$results, "analyze")
  expect_match(summary_lines(all, text), "^- a_b: no number [(]mixes; demo/a, demo/b and 1 more[)]$", all = FALSE)
  # A table that cannot be read takes its lines away, and no others.
  begin_faults(all$results)
  lines <- summary_lines(replace(all, "findings", list(readable("findings.csv", stop("cut off")))), text)
  begin_faults(".")
  expect_match(lines, "^- cut off [(]findings.csv, the findings[)]$", all = FALSE)
  expect_match(lines, "All 6 cells are valid.", all = FALSE)
  all$summary <- summary[1, full_collections := 2]
  expect_match(summary_lines(all, text), "whole heap was collected within windows of demo/fixed-pool/low/wrk2:", all = FALSE)
})

test_that("the README says how other runs stand to its findings", {
  finding <- function(title, holds) list(title = title, holds = holds)
  first <- list(one = finding("One", "yes"), two = finding("Two", "yes"), three = finding("Three", "yes"))
  elsewhere <- function(...) c(list(one = finding("One", "yes"), two = finding("Two", "open"), three = finding("Three", "unmeasured"), four = finding("Four", "yes")), ...)
  four <- list(four = finding("Four", "open"))
  expect_equal(
    sentences_elsewhere(first, four, list(other = elsewhere())),
    c("Of 1 other run: `two` not decided by 1; `three` not measured by 1.", "Open in this run, found by 1 of 1 other: `four`, “Four”.")
  )
  same <- lapply(c(first, four), function(each) replace(each, "holds", "yes"))
  expect_equal(sentences_elsewhere(first, four, list(other = same, again = same)), "Open in this run, found by 2 of 2 others: `four`, “Four”.")
  undecided <- replace(same, "four", four)
  expect_length(sentences_elsewhere(first, four, list(other = undecided)), 0)
  expect_length(sentences_elsewhere(first, list(), list(other = same)), 0)
  refuted <- replace(same, "one", list(finding("One", "no")))
  expect_equal(sentences_elsewhere(first, list(), list(other = refuted)), "Of 1 other run: `one` refuted by 1.")
})
