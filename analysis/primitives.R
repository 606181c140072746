#!/usr/bin/env Rscript
# Costs of primitives with their intervals:
#   Rscript analysis/primitives.R --out results/primitives/primitives.csv results/primitives/costs.csv

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in list.files(file.path(folder, "R"), full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) != 1) stop("one table of costs must be given", call. = FALSE)
write_table(summarise_primitives(given$files), given$out)
