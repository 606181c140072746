# The functions of analysis and paper, and the edited cells of the analysis' tests.

analysis_folder <- normalizePath(test_path("..", "..", "..", "analysis"))
source(test_path("..", "..", "load.R"))
# With what the analysis keeps to itself, which the edited cells are made by.
load_paper(test_path("..", ".."), analysis_folder, export_all = TRUE)
helpers <- list.files(file.path(analysis_folder, "tests", "testthat"), pattern = "^helper", full.names = TRUE)
for (file in helpers) source(file, local = TRUE)

#' The numbers in a sentence, in their order: its words may change, its values not.
numbers_in <- function(text) as.numeric(gsub(",", "", regmatches(text, gregexpr("[0-9]+(,[0-9]{3})*([.][0-9]+)?", text))[[1]]))
