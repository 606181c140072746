#!/usr/bin/env Rscript
# This machine against the reference, on the terminal and as CSV:
#   Rscript analysis/reproduce.R --results results --reference analysis/reference --out results/compare.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("results", "reference", "out"))
reference <- read_reference(given$reference)
run <- if (!is.null(reference)) read_run(given$results, reference)
reason <- why_not_reproduced(reference, run)
if (nzchar(reason)) {
  writeLines(reason)
} else {
  rows <- reproduce_run(reference, run)
  write_table(with_rules_version(rows, "reproduction", folder), given$out)
  writeLines(c(print_reproduction(rows, reference, run), paste("All of them:", given$out)))
}
