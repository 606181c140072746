#!/usr/bin/env Rscript
# Prints the verdicts:  Rscript analysis/print_claims.R results/claims.csv

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in list.files(file.path(folder, "R"), full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), character())
if (length(given$files) != 1) stop("one table of verdicts must be given", call. = FALSE)
writeLines(print_claims(read_verdicts(given$files)))
