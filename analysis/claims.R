#!/usr/bin/env Rscript
# Verdicts on the sources' claims:
#   Rscript analysis/claims.R --claims analysis/claims.yaml --grid results/grid.csv --results results --out results/claims.csv
# A shipped run, which has a summary, comparisons and capacities, can stand in place of results:
#   Rscript analysis/claims.R --claims analysis/claims.yaml --grid results/grid.csv --results analysis/runs/<name> --out claims.csv

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("claims", "grid", "results", "out"))
tables <- read_claim_tables(given$results)
claims <- check_claims(read_claims(given$claims), fread(given$grid), names(tables$summary))
write_table(with_rules_version(judge_claims(claims, tables), "claims", folder), given$out)
