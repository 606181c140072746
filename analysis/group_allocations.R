#!/usr/bin/env Rscript
# What requests allocate, by group of stacks:
#   Rscript analysis/group_allocations.R --groups analysis/stack-groups.csv \
#     --out results/allocations.csv CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("groups", "out"))
write_table(group_allocations(given$files, read_stack_groups(given$groups)), given$out)
