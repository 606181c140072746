# Load curves: latency against offered load, and the capacity that follows. Steps are those of pool_steps(), capacities those of pool_capacity().

#' Latency against offered load, with the capacity of each mode in the legend, the highest first.
#'
#' Thick: the 99th percentile, with its range over sessions; thin: the median. A hollow point misses the objective, and a diamond is the
#' capacity, where the curve meets it. Lines that leave the frame are cut off.
figure_load_curve <- function(steps, capacity) {
  steps <- steps[is.finite(latency_p50_ms) & is.finite(latency_p99_ms) & latency_p50_ms > 0]
  capacity <- capacity[is.finite(capacity_per_s) & is.finite(objective_ms)][order(-capacity_per_s)]
  objective_ms <- capacity$objective_ms[1]
  knees <- capacity[bound == "", .(mode, rate_per_s = capacity_per_s, latency_p99_ms = objective_ms)]
  ranked <- union(capacity$mode, steps$mode)
  labels <- setNames(ranked, ranked)
  labels[capacity$mode] <- sprintf("%s: %s requests/s", capacity$mode, capacity_text(capacity))
  styled <- function(scale, values) scale(values = setNames(rep_len(values, length(ranked)), ranked), limits = ranked, labels = labels)
  # Most of the height is for what lies within the objective.
  lowest <- min(steps$latency_p50_ms, objective_ms)
  height <- c(lowest / 1.1, objective_ms * min(4, max(1.2, sqrt(objective_ms / lowest))))
  ggplot(steps, aes(rate_per_s, latency_p99_ms, colour = mode, shape = mode)) +
    geom_hline(yintercept = objective_ms, colour = ink, linewidth = 0.35, linetype = "42") +
    geom_ribbon(
      aes(ymin = latency_p99_ms_low, ymax = latency_p99_ms_high, fill = mode), steps[is.finite(latency_p99_ms_low)],
      colour = NA, alpha = 0.16, show.legend = FALSE
    ) +
    geom_line(aes(y = latency_p50_ms), linewidth = 0.35) +
    geom_line(data = rbind(steps, knees, fill = TRUE), linewidth = 0.85) +
    geom_point(size = 1.7) +
    geom_point(data = steps[saturated | latency_p99_ms > objective_ms], shape = 21, fill = "white", size = 1.9, show.legend = FALSE) +
    geom_point(data = knees, shape = 23, fill = "white", size = 2.4, stroke = 0.9, show.legend = FALSE) +
    styled(scale_colour_manual, okabe_ito) +
    styled(scale_fill_manual, okabe_ito) +
    styled(scale_shape_manual, point_shapes) +
    scale_x_log10(labels = plain_number, breaks = scales::breaks_log(6)) +
    scale_y_log10(labels = plain_number, breaks = scales::breaks_log(6)) +
    coord_cartesian(ylim = height) +
    guides(colour = guide_legend(ncol = 2)) +
    labs(x = "offered load (requests/s)", y = "latency from when due (ms)") +
    theme_artifact()
}

# The words of a capacity, in a figure and in a table.
capacity_text <- function(capacity) {
  effect_with_interval(capacity[, .(estimate = capacity_per_s, low, high, bound, pairs = sessions)])
}

height_of_load_curve <- function(capacity) 2.9 + 0.09 * nrow(capacity)

#' The load curves of a run.
#'
#' @return list, an element a study and tier: title (of the load), steps, pooled (capacities).
curves_of <- function(all) {
  pooled <- pool_capacity(all$capacity)
  pooled <- pooled[!is_control(mode) & is.finite(capacity_per_s)]
  places <- unique(pooled[, .(study, tier)])
  lapply(seq_len(nrow(places)), function(index) {
    here <- function(table) table[!is_control(mode)][places[index], on = c("study", "tier"), nomatch = NULL]
    list(title = here(all$capacity)$tier_title[1], steps = here(all$load_curves), pooled = here(pooled))
  })
}

#' All curves, each knitted from curve.qmd.
show_curves <- function(all) {
  template <- readLines("curve.qmd", encoding = "UTF-8")
  curves <- curves_of(all)
  if (length(curves) == 0) return(if (nrow(all$capacity) == 0) "No load curve was measured in this run." else "No load curve of this run has a capacity.")
  drawn <- vapply(seq_along(curves), function(place) {
    values <- list2env(list(curve = curves[[place]]), parent = knitr::knit_global())
    knitr::knit_child(text = gsub("{{place}}", place, template, fixed = TRUE), envir = values, quiet = TRUE)
  }, "")
  paste(drawn, collapse = "\n\n")
}

caption_of_curve <- function(curve) {
  paste(
    sprintf("Latency against offered load, %s, with the capacity of each mode at the objective (dashed). Thick: 99th percentile, with the range", curve$title),
    "over sessions; thin: median; hollow: steps that miss the objective; diamonds: capacities."
  )
}

alt_of_curve <- function(curve) {
  sprintf("Latency against offered load. Capacities: %s.", enumerate(sprintf("%s %s/s", curve$pooled$mode, capacity_text(curve$pooled))))
}
