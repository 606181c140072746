# The figure of a load curve: latency against offered load, above the capacities that
# follow from it. Steps are those of pool_steps(), capacities those of pool_capacity().

#' Latency against offered load, and below it, on the same axis, the capacity of each mode.
#'
#' The thick line is the 99th percentile with its 95 % interval up to the knee, where it meets the objective;
#' the thin one is the median. A dotted line leads from the knee to the mode's capacity and its name: colors
#' need no legend. Hollow points are steps beyond the knee. Lines that leave the frame are cut off.
figure_load_curve <- function(steps, capacity) {
  steps <- steps[is.finite(latency_p50_ms) & is.finite(latency_p99_ms) & latency_p50_ms > 0]
  capacity <- capacity[is.finite(capacity_per_s) & is.finite(objective_ms)]
  # From the first knee to the last one, downwards.
  ranked <- union(capacity[order(-capacity_per_s)]$mode, steps$mode)
  capacity <- with_modes(capacity, ranked)
  reach <- range(steps$rate_per_s, capacity$capacity_per_s)
  # Room for the names of the lines.
  axis <- list(
    scale_x_log10(labels = plain_number, breaks = scales::breaks_log(6), expand = expansion(c(0.06, 0.05))),
    scales_of_modes(ranked)
  )
  wrap_plots(
    latency_panel(with_modes(steps, ranked), capacity, reach, axis), capacity_panel(capacity, reach, axis),
    ncol = 1, heights = c(2.6, 0.2 + 0.19 * nrow(capacity))
  )
}

with_modes <- function(table, ranked) copy(table)[, mode := factor(mode, ranked)][]

# The steps before the knee of their mode, and those beyond it; the knee itself ends the ones and begins the
# others, since a step beyond it is saturated or nearly so, and has no latency that belongs to its rate.
parts_of_curves <- function(steps, capacity) {
  of_mode <- capacity[match(steps$mode, mode)]
  before <- fcase(
    of_mode$bound == "at_least", !steps$saturated, of_mode$bound == "at_most", FALSE,
    rep(TRUE, nrow(steps)), steps$rate_per_s < of_mode$capacity_per_s & steps$latency_p99_ms < of_mode$objective_ms
  )
  knees <- capacity[bound == "", .(mode, rate_per_s = capacity_per_s, latency_p99_ms = objective_ms)]
  with_knees <- function(rows) rbind(rows, knees, fill = TRUE)[order(mode, rate_per_s)]
  list(before = steps[before %in% TRUE], beyond = steps[!before %in% TRUE], knees = knees, with_knees = with_knees)
}

latency_panel <- function(steps, capacity, reach, axis) {
  objective_ms <- capacity$objective_ms[1]
  parts <- parts_of_curves(steps, capacity)
  # Most of the height is for what lies within the objective.
  lowest <- min(steps$latency_p50_ms, objective_ms)
  within <- max(1.2, objective_ms / lowest)
  bottom <- lowest / min(1.4, within^0.25)
  top <- max(objective_ms * min(4, within^0.7), 1.2 * parts$before$latency_p99_ms)
  left <- steps[which.min(rate_per_s)]
  name_of_line <- function(y, label) {
    annotate("text", x = left$rate_per_s, y = y, label = label, hjust = 1.25, size = 2.6, colour = ink)
  }
  ggplot(steps, aes(rate_per_s, latency_p99_ms, colour = mode, linetype = mode)) +
    geom_hline(yintercept = objective_ms, colour = ink, linewidth = 0.35, linetype = "42") +
    annotate(
      "text", x = left$rate_per_s, y = objective_ms, hjust = 0, vjust = -0.5, size = 2.6, colour = ink,
      label = sprintf("objective: 99th percentile within %s ms", format_number(objective_ms))
    ) +
    geom_segment(
      data = parts$knees, aes(xend = rate_per_s, yend = bottom / 2), linetype = "13", linewidth = 0.5
    ) +
    geom_ribbon(
      data = parts$before[is.finite(latency_p99_ms_low)], colour = NA, alpha = 0.16,
      mapping = aes(ymin = latency_p99_ms_low, ymax = latency_p99_ms_high, fill = mode)
    ) +
    geom_line(aes(y = latency_p50_ms), data = parts$before, linewidth = 0.35) +
    geom_line(data = parts$with_knees(parts$beyond), linewidth = 0.35, linetype = "31") +
    geom_line(data = parts$with_knees(parts$before), linewidth = 0.85) +
    geom_point(aes(shape = mode), data = parts$before, size = 1.7) +
    geom_point(data = parts$beyond, shape = 21, fill = "white", size = 1.5, stroke = 0.6) +
    geom_point(data = parts$knees, shape = 23, fill = "white", size = 2.4, stroke = 0.9) +
    name_of_line(left$latency_p99_ms, "p99") +
    (if (left$latency_p99_ms > 1.15 * left$latency_p50_ms) name_of_line(left$latency_p50_ms, "p50")) +
    axis +
    scale_fill_manual(values = mode_colours(levels(steps$mode))) +
    scale_y_log10(labels = plain_number, breaks = scales::breaks_log(6)) +
    coord_cartesian(xlim = reach, ylim = c(bottom, top)) +
    labs(x = NULL, y = "latency from when due (ms)") +
    theme_artifact() +
    theme(legend.position = "none", axis.text.x = element_blank())
}

