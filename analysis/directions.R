#!/usr/bin/env Rscript
# The sources' ratios beside ours:
#   Rscript analysis/directions.R --summary results/summary.csv --slices results/slices.csv \
#     --comparisons results/comparisons.csv --readings analysis/readings.csv --out results/directions.csv \
#     --out-readings results/readings.csv analysis/published/<study>.csv …

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(
  commandArgs(trailingOnly = TRUE), c("summary", "slices", "comparisons", "readings", "out", "out-readings")
)
if (length(given$files) == 0) stop("no published figures given", call. = FALSE)
summary_table <- read_summary(given$summary)
slices <- read_slices(given$slices)
comparisons <- read_comparisons(given$comparisons)
published <- read_all_published(given$files)
directions <- compare_directions(summary_table, slices, comparisons, published)
readings <- compare_readings(summary_table, slices, comparisons, published, fread(given$readings))
write_table(with_rules_version(directions, "comparisons", folder), given$out)
write_table(with_rules_version(readings, "comparisons", folder), given[["out-readings"]])
