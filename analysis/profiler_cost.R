#!/usr/bin/env Rscript
# What the profiler costs:  Rscript analysis/profiler_cost.R --out results/profiler-cost.csv results/slices.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) != 1) stop("one table of slices must be given", call. = FALSE)
write_table(with_rules_version(profiler_cost(read_slices(given$files)), "comparisons", folder), given$out)
