#!/usr/bin/env Rscript
# The end of a run, for a terminal:  Rscript paper/summary.R --results results

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
sources <- file.path(folder, c("../analysis/R", "R"))
for (file in list.files(sources, full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "results")
writeLines(summary_lines(read_results(given$results)))
