#!/usr/bin/env Rscript
# The open loop against the closed one:
#   Rscript analysis/compare_loops.R --out results/loops.csv results/summary.csv

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (name in c("cli.R", "read_cell.R", "summary.R", "moderation.R", "comparisons.R", "repetitions.R", "loops.R")) {
  source(file.path(folder, "R", name))
}

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
write_table(compare_loops(read_summary(given$files)), given$out)
