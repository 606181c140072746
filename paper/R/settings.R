# Rows of the table of settings whose values are not those of one finding alone.

# Requests in flight of the example.
example_in_flight <- 10000

#' The rows on connections and on memory, as far as this run has their values.
#'
#' @param lines of the table's other rows, in blocks.
#' @return lines of Markdown, as one string. A table without any row has one that says so.
rows_of_settings <- function(all, combinations, lines = character()) {
  rows <- c(row_of_connections(all$findings[["held-connections"]], combinations), row_of_memory(all$thread_memory, all$overloads$heap))
  others <- text_blocks(lines, all$findings)$holds
  if (length(rows) == 0 && length(others) > 0 && !any(others)) rows <- markdown_row("None that this run decides", no_figure, no_figure)
  paste(rows, collapse = "\n")
}

markdown_row <- function(...) sprintf("| %s |", paste(..., sep = " | "))

# NULL without values.
row_of_connections <- function(held, combinations) {
  measured <- c(if (finding_holds(held)) held_in_words(held), sizes_in_words(as_good_sizes(combinations)))
  if (length(measured) == 0) return(NULL)
  markdown_row(
    "A pool of connections to the database",
    "Twice what is in use, ten at least: 2 × transactions/s × the seconds that each holds one; call other services outside of the transaction", paste(measured, collapse = "; ")
  )
}

held_in_words <- function(held) {
  more <- values_for_text(held)$more
  sprintf(
    "with a call of a remote inside, %s with %s connections, %s with %s", more$from, more$admitted_from, more$to, more$admitted
  )
}

sizes_in_words <- function(sizes) {
  if (nrow(sizes) == 0) return(NULL)
  sprintf("%s within %s of the best", enumerate(sizes[, sprintf("%d of %d combinations of sizes", good, of)]), percent(1 - as_good_from))
}

row_of_memory <- function(memory, heap) {
  kib <- parked_thread_kib(memory)
  if (is.null(kib)) return(NULL)
  mib <- function(each) format_number(signif(example_in_flight * each / 1024, 2))
  request <- heap_held(heap[study == "sign-up"])
  markdown_row(
    sprintf("Memory of %s requests in flight", format_number(example_in_flight)),
    "Count it per request; size the heap for all that are admitted, or admit fewer",
    paste(c(
      sprintf("parked, %s MiB as platform threads, %s MiB of heap as virtual ones", mib(kib$platform), mib(kib$virtual)),
      if (nrow(request) > 0) sprintf("a sign-up in flight holds up to %s KiB of heap", format_number(max(request$kib)))
    ), collapse = "; ")
  )
}
