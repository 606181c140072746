# Values that mislead, for authors of benchmarks.

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

#' The memory of a parked thread, KiB.
#'
#' @param memory see read_thread_memory(), or NULL.
#' @return list: platform (resident), virtual (heap); NULL where either was not measured.
parked_thread_kib <- function(memory) {
  if (is.null(memory)) return(NULL)
  # Memory of few threads does not stand out from the pages of a JVM.
  many <- memory[threads >= 500, .(rss = median(rss_bytes / threads) / 1024, heap = median(heap_bytes / threads) / 1024), by = kind]
  kib <- list(platform = many[kind == "platform"]$rss, virtual = many[kind == "virtual"]$heap)
  if (all(lengths(kib) == 1)) kib
}

#' The same in a sentence.
sentence_of_parked_threads <- function(memory) {
  kib <- parked_thread_kib(memory)
  if (is.null(kib)) return("")
  sprintf(
    "A parked platform thread holds %s KiB of resident memory, 50 frames deep, and not 1 MB; a virtual one holds %s KiB of heap.",
    format_number(kib$platform), format_number(kib$virtual)
  )
}

#' The closed loop before a slow remote whose mean latency covers the fewest of its users (Little's law); empty where it covers most of all.
sentence_of_survivors <- function(summary) {
  cells <- summary[study == "blocking-remote" & loop == "closed" & outcome != "beyond_limits" & is.finite(under_way) & answers_per_s > 0]
  cells <- cells[, .(users = as.numeric(fcoalesce(users_alive, users)), covered = under_way, mean_s = under_way / answers_per_s, mode)]
  least <- cells[covered < 0.8 * users][which.min(covered / users)]
  if (nrow(least) == 0) return("")
  sprintf(
    "A mean latency may cover survivors alone: the %s s of `%s` are those of %s of %s users. The others were still waiting when the load ended.",
    format_number(least$mean_s), least$mode, format_number(least$covered), format_number(least$users)
  )
}
