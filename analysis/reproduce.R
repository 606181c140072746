#!/usr/bin/env Rscript
# This machine, or a shipped run, against a shipped run, on the terminal and as CSV:
#   Rscript analysis/reproduce.R --results results --runs analysis/runs --with 2026-11-25-xeon --this "" --out results/compare.csv
# `this` is the name of a shipped run; if it is empty, the cells in results are compared.

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("results", "runs", "with", "this", "out"))
shipped <- read_shipped(given$runs, given$with)
of_results <- given$this == ""
run <- if (of_results) read_run(given$results, shipped) else run_of_shipped(read_shipped(given$runs, given$this), shipped)
if (is.null(run)) {
  writeLines(if (of_results) no_new_cell else "Nothing to compare: both names are of one run.")
} else {
  rows <- reproduce_run(shipped, run)
  write_table(with_rules_version(rows, "reproduction", folder), given$out)
  here <- if (of_results) "here" else given$this
  writeLines(c(print_reproduction(rows, shipped, run, here), paste("All of them:", given$out)))
}
