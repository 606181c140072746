#!/usr/bin/env Rscript
# The open loop against the closed one:
#   Rscript analysis/compare_loops.R --out results/loops.csv --slices results/slices.csv results/summary.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("slices", "out"))
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
rows <- compare_loops(read_summary(given$files), read_slices(given$slices))
write_table(with_rules_version(rows, "comparisons", folder), given$out)
