#!/usr/bin/env Rscript
# All tests of the paper's functions:  Rscript paper/tests/testthat.R
# Those of all files but some:         Rscript paper/tests/testthat.R but publish

library(testthat)

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
but <- commandArgs(trailingOnly = TRUE)[-1]
filter <- if (length(but) > 0) paste0("^(", paste(but, collapse = "|"), ")$")
test_dir(file.path(folder, "testthat"), filter = filter, invert = TRUE, stop_on_failure = TRUE, reporter = "summary")
