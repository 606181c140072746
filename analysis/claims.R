#!/usr/bin/env Rscript
# Verdicts on the sources' claims:
#   Rscript analysis/claims.R --claims analysis/claims.yaml --causes analysis/causes.yaml
#     --experiment config.yaml --slices results/slices.csv --out results/claims.csv results/summary.csv

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in list.files(file.path(folder, "R"), full.names = TRUE)) source(file)

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("claims", "causes", "experiment", "slices", "out"))
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
summary <- read_summary(given$files)
experiment <- yaml::read_yaml(given$experiment)
chains <- names(read_causes(given$causes))
claims <- check_claims(read_claims(given$claims), experiment, names(summary), chains)
verdicts <- judge_claims(claims, summary, read_slices(given$slices))
write_table(with_rules_version(verdicts, "claims", folder), given$out)
