# Each test with faults of its own.
fresh <- function(folder = new_folder()) {
  begin_faults(folder)
  folder
}

test_that("what fails says so in its place and is noted once, with its path below the results", {
  folder <- fresh()
  expect_equal(written("order.qmd", "a text"), "a text")
  failing <- function() stop(folder, "/mixes.csv:\n  column \"p99\" is_missing.")
  expect_equal(written("order.qmd", failing()), "This section could not be written: mixes.csv: column 'p99' is\\_missing.")
  written("order.qmd", failing())
  expect_equal(faults$rows, data.table(table = "order.qmd", message = "mixes.csv: column 'p99' is_missing."))
})

test_that("a table that cannot be read stops its callers with the reason", {
  path <- file.path(fresh(), "mixes.csv")
  read <- function() readable("mixes.csv", read_mixes(path))
  write_table(data.table(a = 1), path)
  mixes <- read()
  for (use in list(nrow, names, length, function(x) x$mode, function(x) x[mode == "a"], function(x) x[["mode"]], function(x) lapply(x, identity))) {
    expect_error(use(mixes), "mixes.csv: column .* is missing")
  }
  expect_false(is_readable(mixes))
  # A row that is cut off, or no byte at all.
  writeLines(c("a,b", "1,2", "3"), path)
  expect_false(is_readable(readable("mixes.csv", fread(path))))
  file.create(path)
  expect_false(is_readable(read()))
  expect_equal(unique(faults$rows$table), "mixes.csv")
})

test_that("a table that fails loses itself alone", {
  fresh()
  made <- tables_of("tables", "<a>", stop("no <number>"), c("<b>", "<c>"))
  expect_equal(made, c("<a>", "<p>This table could not be written: no \\&lt;number\\&gt;.</p>", "<b>", "<c>"))
})

# The folder of a document is not that of results.
finish_in <- function(folder, text) {
  place <- file.path(folder, "paper")
  dir.create(place, showWarnings = FALSE)
  withr::with_dir(place, finish_document(text))
}

section <- c("```{r}", "#| label: fig-a", "```", "# A {#sec-a}", "text @fig-a", "$$ x $$ {#eq-a}", "## B {#sec-b}", "::: {#tbl-a tbl-colwidths=1}")

test_that("a section that is lost keeps its heading, and references to what it had lead nowhere", {
  folder <- fresh()
  lost <- lost_section(section, "a_b")
  expect_equal(lost, "\n# A {#sec-a}\n\nThis section could not be written: a\\_b.\n")
  text <- finish_in(folder, c("(@fig-a and @tbl-a), [@eq-a]; @sec-b, @sec-a, @fig-a-2"))
  expect_equal(text, "(a missing figure and a missing table), [a missing equation]; a missing section, @sec-a, @fig-a-2")
})

test_that("the first page names each problem once, of the analysis and of the report", {
  folder <- fresh()
  expect_equal(finish_in(folder, c("a", place_of_problems)), "a\n")
  expect_equal(nrow(fread(file.path(folder, "paper", "problems.csv"))), 0)
  write_problems(data.table(table = c("mixes", "causes"), message = "cut", cells = c("demo/a", "demo/b")), folder, "analyze")
  note_fault("order.qmd", "cut")
  note_fault("order.qmd", "two *stars*")
  expect_said(finish_in(folder, place_of_problems), "\n- cut (mixes, causes, order.qmd; `demo/a`, `demo/b`)\n", "\n- two \\*stars\\* (order.qmd)")
  for (at in 1:12) note_fault("order.qmd", paste("fault", at))
  expect_said(finish_in(folder, place_of_problems), "\n- and 4 other problems.")
})

# Tests of other files have no faults of these.
begin_faults(".")
