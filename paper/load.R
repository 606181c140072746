# Loads the analysis, a package that is never installed, and the functions of this folder.

library(data.table)
library(ggplot2)
library(patchwork)

load_paper <- function(paper, analysis, export_all = FALSE) {
  pkgload::load_all(analysis, export_all = export_all, helpers = FALSE, attach_testthat = FALSE, quiet = TRUE)
  for (file in list.files(file.path(paper, "R"), "[.]R$", full.names = TRUE)) source(file)
}
