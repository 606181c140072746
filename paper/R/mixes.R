# Short requests next to long ones: the tail of the short ones against the CPU in use.

# Sizes of one family would have one hue: here each has its own, and carriers are triangles, which gray print keeps apart.
mix_looks <- data.table(
  mode = c("platform-200", "virtual", "virtual-carriers-2", "virtual-carriers-4", "virtual-carriers-8", "virtual-carriers-16", "virtual-long-threads", "virtual-long-yields"),
  colour = c("#0072B2", "#009E73", "#CC79A7", "#E69F00", "#8B5A00", "#D55E00", "#4D4D4D", "#66A61E"), shape = c(15, 16, 6, 2, 24, 17, 8, 1)
)

mixes_drawn <- c("platform-200", "virtual", "virtual-carriers-16")

#' The 99th percentile of short requests against the utilization of the CPU, a panel for each kind of mix: measured, and predicted by
#' queueing theory (dashed).
#'
#' @param mixes see predict_mixes().
#' @return ggplot.
figure_mixes <- function(mixes) {
  rows <- mixes[is.finite(measured_p99_ms) & is.finite(utilization)]
  if (nrow(rows) == 0) return(nothing_to_draw("no valid cell"))
  # The default, the remedy and the pool; the tables have the others.
  if (any(rows$mode %in% mixes_drawn)) rows <- rows[mode %in% mixes_drawn]
  rows <- with_panels(rows)
  # A line takes two points.
  joined <- rows[rows[, .N, by = .(panel, mode)][N > 1], on = c("panel", "mode")]
  ends <- joined[order(-utilization)][, .SD[1], by = .(panel, mode)]
  ggplot(rows, aes(100 * utilization, measured_p99_ms, colour = mode, shape = mode)) +
    geom_line(aes(y = predicted_p99_ms), joined[is.finite(predicted_p99_ms)], linewidth = 0.35, linetype = "5212") +
    geom_line(data = joined, linewidth = 0.6) +
    geom_point(size = 1.9) +
    geom_text(aes(label = mode_labels(mode)), ends, hjust = 1, vjust = ifelse(ends$mode == "virtual-carriers-16", 2, -0.8), size = 2.4, show.legend = FALSE) +
    facet_wrap(~panel, nrow = 1) +
    scale_y_log10(labels = plain_number, breaks = scales::breaks_log(6)) +
    scales_of_modes(levels(rows$mode), mode_labels, mix_looks) +
    labs(x = "CPU in use (%)", y = "p99 of the short requests (ms)") +
    theme_artifact()
}

with_panels <- function(mixes) {
  mixes <- copy(mixes)[, mode := factor(mode, mode_levels(mode))][order(cpus, share, long_ms)]
  mixes[, panel := sprintf(
    "%s %% take %s ms, the others %s ms%s", format_number(100 * share), format_number(long_ms), format_number(short_ms), ifelse(cpus > 1, sprintf(", %s CPUs", cpus), "")
  )]
  mixes[, panel := factor(panel, unique(panel))][]
}

caption_of_mixes <- paste(
  "Short requests next to long ones, arrivals at random: the 99th percentile of the short ones against the share of the CPU in use.",
  "Solid: measured, medians over sessions. Dashed: predicted from rate, paths and CPU time, by a queue in which at most as many requests",
  "share the CPU as the mode has carriers or threads, and the others wait in order."
)

#' The mix whose modes differ most, in words: p99 of the short requests, mode by mode, and the shortest and longest median of the long ones.
sentence_of_mixes <- function(mixes) {
  rows <- mixes[is.finite(measured_p99_ms) & is.finite(utilization)]
  if (nrow(rows) == 0) return("")
  rows <- with_panels(rows)
  at <- rows[, .(apart = max(measured_p99_ms) / min(measured_p99_ms)), by = tier][which.max(apart)]$tier
  rows <- rows[tier == at][order(measured_p99_ms)]
  paragraph(
    sprintf(
      "With %.0f %% of the CPU in use, p99 of the short requests is %s.", 100 * median(rows$utilization),
      enumerate(rows[, sprintf("%s with %s", value_of(measured_p99_ms, "ms"), in_words(mode))])
    ),
    sentence_of_long(rows[is.finite(measured_long_p50_ms)][order(measured_long_p50_ms)])
  )
}

# Mixes on virtual threads with a carrier for each CPU, measured and predicted.
default_mixes <- function(mixes) mixes[mode == "virtual" & is.finite(measured_p99_ms) & is.finite(predicted_p99_ms)]

# The one whose paths come nearest to half of one CPU, with what a request of each kind takes in all; no row where none is.
mix_at_half <- function(mixes) {
  one <- mixes[mode == "virtual" & cpus == 1 & is.finite(utilization)][order(abs(stated_utilization - 0.5))][seq_len(min(1, .N))]
  one[, more_ms := 1000 * pmax(0, utilization - stated_utilization) / rate_per_s]
  one[, `:=`(whole_short_ms = short_ms + more_ms, whole_long_ms = long_ms + more_ms)][]
}

# The CPUs of a server, each as busy as the measured one.
numbers_of_cpus <- c(1, 2, 4, 8, 16)

#' p99 of the short requests by default as the queue predicts it for other numbers of CPUs, and what was measured of them.
#'
#' @param mixes see predict_mixes().
sentence_of_cpu_counts <- function(mixes) {
  rows <- default_mixes(mixes)
  one <- mix_at_half(rows)
  if (nrow(one) == 0) return("")
  predicted <- vapply(numbers_of_cpus, function(count) {
    one[, mix_percentiles_ms(rate_per_s * count, share, whole_short_ms, whole_long_ms, count, count)[[2]]]
  }, 0)
  alike <- rows[share == one$share & long_ms == one$long_ms & tier %in% c(one$tier, rows[cpus > 1]$tier)]
  sprintf(
    "By the same queue, p99 of the short ones with a carrier for each CPU is %s with %s CPUs that are as busy; measured %s.",
    enumerate(value_of(predicted, "ms")), enumerate(format_number(numbers_of_cpus)),
    enumerate(alike[order(cpus), sprintf("%s on %s with %.0f %% in use (predicted %s)", value_of(measured_p99_ms, "ms"), count_of_cpus(cpus), 100 * utilization, value_of(predicted_p99_ms, "ms"))])
  )
}

#' The rule of thumb for carriers on one CPU, and what it says of the mix at half of the CPU's time.
#'
#' @param mixes see predict_mixes().
sentence_of_carriers <- function(mixes) {
  one <- mix_at_half(mixes)
  if (nrow(one) == 0) return("")
  of_a_cpu <- one[, rate_per_s * c((1 - share) * whole_short_ms, share * whole_long_ms) / 1000]
  if (sum(of_a_cpu) >= 1) return("")
  sprintf(
    "By rule of thumb, ln 10,000 ÷ ln((1 − s) ÷ l) carriers suffice on one CPU, of which short requests use the share s and long ones l: as many as long ones are in flight, but for one moment in 10,000. With %s and %s that is %d.",
    percent(signif(of_a_cpu[1], 2)), percent(signif(of_a_cpu[2], 2)), as.integer(carriers_that_suffice(of_a_cpu[1], of_a_cpu[2]))
  )
}

count_of_cpus <- function(counts) vapply(counts, count_of, "", noun = "CPU")

sentence_of_long <- function(rows) {
  if (nrow(rows) < 2) return("")
  ends <- rows[c(1, .N), sprintf("%s with %s", value_of(measured_long_p50_ms, "ms"), in_words(mode))]
  sprintf("The median of the long ones goes from %s to %s.", ends[1], ends[2])
}
