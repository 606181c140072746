#!/usr/bin/env Rscript
# The open loop against the closed one, and the program wrk2 against the project's own generator:
#   Rscript analysis/compare_loops.R --out results/loops.csv --out-generators results/generators.csv \
#     --slices results/slices.csv results/summary.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("slices", "out", "out-generators"))
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
summary <- read_summary(given$files)
slices <- read_slices(given$slices)
write_table(with_rules_version(compare_loops(summary, slices), "comparisons", folder), given$out)
write_table(with_rules_version(compare_generators(summary, slices), "comparisons", folder), given[["out-generators"]])
