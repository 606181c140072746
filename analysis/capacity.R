#!/usr/bin/env Rscript
# Load curves over sessions, and the capacity of each; without curves, tables without rows:
#   Rscript analysis/capacity.R --out results/capacity.csv --curves results/curves.csv [CELL_JSON…]

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("out", "curves"))
cells <- read_cells(given$files)
write_table(capacities_of(cells), given$out)
write_table(pool_steps(cells), given$curves)
