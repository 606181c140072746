#!/usr/bin/env Rscript
# Differential flame graphs of the causes:
#   Rscript analysis/differences.R --causes analysis/causes.yaml --cpu results/cpu-groups.csv \
#     --groups analysis/stack-groups.csv --speed results/cpu-speed.csv --cells results/cells \
#     --converter profiles/convert/jfrconv.sh --out results/differences

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in list.files(file.path(folder, "R"), full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("causes", "cpu", "groups", "speed", "cells", "converter", "out"))
draw_differences(
  read_causes(given$causes), read_cpu_groups(given$cpu), read_stack_groups(given$groups),
  read_speed_law(given$speed), given$cells, given$converter, given$out
)
