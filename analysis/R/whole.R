# Cells that are believed: a record that can be read, with the series that it was written with. All others are left out, by name.

#' A value; stops after a warning, which is what R has for text that is no number, or a row that is cut off.
#'
#' Not within the warning, or fread() would leave its file open and warn of the next.
#' @export
strictly <- function(value) {
  said <- NULL
  result <- withCallingHandlers(value, warning = function(problem) {
    said <<- c(said, conditionMessage(problem))
    invokeRestart("muffleWarning")
  })
  if (length(said) > 0) stop(said[1], call. = FALSE)
  result
}

# Stops where a series of an older record, which has no checksums, was cut off.
check_older <- function(cell) {
  latencies <- Filter(file.exists, file.path(cell$folder, "latencies.csv.gz"))
  if (length(latencies) > 0 && system2("gzip", c("-t", shQuote(latencies)), stderr = FALSE) != 0) fail_reading(latencies, "cut off")
  path <- file.path(cell$folder, "slices.csv")
  loaded <- read_cell_slices(path)[kind == "plain", .N]
  if (loaded < or_else(cell$load$slices$plain, 0)) fail_reading(path, loaded, " plain slices; its record has ", cell$load$slices$plain)
  for (file in c("overloads.csv", "seconds.csv", "heap.csv", "combinations.csv")) table_of_cell(cell, file)
}

# A cell as the analysis has it; stops where it is not whole.
read_whole <- function(path) {
  cell <- read_cell(path)
  strictly({
    if (is.null(cell$series)) check_older(cell)
    list(summary = summarise_cell(cell), loads = loads_beside(path))
  })
}

name_of_cell <- function(path) sub("^.*/cells/(.*)/cell[.]json$", "\\1", path)

# Cells that are whole, in the order of the paths; NULL for one that is left out.
read_those_whole <- function(paths) {
  lapply(paths, function(path) guarded(read_whole(path), "", function(message) NULL, name_of_cell(path)))
}

#' Reads cells with the loads of their slices, by two processes.
#'
#' @param paths paths of cell.json files.
#' @return list: paths (of the cells that are whole), summary (see summarise_cells()), slices and histograms (see read_loads()).
read_measured <- function(paths) {
  half <- split(paths, rep_len(1:2, length(paths)))
  read <- dealt_together(in_parallel(lapply(half, function(some) function() read_those_whole(some))), paths)
  whole <- Filter(length, read)
  c(
    list(paths = paths[lengths(read) > 0], summary = rbindlist(c(list(no_cells()), lapply(whole, `[[`, "summary")), fill = TRUE)),
    joined_loads(lapply(whole, `[[`, "loads"))
  )
}

# Lists of two halves that were dealt out in turns, in one again.
dealt_together <- function(halves, paths) {
  all <- vector("list", length(paths))
  for (index in seq_along(halves)) {
    at <- seq(index, length(paths), by = 2)
    if (is.null(halves[[index]])) note_problem("", "not read", name_of_cell(paths[at])) else all[at] <- halves[[index]]
  }
  all
}

#' The paths of those cells that are whole; the others are noted.
whole_cells <- function(paths) paths[lengths(read_those_whole(paths)) > 0]
