# Runs the R code of one .qmd and leaves plain Markdown for pandoc, as Quarto's knitr engine would.
#
#   Rscript knit.R report.qmd report.md '{"results": "/path/of/results"}' html
#
# The third argument overrides parameters of the front matter; the fourth is the format that is made of it. Figures go to figures/ beside the
# output. A chunk or an inline expression that fails, fails the whole, unless the document catches it (R/problems.R).

suppressPackageStartupMessages(library(knitr))

#' The front matter's parameters, with overrides put over them.
document_params <- function(qmd, overrides) {
  declared <- knit_params(readLines(qmd, encoding = "UTF-8"))
  modifyList(lapply(declared, `[[`, "value"), overrides)
}

is_crossref <- function(label, kind) startsWith(label, paste0(kind, "-"))

#' Stops when a chunk lacks an option that its figure or table cannot go without.
need <- function(options, name) {
  if (is.null(options[[name]])) stop("the chunk ", options$label, " has no ", name)
}

escape_attribute <- function(text) {
  gsub("\"", "&quot;", gsub("&", "&amp;", text, fixed = TRUE), fixed = TRUE)
}

#' One figure as the Div that Quarto's cross-references know.
plot_as_div <- function(file, options) {
  need(options, "fig.alt")
  image <- sprintf("![](%s){fig-alt=\"%s\"}", file, escape_attribute(options$fig.alt))
  if (!is_crossref(options$label, "fig")) {
    return(paste0("\n\n", image, "\n\n"))
  }
  need(options, "fig.cap")
  sprintf("\n\n::: {#%s}\n\n%s\n\n%s\n:::\n\n", options$label, image, options$fig.cap)
}

#' A table's chunk as the Div that Quarto's cross-references know; any other chunk as it is.
chunk_as_div <- function(text, options) {
  if (!is_crossref(options$label, "tbl") || !nzchar(trimws(text))) {
    return(text)
  }
  need(options, "tbl-cap")
  widths <- options[["tbl-colwidths"]]
  attribute <- if (is.null(widths)) "" else sprintf(" tbl-colwidths=\"[%s]\"", paste(widths, collapse = ","))
  sprintf("\n\n::: {#%s%s}\n\n%s\n\n%s\n:::\n\n", options$label, attribute, trimws(text), options[["tbl-cap"]])
}

arguments <- commandArgs(trailingOnly = TRUE)
overrides <- jsonlite::fromJSON(arguments[[3]], simplifyVector = FALSE)
params <- document_params(arguments[[1]], overrides)
lockBinding("params", environment())

render_markdown()
opts_knit$set(progress = FALSE, verbose = FALSE, rmarkdown.pandoc.to = arguments[[4]])
# svglite's SVG has the same bytes in every run, and both HTML and typst take it.
opts_chunk$set(
  error = FALSE, comment = NA, dev = "svglite", fig.width = 7, fig.height = 4,
  fig.path = "figures/"
)
knit_hooks$set(plot = plot_as_div, chunk = chunk_as_div)
invisible(knit(arguments[[1]], arguments[[2]], quiet = TRUE, encoding = "UTF-8"))
