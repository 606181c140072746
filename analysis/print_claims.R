#!/usr/bin/env Rscript
# Prints the verdicts:  Rscript analysis/print_claims.R results/claims.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), character())
if (length(given$files) != 1) stop("one table of verdicts must be given", call. = FALSE)
writeLines(print_claims(read_verdicts(given$files)))
