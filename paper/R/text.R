# Words and tables for Markdown.

#' Sets the options of all chunks; one that is not run leaves no caption either.
begin_chunks <- function() {
  knitr::opts_chunk$set(
    echo = FALSE, warning = FALSE, message = FALSE, dev = "svglite", fig.width = 7,
    dev.args = list(svglite = list(user_fonts = list(sans = svg_font("Liberation Sans"))))
  )
  knitr::opts_hooks$set(eval = function(options) modifyList(options, list(include = options$include && isTRUE(options$eval))))
}

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
span <- function(values, unit = "") {
  values <- values[!is.na(values)]
  if (length(values) == 0) no_figure else paste0(paste(unique(format_number(range(values))), collapse = " to "), unit)
}

#' A table for Markdown, whose texts are set as they are: text columns to the left, columns of numbers to the right.
#'
#' @param code names of columns that hold identifiers.
show_table <- function(table, code = character()) {
  table <- as.data.frame(table, check.names = FALSE)
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

#' Sentences as a list.
bullets <- function(sentences) if (length(sentences) == 0) "" else paste0("- ", sentences, collapse = "\n")

#' References in brackets to those figures and tables, such as `fig-name`, that are drawn in this report.
see <- function(identifiers, drawn) {
  wanted <- identifiers[drawn]
  if (length(wanted) == 0) "" else paste0("(", enumerate(paste0("@", wanted)), ")")
}

#' Text for those who listen: without the marks of Markdown.
spoken <- function(sentences) gsub("[`*]", "", paste(sentences, collapse = " "))

#' Sentences as one paragraph.
paragraph <- function(...) paste(Filter(nzchar, c(...)), collapse = " ")

#' A font family as svglite's user_fonts has it, or what the system takes in its place. By itself svglite measures one font and names
#' another, so that text does not fit the room that was made for it.
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

#' Headings of columns and panels, named by statistic, with the unit in brackets where there is one.
headings <- function(ids) {
  unit <- unit_of_statistic(ids)
  setNames(paste0(fcoalesce(about_statistics(ids)$short, title_of(ids)), ifelse(unit == "", "", sprintf(" (%s)", unit))), ids)
}

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

#' Numbers with their noun, and its verb where one is given.
count_of <- function(counts, noun, one = NULL, several = one) {
  paste0(format_number(counts), " ", noun, ifelse(counts == 1, "", "s"), if (!is.null(one)) paste0(" ", ifelse(counts == 1, one, several)))
}

# How many of all: "all 3 values", or "2 of 3 values".
some_of <- function(count, of, noun) if (count == of) paste("all", count_of(of, noun)) else paste(format_number(count), "of", count_of(of, noun))

is_or_are <- function(count) paste(format_number(count), if (count == 1) "is" else "are")
