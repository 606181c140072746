#!/usr/bin/env Rscript
# Condenses a complete default run into the reference:
#   Rscript analysis/reference.R --results results --out analysis/reference --experiment config.yaml CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("results", "out", "experiment"))
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
repetitions <- yaml::read_yaml(given$experiment, merge.precedence = "override")$repetitions
condense_run(given$results, given$files, given$out, folder, repetitions, committed_code(dirname(folder)))
