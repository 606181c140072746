#!/usr/bin/env Rscript
# The studies' summaries in one table:  Rscript analysis/collect.R --out results/summary.csv CSV…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) == 0) stop("no summary given", call. = FALSE)
write_table(read_summary(given$files), given$out)
