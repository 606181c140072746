# Golden cells with known values, written where the test says.

# The tests of the paper, which read this file too, have said it.
if (!exists("analysis_folder")) analysis_folder <- normalizePath(test_path("..", ".."))
library(data.table)
if (!"package:artifact" %in% search()) pkgload::load_all(analysis_folder, helpers = FALSE, quiet = TRUE)
# Real cells of a smoke run, kept small: one for each tool.
golden <- local({
  folder <- tempfile("golden-")
  untar(file.path(analysis_folder, "..", "workloads", "tests", "golden", "cells.tar.xz"), exdir = folder)
  file.path(folder, "results")
})
golden_names <- c(
  jmeter = "request-threads/fixed-pool/smoke-waiting/jmeter", wrk2 = "request-threads/fixed-pool/smoke-burst/wrk2",
  sweep = "request-threads/fixed-pool/smoke-sweep/sweep", sysbench = "database-pools/connect-per-transaction/smoke-read-only/sysbench",
  "database-client" = "database-pools/hikari-10/smoke-jvm/database-client"
)
golden_path <- function(name, file = "cell.json") file.path(golden, "cells", name, "rep-1", file)

# The rows of modes.csv for the modes that tests use.
use_modes(local({
  path <- tempfile(fileext = ".csv")
  rows <- c(
    "mode,variant,of,family,size,kind",
    "thread-per-request,,,thread-per-request,,thread-each",
    "fixed-pool,,,fixed-pool,,pool",
    "virtual-thread-per-request,,,virtual-thread-per-request,,virtual",
    "event-loop,,,event-loop,,event-loop",
    "thread-per-request-as-published,as published,thread-per-request,thread-per-request,,thread-each",
    "fixed-pool-as-published,as published,fixed-pool,fixed-pool,,pool",
    "thread-per-request-a-a,A/A,thread-per-request,thread-per-request,,thread-each",
    "tomcat-200,,,tomcat-200,,", "platform-50,,,platform-50,,",
    "platform-hikari-50,,,platform-hikari,50,", "pool-a-a,A/A,pool,pool,,", "pool-slow,slower,pool,pool,,"
  )
  writeLines(paste0(c("study", rep("demo", length(rows) - 1)), ",", rows), path)
  path
}))

# Python's reader of YAML that takes a tenth of the time, where there is one.
load_yaml <- "import json, sys, yaml; load = lambda path: yaml.load(open(path), getattr(yaml, 'CSafeLoader', yaml.SafeLoader))"

# A value that takes long, computed once in a file of tests.
made <- new.env()
once <- function(key, value) {
  if (is.null(made[[key]])) made[[key]] <- value
  made[[key]]
}

# Lines that Python prints with the grid of config.yaml.
lines_of_grid <- function(prints) {
  script <- paste(load_yaml, "from workloads.experiment.grid import Grid; grid = Grid(load('config.yaml'))", prints, sep = "\n")
  once(script, withr::with_dir(file.path(analysis_folder, ".."), system2("python3", c("-c", shQuote(script)), stdout = TRUE)))
}

# The workflow writes this to grid.csv, of config.yaml.
grid_asked <- function() fread(text = lines_of_grid("print(grid.grid_table(), end='')"))

# Faults that jsonschema finds in YAML files against analysis/NAME.schema.yaml: a text per file, empty where it is valid.
schema_faults <- function(name, paths) {
  script <- paste(
    load_yaml, "import jsonschema", "schema = jsonschema.Draft202012Validator(load(sys.argv[1]))",
    "for path in sys.argv[2:]:", "    faults = schema.iter_errors(load(path))",
    "    print(*('.'.join(map(str, fault.absolute_path)) + ' ' + fault.message[:200] for fault in faults))",
    sep = "\n"
  )
  files <- shQuote(c(file.path(analysis_folder, paste0(name, ".schema.yaml")), paths))
  said <- suppressWarnings(system2("python3", c("-c", shQuote(script), files), stdout = TRUE, stderr = TRUE))
  if (is.null(attr(said, "status"))) as.character(said) else stop(paste(said, collapse = "\n"))
}

# Building a figure asks for a device, which would leave Rplots.pdf.
pdf(NULL)

