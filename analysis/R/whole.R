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

# A cell as the analysis has it; stops where it is not whole.
read_whole <- function(path) {
  cell <- read_cell(path)
  strictly(list(summary = summarise_cell(cell), loads = loads_beside(path)))
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
