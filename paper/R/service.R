# The form that answers for the reader's own service, and a table of how well its formulas predict.

# The inputs in view, then those that are folded; a label that ends in * needs no value.
service_fields <- fread(
  "name;           value; min;   max;      step; label
   rate_per_s;     250;   0.001; 100000;   any;  Requests a second
   wait_ms;        100;   0;     60000;    any;  Time that a request waits (ms)
   cpu_ms;         3;     0.001; 60000;    any;  CPU time that a request takes (ms)
   threads;        200;   1;     1000000;  1;    Threads or permits now*
   cpus;           2;     0.1;   1024;     any;  CPUs
   connections;    ;      1;     100000;   1;    Connections in the pool*
   held_ms;        ;      0.001; 60000;    any;  Time that a request holds one (ms)*
   synchronized_ms; ;     0;     60000;    any;  JDK 21 to 23: time that it waits in synchronized (ms)*
   long_ms;        ;      0.001; 60000;    any;  CPU time of the longest 1 % of the requests (ms)*
   heap_mib;       512;   1;     10000000; any;  Heap (MiB)*
   request_kib;    ;      0.001; 1000000;  any;  Heap that a request in flight holds (KiB)*",
  sep = ";", strip.white = TRUE, colClasses = "character"
)
in_view <- 4

#' The form, whose heap a request is that of the run.
service_form <- function(all) {
  items <- heap_items(all)
  fields <- copy(service_fields)
  if (nrow(items) > 0) fields[name == "request_kib", value := as.character(signif(max(items$kib), 2))]
  fields[, html := sprintf(
    "<label>%s <input name=\"%s\" type=\"number\" value=\"%s\" min=\"%s\" max=\"%s\" step=\"%s\"%s></label>",
    sub("*", "", label, fixed = TRUE), name, value, min, max, step, ifelse(endsWith(label, "*"), "", " required")
  )]
  paste0(raw_html(c(
    "<form id=\"service-form\" novalidate>", fields$html[seq_len(in_view)],
    "<details><summary>CPUs, connections, JDK 21, long requests, heap</summary>", fields$html[-seq_len(in_view)], "</details>",
    "<output aria-live=\"polite\"></output>", "<noscript>The form computes in your browser, which has scripts switched off.</noscript>", "</form>",
    "<script src=\"service.js\"></script>"
  )), sentence_of_service(items))
}

sentence_of_service <- function(items) {
  heap <- if (nrow(items) == 0) "This run measured no heap of a request: measure yours." else sprintf(
    "Heap of a request in flight, as measured here: %s. The form takes the largest.",
    enumerate(items[, sprintf("%s KiB for %s", format_number(signif(kib, 2)), what)])
  )
  paragraph(
    "*Time that a request waits* is that for databases, other services and sleeps, without queues. Empty the field of a limit that you do not have; nothing leaves this page.",
    "One rule sizes pools of threads and of connections: twice as many as are in use on average, requests/s × seconds held, and ten at least.", heap
  )
}

#' Heap that a request in flight holds, item by item, as measured.
#'
#' @return data.table: what, kib; no rows where nothing was measured.
heap_items <- function(all) {
  parked <- parked_thread_kib(all$thread_memory)
  # Other collectors say what was alive when they last collected, which may be long ago.
  held <- heap_held(all$overloads$heap[!mode %in% names(words_of_collectors)])
  rbind(
    if (!is.null(parked)) data.table(what = "a parked virtual thread", kib = parked$virtual),
    held[, .(what = sprintf("a %s with %s", fifelse(study == "sign-up", "sign-up", "request"), in_words(mode)), kib)]
  )
}

formula_titles <- c(
  users = "Bound by users: N ÷ wait (Little's law)",
  admitted = "Bound by threads, permits, connections or carriers: n ÷ wait",
  cpu = "Bound by CPUs: CPUs ÷ CPU time (utilization law)",
  mva = "Users or threads between wait and CPUs (mean value analysis)"
)

#' How well the form's formulas predict what was measured.
#'
#' @return data.table of text: Formula, Cells, Median, Lowest, Highest, Within 10 %; no rows where no cell has a bound.
table_predicting <- function(all) {
  found <- measured_by_formula(read_bounds(file.path(all$results, "bounds.csv")))
  found[, .(
    Formula = unname(formula_titles[formula]), Cells = cells, Median = format_number(middle), Lowest = format_number(least),
    Highest = format_number(most), "Within 10 %" = percent(near)
  )]
}
