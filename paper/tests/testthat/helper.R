# The functions of analysis and paper, and the made-up cells of the analysis' tests.

analysis_folder <- normalizePath(test_path("..", "..", "..", "analysis"))
helpers <- list.files(file.path(analysis_folder, "tests", "testthat"), pattern = "^helper", full.names = TRUE)
for (file in helpers) source(file, local = TRUE)
source_all(normalizePath(test_path("..", "..")))
