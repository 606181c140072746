# Reading a measured cell: the folder that holds its cell.json. Every error names the file and
# what is wrong with it. Nothing but the cell's folder is read.

#' Reads a cell.json.
#'
#' @param path path of the cell.json.
#' @return the cell as a nested list, with `folder` (its folder) and `path` added. JSON null
#'   becomes NULL; arrays of objects stay lists. Stops where the files next to it are not those that it was written with.
#'   Its validity is that of today's rules.
read_cell <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  cell <- tryCatch(
    jsonlite::fromJSON(path, simplifyDataFrame = FALSE, simplifyMatrix = FALSE),
    error = function(problem) fail_reading(path, "not JSON: ", conditionMessage(problem))
  )
  sections <- c("schema", "cell", "session", "labels", "configuration", "outcome", "validity", "load", "server")
  missing <- setdiff(sections, names(cell))
  if (length(missing) > 0) fail_reading(path, "no ", paste(missing, collapse = ", "))
  if (!as.numeric(cell$schema) %in% 3) fail_reading(path, "schema ", cell$schema, " is not known; known: 3")
  cell$path <- path
  cell$folder <- dirname(path)
  check_series(cell)
  if (is_older(cell)) by_todays_rules(cell, read_slices_of(cell)) else cell
}

# Older records have no checksums, see check_older().
check_series <- function(cell) {
  for (name in names(cell$series)) {
    path <- file.path(cell$folder, name)
    if (!file.exists(path)) fail_reading(path, "no such file; its record was written with one")
    if (unname(tools::md5sum(path)) != cell$series[[name]]$md5) fail_reading(path, "not the file that its record was written with")
  }
}

# ---- Slices ---------------------------------------------------------------------------------------

# Statistics that a slice has a value of. Everything else exists once per cell.
slice_statistics <- c(
  "throughput_per_s", "answers_per_s", "error_share", "latency_mean_ms", "latency_p50_ms",
  "latency_p90_ms", "latency_p99_ms", "latency_p99_9_ms", "cpu_us_per_request", "compiler_share",
  "machine_context_switches_per_request", "rss_mib"
)
slice_words <- c("kind", "reason")
# Facts of the cell in each row.
slice_places <- c(
  "study", "mode", "tier", "tool", "repetition", "session", "beside", "outcome", "valid", "latency_valid", "bound_throughput", "bound_latency",
  "server_cpus", "kept_few"
)

#' Reads the slices of a cell.
#'
#' @param path path of a slices.csv.
#' @return data.table, a row per loaded slice: slice, round, kind (plain, profiled), kept, reason, stands (a step of a
#'   curve that is kept although it fails the rules in reason: what these find only makes latency longer), and the
#'   numbers that the runner wrote, units in the names; NA where unknown. No rows where the file does not exist: a
#'   server that did not start was not loaded.
read_cell_slices <- function(path) {
  if (!file.exists(path)) return(no_rows(c(slice_columns, later_slice_columns)))
  table <- read_required(path, slice_columns, colClasses = "character", na.strings = "")
  absent <- setdiff(later_slice_columns, names(table))
  if (length(absent) > 0) table[, (absent) := NA_character_]
  with_types(table)
}

slice_columns <- c(
  "slice", "round", "kind", "kept", "reason", "stands", "start_epoch_s", "end_epoch_s", "duration_s",
  "requests_recorded", "responses_2xx", "server_cpu_s", "idle_neighbors_share", "threads_peak", "probe_us", "collections", "full_collections",
  "gc_pause_ms", slice_statistics
)

# Cells of before validity 15 do not say whether a quota stopped them, and those of before comparisons 24 not what others spent beside a server.
later_slice_columns <- c("throttled", "backend_cpu_us_per_request", "generator_cpu_us_per_request")

no_rows <- function(columns) with_types(typed_table(columns))

