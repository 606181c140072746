# A file of results, t.csv, by its lines.
with_file <- function(...) {
  folder <- new_folder()
  writeLines(c(...), file.path(folder, "t.csv"))
  folder
}

test_that("a table of the page holds texts as they are, numbers to the right, its file and words on its columns", {
  html <- page_table(data.table(Mode = "a <b> & \"c\"", Value = 1234.5678, Nothing = NA), "What it is.", "some.csv")
  expect_said(
    html, "<td>a &lt;b&gt; &amp; &quot;c&quot;</td><td class=\"n\">1,235</td></tr>", "<figure class=\"tbl data\" data-file=\"some.csv\">",
    "What it is. <code>some.csv</code>, 1 row.", "<dt>Mode</dt><dd>Concurrency model that was measured</dd>"
  )
  expect_unsaid(html, "Nothing")
})

test_that("a file is shown by the columns asked for, and only rows that are kept", {
  folder <- with_file("mode,latency_p99_ms,other", "x,1.5,1", "y,,2")
  html <- data_table(folder, "t.csv", "T", c("latency_p99_ms", "mode", "absent"), function(rows) rows$other > 0)
  expect_said(html, "<th class=\"n\">P99 (ms)</th><th>Mode</th>", "<tr><td class=\"n\">–</td><td>y</td></tr>")
  expect_said(data_table(folder, "t.csv", "T", keep = function(rows) rows$mode == "x"), "1 row.")
  expect_equal(data_table(folder, "absent.csv", "T"), "")
})

test_that("an id that looks like a number is shown as it is", {
  columns <- c("tier", "mode", "requests")
  html <- data_table(with_file(paste(columns, collapse = ","), "010,1e3,010"), "t.csv", "T", columns)
  expect_said(html, "<tr><td>010</td><td>1e3</td><td class=\"n\">10</td></tr>")
})

test_that("the users of a closed loop stand with how long they load, or how often", {
  loads <- list(list(users = 500, duration_s = 2), list(users = 2000, loops = 1, ramp_up_s = 2), list(users = 50, loops = 3))
  expect_equal(vapply(loads, users_of_load, ""), c("500 users for 2 s", "2,000 users, ramp-up 2 s", "50 users × 3"))
})

test_that("a section without rows has no heading", {
  expect_equal(section_of_tables("Title", "id", c("", "")), "")
  expect_said(section_of_tables("Title", "id", "<table>"), "# Title {#sec-id .data .unnumbered}")
})

test_that("limits that each session finds again are a range, and others stand as they are", {
  cell <- function(...) list(provenance = list(limits = list(...)))
  threads <- c(32100, 32400, 32050, 32200)
  rows <- table_limits(lapply(threads, function(left) cell(threads = left, clock = "tsc", cpu_quota = NULL, data_in_memory = FALSE)))
  expect_equal(rows$Value[match(c("threads", "clock", "data_in_memory"), rows$Limit)], c("32,050 to 32,400", "tsc", "no"))
})

test_that("cells with a quota of CPU time and without one are not of one setting", {
  cell <- function(...) {
    list(
      cell = list(study = "s", mode = "m"), configuration = list(mode = list()),
      provenance = list(machine = list(cpu_model = "A CPU", kernel = "6.1", ...), versions = list(jdk = "25"), jars_sha256 = "ab")
    )
  }
  expect_equal(sentence_mixed(list(cell(), cell())), "")
  expect_said(sentence_mixed(list(cell(), cell(cpu_quota = 2.5, data_in_memory = TRUE))), "differ in CPU quotas and disks of databases.")
})

test_that("the columns of a table are explained", {
  expect_equal(words_of_columns("latency_p99_ms"), "99th percentile of latency, in ms")
  expect_equal(words_of_columns("cpu_us_per_request_low"), "Lower end of the interval or range of: CPU time per request, in µs")
  expect_equal(words_of_columns(c("kind", "share", "share_high", "of_no_table", "of_no_table_low"), "causes.csv"), c(
    "Dose or swap", "Share of the effect that goes, or slope of the logarithms",
    "Upper end of the interval or range of: share of the effect that goes, or slope of the logarithms", "", ""
  ))
  expect_equal(anyDuplicated(column_words$name), 0)
})

test_that("two hyphens in a table stay hyphens", {
  expect_match(show_table(data.table(Command = "chrt --batch 0 java")), "chrt \\-\\-batch 0 java", fixed = TRUE, all = FALSE)
})

test_that("a check stands with its rule, what differs as dots, and how many cells passed", {
  cell <- function(rounds) {
    check <- function(id, passed, rule) list(id = id, passed = passed, rule = rule)
    list(validity = list(checks = list(check("rounds_kept", TRUE, sprintf("at least %d rounds of 2xx", rounds)), check("settled", FALSE, "at 10%"))))
  }
  table <- table_checks(list(cell(2), cell(3)))
  expect_equal(table$Rule, c("at least … rounds of 2xx", "at 10%"))
  expect_equal(table$Passed, c("2 of 2", "0 of 2"))
  expect_equal(in_common(c("at most 3 users", "none", "at most 5 users")), "at most … users; or: none")
  expect_equal(in_common(paste("threads:", letters[1:4])), "threads: as each mode's configuration says")
})

test_that("headings have the units of their columns", {
  ids <- c("warm_up_s", "heap_mib", "rate_per_s", "latency_p99_ms", "cpu_us", "within_1_s")
  expect_equal(title_of_column(ids), c("Warm-up (s)", "Heap (MiB)", "Rate (1/s)", "P99 (ms)", "Cpu (µs)", "Within 1 s"))
})

test_that("a chunk that is not run is not included: Quarto would print the caption of its table", {
  withr::defer(knitr::opts_hooks$restore())
  withr::defer(knitr::opts_chunk$restore())
  begin_chunks()
  included <- function(eval, include) knitr::opts_hooks$get("eval")(list(eval = eval, include = include))$include
  expect_equal(c(included(FALSE, TRUE), included(TRUE, TRUE), included(TRUE, FALSE)), c(FALSE, TRUE, FALSE))
})
