# Words and tables for Markdown.

#' Words in a row: "a", "a and b", "a, b and c".
enumerate <- function(words, last = " and ") {
  count <- length(words)
  if (count < 2) return(paste(words, collapse = ""))
  paste0(paste(words[-count], collapse = ", "), last, words[count])
}

#' Marks what Markdown would read as its own, two hyphens (a dash) among them.
plain <- function(text) gsub("--", "\\-\\-", gsub("([\\\\`*_<>|$@~^\\[\\]])", "\\\\\\1", text, perl = TRUE), fixed = TRUE)

as_code <- function(text) sprintf("`%s`", text)

capitalised <- function(text) paste0(toupper(substr(text, 1, 1)), substring(text, 2))

percent <- function(share) paste0(format_number(100 * share), " %")

#' From the smallest to the largest, as one text; one number where they print alike, a dash where there is none.
span <- function(values, unit = "", between = " to ") {
  values <- values[!is.na(values)]
  if (length(values) == 0) return(no_figure)
  ends <- unique(format_number(range(values)))
  paste0(paste(ends, collapse = between), unit)
}

#' Text columns to the left, columns of numbers to the right.
#'
#' @param table data.frame to print; its texts are set as they are, not as Markdown.
#' @param code names of columns that hold identifiers.
show_table <- function(table, code = character()) {
  table <- as.data.frame(table, check.names = FALSE, stringsAsFactors = FALSE)
  is_figure <- vapply(table, function(column) {
    is.numeric(column) || !any(grepl("[[:alpha:]]", gsub(" (to|of) ", " ", column)))
  }, NA)
  for (name in names(table)) {
    column <- table[[name]]
    text <- if (is.numeric(column)) format_number(column) else ifelse(is.na(column), no_figure, column)
    table[[name]] <- if (name %in% code) as_code(text) else plain(text)
  }
  names(table) <- plain(names(table))
  knitr::kable(table, format = "pipe", align = ifelse(is_figure, "r", "l"), row.names = FALSE)
}

#' Sentences as a list; a line of its own where there is none.
bullets <- function(sentences, otherwise = "") {
  if (length(sentences) == 0) return(otherwise)
  paste0("- ", sentences, collapse = "\n")
}

#' References in brackets to those figures and tables that are drawn in this report.
#'
#' @param identifiers identifiers, as in `fig-name`.
#' @param drawn which of them are drawn.
see <- function(identifiers, drawn) {
  wanted <- identifiers[drawn]
  if (length(wanted) == 0) "" else paste0("(", enumerate(paste0("@", wanted)), ")")
}

#' Text for those who listen: without the marks of Markdown.
spoken <- function(sentences) gsub("[`*]", "", paste(sentences, collapse = " "))

#' Sentences as one paragraph.
paragraph <- function(...) paste(Filter(nzchar, c(...)), collapse = " ")

#' A font for svglite, which by itself measures one font and names another, so that text does not
#' fit the room that was made for it.
#'
#' @param family font family; where it is absent, whatever the system takes instead.
#' @return list as svglite's user_fonts has it for one family.
svg_font <- function(family) {
  face <- function(bold = FALSE, italic = FALSE) {
    file <- systemfonts::match_font(family, bold = bold, italic = italic)$path
    list(alias = systemfonts::font_info(path = file)$family, file = file)
  }
  list(
    plain = face(), bold = face(bold = TRUE), italic = face(italic = TRUE),
    bolditalic = face(bold = TRUE, italic = TRUE), symbol = face()
  )
}

#' Words with the unit in brackets where there is one.
with_unit <- function(words, ids) {
  unit <- unit_of_statistic(ids)
  paste0(words, ifelse(unit == "", "", paste0(" (", unit, ")")))
}

#' Headings of columns and panels, named by statistic.
headings <- function(ids) setNames(with_unit(fcoalesce(about_statistics(ids)$short, title_of(ids)), ids), ids)

#' Text for HTML, within an element or an attribute.
escape_html <- function(text) {
  for (mark in list(c("&", "&amp;"), c("<", "&lt;"), c(">", "&gt;"), c("\"", "&quot;"))) text <- gsub(mark[1], mark[2], text, fixed = TRUE)
  text
}

#' A page in a frame behind a summary: it brings scripts, which must not reach the page around it. It is packed,
#' because there are many; page.html unpacks it.
page_frame <- function(file, summary, title) {
  sprintf(
    "<details><summary>%s</summary>\n<iframe class=\"flame-graph\" title=\"%s\" sandbox=\"allow-scripts\" data-page=\"%s\"></iframe></details>",
    escape_html(summary), escape_html(title), packed(readBin(file, "raw", file.size(file)))
  )
}

#' Bytes, deflated and in base64.
packed <- function(bytes) gsub("\n", "", jsonlite::base64_enc(memCompress(bytes, "gzip")), fixed = TRUE)

#' Raw HTML for Markdown.
raw_html <- function(lines) paste(c("", "``````````{=html}", lines, "``````````", ""), collapse = "\n")

#' DataTables, which searches and sorts the page's tables, as R's package DT brings it; the renderer embeds its files. Its own style
#' has colors for light pages alone, so report.css has ours.
table_library <- function() {
  tags <- htmltools::as.tags(DT::datatable(data.frame()))
  libraries <- htmltools::resolveDependencies(htmltools::findDependencies(tags))
  wanted <- Filter(function(library) library$name %in% c("jquery", "dt-core"), libraries)
  files <- vapply(wanted, function(library) {
    folder <- if (is.null(library$package)) library$src$file else system.file(library$src$file, package = library$package)
    normalizePath(file.path(folder, library$script[[1]]))
  }, "")
  sprintf("<script src=\"%s\"></script>", files)
}

#' A number with its noun, and its verb where one is given.
count_of <- function(count, noun, one = NULL, several = NULL) {
  paste(c(paste0(format_number(count), " ", noun, if (count == 1) "" else "s"), if (count == 1) one else several), collapse = " ")
}

# How many of all: "all 3 values", or "2 of 3 values".
some_of <- function(count, of, noun) if (count == of) paste("all", count_of(of, noun)) else paste(format_number(count), "of", count_of(of, noun))

is_or_are <- function(count) paste(format_number(count), if (count == 1) "is" else "are")
