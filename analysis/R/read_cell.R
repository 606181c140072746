# Reading a measured cell: the folder that holds its cell.json. Every error names the file and
# what is wrong with it. Nothing but the cell's folder is read.

#' Reads a cell.json.
#'
#' @param path path of the cell.json.
#' @return the cell as a nested list, with `folder` (its folder) and `path` added. JSON null
#'   becomes NULL; arrays of objects stay lists. Stops where the files next to it are not those that it was written with.
read_cell <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  cell <- tryCatch(
    jsonlite::fromJSON(path, simplifyDataFrame = FALSE, simplifyMatrix = FALSE),
    error = function(problem) fail_reading(path, "not JSON: ", conditionMessage(problem))
  )
  sections <- c(
    "schema", "cell", "session", "labels", "configuration", "outcome", "validity", "load", "server"
  )
  missing <- setdiff(sections, names(cell))
  if (length(missing) > 0) fail_reading(path, "no ", paste(missing, collapse = ", "))
  if (!as.numeric(cell$schema) %in% 3) fail_reading(path, "schema ", cell$schema, " is not known; known: 3")
  cell$path <- path
  cell$folder <- dirname(path)
  check_series(cell)
  cell
}

# Older records have no checksums.
check_series <- function(cell) {
  for (name in names(cell$series)) {
    path <- file.path(cell$folder, name)
    if (!file.exists(path)) fail_reading(path, "no such file; its record was written with one")
    if (unname(tools::md5sum(path)) != cell$series[[name]]$md5) fail_reading(path, "not the file that its record was written with")
  }
}

#' Reads several cells.
#'
#' @param paths paths of cell.json files.
#' @return list of cells, see read_cell().
#' @export
read_cells <- function(paths) {
  lapply(paths, read_cell)
}

#' Reads the threads that a server has counted by group and state over time.
#'
#' @param path path of a thread-states.csv.
#' @return data.table: time_s (epoch), source (jvm, kernel), group, state, threads.
read_thread_states <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  columns <- c("time_s", "source", "group", "state", "threads")
  types <- list(double = c("time_s", "threads"), character = c("source", "group", "state"))
  # The last line of a server that was killed may be cut off.
  require_columns(fread(path, colClasses = types, fill = TRUE), columns, path)[!is.na(threads)]
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
  if (length(wrong) > 0) {
    fail_reading(path, "not `frame;frame count`: ", substr(lines[wrong[1]], 1, 80))
  }
  data.table(
    stack = sub(" [0-9]+$", "", lines),
    samples = as.numeric(sub("^.* ", "", lines))
  )
}

# JSON has null, and leaves out, where a figure could not be had; a row of a table has NA.
#' @export
number <- function(value) if (is.null(value)) NA_real_ else as.numeric(value)

#' @export
words <- function(value) if (is.null(value)) NA_character_ else gsub("\\s+", " ", value)

# Epoch seconds of texts that begin with a time in UTC, to the millisecond.
epoch_s <- function(texts) as.numeric(as.POSIXct(substr(texts, 1, 23), tz = "UTC", format = "%Y-%m-%dT%H:%M:%OS"))

per <- function(amount, count) if (count %in% c(0, NA)) NA_real_ else amount / count

# A cell's name, and what of it counts: nothing where it is not valid, no latency where that is not. Cells of one session were
# measured side by side; two machines may begin one of the same name in the same second, so the machine is a part of it. Rules
# on a limit or a drift leave bounds of throughput and latency: at_least, at_most.
identity_of <- function(cell) {
  checks <- cell$validity$checks
  failed <- vapply(Filter(function(check) !isTRUE(check$passed), checks), `[[`, "", "id")
  bounds <- cell$validity$bounds
  c(cell$cell[c("study", "mode", "tier", "tool")], list(
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
    baseline = words(labels$mode$baseline), mode_title = words(labels$mode$title),
    tier_title = words(labels$tier$title), path = words(cell$configuration$tier$path),
    loop = words(cell$load$loop), outcome_reason = words(cell$outcome_reason),
    commit = words(cell$provenance$commit)
  ))
}

# The lines of the server's log that were kept; NULL without a log.
read_server_log <- function(cell) {
  path <- file.path(cell$folder, "server.log.gz")
  if (file.exists(path)) readLines(path, warn = FALSE)
}
