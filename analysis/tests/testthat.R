#!/usr/bin/env Rscript
# All tests of the analysis, two files at a time:  Rscript analysis/tests/testthat.R
# Those of one file, or of all but one:            Rscript analysis/tests/testthat.R masks     Rscript analysis/tests/testthat.R but masks

library(testthat)

folder <- file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "testthat")
# Each process would load the package otherwise.
pkgload::load_all(file.path(folder, "..", ".."), helpers = FALSE, quiet = TRUE)
library(data.table)

# The tests of a file in a process of its own, and what it printed.
run_file <- function(name) {
  began <- proc.time()[["elapsed"]]
  printed <- capture.output(
    found <- test_dir(folder, filter = paste0("^", name, "$"), reporter = "summary", stop_on_failure = FALSE)
  )
  tests <- as.data.frame(found)
  list(
    printed = printed, checks = sum(tests$passed), failed = sum(tests$failed > 0 | tests$error),
    seconds = proc.time()[["elapsed"]] - began
  )
}

files <- list.files(folder, "^test-.*[.]R$", full.names = TRUE)
# The longest first, so that none is left for one process alone.
files <- files[order(-file.size(files))]
names <- sub("^test-(.*)[.]R$", "\\1", basename(files))
chosen <- commandArgs(trailingOnly = TRUE)
if (length(chosen) > 0) names <- if (chosen[1] == "but") setdiff(names, chosen) else intersect(names, chosen)
if (length(names) == 0) stop("no tests are called ", paste(chosen, collapse = " "), call. = FALSE)
ran <- parallel::mclapply(names, run_file, mc.cores = 2, mc.preschedule = FALSE)

# A file that cannot be read, and a process that died, leave no list.
right <- vapply(ran, function(one) is.list(one) && one$failed == 0 && one$checks > 0, NA)
for (index in seq_along(names)) {
  one <- ran[[index]]
  writeLines(if (is.list(one)) sprintf("%-16s %4d checks %6.1f s", names[index], one$checks, one$seconds) else paste(names[index], "did not run:", format(one)))
  if (is.list(one) && !right[index]) writeLines(one$printed)
}
if (!all(right)) stop("failed: ", paste(names[!right], collapse = ", "), call. = FALSE)
