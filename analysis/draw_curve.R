#!/usr/bin/env Rscript
# The load curve of one tier as a picture, SVG or PNG by the name of the file:
#   Rscript analysis/draw_curve.R --curves results/curves.csv --capacity results/capacity.csv \
#     --modes results/modes.csv --tier request-threads/short --out curve.svg

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("curves", "capacity", "modes", "tier", "out"))
use_modes(given$modes)
wanted <- setNames(as.list(strsplit(given$tier, "/", fixed = TRUE)[[1]]), c("study", "tier"))
steps <- read_load_curves(given$curves)[wanted, on = names(wanted), nomatch = NULL]
capacity <- read_capacity(given$capacity)[wanted, on = names(wanted), nomatch = NULL]
if (nrow(steps) == 0) stop("no valid curve at ", given$tier, call. = FALSE)
pooled <- pool_capacity(capacity)
figure <- figure_load_curve(steps, pooled, capacity$tier_title[1])
ggsave(given$out, figure, width = 7, height = height_of_load_curve(pooled), dpi = 200)
