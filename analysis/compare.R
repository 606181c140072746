#!/usr/bin/env Rscript
# Modes against their baselines:
#   Rscript analysis/compare.R --out results/comparisons.csv --slices results/slices.csv results/summary.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("slices", "out"))
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
summary_table <- read_summary(given$files)
rows <- compare_modes(summary_table, read_slices(given$slices))
write_table(with_rules_version(rows, "comparisons", folder), given$out)
note_look(summary_table, dirname(given$out))
