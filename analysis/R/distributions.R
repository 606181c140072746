# Latencies of modes as whole distributions.

#' The distribution of the latencies of modes: all requests of the slices that count, of all sessions together.
#'
#' @param cells list of read_cell() of a closed loop; those whose latency does not count are left aside.
#' @return data.table: study, mode, tier, value_ms (increasing), share (of the requests, failed ones among them, that were answered within
#'   that time).
#' @export
distributions <- function(cells) {
  none <- typed_table(c("study", "mode", "tier"), c("value_ms", "share"))
  counted <- rbindlist(lapply(cells, function(cell) {
    slices <- read_slices_of(cell)
    found <- if (isTRUE(cell$validity$latency_valid)) read_histograms(cell, slices)
    columns <- intersect(colnames(found$counts), as.character(plain_slices(slices)$slice))
    if (length(columns) == 0) return(NULL)
    at <- match(columns, colnames(found$counts))
    data.table(
      study = cell$cell$study, mode = cell$cell$mode, tier = cell$cell$tier, value_ms = found$values_ms,
      count = rowSums(found$counts[, at, drop = FALSE]), recorded = sum(found$recorded[at]), of = cell$folder
    )
  }))
  if (nrow(counted) == 0) return(none)
  counted[, recorded := sum(recorded[!duplicated(of)]), by = .(study, mode, tier)]
  merged <- counted[count > 0, .(count = sum(count), recorded = recorded[1]), keyby = .(study, mode, tier, value_ms)]
  merged[, .(value_ms, share = cumsum(count) / recorded), by = .(study, mode, tier)][]
}
