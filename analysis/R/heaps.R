# Heaps by collector: what a mode serves with so much heap, and how much of it a request in flight holds. Within a comparison nothing
# but heap and collector differs.

heap_words <- c("study", "comparison", "mode", "tier", "tool", "kind", "collector")
no_heaps <- function() {
  typed_table(heap_words, c("heap_mib", "sessions", "counted", "survived", "throughput_per_s", "latency_p99_ms", "cpu_us_per_request", "gc_share"))
}

per_request_words <- c("study", "comparison", "tier", "kind", "collector")
no_heap_per_request <- function() typed_table(per_request_words, c("cells", "collections", "most_in_flight", "kib_per_request", "base_mib"))

# From this share of the heap on, what a collection leaves says how large the heap is.
full_from <- 0.9

collector_names <- c(Serial = "SerialGC", Parallel = "ParallelGC", G1 = "G1", Z = "ZGC")

# NA for the JVM's own choice.
collector_of <- function(cell) collector_names[option_of_jvm(cell, "^-XX:[+]Use(\\w+)GC$")]

# The cells of comparisons with several collectors, and a row for each.
with_collectors <- function(cells) {
  varied <- Filter(function(cell) isTRUE(cell$configuration$mode$heap_varied), cells)
  if (length(varied) == 0) return(list(cells = list(), setups = NULL))
  setups <- rbindlist(lapply(varied, function(cell) {
    c(cell$cell[cell_place], list(
      comparison = words(cell$session$comparison), kind = words(cell$configuration$mode$kind), collector = collector_of(cell), heap_mib = heap_of(cell)
    ))
  }))
  several <- setups[, several := uniqueN(collector) > 1, by = .(study, comparison)]$several
  list(cells = varied[several], setups = setups[several][, several := NULL][])
}

#' Throughput, latency and pauses of modes with each heap and collector.
#'
#' @param cells list of read_cell(); `summary` see read_summary(); `loads` see overloads_of().
#' @return rows of heaps.csv, see tables.yaml, for comparisons with several collectors: medians over the sessions that count; survived
#'   is, after an overload, the share with an answer within 10 s, and gc_share NA for a collector that does not pause.
heaps_of <- function(cells, summary, loads) {
  setups <- with_collectors(cells)$setups
  if (NROW(setups) == 0) return(no_heaps())
  rows <- summary[unique(setups), on = c("comparison", cell_place), nomatch = NULL]
  # A server that still holds requests of its load is asked for nothing else, so only the load itself knows.
  rows[loads[is.na(answered_after_s)], survived := 0, on = c(cell_place, "session")]
  rows[, `:=`(
    offered = counts_for(rows, "throughput_per_s"), worked = counts_for(rows), waited = counts_for(rows, "latency_p99_ms"), gc = gc_pause_ms / 1000 / duration_s
  )]
  middle <- function(values, counted) as.numeric(median(values[counted & !is.na(values)]))
  rows[, .(
    sessions = .N, counted = sum(offered), survived = mean(survived), throughput_per_s = middle(throughput_per_s, offered),
    latency_p99_ms = middle(latency_p99_ms, waited), cpu_us_per_request = middle(cpu_us_per_request, worked), gc_share = middle(gc, offered)
  ), by = c(heap_words, "heap_mib")][, names(no_heaps()), with = FALSE]
}

#' Heap that a request in flight holds, by kind of mode and collector: the median slope between any two collections of a cell, over all
#' its heaps. A small heap has more collections, a large one more requests in flight.
#'
#' @param cells of overloads, see read_cell().
#' @return rows of heap-per-request.csv, see tables.yaml; none with too few collections, or at too similar numbers in flight.
heap_per_request_of <- function(cells) {
  found <- with_collectors(cells)
  points <- rbindlist(lapply(seq_along(found$cells), function(index) {
    setup <- found$setups[index]
    rows <- collections_of_cell(found$cells[[index]])
    rows <- rows[which(rows$after_mib < full_from * setup$heap_mib)]
    # Without a log there are none.
    if (NROW(rows) == 0 || diff(range(rows$in_flight)) < in_flight_at_least) return(NULL)
    cbind(cell = index, setup[, ..per_request_words], rows[, .(in_flight, after_mib)])
  }))
  if (nrow(points) == 0) return(no_heap_per_request())
  slopes <- points[, .(slope = slopes_between(in_flight, after_mib)), by = c("cell", per_request_words)]
  rows <- slopes[, .(slope = median(slope)), by = per_request_words][points, on = per_request_words]
  rows <- rows[, .(
    cells = uniqueN(cell), collections = .N, most_in_flight = max(in_flight), kib_per_request = 1024 * slope[1], base_mib = median(after_mib - slope * in_flight)
  ), by = per_request_words]
  rbind(no_heap_per_request(), rows[collections >= collections_at_least])
}

#' Reads both tables of a run; without extras=heaps, and of older runs, they have no rows.
#'
#' @return list: modes (see heaps_of()), requests (see heap_per_request_of()).
#' @export
read_heaps <- function(results) {
  list(
    modes = read_if_there(file.path(results, "heaps.csv"), no_heaps()),
    requests = read_if_there(file.path(results, "heap-per-request.csv"), no_heap_per_request())
  )
}
