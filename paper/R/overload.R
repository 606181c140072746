# Overloads: answers in time against offered load, and the way back. `overloads` is what read_overloads() read, of one study.

#' The share that is answered in time, by offered load.
#'
#' @param loads see read_overloads(), of which those of one step are drawn: a longer overload has another share.
#' @return ggplot, a panel for each offered load, the modes from best to worst at the highest.
figure_overload <- function(loads) {
  rows <- goodput_of(loads)
  rows[, words := mode_labels(mode)]
  best <- rows[order(highest_share, in_time), unique(words, fromLast = TRUE)]
  rows[, words := factor(words, best)]
  rows[, load := sprintf("at %s times the capacity of 200 threads", plain_number(highest_share))]
  ggplot(rows, aes(100 * in_time, words)) +
    geom_col(fill = "#0072B2", width = 0.7) +
    geom_text(aes(label = format_number(signif(100 * in_time, 2))), hjust = -0.2, size = 2.5, colour = ink) +
    facet_wrap(~load) +
    scale_x_continuous(limits = c(0, 108), breaks = c(0, 25, 50, 75, 100), expand = expansion(0)) +
    labs(x = "answered in time (%)", y = NULL) +
    theme_artifact()
}

#' Its height in inches.
height_of_overload <- function(loads) 0.8 + 0.19 * uniqueN(goodput_of(loads)$mode)

# A row per mode and share of the capacity: medians over sessions and rounds. A load with steps is none of the curve, and a burst has a rate of its own.
goodput_of <- function(loads) {
  rows <- loads[!grepl(" ", steps) & due > 0 & is.finite(in_time) & !capacity_of %in% "rate_per_s", .(
    in_time = median(in_time / due), predicted_share = median(predicted_in_time), most = median(most_in_time)
  ), by = .(mode, highest_share)]
  rows[, mode := factor(mode, mode_levels(mode))][order(mode, highest_share)]
}

#' Answers in time at the highest load, the way back, and heap per request, in sentences; empty without an overload.
tell_overload <- function(overloads) {
  # Bursts are at a rate of their tier's.
  loads <- overloads$loads[!capacity_of %in% "rate_per_s"]
  if (nrow(loads) == 0) return("")
  paragraph(
    sentence_of_goodput(loads), sentence_of_silence(loads), sentence_of_recovery(overloads$recoveries, overloads$seconds),
    sentence_of_heap(overloads$heap)
  )
}

sentence_of_goodput <- function(loads) {
  rows <- goodput_of(loads)
  if (nrow(rows) == 0) return("")
  paragraph(rows[order(highest_share), .(text = goodput_at(highest_share, .SD)), by = highest_share, .SDcols = c("mode", "in_time")]$text)
}

# The best first; those that answer nothing in time are named, without a number.
goodput_at <- function(share, rows) {
  rows <- rows[order(-in_time)]
  shares <- rows[in_time > 0, paste(percent(in_time), "with", in_words(mode))]
  none <- rows[in_time == 0, in_words(mode)]
  told <- enumerate(c(shares, if (length(none) > 0) paste("none with", enumerate(none, " or "))))
  sprintf("At %s times the capacity, %s.", format_number(share[1]), sub(" with ", " of the requests are answered in time with ", told, fixed = TRUE))
}

# Servers that did not answer after a load.
sentence_of_silence <- function(loads) {
  silent <- loads[is.na(answered_after_s), .(full = max(full_collections_after)), by = mode][order(match(mode, mode_levels(mode)))]
  if (nrow(silent) == 0) return("")
  sprintf(
    "Afterwards no request is answered within 10 s by the server with %s.",
    enumerate(silent[, ifelse(full %in% 0 | is.na(full), in_words(mode), sprintf("%s through %s full collections of the heap", in_words(mode), format_number(full)))], ", nor by that with ")
  )
}

sentence_of_recovery <- function(rows, seconds) {
  if (nrow(rows) == 0 || nrow(seconds) == 0) return("")
  back <- rows[, .(back_s = median(back_s)), by = mode][order(back_s, match(mode, mode_levels(mode)))]
  come <- back[is.finite(back_s), sprintf("within %s s with %s", format_number(back_s), in_words(mode))]
  gone <- back[!is.finite(back_s), in_words(mode)]
  sprintf(
    "After an overload of %s s, p99 returns to at most %s times its earlier value: %s.", format_number(seconds_at_most(seconds)), format_number(back_within),
    enumerate(c(come, if (length(gone) > 0) sprintf("not within %s s with %s", format_number(seconds_after_most(seconds)), enumerate(gone, " or "))))
  )
}

# The length of an overload that goes up and down again, and that of the load after it.
seconds_at_most <- function(seconds) uniqueN(seconds[share == max(share)]$second)
seconds_after_most <- function(seconds) max(seconds$second) - max(seconds[share == max(share)]$second)

#' Heap of a request in flight, by mode.
#'
#' @param rows heap of read_overloads().
#' @return data.table: study, mode, kib (a request, at the most).
heap_held <- function(rows) {
  rows[is.finite(kib_per_request), .(kib = median(kib_per_request)), by = .(study, mode)][order(match(mode, mode_levels(mode)))]
}

# The small heap of the study.
heap_example_mib <- 512

sentence_of_heap <- function(rows) {
  held <- heap_held(rows)
  if (nrow(held) == 0) return("")
  most <- max(held$kib)
  paragraph(
    sprintf("KiB of heap that a request in flight holds at most: %s.", enumerate(held[, sprintf("%s with %s", format_number(kib), in_words(mode))])),
    sprintf(
      "In practice: heap ≥ admitted requests × %s KiB. A heap of %s MiB holds at most %s of them, so admit fewer.", format_number(most),
      format_number(heap_example_mib), format_number(signif(1024 * heap_example_mib / most, 2))
    )
  )
}

# ---- A second of 10,000 sign-ups ---------------------------------------------------------------

#' The shares of requests that are answered where a second has more than the server can answer, mode by mode.
#'
#' @return data.table: mode, due_per_s, answered (share, the median over the cells that ran).
burst_of <- function(summary) {
  cells <- summary[study == "sign-up" & tier == "connections-10000" & tool == "wrk2" & outcome != "beyond_limits" & !is_variant(mode) & offered_per_s > 0]
  cells[, .(
    due_per_s = median(offered_per_s), answered = median(pmin(1, fcoalesce(as.numeric(throughput_per_s), 0) / offered_per_s))
  ), by = mode][order(match(mode, mode_levels(mode)))]
}

sentence_of_burst <- function(burst) {
  if (nrow(burst) == 0) return("")
  sprintf(
    "Where %s sign-ups are due within one second on 10,000 connections, %s are answered.", format_number(burst$due_per_s[1]),
    enumerate(burst[, paste(ifelse(answered > 0, percent(answered), "none"), "with", in_words(mode))])
  )
}
