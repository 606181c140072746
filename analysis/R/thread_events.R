# Events of the JVM's threads, however short: JFR's, with thresholds of 0 (profiles/convert/Events.java). Unlike samples of
# stacks they see virtual threads that wait without a carrier.

no_thread_events <- function() {
  typed_table(c("study", "mode", "tier", "tool", "event"), c("repetition", "count", "total_ms", "longest_ms", "requests"), "valid")
}

#' Events of cells, within the profiled slice that counts.
#'
#' @param paths paths of cell.json files.
#' @return data.table, a row per cell and type of event, see no_thread_events(): `requests` are those of the slice. No rows
#'   where none was recorded, or where the slice does not count.
#' @export
read_thread_events <- function(paths) {
  rbindlist(c(list(no_thread_events()), lapply(paths, function(path) {
    cell <- read_cell(path)
    file <- file.path(cell$folder, "events.csv")
    requests <- profiled_slice(cell)$requests_recorded
    if (!file.exists(file) || !isTRUE(requests > 0)) return(NULL)
    events <- read_required(file, c("event", "count", "total_ms", "longest_ms"))
    if (nrow(events) == 0) return(NULL)
    cbind(as.data.table(identity_of(cell))[rep(1, nrow(events))], events, requests = requests)[, names(no_thread_events()), with = FALSE]
  })))
}
