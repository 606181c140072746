#!/usr/bin/env Rscript
# The end of a run, for a terminal:  Rscript paper/summary.R --results results

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
analysis <- file.path(folder, "..", "analysis")
source(file.path(analysis, "R", "cli.R"))
source_all(analysis)
source_all(folder)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "results")
writeLines(summary_lines(read_results(given$results, analysis)))
