#!/usr/bin/env Rscript
# What the profiler costs:  Rscript analysis/profiler_cost.R --out results/profiler-cost.csv results/slices.csv

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in list.files(file.path(folder, "R"), full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) != 1) stop("one table of slices must be given", call. = FALSE)
write_table(with_rules_version(profiler_cost(read_slices(given$files)), "comparisons", folder), given$out)
