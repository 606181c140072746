#!/usr/bin/env Rscript
# Which sizes of both pools are best together, and the law that they follow:
#   Rscript analysis/combinations.R --out results/combinations.csv --laws results/combination-laws.csv CELL_JSON…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("out", "laws"))
grid <- read_grid(read_cells(given$files))
write_table(summarise_combinations(grid), given$out)
write_table(fit_combinations(grid), given$laws)
