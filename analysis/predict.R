#!/usr/bin/env Rscript
# Predictions beside what was measured, the fitted curves, and where a pool begins to win:
#   Rscript analysis/predict.R --primitives results/primitives/primitives.csv \
#     --summary results/summary.csv --groups results/cpu-groups.csv --out results/predictions.csv \
#     --usl results/usl.csv --crossovers results/crossovers.csv CELL_JSON…

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in list.files(file.path(folder, "R"), full.names = TRUE)) source(file)

given <- parse_command_line(
  commandArgs(trailingOnly = TRUE),
  c("primitives", "summary", "groups", "out", "usl", "crossovers")
)
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)

primitives <- read_primitives(given$primitives)
summary_table <- read_summary(given$summary)
cells <- read_cells(given$files)
fits <- fit_modes(summary_table)
write_table(fits, given$usl)
write_table(
  predict_cells(cells, summary_table, primitives, read_cpu_groups(given$groups), fits), given$out
)
cpus <- max(vapply(cells, function(cell) length(cell$provenance$server_cpus), 1L))
write_table(pool_crossovers(primitives, cpus), given$crossovers)
