#!/usr/bin/env Rscript
# Ratios per machine and pooled over machines:
#   Rscript analysis/travel.R --results results --out results/travel.csv CELL_JSON_FROM_ELSEWHERE…

source(sub("^--file=(.*/)?.*", "\\1R/cli.R", grep("^--file=", commandArgs(), value = TRUE)))
folder <- source_all()

given <- parse_command_line(commandArgs(trailingOnly = TRUE), c("results", "out"))
same <- asked_the_same(given$files, given$results)
for (path in given$files[!same]) message("left out, for it measures another load or mode than the cell here: ", path)
from <- function(name) file.path(given$results, name)
# Each machine has a usual speed of its own.
there <- slices_of_cells(given$files[same])
law <- speed_law(there)
slices <- rbind(read_slices(from("slices.csv")), with_usual_speed(there, law), fill = TRUE)
summary_table <- rbind(read_summary(from("summary.csv")), with_usual_speed(summarise_cells(given$files[same]), law), fill = TRUE)
# A cell that was copied from here stands in both.
place <- c("study", "mode", "tier", "tool", "session")
rows <- travel(unique(summary_table, by = place), unique(slices, by = c(place, "beside", "round", "kind")))
write_table(with_rules_version(rows, "travel", folder), given$out)
