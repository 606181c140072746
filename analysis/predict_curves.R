#!/usr/bin/env Rscript
# What theory predicts along the load curves; without curves, a table without rows:
#   Rscript analysis/predict_curves.R --primitives results/primitives/primitives.csv \
#     --modes results/modes.csv --out results/predicted-curves.csv [CELL_JSON…]

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("primitives", "modes", "out"))
use_modes(given$modes)
write_table(predict_curves(read_cells(given$files), read_primitives(given$primitives)), given$out)
