#!/usr/bin/env Rscript
# Verdicts on the sources' claims:
#   Rscript analysis/claims.R --claims analysis/claims.yaml --causes analysis/causes.yaml
#     --grid results/grid.csv --modes results/modes.csv --slices results/slices.csv \
#     --repetitions results/repetitions.csv --capacity results/capacity.csv
#     --primitives results/primitives --out results/claims.csv results/summary.csv results/cells/<...>/cell.json ...

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("claims", "causes", "grid", "modes", "slices", "repetitions", "capacity", "primitives", "out"))
if (length(given$files) == 0) stop("a summary must be given", call. = FALSE)
use_looks(given$repetitions)
use_modes(given$modes)
summary <- with_capacities(read_summary(given$files[1]), read_capacity(given$capacity))
claims <- check_claims(read_claims(given$claims), fread(given$grid), names(summary), read_causes(given$causes))
verdicts <- judge_claims(
  claims, summary, read_slices(given$slices), read_claim_primitives(given$primitives), given$files[-1]
)
write_table(with_rules_version(verdicts, "claims", folder), given$out)
