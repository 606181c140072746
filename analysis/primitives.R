#!/usr/bin/env Rscript
# Costs of primitives with their intervals:
#   Rscript analysis/primitives.R --out results/primitives/primitives.csv --speed results/cpu-speed.csv \
#     results/primitives/costs-1.csv …

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("out", "speed"))
if (length(given$files) == 0) stop("no table of costs given", call. = FALSE)
write_table(summarise_primitives(given$files, read_speed_law(given$speed)), given$out)
