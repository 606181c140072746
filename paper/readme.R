#!/usr/bin/env Rscript
# Writes the README's blocks and pictures from the tables of the shipped runs:
#   Rscript paper/readme.R --root . --name 2026-11-25-xeon

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
analysis <- file.path(folder, "..", "analysis")
source(file.path(analysis, "R", "cli.R"))
source_all(analysis)
source_all(folder)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("root", "name"))
write_readme(given$root, given$name)
