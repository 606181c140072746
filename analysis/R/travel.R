# The verdict on variants, for other tools: JSON, JUnit's XML, Bencher's metrics, a summary in Markdown.
#
# verdict.json follows analysis/verdict.schema.json. Bencher's format has a value with its lower and upper one for each measure of a benchmark
# (https://bencher.dev/docs/reference/bencher-metric-format/). In JUnit's XML a statistic with a limit is a test case: slower is a failure,
# undecided is skipped, and an invalid comparison is an error.

#' Writes builds.csv, verdict.txt and status, and what other tools read.
write_builds <- function(judged, results) {
  path <- function(name) file.path(results, name)
  write_table(judged$table, path("builds.csv"))
  writeLines(lines_of_builds(judged), path("verdict.txt"))
  writeLines(as.character(build_verdicts[[judged$verdict]]), path("status"))
  jsonlite::write_json(as_verdict(judged), path("verdict.json"), auto_unbox = TRUE, null = "null", na = "null", digits = NA, pretty = TRUE)
  jsonlite::write_json(as_bencher(judged), path("bencher.json"), auto_unbox = TRUE, digits = NA, pretty = TRUE)
  writeLines(as_junit(judged), path("junit.xml"))
  writeLines(as_summary(judged), path("summary.md"))
  lapply(Sys.glob(path("cells/own/*/load/*/rep-1/cell.json")), write_hgrm, results = results)
}

#' verdict.json, see analysis/verdict.schema.json.
as_verdict <- function(judged) {
  numbers <- c("old", "new", "starts", "rounds", "ratio", "low", "high", "slower_percent")
  rows <- lapply(split(judged$table, seq_len(nrow(judged$table))), function(row) {
    c(row[, !..numbers], lapply(row[, ..numbers], function(value) if (is.finite(value)) value))
  })
  list(
    schema = 1, verdict = judged$verdict, status = build_verdicts[[judged$verdict]], sentence = sentence_of_builds(judged),
    variants = I(unname(sentences_of_variants(judged))), remarks = I(as.character(judged$remarks)), statistics = unname(rows)
  )
}

#' Bencher's metrics: of each variant the values of its statistics, with the interval that its ratio gives.
as_bencher <- function(judged) {
  rows <- judged$table[is.finite(new)]
  ends <- rows[, .(
    value = new, lower_value = fifelse(statistic == failed_requests, low, old * low), upper_value = fifelse(statistic == failed_requests, high, old * high)
  )]
  of_row <- function(at) Filter(is.finite, as.list(ends[at]))
  lapply(split(seq_len(nrow(rows)), factor(rows$variant, unique(rows$variant))), function(at) setNames(lapply(at, of_row), rows$statistic[at]))
}

as_junit <- function(judged) {
  rows <- judged$table[verdict != ""]
  cases <- rows[, sprintf(
    '  <testcase classname="%s" name="%s">%s</testcase>', escaped(variant), escaped(title_of_row(statistic)),
    fcase(
      verdict == "slower", sprintf('<failure message="%s"/>', escaped(words_of_change(.SD))),
      verdict == "undecided", sprintf('<skipped message="%s"/>', escaped(fifelse(reason != "", reason, words_of_change(.SD)))), verdict == "not slower", ""
    )
  )]
  invalid <- if (judged$verdict == "invalid") sprintf('  <testcase classname="own" name="comparison"><error message="%s"/></testcase>', escaped(judged$why))
  count <- function(of_verdict) sum(rows$verdict == of_verdict)
  c(
    '<?xml version="1.0" encoding="UTF-8"?>',
    sprintf(
      '<testsuite name="own" tests="%d" failures="%d" skipped="%d" errors="%d">', nrow(rows) + length(invalid), count("slower"), count("undecided"), length(invalid)
    ), cases, invalid, "</testsuite>"
  )
}

words_of_change <- function(rows) {
  rows[, fifelse(
    is.na(ratio), sprintf("%s %% to %s %% of requests", format_number(old), format_number(new)), sprintf("%s %% [%s, %s]", signed_percent(ratio), signed_percent(low), signed_percent(high))
  )]
}

escaped <- function(text) {
  for (each in list(c("&", "&amp;"), c("<", "&lt;"), c(">", "&gt;"), c('"', "&quot;"))) text <- gsub(each[1], each[2], text, fixed = TRUE)
  gsub("\n", " ", text, fixed = TRUE)
}

#' Ten lines at most for two builds: the verdict, the table, and what stays open.
as_summary <- function(judged) {
  rows <- judged$table[verdict != "" | statistic == "capacity_per_s"]
  table <- if (nrow(rows) > 0) {
    shown <- table_of_builds(rows)
    c(paste0("| ", paste(names(shown), collapse = " | "), " |"), paste0("|", strrep("---|", ncol(shown))), apply(shown, 1, function(row) paste0("| ", paste(trimws(row), collapse = " | "), " |")))
  }
  remarks <- paste(c(sentences_of_variants(judged), judged$remarks), collapse = " ")
  c(paste0("**", sentence_of_builds(judged), "**"), if (length(table) > 0) c("", table), if (nzchar(remarks)) c("", remarks))
}

# The latencies of a variant as HdrHistogram's text.
write_hgrm <- function(path, results) {
  if (!any(read_slices_of(read_cell(path))[kind == "plain", kept])) return(NULL)
  variant <- basename(dirname(dirname(dirname(dirname(path)))))
  writeLines(hgrm_of_cell(path), file.path(results, paste0(variant, ".hgrm")))
}
