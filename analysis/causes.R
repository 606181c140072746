#!/usr/bin/env Rscript
# The chains of causes, link by link, what was counted, and where CPU time moved:
#   Rscript analysis/causes.R --causes analysis/causes.yaml --slices results/slices.csv \
#     --repetitions results/repetitions.csv --groups results/cpu-groups.csv --out results/causes.csv --counters results/cause-counters.csv \
#     --moved results/moved-groups.csv results/summary.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(
  commandArgs(trailingOnly = TRUE), c("causes", "slices", "repetitions", "groups", "out", "counters", "moved")
)
use_looks(given$repetitions)
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
causes <- read_causes(given$causes)
summary_table <- read_summary(given$files)
groups <- read_cpu_groups(given$groups)
traced <- trace_causes(causes, summary_table, read_slices(given$slices), groups)
write_table(with_rules_version(cause_rows(traced), "causes", folder), given$out)
write_table(counter_rows(traced), given$counters)
write_table(moved_rows(causes, summary_table, groups), given$moved)
