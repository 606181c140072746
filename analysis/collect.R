#!/usr/bin/env Rscript
# The studies' summaries in one table:  Rscript analysis/collect.R --out results/summary.csv CSV…

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in list.files(file.path(folder, "R"), full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), "out")
if (length(given$files) == 0) stop("no summary given", call. = FALSE)
write_table(read_summary(given$files), given$out)
