# The functions of analysis and paper, and the edited cells of the analysis' tests.

analysis_folder <- normalizePath(test_path("..", "..", "..", "analysis"))
source(test_path("..", "..", "load.R"))
# With what the analysis keeps to itself, which the edited cells are made by.
load_paper(test_path("..", ".."), analysis_folder, export_all = TRUE)
helpers <- list.files(file.path(analysis_folder, "tests", "testthat"), pattern = "^helper", full.names = TRUE)
for (file in helpers) source(file, local = TRUE)
