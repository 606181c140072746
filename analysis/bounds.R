#!/usr/bin/env Rscript
# Bounds that theory gives each mode, and the measured throughput:
#   Rscript analysis/bounds.R --summary results/summary.csv --modes results/modes.csv --out results/bounds.csv CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("summary", "modes", "out"))
use_modes(given$modes)
write_table(bound_modes(read_cells(given$files), read_summary(given$summary)), given$out)
