# The functions of analysis and paper, and the edited cells of the analysis' tests.

analysis_folder <- normalizePath(test_path("..", "..", "..", "analysis"))
source(test_path("..", "..", "load.R"))
# With what the analysis keeps to itself, which the edited cells are made by.
load_paper(test_path("..", ".."), analysis_folder, export_all = TRUE)
helpers <- list.files(file.path(analysis_folder, "tests", "testthat"), pattern = "^helper", full.names = TRUE)
for (file in helpers) source(file, local = TRUE)

guide_file <- file.path(analysis_folder, "guide.yaml")
runs_folder <- file.path(analysis_folder, "runs")
#' The lines of a file of the paper.
lines_of <- function(file) readLines(test_path("..", "..", file), encoding = "UTF-8", warn = FALSE)

#' The numbers in a sentence, in their order: its words may change, its values not.
numbers_in <- function(text) as.numeric(gsub(",", "", regmatches(text, gregexpr("[0-9]+(,[0-9]{3})*([.][0-9]+)?", text))[[1]]))

#' The text has each of these words, or none of them, as they stand.
expect_said <- function(text, ...) for (words in c(...)) expect_match(text, words, fixed = TRUE)
expect_unsaid <- function(text, ...) for (words in c(...)) expect_no_match(text, words, fixed = TRUE)
expect_drawn <- function(figure) expect_s3_class(ggplot2::ggplotGrob(figure), "gtable")

#' Comparisons as the analysis has them, of these values: a row, or as many as a value has.
compared <- function(...) {
  usual <- list(
    tier = "high", estimate = 4, low = 3, high = 6, sessions = 3, baseline_value = 50, mode_value = 200,
    fcr_low = NA_real_, fcr_high = NA_real_, verdict = "higher", primary = 1, p_adjusted = 0.2
  )
  do.call(comparison_rows, modifyList(usual, list(...)))
}

#' A table with other values.
altered <- function(table, ...) {
  changes <- list(...)
  for (column in names(changes)) set(table, j = column, value = changes[[column]])
  table[]
}
