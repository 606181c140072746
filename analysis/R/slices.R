# Slices: loads of about a second, of modes that are alive together and take turns. What differs
# between neighboring slices of a round is the mode, so ratios are made of slices (effects.R).

#' The slices of cells with their histograms, and of the baselines that were measured again beside one of them.
#'
#' @param paths paths of cell.json files of the grid.
#' @return list of slices and histograms. slices is a data.table: slice_places of the cell, with beside (empty; for a baseline of a
#'   baseline/ folder the mode that it was measured beside) and kept_few (its latency lacks nothing but slices), then see
#'   read_cell_slices(). histograms is a list of read_histograms(), named by histogram_key().
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
  rows <- read_slices_of(cell)
  histograms <- read_histograms(cell, rows)
  if (!is.null(histograms) && any(rows$was_late)) histograms <- c(histograms, lateness_of_older(cell, rows))
  identity <- identity_of(cell)
  more <- list(beside = beside, server_cpus = max(length(cell$provenance$server_cpus), 1), kept_few = identity$failed_checks == "rounds_kept")
  place <- as.data.table(c(identity, more))
  list(
    slices = cbind(place[rep(1, nrow(rows)), ..slice_places], rows[, was_late := NULL]), histograms = setNames(list(histograms), histogram_key(place))
  )
}

#' Reads results/slices.csv, see read_loads().
#' @export
read_slices <- function(path) {
  with_types(read_required(path, c(slice_places, slice_columns), colClasses = "character", na.strings = ""))
}

# Slices without the profiler that no rule excludes.
plain_slices <- function(slices) slices[which(slices$kept & slices$kind == "plain")]
