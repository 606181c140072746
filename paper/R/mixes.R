# Short requests next to long ones: the tail of the short ones by how many requests share the CPUs.

mix_kinds <- c("platform threads", "virtual threads, by carriers")

#' The 99th percentile of short requests by the number of requests that share the CPUs, a panel a load: measured (points), and predicted by
#' queueing theory (dashed): `rows` see mixes_drawn().
figure_mixes <- function(rows) {
  rows <- copy(rows)[, kind := factor(mix_kinds[1 + startsWith(as.character(mode), "virtual")], mix_kinds)]
  ggplot(rows, aes(at_a_time, measured_p99_ms)) +
    geom_line(aes(y = predicted_p99_ms), rows[is.finite(predicted_p99_ms)], colour = faint, linewidth = 0.4, linetype = "5212") +
    geom_point(aes(colour = kind, shape = kind), size = 2.1) +
    # One value a place stays legible: those of other collectors and of A/A pairs stand in the text.
    geom_text(aes(label = format_number(signif(measured_p99_ms, 2))), rows[!mode %in% names(words_of_collectors) & !is_control(as.character(mode))], vjust = -0.9, size = 2.4) +
    facet_wrap(~panel, nrow = rows_of_mixes(rows)) +
    scale_x_log10(breaks = sort(unique(rows$at_a_time)), labels = plain_number, expand = expansion(0.08)) +
    scale_y_log10(labels = plain_number, breaks = scales::breaks_log(6), expand = expansion(c(0.06, 0.16))) +
    scale_colour_manual(values = setNames(okabe_ito[c(2, 4)], mix_kinds), drop = FALSE) +
    scale_shape_manual(values = setNames(c(15, 17), mix_kinds), drop = FALSE) +
    labs(x = "carriers, or threads, that share the CPUs", y = "p99 of the short requests (ms)") +
    theme_artifact()
}

# Those of a queue whose length is known; a request that yields, or computes elsewhere, is in none.
mixes_drawn <- function(mixes) {
  rows <- mixes[is.finite(measured_p99_ms) & is.finite(utilization) & is.finite(at_a_time) & !grepl("-long-", mode)]
  if (nrow(rows) == 0) rows else with_panels(rows)[order(panel, at_a_time)]
}

rows_of_mixes <- function(rows) ceiling(uniqueN(rows$panel) / 3)

height_of_mixes <- function(rows) 0.7 + 1.9 * rows_of_mixes(rows)

with_panels <- function(mixes) {
  mixes <- copy(mixes)[, mode := factor(mode, mode_levels(mode))][order(cpus, share, long_ms, utilization)]
  mixes[, panel := sprintf(
    "%s %% take %s ms, the others %s ms,\n%.0f %% of %s in use", format_number(100 * share[1]), format_number(long_ms[1]), format_number(short_ms[1]),
    100 * median(utilization, na.rm = TRUE), count_of(cpus[1], "CPU")
  ), by = tier]
  mixes[, panel := factor(panel, unique(panel))][]
}

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
    enumerate(alike[order(cpus), sprintf(
      "%s on %s with %.0f %% in use (predicted %s)", value_of(measured_p99_ms, "ms"), count_of(cpus, "CPU"), 100 * utilization,
      value_of(predicted_p99_ms, "ms")
    )])
  )
}

#' The rule of thumb for carriers on one CPU, and what it says of the mix at half of the CPU's time.
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

sentence_of_long <- function(rows) {
  if (nrow(rows) < 2) return("")
  ends <- rows[c(1, .N), sprintf("%s with %s", value_of(measured_long_p50_ms, "ms"), in_words(mode))]
  sprintf("The median of the long ones goes from %s to %s.", ends[1], ends[2])
}
