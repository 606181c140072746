# The garbage collector beside each value: collections in the windows that the value is of, and their share of the windows' time. A
# collection falls into a window by chance; below ten of them the next session may have twice as many. Where a heap is not what is
# varied, a full collection is a fault of the configuration: it is named, and such a run is not shipped, but no slice is excluded.

#' From as many collections on their effect on a value is an average.
#' @export
collections_averaged <- 10

#' Collections of both sides of places, in the windows that count for a statistic.
#'
#' @param measured,places,statistic see session_effects().
#' @return data.table: id, mode_collections, baseline_collections, mode_gc_share, baseline_gc_share; NA where they were not counted. Without
#'   rows for a statistic that windows have no value of.
collections_of_places <- function(measured, places, statistic) {
  columns <- c("mode_collections", "baseline_collections", "mode_gc_share", "baseline_gc_share")
  none <- typed_table(numbers = c("id", columns))
  counted <- c("collections", "gc_pause_ms", "duration_s")
  if (counts_of(statistic) %in% c("process", "sweep") || !all(c(statistic, counted) %in% names(measured$slices))) return(none)
  sides <- sides_of_places(places)
  rows <- slices_for(measured$slices, statistic)[sides, on = place_of_side, nomatch = NULL, allow.cartesian = TRUE]
  if (nrow(rows) == 0) return(none)
  of_side <- rows[, .(collections = sum(collections), gc_share = sum(gc_pause_ms) / 1000 / sum(duration_s)), by = .(id, side = factor(side, c("mode", "baseline")))]
  wide <- dcast(of_side, id ~ side, value.var = c("collections", "gc_share"), drop = FALSE)
  setnames(wide, sub("^(.*)_(mode|baseline)$", "\\2_\\1", names(wide)))[]
}

#' The cells of a summary in whose windows the whole heap was collected although it is not what is varied, each once as
#' study/mode/tier/tool.
#' @export
fully_collected <- function(summary) {
  if (!"full_collections" %in% names(summary)) return(character())
  unique(summary[full_collections > 0 & !heap_varied %in% 1, file.path(study, mode, tier, tool)])
}
