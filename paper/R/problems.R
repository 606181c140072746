# A part of the report that cannot be written loses itself alone: it says so in its place, on the first page and in problems.csv.

# This rendering's: results (folder), rows (see note_fault()), lost (identifiers of sections that are not written).
faults <- new.env()

#' Begins to count faults; the path of the results is cut from messages.
begin_faults <- function(results) {
  assign("results", paste0(results, "/"), faults)
  assign("rows", data.table(table = character(), message = character()), faults)
  assign("lost", character(), faults)
}

# Twice the same is once.
note_fault <- function(part, message) assign("rows", unique(rbind(faults$rows, list(part, message))), faults)

#' A value; where it cannot be computed, what stands in its place, which is noted.
#'
#' @param part of the report, or file that it needs; `otherwise` function of the message.
written <- function(part, value, otherwise = not_written) {
  tryCatch(value, error = function(error) {
    message <- trimws(gsub(faults$results, "", gsub("\"", "'", gsub("\\s+", " ", conditionMessage(error))), fixed = TRUE))
    note_fault(part, message)
    otherwise(message)
  })
}

not_written <- function(message, what = "section") sprintf("This %s could not be written: %s.", what, plain(sub("[.]$", "", message)))

# A sentence of the first page.
on_page_1 <- function(value) written("the first page", value, function(message) not_written(message, "part"))

#' Tables as HTML, each by itself.
tables_of <- function(part, ...) {
  lost <- function(message) sprintf("<p>%s</p>", escape_html(not_written(message, "table")))
  unlist(lapply(seq_len(...length()), function(at) written(part, ...elt(at), lost)))
}

# ---- Tables that cannot be read ------------------------------------------------------------------

#' A table that is read; one that cannot be read is noted, and stops its callers with the reason.
#'
#' @param file of results/; `value` what it becomes. A warning, such as on a row that is cut off, counts as an error.
readable <- function(file, value) {
  written(file, strictly(value), function(message) structure(list(), class = "unreadable", message = message))
}

is_readable <- function(table) !inherits(table, "unreadable")

for (use in c("$", "[", "[[", "dim", "length", "names", "as.list")) {
  assign(paste0(use, ".unreadable"), function(x, ...) stop(attr(x, "message"), call. = FALSE))
}

# ---- Sections ------------------------------------------------------------------------------------

#' A section that is not written: its heading and the reason.
lost_section <- function(lines, message) {
  headings <- grep("^#+ ", lines, value = TRUE)
  labels <- sub("^#[|] label: ", "", grep("^#[|] label: (fig|tbl)-", lines, value = TRUE))
  marked <- regmatches(lines, regexpr("\\{[^}]*#(fig|tbl|eq|sec)-[^}]*\\}", lines))
  ids <- setdiff(c(labels, identifier_of(marked)), identifier_of(headings[1]))
  assign("lost", union(faults$lost, ids), faults)
  paste(c("", head(headings, 1), "", not_written(message), ""), collapse = "\n")
}

identifier_of <- function(texts) sub("^.*#((fig|tbl|eq|sec)-[a-z0-9-]+).*$", "\\1", texts[grepl("#(fig|tbl|eq|sec)-", texts)])

#' Knits a text within another. An error prints what was knitted before it, which must not get into the text around.
knitted <- function(lines, envir) {
  text <- NULL
  utils::capture.output(text <- knitr::knit_child(text = lines, envir = envir, quiet = TRUE))
  text
}

# ---- The whole document --------------------------------------------------------------------------

# The line of the first page in whose place the problems stand.
place_of_problems <- "<!-- problems -->"
problems_on_first_page <- 10

#' Ends a document: the problems come to the first page, and references do not lead to what is missing.
#' Leaves problems.csv in the folder of the document; the text of a part is returned as it is.
finish_document <- function(text) {
  if (knitr::opts_knit$get("child")) return(text)
  text <- paste(text, collapse = "\n")
  for (id in faults$lost) text <- gsub(sprintf("@%s(?![a-z0-9-])", id), words_of_lost(id), text, perl = TRUE)
  fwrite(faults$rows, "problems.csv")
  sub(place_of_problems, list_of_problems(problems_of(sub("/$", "", faults$results))), text, fixed = TRUE)
}

words_of_lost <- function(id) paste("a missing", c(fig = "figure", tbl = "table", eq = "equation", sec = "section")[sub("-.*", "", id)])

#' All problems of a run, each once: those of the analysis, those of the other format, and those of this rendering.
problems_of <- function(results) {
  known <- written("problems.csv", read_problems(results)[, .(table, message, cells)], function(message) NULL)
  unique(rbind(known, copy(faults$rows)[, cells := ""]))
}

#' The problems, one sentence a message, without full stops.
sentences_of_problems <- function(problems, mark = plain) {
  if (nrow(problems) == 0) return(character())
  told <- problems[, .(places = list(unique(table[nzchar(table)])), cells = list(unique(unlist(strsplit(cells, ";", fixed = TRUE))))), by = message]
  mapply(function(message, places, cells) {
    where <- c(if (length(places) > 0) enumerated(mark(places), 4), if (length(cells) > 0) enumerated(as_code(cells), 2))
    paste0(mark(message), if (length(where) > 0) sprintf(" (%s)", paste(where, collapse = "; ")))
  }, told$message, told$places, told$cells, USE.NAMES = FALSE)
}

list_of_problems <- function(problems) {
  told <- sentences_of_problems(problems)
  if (length(told) == 0) return("")
  more <- length(told) - problems_on_first_page
  paste(c(
    "**Problems.** Some of this run could not be read, computed or written. The report says so where it would stand; `problems.csv` has all of it.", "",
    bullets(c(head(told, problems_on_first_page), if (more > 0) sprintf("and %s.", count_of(more, "other problem"))))
  ), collapse = "\n")
}

begin_faults(".")
