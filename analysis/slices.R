#!/usr/bin/env Rscript
# All slices of all cells in one table, and how their CPU time goes with the CPUs' speed:
#   Rscript analysis/slices.R --out results/slices.csv --speed results/cpu-speed.csv CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("out", "speed"))
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
slices <- slices_of_cells(given$files)
law <- speed_law(slices)
write_table(as.data.table(law), given$speed)
write_table(with_usual_speed(slices, law), given$out)
