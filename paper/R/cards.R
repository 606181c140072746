# Cards: under each finding of the page's first list, what to do, a sign of it, the command that measures it again, its rivals, and how to cite it.

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
  cards <- lapply(all$findings[ids], card_of, advice, all, run_in_words(all))
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
card_of <- function(finding, advice, all, run) {
  parts <- c(
    bars_of(finding$rows), if (finding$id %in% names(advice)) sprintf("**Do:** %s.", advice[[finding$id]]), sentence_of_sign(finding, all$signs),
    sprintf("**Measure it again:** %s. **On other numbers of CPUs:** %s.", as_code(command_of(finding)), cpus_in_words(finding, all$mixes)),
    paste0(rivals_in_words(finding$alternatives), citation_in_words(finding, all$citation, run))
  )
  lines <- c(sprintf("::: {.finding #finding-%s}", finding$id), paste0(head(parts, -1), "\n"), tail(parts, 1), ":::")
  paste0("   ", unlist(strsplit(paste(lines, collapse = "\n"), "\n", fixed = TRUE)))
}

#' The picture of a finding: a bar for each side of its first pair, and of others of the same load and statistic.
#'
#' @param rows of a finding, see told_findings().
#' @return HTML; NULL without a value.
bars_of <- function(rows) {
  alike <- rows[tier == tier[1] & statistic == statistic[1]]
  sides <- unique(alike[, .(mode = c(rbind(baseline, mode)), value = c(rbind(baseline_value, mode_value)))], by = "mode")[is.finite(value)]
  if (nrow(sides) < 2 || max(sides$value) <= 0) return(NULL)
  is_share <- alike$unit[1] == "share"
  texts <- paste(format_number(sides$value * if (is_share) 100 else 1), if (is_share) "%" else alike$unit[1])
  title <- title_of(alike$statistic[1])
  bars <- sprintf(
    "<span class=\"bar\"><span>%s</span><span style=\"--share: %.1f%%\"></span><span>%s</span></span>",
    escape_html(mode_labels(sides$mode)), 100 * sides$value / max(sides$value), texts
  )
  sprintf("<span class=\"bars\"><span>%s</span>%s</span>", title, paste(bars, collapse = ""))
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

# ---- Citing ----------------------------------------------------------------------------------------

# Date, processor and commit of the run.
run_in_words <- function(all) {
  facts <- c(format(min(when(all$cells, "started"), na.rm = TRUE), "%Y-%m-%d"), distinct(provenance_of(all$cells, "machine", "cpu_model")), substr(distinct(provenance_of(all$cells, "commit")), 1, 12))
  setNames(facts, c("date", "processor", "commit"))
}

#' How to cite a finding, in HTML that opens with a click; empty without CITATION.cff.
#'
#' @param about see read_citation(); `run` see run_in_words().
citation_in_words <- function(finding, about, run) {
  if (is.null(about)) return("")
  note <- sprintf("Version %s, finding %s, measured on %s (%s), commit %s", about$version, finding$id, run[["date"]], run[["processor"]], run[["commit"]])
  bibtex <- c(
    sprintf("@misc{finding-%s,", finding$id), sprintf("  title  = {%s},", about$title), sprintf("  author = {{%s}},", paste(vapply(about$authors, `[[`, "", "name"), collapse = " and ")),
    sprintf("  year   = {%s},", substr(run[["date"]], 1, 4)), sprintf("  note   = {%s}", note), "}"
  )
  sprintf(" <details class=\"cite\" id=\"cite-%1$s\"><summary>Cite this</summary><pre>%2$s</pre><a href=\"#finding-%1$s\">Link to this finding</a></details>", finding$id, paste(gsub(" ", "&#32;", escape_html(bibtex), fixed = TRUE), collapse = "&#10;"))
}

# ---- The same for programs -------------------------------------------------------------------------

#' Writes all findings as JSON: what they say, their values, their rivals and signs, and the run.
write_findings <- function(all, advice, path) {
  found <- list(run = as.list(run_in_words(all)), findings = lapply(unname(all$findings), finding_as_list, advice, all))
  jsonlite::write_json(found, path, auto_unbox = TRUE, null = "null", na = "null", digits = NA, pretty = TRUE)
}

finding_as_list <- function(finding, advice, all) {
  columns <- c("pair", "study", "mode", "baseline", "tier", "tool", "statistic", "unit", "baseline_value", "mode_value", "effect", "estimate", "low", "high", "outcome", "reason")
  elsewhere <- lapply(seq_len(nrow(finding$rows)), function(at) {
    ends <- range_elsewhere(finding$rows[at], all$elsewhere)
    if (is.null(ends)) NA else ends
  })
  pairs <- finding$rows[, intersect(columns, names(finding$rows)), with = FALSE]
  set(pairs, j = "elsewhere", value = list(elsewhere))
  tried <- if (!is.null(all$signs)) as.list(tried_sign(finding, all$signs)[, !"finding"])
  list(
    id = finding$id, title = finding$title, topic = finding$topic, holds = finding$holds, cpus = finding$cpus, do = unname(advice[finding$id]), command = command_of(finding),
    sign = if (!is.null(finding$sign)) c(finding$sign[c("says", "how", "at_least", "counts")], tried), pairs = pairs,
    rivals = if (NROW(finding$alternatives) > 0) finding$alternatives[, .(rival, swap, state)] else list()
  )
}
