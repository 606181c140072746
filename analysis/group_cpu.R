#!/usr/bin/env Rscript
# Where CPU goes, by group of stacks:
#   Rscript analysis/group_cpu.R --groups analysis/stack-groups.csv --out results/cpu-groups.csv CELL_JSON…

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (name in c("cli.R", "read_cell.R", "stack_groups.R")) source(file.path(folder, "R", name))

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("groups", "out"))
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
groups <- group_cpu(given$files, read_stack_groups(given$groups))
if (nrow(groups) == 0) {
  # No cell was sampled: the table is there all the same, with its columns.
  groups <- setNames(as.data.table(rep(list(character()), length(cpu_group_columns))), cpu_group_columns)
}
write_table(groups, given$out)
