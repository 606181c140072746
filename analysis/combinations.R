#!/usr/bin/env Rscript
# Which sizes of both pools are best together:
#   Rscript analysis/combinations.R --out results/combinations.csv CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
write_table(summarise_combinations(read_grid(read_cells(given$files))), given$out)
