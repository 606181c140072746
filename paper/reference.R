#!/usr/bin/env Rscript
# Ships a complete default run, as analysis/runs/<name> and paper/runs/<name>:
#   Rscript paper/reference.R --results results --repetitions 3 --name "" CELL_JSON…

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
root <- file.path(folder, "..")
source(file.path(root, "analysis", "R", "cli.R"))
source_all(file.path(root, "analysis"))
source_all(folder)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("results", "repetitions", "name"))
if (length(given$files) == 0) stop("no cell.json given", call. = FALSE)
commit <- committed_code(root, c("analysis/runs", "paper/runs", "README.md"))
writeLines(lines_of_shipped(ship_run(given$results, given$files, as.integer(given$repetitions), given$name, root, commit)))