# A row per mode: its capacity, interval and name. An arrow: at least, or at most, so much.
capacity_panel <- function(capacity, reach, axis) {
  gap <- (reach[2] / reach[1])^0.012
  rows <- copy(capacity)[, `:=`(
    label = paste0(mode, ": ", capacity_text(capacity)), arrow_to = capacity_per_s * ifelse(bound == "at_least", gap^4, gap^-4),
    from = pmax(fcoalesce(low, capacity_per_s), reach[1]), to = pmin(fcoalesce(high, capacity_per_s), reach[2])
  )]
  rows[bound == "at_most", from := arrow_to]
  rows[bound == "at_least", to := arrow_to]
  # The name stands on the side where there is more room.
  rows[, leftwards := from / reach[1] > reach[2] / to]
  ggplot(rows, aes(capacity_per_s, mode, colour = mode)) +
    geom_segment(
      data = rows[bound == ""], aes(xend = capacity_per_s, yend = Inf), linetype = "13", linewidth = 0.5
    ) +
    geom_linerange(data = rows[bound == ""], aes(xmin = from, xmax = to), linewidth = 0.7) +
    geom_segment(
      data = rows[bound != ""], aes(xend = arrow_to, yend = mode), linewidth = 0.7,
      arrow = grid::arrow(length = grid::unit(4, "pt"))
    ) +
    geom_point(aes(shape = mode), size = 2) +
    geom_text(
      aes(ifelse(leftwards, from / gap, to * gap), label = label, hjust = ifelse(leftwards, 1, 0)), size = 2.7, colour = ink
    ) +
    axis +
    coord_cartesian(xlim = reach) +
    scale_y_discrete(labels = NULL, limits = levels(droplevels(rows$mode))) +
    labs(x = "offered load (requests/s, log scale); below: the capacity at the objective", y = NULL) +
    theme_artifact() +
    theme(legend.position = "none", panel.grid.major.y = element_blank(), axis.ticks.y = element_blank())
}

# The words of a capacity, in a figure and in a table.
capacity_text <- function(capacity) {
  effect_with_interval(capacity[, .(estimate = capacity_per_s, low, high, bound, pairs = sessions)])
}

height_of_load_curve <- function(capacity) 3.1 + 0.24 * nrow(capacity)

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
    sprintf("Latency against offered load, %s; below, the capacity of each mode. Thick: 99th percentile, with the range over sessions;", curve$title),
    "thin: median; hollow: steps beyond the capacity. An arrow marks a bound."
  )
}

alt_of_curve <- function(curve) {
  sprintf("Latency against offered load. Capacities: %s.", enumerate(sprintf("%s %s/s", curve$pooled$mode, capacity_text(curve$pooled))))
}
