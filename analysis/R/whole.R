# Cells that are believed: a record that can be read, with the series that it was written with. All others are left out, by name.

# An older record has no checksums, see read_cell(): its counts of slices must be those of the table then.
check_counts <- function(cell) {
  path <- file.path(cell$folder, "slices.csv")
  packed <- Filter(file.exists, file.path(cell$folder, "latencies.csv.gz"))
  if (length(packed) > 0 && system2("gzip", c("-t", shQuote(packed)), stderr = FALSE) != 0) fail_reading(packed, "cut off")
  counted <- cell$load$slices
  counted$kept <- c(counted$kept_by_older_rules, counted$kept)[1]
  if (is.null(counted$kept) || is.null(counted$left_out)) return(invisible())
  slices <- read_cell_slices(path)
  plain <- slices[kind == "plain"]
  if (anyDuplicated(slices$slice) > 0) fail_reading(path, "slice ", slices$slice[anyDuplicated(slices$slice)], " is there twice")
  recorded <- counted$kept + counted$left_out
  # A curve does not count the rates above all that its generator could offer.
  has_all <- if (cell$cell$tool == sweep_tool) nrow(plain) >= recorded else nrow(plain) == recorded
  if (!has_all || sum(plain$kept) != counted$kept) {
    fail_reading(path, nrow(plain), " slices, ", sum(plain$kept), " of them kept; its record has ", recorded, " and ", counted$kept)
  }
}

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

# Series that tables of their own are made of, beside slices and latencies.
other_series <- c("overloads.csv", "seconds.csv", "heap.csv", "combinations.csv")

# A cell as the analysis has it; stops, naming the file, where it is not whole.
read_whole <- function(path) {
  cell <- read_cell(path)
  if (is.null(cell$series)) check_counts(cell)
  tryCatch(
    strictly({
      for (file in other_series) table_of_cell(cell, file)
      list(summary = summarise_cell(cell), loads = loads_beside(path))
    }),
    error = function(problem) {
      said <- conditionMessage(problem)
      if (startsWith(said, cell$folder)) stop(said, call. = FALSE) else fail_reading(path, said)
    }
  )
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
