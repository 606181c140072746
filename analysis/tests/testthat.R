#!/usr/bin/env Rscript
# All tests of the analysis:  Rscript analysis/tests/testthat.R

library(testthat)

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
test_dir(file.path(folder, "testthat"), stop_on_failure = TRUE, reporter = "summary")
