#!/usr/bin/env Rscript
# The chains of causes, link by link:
#   Rscript analysis/causes.R --causes analysis/causes.yaml --slices results/slices.csv \
#     --groups results/cpu-groups.csv --out results/causes.csv results/summary.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("causes", "slices", "groups", "out"))
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
traced <- trace_causes(
  read_causes(given$causes), read_summary(given$files), read_slices(given$slices), read_cpu_groups(given$groups)
)
write_table(with_rules_version(cause_rows(traced), "causes", folder), given$out)
