#!/usr/bin/env Rscript
# Predictions beside what was measured, their score, the fitted curves, and where a pool begins to win:
#   Rscript analysis/predict.R --primitives results/primitives/primitives.csv \
#     --summary results/summary.csv --out results/predictions.csv --score results/prediction-score.csv \
#     --usl results/usl.csv --crossovers results/crossovers.csv --modes results/modes.csv CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(
  commandArgs(trailingOnly = TRUE),
  c("primitives", "summary", "modes", "out", "score", "usl", "crossovers")
)
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)

use_modes(given$modes)
primitives <- read_primitives(given$primitives)
summary_table <- read_summary(given$summary)
cells <- read_cells(given$files)
setups <- setups_of(cells)
predictions <- predict_cells(setups, summary_table, primitives)
write_table(fit_modes(summary_table), given$usl)
write_table(with_rules_version(predictions, "predictions", folder), given$out)
write_table(score_primitives(setups, primitives, predictions), given$score)
cpus <- max(vapply(cells, function(cell) length(cell$provenance$server_cpus), 1L))
write_table(pool_crossovers(primitives, cpus), given$crossovers)
