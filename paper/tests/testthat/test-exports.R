# The R code of a file: of a .qmd its chunks, its inline expressions, and options that are expressions.
code_of <- function(path) {
  lines <- readLines(path, encoding = "UTF-8")
  if (!endsWith(path, ".qmd")) return(lines)
  fence <- grepl("^```", lines)
  # The fence that each line stands behind; lines of R are behind one that opens a chunk.
  opened <- c("", lines[fence])[cumsum(fence) + 1]
  options <- sub("^#\\| [^:]+: !expr '?(.*?)'?$", "\\1", grep("^#\\| .*!expr", lines, value = TRUE))
  inline <- unlist(regmatches(lines, gregexpr("(?<=`r )[^`]+(?=`)", lines, perl = TRUE)))
  c(lines[!fence & startsWith(opened, "```{r")], options, inline)
}

# Names that code takes from elsewhere.
globals_of <- function(code) {
  unlist(lapply(parse(text = code, keep.source = FALSE), function(expression) {
    codetools::findGlobals(eval(call("function", NULL, expression), baseenv()))
  }))
}

test_that("the analysis exports what the paper uses, and nothing else", {
  paper <- file.path(dirname(analysis_folder), "paper")
  files <- list.files(paper, "[.](R|qmd)$", full.names = TRUE)
  files <- c(files, list.files(file.path(paper, "R"), "[.]R$", full.names = TRUE), file.path(analysis_folder, "analyze.R"))
  used <- globals_of(unlist(lapply(files, code_of)))
  internal <- ls(asNamespace("artifact"))
  exported <- getNamespaceExports("artifact")
  expect_equal(sort(intersect(used, internal)), sort(exported))
})
