# Small cells with known figures, written where the test says.

# The tests of the paper, which read this file too, have said it.
if (!exists("analysis_folder")) analysis_folder <- normalizePath(test_path("..", ".."))
library(data.table)
if (!"package:artifact" %in% search()) pkgload::load_all(analysis_folder, helpers = FALSE, quiet = TRUE)
# What modes.csv says of modes that tests use.
use_modes(local({
  path <- tempfile(fileext = ".csv")
  rows <- c(
    "mode,variant,of,family,size,color,kind",
    "thread-per-request,,,thread-per-request,,vermilion,thread-each",
    "fixed-pool,,,fixed-pool,,blue,pool",
    "caller-runs-pool,,,caller-runs-pool,,gray,pool",
    "virtual-thread-per-request,,,virtual-thread-per-request,,green,virtual",
    "event-loop,,,event-loop,,pink,event-loop",
    "thread-per-request-as-published,as published,thread-per-request,thread-per-request,,vermilion,thread-each",
    "fixed-pool-as-published,as published,fixed-pool,fixed-pool,,blue,pool",
    "caller-runs-pool-as-published,as published,caller-runs-pool,caller-runs-pool,,gray,pool",
    "event-loop-as-published,as published,event-loop,event-loop,,pink,event-loop",
    "thread-per-request-a-a,A/A,thread-per-request,thread-per-request,,vermilion,thread-each",
    "tomcat-200,,,tomcat-200,,blue,", "tomcat-400,,,tomcat-400,,sky,", "platform-50,,,platform-50,,blue,",
    "tomcat-200-as-published,as published,tomcat-200,tomcat-200,,blue,",
    "tomcat-400-as-published,as published,tomcat-400,tomcat-400,,sky,",
    sprintf("platform-hikari-%1$d,,,platform-hikari,%1$d,blue,", c(5, 10, 20, 50, 100, 200)),
    "virtual-hikari-5,,,virtual-hikari,5,green,", "pool-a-a,A/A,pool,pool,,,", "pool-slow,slower,pool,pool,,,"
  )
  writeLines(paste0(c("study", rep("demo", length(rows) - 1)), ",", rows), path)
  path
}))

# What the workflow writes to grid.csv of config.yaml.
grid_asked <- function() {
  script <- paste(
    "import yaml; from workloads.grid import Grid",
    "print(Grid(yaml.safe_load(open('config.yaml'))).grid_table(), end='')", sep = "\n"
  )
  with_new_names(fread(text = withr::with_dir(file.path(analysis_folder, ".."), system2("python3", c("-c", shQuote(script)), stdout = TRUE))))
}

# Building a figure asks for a device, which would leave Rplots.pdf.
pdf(NULL)

#' Writes a cell folder and returns the path of its cell.json.
#'
#' @param slices data.table for slices.csv, see fake_slices(); NULL for some that say what the cell says.
#' @param folder of the cell; by default that of the grid.
#' @param ... sections of cell.json; named values replace those of the same name, all else stays.
write_cell <- function(root, mode = "fixed-pool", tier = "low", tool = "jmeter", repetition = 1,
                       baseline = "thread-per-request", elapsed_ms = NULL, codes = "200",
                       histogram_ms = NULL, uncorrected_ms = histogram_ms, slices = NULL,
                       folder = file.path(root, "demo", mode, tier, tool, paste0("rep-", repetition)), ...) {
  dir.create(folder, recursive = TRUE)
  if (!is.null(elapsed_ms)) write_samples(folder, elapsed_ms, codes)
  if (!is.null(histogram_ms)) {
    write_histogram(file.path(folder, "latency-corrected.hgrm"), histogram_ms)
    write_histogram(file.path(folder, "latency-uncorrected.hgrm"), uncorrected_ms)
  }
  requests <- length(elapsed_ms) + length(histogram_ms)
  cell <- list(
    schema = 3,
    cell = list(study = "demo", mode = mode, tier = tier, tool = tool, repetition = repetition),
    session = list(id = paste0("session-", repetition), comparison = "demo", repetition = repetition, rounds = 4),
    warm_up = list(ended = "idle", lasted_s = 3, requests = 9000),
    labels = list(
      study = list(title = "Demo"), mode = list(baseline = baseline, title = mode),
      tier = list(title = "Low"), order = list(seed = 1, position = repetition, of = 9)
    ),
    configuration = list(tier = list(id = tier, path = "/jmeter/test")),
    outcome = "completed", outcome_reason = "",
    validity = list(valid = TRUE, checks = list(list(id = "share_2xx", passed = TRUE)), bounds = NULL),
    load = list(
      loop = if (tool == "jmeter") "closed" else "open", requests_offered = requests,
      requests_recorded = requests, responses_2xx = requests,
      errors = list(connect_refused = 0), error_share = 0, duration_s = 2,
      throughput_per_s = requests / 2, received_bytes = 2048, sent_bytes = 1024,
      generator = list(name = "due", version = "1"),
      slices = list(plain = 4, kept = 4, repeated = 0, left_out = 0)
    ),
    server = list(
      cpu_s = 2, cpu_user_s = 1, cpu_system_s = 1, cpu_us_per_request = 100, idle_threads = 18,
      peak_threads = 38, peak_rss_bytes = 100 * 2^20, machine_context_switches = 4 * requests
    ),
    profile = list(file = "profile.jfr", engine = "perf_events", interval_ms = 10)
  )
  path <- file.path(folder, "cell.json")
  changes <- list(...)
  for (section in names(changes)) cell[[section]] <- changed(cell[[section]], changes[[section]])
  if (cell$schema == 3 && requests > 0) cell$load$latency <- old_latency(c(cell, folder = folder))
  writeLines(jsonlite::toJSON(cell, digits = NA, auto_unbox = TRUE, null = "null"), path)
  if (is.null(slices)) slices <- slices_like(cell, c(elapsed_ms, histogram_ms))
  if (nrow(slices) > 0) fwrite(slices, file.path(folder, "slices.csv"))
  path
}

