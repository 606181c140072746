#!/usr/bin/env Rscript
# A row per cell:  Rscript analysis/summarise.R --out results/summary/<study>.csv CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
write_table(summarise_cells(given$files), given$out)
