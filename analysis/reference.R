#!/usr/bin/env Rscript
# Condenses a complete default run into the reference:
#   Rscript analysis/reference.R --results results --out analysis/reference --repetitions 3 --written README.md CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("results", "out", "repetitions", "written"))
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
commit <- committed_code(dirname(folder), strsplit(given$written, ",")[[1]])
condense_run(given$results, given$files, given$out, folder, as.integer(given$repetitions), commit)
