#!/usr/bin/env Rscript
# All slices of all cells in one table:  Rscript analysis/slices.R --out results/slices.csv CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
write_table(slices_of_cells(given$files), given$out)
