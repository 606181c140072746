# Runs of a mode and its baseline, whole and shipped.

# The shipped run that config.yaml names.
reference_run <- yaml::read_yaml(file.path(analysis_folder, "..", "config.yaml"))$reference

machine <- list(cpu_model = "A CPU", cpus = 2, architecture = "x86_64", kernel = "6.1", memory_bytes = 8e9)

# The cell.json files of a mode and its baseline, a session each repetition.
write_run <- function(results, repetitions = 3, at = "first", rates = c(200, 205, 195), facts = list(), commit = "0123456789", ended = "2026-11-22") {
  root <- file.path(results, "cells")
  unlist(lapply(seq_len(repetitions), function(n) {
    common <- list(
      root = root, repetition = n, tool = "wrk2", histogram_ms = c(1, 2, 3, 4),
      session = list(id = paste(at, n), phases = list(wall_s = 60 + n)),
      provenance = list(
        started = "2026-11-22T01:00:00.000+00:00", ended = paste0(ended, "T02:00:00.000+00:00"),
        commit = commit, machine = modifyList(machine, facts), limits = list(somaxconn = "4096"), versions = list(jdk = "25")
      ),
      configuration = list(tier = list(id = "low", path = "/work", sleep_ms = 100))
    )
    rate <- function(value) list(slices = known_slices(throughput_per_s = value * c(0.99, 1, 1, 1.01)), load = list(throughput_per_s = value, requests_recorded = 1e6))
    c(
      do.call(write_cell, c(common, rate(rates[n]))),
      do.call(write_cell, c(common, rate(100), list(mode = "thread-per-request", baseline = NULL)))
    )
  }))
}

# A complete run: cells, tables and report. The same is made once.
whole_runs <- new.env()
write_whole_run <- function(...) {
  made <- paste(deparse(list(...)), collapse = " ")
  if (is.null(whole_runs[[made]])) whole_runs[[made]] <- make_whole_run(...)
  results <- new_folder()
  file.copy(list.files(whole_runs[[made]]$results, full.names = TRUE), results, recursive = TRUE)
  # Tables are younger than cells.
  Sys.setFileTime(list.files(results, full.names = TRUE), Sys.time())
  list(results = results, paths = sub(whole_runs[[made]]$results, results, whole_runs[[made]]$paths, fixed = TRUE))
}

make_whole_run <- function(...) {
  results <- new_folder()
  paths <- write_run(results, ...)
  measured <- measured_cells(paths)
  write_table(measured$summary, file.path(results, "summary.csv"))
  rows <- compare_modes(measured)
  write_table(add_verdicts(rows, rows[, comparison_names, with = FALSE]), file.path(results, "comparisons.csv"))
  write_table(capacities_of(list()), file.path(results, "capacity.csv"))
  for (report in c("report.html", "report.pdf")) writeLines("a report", file.path(results, report))
  list(results = results, paths = paths)
}

condensed <- function(run, repetitions = 3, out = new_folder()) {
  # No other run is shipped.
  analysis <- new_folder()
  file.copy(file.path(analysis_folder, "PROTOCOL.md"), analysis)
  condense_run(run$results, run$paths, out, analysis, repetitions, commit = "0123456789")
  out
}

# The run as it is shipped.
shipped_from <- function(run, name = "2026-11-22-cpu") {
  folder <- new_folder()
  condensed(run, out = file.path(folder, name))
  read_shipped(folder, name)
}
