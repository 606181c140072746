#!/usr/bin/env Rscript
# The studies' summaries in one table:  Rscript analysis/collect.R --out results/summary.csv CSV…

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (name in c("cli.R", "read_cell.R", "summary.R")) source(file.path(folder, "R", name))

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) == 0) stop("no summary given", call. = FALSE)
write_table(read_summary(given$files), given$out)
