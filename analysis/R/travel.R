# The verdict on variants for other tools: JSON, and a summary in Markdown.

#' Writes builds.csv, verdict.txt and status, and what other tools read.
write_builds <- function(judged, results) {
  path <- function(name) file.path(results, name)
  write_table(judged$table, path("builds.csv"))
  writeLines(lines_of_builds(judged), path("verdict.txt"))
  writeLines(as.character(build_verdicts[[judged$verdict]]), path("status"))
  jsonlite::write_json(as_verdict(judged), path("verdict.json"), auto_unbox = TRUE, null = "null", na = "null", digits = NA, pretty = TRUE)
  writeLines(as_summary(judged), path("summary.md"))
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
