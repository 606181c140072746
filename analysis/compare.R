#!/usr/bin/env Rscript
# Modes against their baselines:
#   Rscript analysis/compare.R --out results/comparisons.csv results/summary.csv

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (name in c("cli.R", "read_cell.R", "summary.R", "moderation.R", "comparisons.R", "repetitions.R")) {
  source(file.path(folder, "R", name))
}

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
write_table(compare_modes(read_summary(given$files)), given$out)
