#!/usr/bin/env Rscript
# The decision guide, and the outcomes of the findings:
#   Rscript analysis/guide.R --guide analysis/guide.yaml --modes results/modes.csv --slices results/slices.csv \
#     --capacity results/capacity.csv --comparisons results/comparisons.csv \
#     --out results/guide.csv --out-findings results/findings.csv results/summary.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(
  commandArgs(trailingOnly = TRUE),
  c("guide", "modes", "slices", "capacity", "comparisons", "out", "out-findings")
)
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
use_modes(given$modes)
capacity <- read_capacity(given$capacity)
comparisons <- read_comparisons(given$comparisons)
summary <- with_capacities(read_summary(given$files), capacity)
rows <- compare_guide(
  c(read_guide(given$guide), curve_situations(capacity, comparisons)), summary, read_slices(given$slices), comparisons
)
write_table(with_rules_version(rows, "comparisons", folder), given$out)
findings <- decide_findings(read_findings(given$guide), comparisons, summary)
write_table(with_rules_version(findings, "comparisons", folder), given[["out-findings"]])
