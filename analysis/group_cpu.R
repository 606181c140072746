#!/usr/bin/env Rscript
# Where CPU goes, by group of stacks:
#   Rscript analysis/group_cpu.R --groups analysis/stack-groups.csv \
#     --speed results/cpu-speed.csv --out results/cpu-groups.csv CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("groups", "speed", "out"))
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
groups <- group_cpu(given$files, read_stack_groups(given$groups), read_speed_law(given$speed))
write_table(groups, given$out)
