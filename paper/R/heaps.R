# Heaps by collector: what a small heap costs, and how much of it a request in flight holds. `heaps` is what read_heaps() read.

collector_colours <- c(SerialGC = "#0072B2", ParallelGC = "#6E6E6E", G1 = "#D55E00", ZGC = "#009E73")
kinds_in_words <- c(pool = "a pool of threads", virtual = "virtual threads", "event-loop" = "event loops", "thread-each" = "a thread per request")
# So much of the throughput with the largest heap is as good.
enough_from <- 0.95
# An axis spans at least this factor.
axis_factor <- 2
# An example of requests admitted, for the reader's own sum.
admitted_example <- 1000

#' Throughput of closed loops and 99th percentiles against the heap, a column a kind of mode: `rows` see panels_of_heaps().
figure_heaps <- function(rows) {
  ggplot(rows, aes(heap_mib, value, colour = collector, shape = collector, linetype = collector)) +
    geom_line(linewidth = 0.6) +
    geom_point(size = 1.9) +
    # Else an axis of 460 to 472 a second makes noise look like an effect.
    geom_blank(aes(y = reach)) +
    facet_grid(panel ~ kind, scales = "free_y", labeller = label_wrap_gen(18)) +
    scale_x_log10(labels = plain_number, breaks = sort(unique(rows$heap_mib))) +
    scale_y_log10(labels = plain_number) +
    scale_colour_manual(values = collector_colours) +
    labs(x = "heap (MiB)", y = NULL) +
    theme_artifact() +
    theme(strip.text.y = element_text(angle = 0))
}

# The values of heaps_of(), a row a point.
panels_of_heaps <- function(modes) {
  rows <- melt(modes[tool != "overload"], id.vars = c("tier", "tool", "kind", "collector", "heap_mib"), measure.vars = c("throughput_per_s", "latency_p99_ms"), variable.name = "statistic", variable.factor = FALSE)
  # An open loop has the throughput that it offers.
  rows <- rows[is.finite(value) & value > 0 & (tool == "jmeter" | statistic == "latency_p99_ms")][order(tier, -rank(statistic))]
  rows[, panel := sprintf("%s, %s", tier, headings(statistic))]
  rows[, `:=`(panel = factor(panel, unique(panel)), kind = factor(kinds_in_words[kind], kinds_in_words), collector = factor(collector, names(collector_colours)))]
  droplevels(rows)[, reach := max(0, value) / axis_factor, by = panel][]
}

height_of_heaps <- function(rows) 1.1 + 1.05 * uniqueN(rows$panel)

#' Heap by collector, in sentences; one line says how to measure it where it was not.
tell_heaps <- function(heaps) {
  if (nrow(heaps$modes) == 0) return("How much heap a request needs by collector takes `extras=heaps` to measure.")
  paragraph(
    sentence_of_enough(heaps$modes), sentence_of_pauses(heaps$modes), sentence_of_lost(heaps$modes), sentence_of_requests(heaps$requests)
  )
}

# The smallest heap from which on throughput is as good as with the largest, at the closed loop with most users.
sentence_of_enough <- function(modes) {
  rows <- modes[tool == "jmeter"]
  if (!any(is.finite(rows$throughput_per_s))) return("")
  at <- rows[which.max(throughput_per_s)]$tier
  rows <- rows[tier == at][order(-heap_mib)]
  # A heap without a valid session is none that serves as much.
  enough <- rows[, if (is.finite(throughput_per_s[1])) .(
    heap_mib = smallest_heap(heap_mib, (throughput_per_s >= enough_from * throughput_per_s[1]) %in% TRUE), largest_mib = heap_mib[1]
  ), by = .(kind, collector)]
  if (nrow(enough) == 0) return("")
  sprintf(
    "At %s, these heaps serve at least %s of what %s MiB do: %s.", as_code(at), percent(enough_from), format_number(max(enough$largest_mib)), heaps_by_kind(enough)
  )
}

# The last of heaps, from the largest on, up to which all hold; NA for none.
smallest_heap <- function(heap_mib, holds) c(rev(heap_mib[cumsum(!holds) == 0]), NA)[1]

# "256 MiB by SerialGC and 128 MiB by G1 with virtual threads; none by G1 with event loops".
heaps_by_kind <- function(heaps) {
  told <- heaps[order(match(kind, names(kinds_in_words))), .(told = sprintf(
    "%s with %s", enumerate(sprintf("%s by %s", fifelse(is.na(heap_mib), "none", paste(format_number(heap_mib), "MiB")), collector)), kinds_in_words[kind[1]]
  )), by = kind]
  paste(told$told, collapse = "; ")
}

sentence_of_pauses <- function(modes) {
  # A window in which the server hangs ends before its pauses do.
  rows <- modes[survived > 0 & is.finite(gc_share) & gc_share > 0.01]
  if (nrow(rows) == 0) return("")
  rows[which.max(gc_share), sprintf("Pauses of the collector take up to %s of the time (%s at %s).", percent(gc_share), as_code(mode), as_code(tier))]
}

# The smallest heap from which on servers answer after each load.
sentence_of_lost <- function(modes) {
  modes <- modes[!is.na(survived)]
  if (all(modes$survived >= 1)) return("")
  heaps <- modes[, .(answers = all(survived >= 1)), by = .(kind, collector, heap_mib)][order(-heap_mib)]
  sprintf(
    "These heaps and larger ones still answer after each load, an overload among them within 10 s: %s.",
    heaps_by_kind(heaps[, .(heap_mib = smallest_heap(heap_mib, answers)), by = .(kind, collector)])
  )
}

sentence_of_requests <- function(requests) {
  # A base that is not positive says that the line through the collections is none.
  rows <- requests[base_mib > 0 & kib_per_request > 0][order(match(kind, names(kinds_in_words)))]
  if (nrow(rows) == 0) return("")
  of_kind <- rows[, .(told = sprintf("with %s %s", kinds_in_words[kind[1]], enumerate(sprintf("%s KiB (%s)", format_number(kib_per_request), collector)))), by = kind]$told
  most <- rows[which.max(kib_per_request)]
  paragraph(
    sprintf("A request in flight holds this much heap: %s.", paste(of_kind, collapse = "; ")),
    sprintf(
      "*In practice:* heap ≥ base + admitted requests × KiB: %s admitted with %s take at least %s MiB (base %s MiB, %s).", format_number(admitted_example),
      kinds_in_words[most$kind], format_number(signif(most$base_mib + admitted_example * most$kib_per_request / 1024, 2)), format_number(most$base_mib), most$collector
    )
  )
}