#' Writes a cell folder and returns the path of its cell.json.
#'
#' @param slices data.table for slices.csv, see known_slices(); NULL for some that say what the cell says.
#' @param folder of the cell; by default that of the grid.
#' @param ... sections of cell.json; named values replace those of the same name, all else stays.
write_cell <- function(root, mode = "fixed-pool", tier = "low", tool = "jmeter", repetition = 1,
                       baseline = "thread-per-request", elapsed_ms = NULL, codes = "200",
                       histogram_ms = NULL, uncorrected_ms = histogram_ms, slices = NULL,
                       folder = file.path(root, "demo", mode, tier, tool, paste0("rep-", repetition)), ...) {
  dir.create(folder, recursive = TRUE)
  right_ms <- c(elapsed_ms[startsWith(rep_len(codes, length(elapsed_ms)), "2")], histogram_ms)
  if (length(right_ms) > 0) fwrite(data.table(value_ms = right_ms)[, .(slice = 1, count = .N), by = value_ms], file.path(folder, "latencies.csv.gz"))
  requests <- length(elapsed_ms) + length(histogram_ms)
  cell <- edited(
    once(tool, jsonlite::read_json(golden_path(golden_names[[tool]]))),
    cell = list(study = "demo", mode = mode, tier = tier, repetition = repetition),
    session = list(id = paste0("session-", repetition), comparison = "demo", repetition = repetition, rounds = 4),
    validity = list(version = 19, valid = TRUE, latency_valid = TRUE, checks = list(list(id = "share_2xx", passed = TRUE))), profile = list(interval_ms = 10, slices = 1, kept = 1), warm_up = list(ended = "idle")
  )
  cell$labels$mode["baseline"] <- list(baseline)
  cell$labels$order$position <- repetition
  cell <- edited(with_values(cell, requests), ...)
  path <- file.path(folder, "cell.json")
  if (requests > 0) cell$load$latency <- known_latency(cell, elapsed_ms, right_ms, uncorrected_ms) else cell$load["latency"] <- list(NULL)
  writeLines(jsonlite::toJSON(cell, auto_unbox = TRUE, null = "null", digits = NA), path)
  if (is.null(slices)) slices <- slices_like(cell, c(elapsed_ms, histogram_ms))
  if (nrow(slices) > 0) fwrite(slices, file.path(folder, "slices.csv"))
  path
}

#' The cell with known values; every request is answered.
with_values <- function(cell, requests) {
  edited(
    cell,
    load = list(
      requests_offered = requests, requests_recorded = requests, responses_2xx = requests, duration_s = 2, throughput_per_s = requests / 2,
      errors = list(connect_refused = 0), received_bytes = 2048, sent_bytes = 1024, slices = list(plain = 4, kept = 4, repeated = 0, left_out = 0)
    ),
    server = list(
      cpu_s = 2, cpu_us_per_request = 100, idle_threads = 18, peak_threads = 38,
      peak_rss_bytes = 100 * 2^20, machine_context_switches = 4 * requests
    )
  )
}

# Nearest rank.
percentiles <- function(values, p) {
  if (length(values) == 0) return(rep(NA_real_, length(p)))
  sort(values)[pmax(1, ceiling(p * length(values) - 1e-9 * length(values)))]
}

# A record's load.latency. JMeter's samples start every 10 ms.
known_latency <- function(cell, elapsed_ms, right_ms, uncorrected_ms) {
  described <- function(values) {
    if (length(values) == 0) return(NULL)
    known <- c(mean = mean(values), sd = sqrt(mean((values - mean(values))^2)), min = min(values), percentiles(values, latency_points), max = max(values))
    as.list(setNames(known, paste0(latency_values, "_ms")))
  }
  count <- max(length(elapsed_ms), length(right_ms))
  lasted_s <- if (is.null(elapsed_ms)) cell$load$duration_s else max(10 * (seq_len(count) - 1) + elapsed_ms) / 1000
  list(
    resolution_ms = if (is.null(elapsed_ms)) 0.001 else 1, count = count, lasted_s = lasted_s, right = described(right_ms),
    all = described(elapsed_ms), uncorrected = described(uncorrected_ms)
  )
}

