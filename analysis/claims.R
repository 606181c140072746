#!/usr/bin/env Rscript
# Verdicts on the sources' claims:
#   Rscript analysis/claims.R --claims analysis/claims.yaml --causes analysis/causes.yaml
#     --experiment config.yaml --out results/claims.csv results/summary.csv

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (name in c(
  "cli.R", "read_cell.R", "summary.R", "moderation.R", "comparisons.R", "repetitions.R", "causes.R", "theme.R",
  "figures.R", "tables.R", "claims.R"
)) {
  source(file.path(folder, "R", name))
}

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("claims", "causes", "experiment", "out"))
if (length(given$files) != 1) stop("one summary must be given", call. = FALSE)
summary <- read_summary(given$files)
experiment <- yaml::read_yaml(given$experiment)
chains <- names(read_causes(given$causes))
claims <- check_claims(read_claims(given$claims), experiment, names(summary), chains)
write_table(judge_claims(claims, summary), given$out)