# Types of the columns of slices, by name: a column that is empty everywhere has no type.
with_types <- function(table) {
  flags <- c("kept", "valid", "latency_valid", "kept_few", "sustained", "stands")
  words <- c(slice_words, setdiff(slice_places, c("repetition", "server_cpus")))
  for (column in intersect(flags, names(table))) set(table, j = column, value = tolower(table[[column]]) == "true")
  for (column in setdiff(names(table), c(flags, words))) set(table, j = column, value = as.numeric(table[[column]]))
  for (column in intersect(c("reason", "beside", "bound_throughput", "bound_latency"), names(table))) {
    set(table, which(is.na(table[[column]])), column, "")
  }
  table[]
}

#' The slices of a cell, see read_cell_slices(), by today's rules, see slices_by_todays_rules().
read_slices_of <- function(cell) slices_by_todays_rules(read_cell_slices(file.path(cell$folder, "slices.csv")), cell)

# ---- Cells and other files ------------------------------------------------------------------------

#' Reads several cells, see read_cell().
#' @export
read_cells <- function(paths) lapply(paths, read_cell)

#' Reads the threads that a server has counted by group and state over time.
#'
#' @param path path of a thread-states.csv.
#' @return data.table: time_s (epoch), source (jvm, kernel), group, state, threads.
read_thread_states <- function(path) {
  types <- list(double = c("time_s", "threads"), character = c("source", "group", "state"))
  # The last line of a server that was killed may be cut off.
  read_required(path, unlist(types), colClasses = types, fill = TRUE)[!is.na(threads)]
}

#' Reads collapsed stacks: lines of `root;…;leaf count`.
#'
#' @param path path of a profile.collapsed; an empty file is a profile without samples.
#' @return data.table: stack (text, frames from root to leaf), samples (numeric).
read_collapsed <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  lines <- readLines(path, warn = FALSE, encoding = "UTF-8")
  lines <- lines[nzchar(lines)]
  wrong <- grep(" [0-9]+$", lines, invert = TRUE)
  if (length(wrong) > 0) fail_reading(path, "not `frame;frame count`: ", substr(lines[wrong[1]], 1, 80))
  data.table(stack = sub(" [0-9]+$", "", lines), samples = as.numeric(sub("^.* ", "", lines)))
}

# JSON has null, and leaves out, where a figure could not be had; a row of a table has NA.
#' @export
number <- function(value) if (is.null(value)) NA_real_ else as.numeric(value)

#' @export
words <- function(value) if (is.null(value)) NA_character_ else gsub("\\s+", " ", value)

per <- function(amount, count) if (count %in% c(0, NA)) NA_real_ else amount / count

# A cell's name, and what of it counts: nothing where it is not valid, no latency where that is not. Cells of one session were
# measured side by side; two machines may begin one of the same name in the same second, so the machine is a part of it. Rules
# on a limit or a drift leave bounds of throughput and latency: at_least, at_most.
identity_of <- function(cell) {
  checks <- cell$validity$checks
  failed <- vapply(Filter(function(check) !isTRUE(check$passed), checks), `[[`, "", "id")
  bounds <- cell$validity$bounds
  c(cell$cell[cell_place], list(
    repetition = as.integer(cell$cell$repetition), session = session_of(cell),
    outcome = cell$outcome, valid = isTRUE(cell$validity$valid), latency_valid = isTRUE(cell$validity$latency_valid),
    failed_checks = paste(failed, collapse = ";"),
    bound_throughput = c(bounds$throughput_per_s, "")[1], bound_latency = c(bounds$latency, "")[1]
  ))
}

session_of <- function(cell) paste(c(words(cell$session$id), cell$provenance$machine$id), collapse = " on ")

identity_row <- function(cell) {
  labels <- cell$labels
  c(identity_of(cell), list(
    baseline = words(labels$mode$baseline), tier_title = words(labels$tier$title),
    path = words(cell$configuration$tier$path), loop = words(cell$load$loop), outcome_reason = words(cell$outcome_reason),
    commit = words(cell$provenance$commit)
  ))
}

# The lines of the server's log that were kept; NULL without a log.
read_server_log <- function(cell) {
  path <- file.path(cell$folder, "server.log.gz")
  if (file.exists(path)) readLines(path, warn = FALSE)
}