#' Rows of a slices.csv: plain slices, a round each, and a profiled one that costs a tenth more.
#'
#' @param ... columns, a value per plain slice or one for all.
fake_slices <- function(..., rounds = 4) {
  plain <- data.table(
    slice = seq_len(rounds), round = seq_len(rounds), kind = "plain", kept = "true", reason = "",
    start_epoch_s = 10 + 4 * (seq_len(rounds) - 1), duration_s = 0.5, requests_recorded = 25,
    error_share = 0, throughput_per_s = 50, answers_per_s = 50, latency_mean_ms = 20, latency_p50_ms = 20,
    latency_p90_ms = 20, latency_p99_ms = 20, latency_p99_9_ms = 20, cpu_us_per_request = 100, compiler_share = 0,
    server_cpu_s = 0.5, idle_neighbors_share = 0.001, machine_context_switches_per_request = 4, rss_mib = 95
  )
  changes <- list(...)
  for (column in names(changes)) set(plain, j = column, value = changes[[column]])
  profiled <- copy(plain)[1][, `:=`(
    slice = rounds + 1L, kind = "profiled", cpu_us_per_request = 1.1 * cpu_us_per_request, start_epoch_s = 10 + 4 * rounds
  )]
  rbind(plain, profiled)[, end_epoch_s := start_epoch_s + duration_s][]
}

slices_like <- function(cell, latencies_ms) {
  if (length(latencies_ms) == 0 && cell$outcome != "completed") return(fake_slices()[0])
  at <- function(p) if (length(latencies_ms) > 0) percentiles(latencies_ms, p) else NA_real_
  fake_slices(
    throughput_per_s = cell$load$throughput_per_s, error_share = cell$load$error_share,
    latency_mean_ms = if (length(latencies_ms) > 0) mean(latencies_ms) else NA_real_,
    latency_p50_ms = at(0.5), latency_p90_ms = at(0.9), latency_p99_ms = at(0.99), latency_p99_9_ms = at(0.999),
    cpu_us_per_request = number(cell$server$cpu_us_per_request)
  )
}

# Columns that every summary and every table of slices has, for those that tests make by hand.
with_cell_columns <- function(table) {
  table <- copy(table)
  if (!"session" %in% names(table)) table[, session := paste0("session-", repetition)]
  usual <- list(
    bound_throughput = "", bound_latency = "", bound_capacity = "", must_fail = FALSE, error_share = 0, requests = 1000, requests_recorded = 1000
  )
  missing <- setdiff(names(usual), names(table))
  if (length(missing) > 0) table[, (missing) := usual[missing]]
  table[]
}

changed <- function(section, change) {
  if (is.list(section)) replace(section, names(change), change) else change
}

# Starts every 10 ms, from an epoch time that an integer of 32 bits cannot hold.
write_samples <- function(folder, elapsed_ms, codes = "200") {
  count <- length(elapsed_ms)
  codes <- rep_len(codes, count)
  samples <- data.table(
    timeStamp = sprintf("%.0f", 1.8e12 + 10 * (seq_len(count) - 1)), elapsed = elapsed_ms,
    label = "request", responseCode = codes, success = tolower(startsWith(codes, "2")),
    bytes = 164, sentBytes = 120, grpThreads = 1, allThreads = 1, Latency = elapsed_ms,
    IdleTime = 0, Connect = 0, slice = 1
  )
  out <- gzfile(file.path(folder, "samples.csv.gz"), "w")
  on.exit(close(out))
  write.csv(samples, out, row.names = FALSE, quote = FALSE)
}

# Every value is a step, so that percentiles are exact.
write_histogram <- function(path, values_ms) {
  values <- sort(values_ms)
  share <- seq_along(values) / length(values)
  tail <- ifelse(share < 1, sprintf("%14.2f", 1 / (1 - share)), "           inf")
  writeLines(c(
    "       Value     Percentile TotalCount 1/(1-Percentile)", "",
    sprintf("%12.3f %14.12f %10d %s", values, share, seq_along(values), tail),
    sprintf(
      "#[Mean    = %12.3f, StdDeviation   = %12.3f]", mean(values),
      sqrt(mean((values - mean(values))^2))
    ),
    sprintf("#[Max     = %12.3f, Total count    = %12d]", max(values), length(values)),
    "#[Buckets =           27, SubBuckets     =         2048]"
  ), path)
}

new_folder <- function() {
  folder <- tempfile("cells-")
  dir.create(folder)
  folder
}
