test_that("a table of the page holds texts as they are, numbers to the right, and its file", {
  html <- page_table(data.table(Mode = "a <b> & c", Value = 1234.5678, Nothing = NA), "What it is.", "some.csv")
  expect_match(html, "<td>a &lt;b&gt; &amp; c</td><td class=\"n\">1,235</td></tr>", fixed = TRUE)
  expect_match(html, "<figure class=\"tbl data\" data-file=\"some.csv\">", fixed = TRUE)
  expect_match(html, "What it is. <code>some.csv</code>, 1 row.", fixed = TRUE)
  expect_no_match(html, "Nothing")
  expect_equal(page_table(data.table(Mode = character()), "Empty"), "")
})

test_that("text for HTML ends no element and no attribute", {
  expect_equal(escape_html("<b title=\"a\">&"), "&lt;b title=&quot;a&quot;&gt;&amp;")
})

test_that("a file is shown by the columns asked for, and only rows that are kept", {
  folder <- tempfile()
  dir.create(folder)
  fwrite(data.table(mode = c("x", "y"), latency_p99_ms = c(1.5, NA), other = 1:2), file.path(folder, "t.csv"))
  html <- data_table(folder, "t.csv", "T", c("latency_p99_ms", "mode", "absent"), function(rows) rows$other > 0)
  expect_match(html, "<th class=\"n\">P99 (ms)</th><th>Mode</th>", fixed = TRUE)
  expect_match(html, "<tr><td class=\"n\">–</td><td>y</td></tr>", fixed = TRUE)
  expect_match(data_table(folder, "t.csv", "T", keep = function(rows) rows$mode == "x"), "1 row.", fixed = TRUE)
  expect_equal(data_table(folder, "absent.csv", "T"), "")
})

test_that("an id that looks like a number is shown as it is", {
  folder <- tempfile()
  dir.create(folder)
  writeLines(c("tier,mode,requests", "010,1e3,010"), file.path(folder, "t.csv"))
  html <- data_table(folder, "t.csv", "T", c("tier", "mode", "requests"))
  expect_match(html, "<tr><td>010</td><td>1e3</td><td class=\"n\">10</td></tr>", fixed = TRUE)
})

test_that("a section without rows has no heading", {
  expect_equal(section_of_tables("Title", "id", c("", "")), "")
  expect_match(section_of_tables("Title", "id", "<table>"), "# Title {#sec-id .data .unnumbered}", fixed = TRUE)
})

test_that("limits that each session finds again are a range, and others stand as they are", {
  cell <- function(...) list(provenance = list(limits = list(...)))
  threads <- c(32100, 32400, 32050, 32200)
  rows <- table_limits(lapply(threads, function(left) cell(threads = left, clock = "tsc", cpu_quota = NULL, data_in_memory = FALSE)))
  expect_equal(rows$Value[match(c("threads", "clock", "data_in_memory"), rows$Limit)], c("32,050 to 32,400", "tsc", "no"))
  # Older records do not say all of them.
  expect_equal(table_limits(list(cell(clock = "tsc"), cell(clock = "tsc", threads = 5)))$Value, c("tsc", "5"))
})

test_that("cells with a quota of CPU time and without one are not of one setting", {
  cell <- function(...) {
    list(
      cell = list(study = "s", mode = "m"), configuration = list(mode = list()),
      provenance = list(machine = list(cpu_model = "A CPU", kernel = "6.1", ...), versions = list(jdk = "25"), jars_sha256 = "ab")
    )
  }
  expect_equal(sentence_mixed(list(cell(), cell())), "")
  expect_match(sentence_mixed(list(cell(), cell(cpu_quota = 2.5, data_in_memory = TRUE))), "differ in CPU quotas and disks of databases.", fixed = TRUE)
})

test_that("the columns of a table are explained", {
  html <- page_table(data.table(Mode = "x", Value = 1), "T")
  expect_match(html, "<dt>Mode</dt><dd>Concurrency model that was measured</dd>", fixed = TRUE)
  expect_equal(words_of_columns("latency_p99_ms"), "99th percentile of latency, in ms")
  expect_equal(words_of_columns("cpu_us_per_request_low"), "Lower end of the interval or range of: CPU time per request, in µs")
  expect_equal(words_of_columns(c("share", "kind"), "causes.csv"), c("Share of the effect that goes, or slope of the logarithms", "Dose or swap"))
  expect_equal(words_of_columns(c("share_high", "of_no_table", "of_no_table_low"), "causes.csv"), c(
    "Upper end of the interval or range of: share of the effect that goes, or slope of the logarithms", "", ""
  ))
  expect_equal(anyDuplicated(column_words$name), 0)
})

test_that("the library of tables is two files of R's package DT", {
  library <- table_library()
  expect_length(library, 2)
  expect_match(library[1], "jquery")
  expect_true(all(file.exists(sub("^<script src=\"(.*)\"></script>$", "\\1", library))))
})

test_that("two hyphens in a table stay hyphens", {
  expect_match(show_table(data.table(Command = "chrt --batch 0 java")), "chrt \\-\\-batch 0 java", fixed = TRUE, all = FALSE)
})

test_that("a check of an older record that is judged by today's rules stands with today's", {
  rule_of_older <- "at least 3 rounds count for latency: completed, undisturbed, with CPU time left to the generator"
  cell <- function(...) list(validity = list(checks = list(list(id = "rounds_kept", passed = TRUE, ...), list(id = "settled", passed = FALSE, rule = "it settles"))))
  table <- table_checks(list(cell(rule = rule_of_older), cell(rule = rule_of_older)))
  expect_equal(table$Rule, c(rule_of_older, "it settles"))
  expect_equal(table$Passed, c("2 of 2", "0 of 2"))
})
