#!/usr/bin/env Rscript
# How often intervals and verdicts are right, by simulation (minutes): to be run, and its result
# committed, whenever effects.R or comparisons.R changes what they decide.
#   Rscript analysis/simulate.R --out analysis/coverage.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
found <- simulate_coverage(300)
figures <- setdiff(names(found), names(coverage_settings))
write_table(found[, (figures) := lapply(.SD, round, 3), .SDcols = figures], given$out)
