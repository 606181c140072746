#!/usr/bin/env Rscript
# All tests of the paper's functions:  Rscript paper/tests/testthat.R

library(testthat)

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
test_dir(file.path(folder, "testthat"), stop_on_failure = TRUE, reporter = "summary")
