#!/usr/bin/env Rscript
# Publishes the reference: report, figures and numbers of the README.
#   Rscript paper/reference.R --results results --reference analysis/reference --out paper/reference --readme README.md

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
analysis <- file.path(folder, "..", "analysis")
source(file.path(analysis, "R", "cli.R"))
source_all(analysis)
source_all(folder)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("results", "reference", "out", "readme"))
publish_reference(given$results, analysis, given$reference, given$out, given$readme)
