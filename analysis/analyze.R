#!/usr/bin/env Rscript
# The analysis, one verb (see verbs.R) and its settings:
#   printf '%s\n' results/cells/*/*/*/*/rep-*/cell.json | Rscript analysis/analyze.R analyze results=results

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
pkgload::load_all(folder, export_all = FALSE, helpers = FALSE, attach_testthat = FALSE, quiet = TRUE)
run_verb(verbs(folder), commandArgs(trailingOnly = TRUE))
