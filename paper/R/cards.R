# Cards: under each finding of the page's first list, what to do, a sign of it, the command that measures it again, and its rivals.

#' The findings of the first page, each with its card.
#'
#' @param told what tell() makes of findings.qmd; `lines` of findings.qmd; `advice` see advice_of().
#' @return Markdown, as one string; `told` itself where it could not be written.
with_cards <- function(told, lines, advice, all) {
  rows <- strsplit(told, "\n", fixed = TRUE)[[1]]
  rows <- rows[trimws(rows) != ""]
  items <- split(rows, cumsum(startsWith(rows, "1. ")))
  ids <- blocks_of_items(lines, all$findings)[holds == TRUE]$finding
  if (length(items) != length(ids)) return(told)
  cards <- lapply(all$findings[ids], card_of, advice, all)
  paste(unlist(Map(c, items, "", cards, "")), collapse = "\n")
}

#' The advice of Table 1, by finding: the first row of each that is printed.
#'
#' @return named vector of Markdown.
advice_of <- function(lines, findings) {
  blocks <- text_blocks(lines, findings)[holds == TRUE][!duplicated(finding)]
  rows <- Map(function(start, finding) with_values(lines[start + 1], values_for_text(findings[[finding]])), blocks$start, blocks$finding)
  setNames(trimws(vapply(strsplit(as.character(unlist(rows)), " | ", fixed = TRUE), `[`, "", 2)), blocks$finding)
}

# Indented, as a part of the list's item.
card_of <- function(finding, advice, all) {
  parts <- c(
    if (finding$id %in% names(advice)) sprintf("**Do:** %s.", advice[[finding$id]]), sentence_of_sign(finding, all$signs),
    sprintf("**Measure it again:** %s. **On other numbers of CPUs:** %s.", as_code(command_of(finding)), cpus_in_words(finding, all$mixes)),
    rivals_in_words(finding$alternatives)
  )
  lines <- c(sprintf("::: {.finding #finding-%s}", finding$id), paste0(head(parts, -1), "\n"), tail(parts, 1), ":::")
  paste0("   ", unlist(strsplit(paste(lines, collapse = "\n"), "\n", fixed = TRUE)))
}

cpus_in_words <- function(finding, mixes) {
  words <- dependence_on_cpus(finding, if (is_readable(mixes)) mixes)
  switch(words, no = "the same", unknown = "not known", plain(words))
}

# Measures the first cell of a finding again.
command_of <- function(finding) paste0("snakemake --cores 4 finding-", finding$id)

#' The signs of all findings, see try_signs(); NULL where a table that they need cannot be read.
signs_of <- function(all) {
  if (!all(vapply(all[c("findings", "summary", "occupancy")], is_readable, NA))) return(NULL)
  rows <- rbindlist(lapply(all$findings, `[[`, "rows"))
  written("the signs", try_signs(all$findings, rows, all$summary, all$occupancy), function(message) NULL)
}

# Its row; a column has the name of the finding.
tried_sign <- function(finding, signs) {
  is_row <- signs$finding == finding$id
  signs[is_row]
}

#' The sign of a finding, with its values on both sides of the run; empty for a finding that has none.
sentence_of_sign <- function(finding, signs) {
  sign <- finding$sign
  if (is.null(sign) || is.null(signs)) return("")
  tried <- tried_sign(finding, signs)
  value <- function(number) paste(format_number(signif(number, 2)), sign$counts)
  here <- if (nrow(tried) > 0 && tried$state != "not measured") {
    values <- sprintf("%s with %s, %s with %s", value(tried$value_with), as_code(tried$mode_with), format_number(signif(tried$value_without, 2)), as_code(tried$mode_without))
    sprintf(if (tried$state == "shown") "Here: %s." else "It did *not* show here: %s.", values)
  }
  paragraph(sprintf("**A sign of it:** %s (%s).", sign$says, sign$how), here)
}
