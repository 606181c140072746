#!/usr/bin/env Rscript
# Modes against their baselines:
#   Rscript analysis/compare.R --out results/comparisons.csv --slices results/slices.csv \
#     --capacity results/capacity.csv results/summary.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("slices", "capacity", "out"))
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
rows <- compare_modes(read_summary(given$files), read_slices(given$slices))
curves <- compare_capacities(read_capacity(given$capacity))
if (nrow(curves) > 0) rows <- rbind(rows, curves)
write_table(with_rules_version(rows, "comparisons", folder), given$out)
