# The memory of a waiting thread.

#' Memory of one waiting thread, by kind and number; no rows where it was not measured.
table_thread_memory <- function(memory) {
  if (is.null(memory)) return(data.table())
  memory[, .(
    Kind = kind, Threads = threads, "Resident (KiB)" = rss_bytes / threads / 1024,
    "Heap (KiB)" = heap_bytes / threads / 1024,
    "Stack, reserved (KiB)" = nmt_thread_reserved_bytes / threads / 1024,
    "Stack, committed (KiB)" = nmt_thread_committed_bytes / threads / 1024
  )]
}
