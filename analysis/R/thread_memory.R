#' Reads what waiting threads hold.
#'
#' @param path path of results/primitives/thread-memory.csv.
#' @return data.table: kind, threads, and the bytes that so many threads added, by way of counting them.
#' @export
read_thread_memory <- function(path) {
  numbers <- c("threads", "rss_bytes", "nmt_thread_reserved_bytes", "nmt_thread_committed_bytes", "heap_bytes")
  memory <- read_required(path, c("kind", numbers))
  # Reserved stacks pass 2^31, where fread would choose integer64.
  memory[, (numbers) := lapply(.SD, as.numeric), .SDcols = numbers][]
}
