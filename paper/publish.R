#!/usr/bin/env Rscript
# The rest that a run leaves, next to its report:
#   Rscript paper/publish.R summary results=results      its end, for a terminal
#   Rscript paper/publish.R readme name=2026-11-26-epyc  the README's blocks and pictures, from the tables of the shipped runs
#   printf '%s\n' CELL_JSON… | Rscript paper/publish.R reference results=results repetitions=3 name=
#                                                        ships a complete default run, as analysis/runs/<name> and paper/runs/<name>
#   printf '%s\n' CELL_JSON… | Rscript paper/publish.R publish results=results repetitions=3 name=
#                                                        packs one, as results/published/<name>.tar.gz, for others to ship

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
root <- file.path(folder, "..")
analysis <- file.path(root, "analysis")
source(file.path(folder, "load.R"))
load_paper(folder, analysis)

# Shipping writes these itself.
commit_to_ship <- function(root) committed_code(root, c("analysis/runs", "paper/runs", names(readme_files)))

run_verb(list(
  summary = function(results) {
    begin_faults(results)
    all <- read_results(results, analysis, read_all_shipped(file.path(analysis, "runs")))
    writeLines(summary_lines(all, readLines(file.path(folder, "findings.qmd"), encoding = "UTF-8")))
  },
  readme = function(name) write_readme(root, name),
  reference = function(results, repetitions, name) {
    writeLines(lines_of_shipped(ship_run(results, names_from_input(), as.integer(repetitions), name, root, commit_to_ship(root))))
  },
  publish = function(results, repetitions, name) {
    writeLines(lines_of_packed(pack_run(results, names_from_input(), as.integer(repetitions), name, root, commit_to_ship(root))))
  }
), commandArgs(trailingOnly = TRUE))