#' Golden slices with known values: plain ones, a round each, and a profiled one that costs a tenth more.
#'
#' @param ... columns, a value per plain slice or one for all.
known_slices <- function(..., rounds = 4) {
  words <- c("kind", "kept", "reason", "sustained", "stands")
  golden <- once("slices", fread(golden_path(golden_names[["wrk2"]], "slices.csv"), colClasses = list(character = words)))
  known <- list(
    kept = "true", reason = "", start_epoch_s = 10 + 4 * (seq_len(rounds) - 1), duration_s = 0.5, requests_recorded = 25, throughput_per_s = 50,
    answers_per_s = 50, latency_mean_ms = 20, latency_p50_ms = 20, latency_p90_ms = 20, latency_p99_ms = 20, latency_p99_9_ms = 20,
    cpu_us_per_request = 100, compiler_share = 0, server_cpu_s = 0.5, idle_neighbors_share = 0.001, machine_context_switches_per_request = 4, rss_mib = 95
  )
  plain <- golden[rep(1L, rounds)][, `:=`(slice = seq_len(rounds), round = seq_len(rounds))]
  plain <- do.call(with_columns, c(list(plain), modifyList(known, list(...))))
  profiled <- copy(plain)[1][, `:=`(
    slice = rounds + 1L, kind = "profiled", cpu_us_per_request = 1.1 * cpu_us_per_request, start_epoch_s = 10 + 4 * rounds
  )]
  # Nothing else is kept with a reason.
  rbind(plain, profiled)[, `:=`(end_epoch_s = start_epoch_s + duration_s, stands = tolower(kept) == "true" & reason != "")][]
}

slices_like <- function(cell, latencies_ms) {
  if (length(latencies_ms) == 0 && cell$outcome != "completed") return(known_slices()[0])
  at <- function(p) if (length(latencies_ms) > 0) percentiles(latencies_ms, p) else NA_real_
  known_slices(
    throughput_per_s = cell$load$throughput_per_s, error_share = cell$load$error_share,
    latency_mean_ms = if (length(latencies_ms) > 0) mean(latencies_ms) else NA_real_,
    latency_p50_ms = at(0.5), latency_p90_ms = at(0.9), latency_p99_ms = at(0.99), latency_p99_9_ms = at(0.999),
    cpu_us_per_request = number(cell$server$cpu_us_per_request)
  )
}

# Columns that every summary and every table of slices has, for those that tests make by hand. Nothing fixes the throughput.
with_cell_columns <- function(table) {
  table <- copy(table)
  if (!"session" %in% names(table)) table[, session := paste0("session-", repetition)]
  usual <- list(
    bound_throughput = "", bound_latency = "", bound_capacity = "", latency_valid = table$valid, error_share = 0, requests = 1000,
    requests_recorded = 1000, loop = "closed", users = 10, sleep_ms = 0, offered_per_s = NA_real_, duration_s = 3, slices_kept = 3,
    threads_started = 0, counted_requests = 1000
  )
  missing <- setdiff(names(usual), names(table))
  if (length(missing) > 0) table[, (missing) := usual[missing]]
  table[]
}

#' The cell with some values of its sections replaced.
edited <- function(record, ...) {
  changes <- list(...)
  for (section in names(changes)) {
    change <- changes[[section]]
    record[[section]] <- if (is.list(record[[section]])) replace(record[[section]], names(change), change) else change
  }
  record
}
edit_record <- function(path, ...) {
  jsonlite::write_json(edited(jsonlite::read_json(path), ...), path, auto_unbox = TRUE, null = "null", digits = NA)
}

# A table of a cell, changed as text.
edit_rows <- function(path, change) fwrite(change(fread(path, colClasses = "character")), path)

with_columns <- function(table, ...) {
  changes <- list(...)
  table <- copy(table)
  for (column in names(changes)) set(table, j = column, value = changes[[column]])
  table[]
}

# A value of the package is another until the test ends.
local_value <- function(name, value, env = parent.frame()) {
  package <- asNamespace("artifact")
  before <- get(name, package)
  unlockBinding(name, package)
  assign(name, value, package)
  withr::defer(assign(name, before, package), env)
}

# These columns of a table have these values.
expect_columns <- function(table, ...) {
  expected <- data.table(...)
  expect_equal(as.list(table[, names(expected), with = FALSE]), as.list(expected))
}

# A table as it is read after it was written.
read_back <- function(table, read) {
  path <- tempfile(fileext = ".csv")
  write_table(table, path)
  read(path)
}

measured_cells <- function(paths) {
  loads <- read_loads(paths)
  as_measured(summarise_cells(paths), loads$slices, loads$histograms)
}

new_folder <- function() {
  folder <- tempfile("cells-")
  dir.create(folder)
  folder
}
