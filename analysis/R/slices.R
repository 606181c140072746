# Slices: loads of about a second, of modes that are alive together and take turns. What differs
# between neighboring slices of a round is the mode, so ratios are made of slices (effects.R).

# Statistics that a slice has a value of. Everything else exists once per cell.
slice_statistics <- c(
  "throughput_per_s", "answers_per_s", "error_share", "latency_mean_ms", "latency_p50_ms",
  "latency_p90_ms", "latency_p99_ms", "latency_p99_9_ms", "cpu_us_per_request", "compiler_share",
  "machine_context_switches_per_request", "rss_mib"
)
slice_words <- c("kind", "reason", "sustained", "stands")
# Facts of the cell in each row.
slice_places <- c(
  "study", "mode", "tier", "tool", "repetition", "session", "beside", "outcome", "valid", "latency_valid", "bound_throughput", "bound_latency"
)

#' Reads the slices of a cell.
#'
#' @param path path of a slices.csv.
#' @return data.table, a row per loaded slice: slice, round, kind (plain, profiled), kept, reason, stands (a step of a
#'   curve that is kept although it fails the rules in reason: what these find only makes latency longer), and the
#'   numbers that the runner wrote, units in the names; NA where unknown. No rows where the file does not exist: a
#'   server that did not start was not loaded.
read_cell_slices <- function(path) {
  if (!file.exists(path)) return(no_rows(c(slice_columns, "throttled")))
  table <- require_columns(fread(path, colClasses = "character", na.strings = ""), slice_columns, path)
  # A cell of before validity 15 does not say whether a quota stopped it.
  if (!"throttled" %in% names(table)) table[, throttled := NA_character_]
  with_types(table, c(slice_words, "kept"))
}

slice_columns <- c(
  "slice", "round", "kind", "kept", "reason", "stands", "start_epoch_s", "end_epoch_s", "duration_s",
  "requests_recorded", "responses_2xx", "server_cpu_s", "idle_neighbors_share", "threads_peak", "probe_us", "collections", "full_collections",
  "gc_pause_ms", slice_statistics
)

no_rows <- function(columns) {
  table <- setNames(as.data.table(rep(list(character()), length(columns))), columns)
  with_types(table, c(slice_words, "kept", setdiff(slice_places, "repetition")))
}

# Types by name: a column that is empty everywhere has no type.
with_types <- function(table, words) {
  for (column in setdiff(names(table), words)) {
    set(table, j = column, value = as.numeric(table[[column]]))
  }
  for (column in intersect(c("kept", "valid", "latency_valid", "sustained", "stands"), names(table))) {
    set(table, j = column, value = tolower(table[[column]]) == "true")
  }
  blank <- c("reason", "beside", "bound_throughput", "bound_latency")
  for (column in intersect(blank, names(table))) {
    set(table, which(is.na(table[[column]])), column, "")
  }
  table[]
}

#' The slices of cells with their histograms, and of the baselines that were measured again beside one of them.
#'
#' @param paths paths of cell.json files of the grid.
#' @return list of slices and histograms. slices is a data.table: study, mode, tier, tool, repetition, session (cells of one session
#'   were measured side by side), beside (empty; for a baseline of a baseline/ folder the mode that it was measured beside), outcome,
#'   valid, latency_valid, bound_throughput, bound_latency of the cell, then see read_cell_slices(). histograms is a list of
#'   read_histograms(), named by histogram_key().
read_loads <- function(paths) joined_loads(lapply(paths, loads_beside))

# Loads of cells, see loads_beside(), as read_loads() has them.
joined_loads <- function(loads) {
  loads <- unlist(loads, recursive = FALSE)
  list(
    slices = rbindlist(c(list(no_slices()), lapply(loads, `[[`, "slices")), fill = TRUE),
    histograms = unlist(lapply(loads, `[[`, "histograms"), recursive = FALSE)
  )
}

loads_beside <- function(path) {
  cell <- read_cell(path)
  baseline <- file.path(cell$folder, "baseline", "cell.json")
  list(read_load(cell, ""), if (file.exists(baseline)) read_load(read_cell(baseline), cell$cell$mode))
}

no_slices <- function() no_rows(c(slice_places, slice_columns))

# The loads of one cell, as read_loads().
read_load <- function(cell, beside) {
  rows <- read_cell_slices(file.path(cell$folder, "slices.csv"))
  place <- as.data.table(c(identity_of(cell), beside = beside))
  list(
    slices = cbind(place[rep(1, nrow(rows)), ..slice_places], rows), histograms = setNames(list(read_histograms(cell, rows)), histogram_key(place))
  )
}

#' Reads the table of all slices.
#'
#' @param path path of results/slices.csv.
#' @return data.table, see read_loads().
#' @export
read_slices <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  table <- fread(path, colClasses = "character", na.strings = "", encoding = "UTF-8")
  table <- require_columns(table, c(slice_places, slice_columns), path)
  with_types(table, c(setdiff(slice_places, "repetition"), slice_words, "kept", "valid", "latency_valid"))
}

# Slices without the profiler that no rule excludes.
plain_slices <- function(slices) slices[which(slices$kept & slices$kind == "plain")]
