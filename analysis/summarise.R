#!/usr/bin/env Rscript
# A row per cell:  Rscript analysis/summarise.R --out results/summary/<study>.csv CELL_JSON…

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in list.files(file.path(folder, "R"), full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
write_table(summarise_cells(given$files), given$out)
