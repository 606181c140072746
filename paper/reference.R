#!/usr/bin/env Rscript
# Publishes the reference: report, figures and numbers of the README.
#   Rscript paper/reference.R --results results --reference analysis/reference --out paper/reference --readme README.md

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
sources <- file.path(folder, c("../analysis/R", "R"))
for (file in list.files(sources, full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("results", "reference", "out", "readme"))
publish_reference(given$results, given$reference, given$out, given$readme)
