#!/usr/bin/env Rscript
# The studies' summaries in one table, CPU time at the usual speed:
#   Rscript analysis/collect.R --out results/summary.csv --speed results/cpu-speed.csv CSV…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("out", "speed"))
if (length(given$files) == 0) stop("no summary given", call. = FALSE)
write_table(with_usual_speed(read_summary(given$files), read_speed_law(given$speed)), given$out)
