#!/usr/bin/env Rscript
# Condenses a complete default run into the reference:
#   Rscript analysis/reference.R --results results --out analysis/reference --experiment config.yaml CELL_JSON…

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in list.files(file.path(folder, "R"), full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("results", "out", "experiment"))
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
repetitions <- yaml::read_yaml(given$experiment, merge.precedence = "override")$repetitions
condense_run(given$results, given$files, given$out, folder, repetitions, committed_code(dirname(folder)))
