#!/usr/bin/env Rscript
# Causes by dose or swap, and where CPU time moved:
#   Rscript analysis/causes.R --causes analysis/causes.yaml --slices results/slices.csv --groups results/cpu-groups.csv \
#     --out results/causes.csv --moved results/moved-groups.csv results/summary.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("causes", "slices", "groups", "out", "moved"))
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
causes <- read_causes(given$causes)
traced <- trace_causes(causes, read_summary(given$files), read_slices(given$slices))
write_table(with_rules_version(traced, "causes", folder), given$out)
write_table(moved_rows(causes, read_cpu_groups(given$groups)), given$moved)
