# Overloads: answers in time against offered load, and the way back. `overloads` is what read_overloads() read, of one study.

#' The share of requests that are answered in time against offered load, and the 99th percentile second by second where the load goes up
#' and down again.
#'
#' @param overloads see read_overloads().
#' @param path the page.
#' @return patchwork of ggplots.
figure_overload <- function(overloads, path) {
  page <- path
  loads <- overloads$loads[path == page]
  panels <- c(list(goodput_panel(loads)), recovery_panel(overloads$seconds[tier %in% loads$tier]))
  wrap_plots(panels, ncol = 1, guides = "collect") & theme(legend.position = "bottom")
}

# A row per mode and share: medians over sessions and rounds. A load with steps is none of the curve.
goodput_of <- function(loads) {
  rows <- loads[!grepl(" ", steps), .(
    in_time = median(in_time / due), predicted = median(predicted_in_time), most = median(most_in_time)
  ), by = .(mode, highest_share)]
  rows[, mode := factor(mode, mode_levels(mode))][order(mode, highest_share)]
}

goodput_panel <- function(loads) {
  rows <- goodput_of(loads)
  if (nrow(rows) == 0) return(nothing_to_draw("no overload was measured"))
  ggplot(rows, aes(highest_share, 100 * in_time, colour = mode, shape = mode, linetype = mode)) +
    geom_line(aes(highest_share, 100 * most), unique(rows[, .(highest_share, most)]), colour = faint, linewidth = 0.4, inherit.aes = FALSE) +
    geom_line(aes(y = 100 * predicted), linetype = "5212", linewidth = 0.35, na.rm = TRUE) +
    geom_line(linewidth = 0.6) +
    geom_point(size = 1.9) +
    scales_of_modes(levels(rows$mode)) +
    scale_x_continuous(breaks = sort(unique(rows$highest_share))) +
    scale_y_continuous(limits = c(0, 100)) +
    labs(x = "offered load (capacity = 1)", y = "answered in time (%)") +
    theme_artifact() +
    guides(colour = guide_legend(ncol = 3))
}

# NULL where no load goes up and down again. A second without an answer in p99 stands at the top.
recovery_panel <- function(seconds) {
  if (nrow(seconds) == 0) return(NULL)
  rows <- copy(seconds)[, mode := factor(mode, mode_levels(mode))]
  rows <- rows[, .(p99_ms = median(p99_ms), share = share[1]), by = .(mode, second)]
  top <- 2 * max(rows[is.finite(p99_ms)]$p99_ms, 1)
  rows[, p99_ms := pmin(p99_ms, top)]
  highest <- rows[share == max(share), range(second)]
  list(ggplot(rows, aes(second, p99_ms, colour = mode, linetype = mode)) +
    annotate("rect", xmin = highest[1], xmax = highest[2] + 1, ymin = min(rows$p99_ms) / 2, ymax = Inf, fill = faint, alpha = 0.15) +
    geom_line(linewidth = 0.6) +
    scales_of_modes(levels(rows$mode)) +
    scale_y_log10(labels = plain_number) +
    labs(x = "second in which requests were due (shaded: overload)", y = "p99 (ms); top: not reached") +
    theme_artifact() +
    guides(colour = "none", linetype = "none"))
}

#' Answers in time at the highest load, the way back, and heap per request, in sentences; empty without an overload.
#'
#' @param overloads see read_overloads(); `path` the page.
tell_overload <- function(overloads, path) {
  page <- path
  loads <- overloads$loads[path == page]
  if (nrow(loads) == 0) return("")
  tiers <- loads$tier
  paragraph(
    sentence_of_goodput(loads), sentence_of_silence(loads), sentence_of_recovery(overloads$recoveries[tier %in% tiers]),
    sentence_of_heap(overloads$heap[tier %in% tiers])
  )
}

sentence_of_goodput <- function(loads) {
  rows <- goodput_of(loads)
  if (nrow(rows) == 0) return("")
  rows <- rows[highest_share == max(highest_share)]
  sprintf(
    "At %s times the capacity, these shares of the requests are answered in time: %s.", format_number(rows$highest_share[1]),
    enumerate(rows[, paste(percent(in_time), "with", as_code(mode))])
  )
}

# Servers that did not answer after a load.
sentence_of_silence <- function(loads) {
  silent <- loads[is.na(answered_after_s), .(full = max(full_collections_after)), by = mode][order(match(mode, mode_levels(mode)))]
  if (nrow(silent) == 0) return("")
  sprintf(
    "Afterwards these servers answer no request within 10 s: %s.",
    enumerate(silent[, ifelse(full %in% 0 | is.na(full), as_code(mode), sprintf("%s (full collections of the heap since then: %s)", as_code(mode), format_number(full)))])
  )
}

sentence_of_recovery <- function(rows) {
  if (nrow(rows) == 0) return("")
  back <- rows[, .(back_s = median(back_s)), by = mode][order(match(mode, mode_levels(mode)))]
  sprintf(
    "After the overload the 99th percentile is within %s times that before it: %s.", format_number(back_within),
    enumerate(back[, ifelse(is.finite(back_s), sprintf("after %s s with %s", format_number(back_s), as_code(mode)), paste("not again with", as_code(mode)))])
  )
}

sentence_of_heap <- function(rows) {
  if (nrow(rows) == 0) return("")
  held <- rows[, .(kib = median(kib_per_request), base = median(base_mib)), by = mode][order(match(mode, mode_levels(mode)))]
  most <- held[, max(kib)]
  paragraph(
    sprintf(
      "A request in flight holds %s.",
      enumerate(held[, sprintf("%s KiB of heap with %s (base %s MiB)", format_number(kib), as_code(mode), format_number(base))])
    ),
    sprintf(
      "In practice: heap ≥ base + admitted requests × %s KiB. A heap of 512 MiB holds at most %s of them, so admit fewer.", format_number(most),
      format_number(signif(1024 * (512 - held[kib == most]$base[1]) / most, 2))
    )
  )
}

# ---- A second of 10,000 sign-ups ---------------------------------------------------------------

#' The shares of requests that are answered where a second has more than the server can answer, mode by mode.
#'
#' @param summary see read_summary().
#' @return data.table: mode, due_per_s, answered (share, the median over the cells that ran).
burst_of <- function(summary) {
  cells <- summary[study == "sign-up" & tier == "connections-10000" & tool == "wrk2" & outcome != "beyond_limits" & !is_variant(mode)]
  cells[, .(
    due_per_s = median(offered_per_s), answered = median(pmin(1, fcoalesce(as.numeric(throughput_per_s), 0) / offered_per_s))
  ), by = mode][order(match(mode, mode_levels(mode)))]
}

sentence_of_burst <- function(burst) {
  if (nrow(burst) == 0) return("")
  sprintf(
    "Where %s sign-ups are due within one second on 10,000 connections, %s are answered.", format_number(burst$due_per_s[1]),
    enumerate(burst[, paste(percent(answered), "with", as_code(mode))])
  )
}
