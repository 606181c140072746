# The one figure of each study that carries its answer: its first load curve, or its modes at the load that the guide
# names. A study's own file may set another.

#' The parts of an answer's figure.
#'
#' @param draw function without arguments that returns the figure; `height` in inches; `caption`, `alt` words.
answer <- function(draw, height, caption, alt) list(draw = draw, height = height, caption = caption, alt = alt)

#' The figure of a study that has no other.
#'
#' @param all see of_study(); `situations` see read_guide(); `tool` the one to look at where no situation was measured.
answer_of <- function(all, situations, tool) {
  curve <- answer_of_curve(all)
  if (is.null(curve)) answer_of_modes(all, answer_place(all, situations, tool)) else curve
}

#' The first load curve of a study; NULL where no mode has a valid one.
answer_of_curve <- function(all) {
  for (table in c("capacity", "capacities", "load_curves", "predicted_curves")) all[[table]] <- all[[table]][!is_control(mode)]
  if (nrow(all$capacity) == 0) return(NULL)
  name <- all$capacity$tier[1]
  title <- all$capacity$tier_title[1]
  pooled <- all$capacities[tier %in% name]
  if (nrow(pooled) == 0) return(NULL)
  answer(
    function() figure_load_curve(all$load_curves[tier == name], pooled, "", all$predicted_curves[tier == name]),
    height_of_load_curve(pooled),
    sprintf("Latency against offered load, %s; below, the capacity of each mode. %s", title, caption_of_curve),
    sprintf("Latency against offered load. Capacities: %s.", enumerate(sprintf("%s %s/s", pooled$mode, capacity_text(pooled))))
  )
}

caption_of_curve <- paste(
  "Thick: 99th percentile, with the range over sessions; thin: median; long dashes: the 99th percentile that theory predicts; hollow:",
  "steps beyond the capacity. An arrow marks a bound."
)

#' The situations of a study of which this run has cells.
measured_situations <- function(all, situations) {
  Filter(function(situation) {
    situation$study == all$study && nrow(all$summary[tier == situation$tier & tool == situation$tool]) > 0
  }, situations)
}

#' Where a study's modes are compared: the first situation of the guide that was measured, or the tier with most modes.
#'
#' @return list: study, tier, tool, statistics.
answer_place <- function(all, situations, tool) {
  own <- measured_situations(all, situations)
  if (length(own) > 0) {
    place <- own[[1]][c("study", "tier", "tool", "statistics")]
    # A capacity is of a sweep, which this run may not have.
    return(replace(place, "statistics", list(intersect(place$statistics, names(all$summary)))))
  }
  wanted <- tool
  counts <- all$summary[tool == wanted & !is_variant(mode), .(modes = uniqueN(mode)), by = tier]
  list(
    study = all$study, tier = counts[which.max(modes)]$tier, tool = tool,
    statistics = c("throughput_per_s", "latency_p99_ms", "cpu_us_per_request")
  )
}

#' The modes at one place, a panel a metric.
answer_of_modes <- function(all, place) {
  at <- place
  modes <- mode_levels(all$summary[tier %in% at$tier & tool == at$tool & !is_variant(mode)]$mode)
  answer(
    function() figure_modes(all, place$study, place$tier, place$tool, place$statistics, modes), height_of_modes(modes),
    sprintf("The modes at `%s`, %s: %s.", place$tier, loop_names[[place$tool]], caption_of_modes),
    alt_extremes(all, place$tool, place$tier, modes, place$statistics[1])
  )
}

caption_of_modes <- paste(
  "geometric means over sessions with 95 % intervals; the dashed line is the baseline, a cross a session whose value does not count"
)

# The values of modes at one place, a row a mode, statistic and repetition. The capacity has a table of its own.
values_at <- function(all, study, tier, tool, statistics, modes) {
  wanted <- list(study = study, tier = tier, tool = tool, modes = modes)
  table <- if (tool == sweep_tool) all$capacity else all$summary
  cells <- table[study == wanted$study & tier %in% wanted$tier & tool == wanted$tool & mode %in% wanted$modes]
  statistics <- intersect(statistics, names(cells))
  values <- rbindlist(lapply(statistics, function(id) {
    cells[, .(mode, repetition, usable = counts_for(cells, id), statistic = rep(id, .N), value = as.numeric(get(id)))]
  }))
  values[!is.na(value) & value > 0]
}

# Mean over sessions; an interval that spans too much says nothing.
over_sessions <- function(values) {
  mean <- geometric(values)
  if (isTRUE(mean$high / mean$low > span_at_most)) mean[c("low", "high")] <- NA_real_
  mean
}

#' Modes as bars from zero, a panel a metric, labelled with their values.
#'
#' @param study,tier,tool ids; `statistics` columns of the summary, or of the capacity; `modes` in any order.
#' @return ggplot.
figure_modes <- function(all, study, tier, tool, statistics, modes) {
  values <- values_at(all, study, tier, tool, statistics, modes)
  if (nrow(values) == 0) return(nothing_to_draw("no cell of these modes has values"))
  shown <- intersect(statistics, values$statistic)
  panels <- headings(shown)[values$statistic]
  values[, panel := factor(panels, headings(shown))]
  pooled <- values[usable == TRUE, over_sessions(value), by = .(mode, panel)]
  # The baseline of all others, where it is one.
  baselines <- unique(all$comparisons[mode %in% modes]$baseline)
  base <- setdiff(intersect(baselines, modes), all$comparisons[baseline %in% modes]$mode)
  figure_of_values(pooled, base, modes, values[usable == FALSE & is.finite(value)])
}

# Bars of values: mode, panel, middle (infinite: not reached), low, high; and crosses for values that do not count.
figure_of_values <- function(pooled, base, modes, crossed = NULL) {
  pooled <- copy(pooled)[, `:=`(mode = factor(mode, rev(mode_levels(modes))), label = value_text(middle))]
  pooled[is.infinite(middle), middle := 0]
  ggplot(pooled, aes(middle, mode, fill = mode)) +
    geom_vline(aes(xintercept = middle), pooled[mode %in% head(base, 1) & middle > 0], colour = ink, linetype = "42", linewidth = 0.35) +
    geom_col(width = 0.62) +
    geom_linerange(aes(xmin = low, xmax = high), colour = ink, linewidth = 0.4, na.rm = TRUE) +
    geom_text(aes(x = pmax(middle, fcoalesce(high, 0)), label = label), hjust = -0.2, size = 2.7, colour = ink) +
    (if (NROW(crossed) > 0) geom_point(aes(value, mode), crossed, shape = 4, size = 1.5, colour = ink)) +
    facet_wrap(~panel, nrow = 1, scales = "free_x") +
    scale_x_continuous(labels = plain_number, limits = c(0, NA), n.breaks = 4, expand = expansion(c(0, 0.3))) +
    scale_y_discrete(drop = FALSE) +
    scale_fill_manual(values = mode_colours(modes)) +
    labs(x = NULL, y = NULL) +
    theme_artifact() +
    # The last label of the axis stands in the margin, where a long one would be cut off.
    theme(legend.position = "none", panel.grid.major.y = element_blank(), plot.margin = margin(5.5, 14, 5.5, 5.5))
}

#' How tall figure_modes() must be.
height_of_modes <- function(modes) 0.65 + 0.26 * length(modes)

#' Alternative text of a figure by mode and tier: at each tier the modes with the smallest and the
#' largest median over the sessions that count.
#'
#' @param column column of the summary; `what` in words.
alt_extremes <- function(all, tool, tiers, modes, column, what = title_of(column)) {
  unit <- unit_of_statistic(column)
  wanted <- list(tool = tool, tiers = tiers, modes = modes)
  cells <- all$summary[counts_for(all$summary, column)][
    tool %in% wanted$tool & tier %in% wanted$tiers & mode %in% wanted$modes
  ]
  medians <- cells[!is.na(get(column)), .(middle = median(get(column))), by = .(tier, mode)]
  one <- function(name) {
    rows <- medians[tier == name][order(middle)]
    if (nrow(rows) == 0) return(NULL)
    if (nrow(rows) == 1) return(sprintf("%s: %s %s %s", name, rows$mode, format_number(rows$middle), unit))
    sprintf(
      "%s: from %s %s with %s to %s %s with %s", name, format_number(rows$middle[1]), unit,
      rows$mode[1], format_number(rows$middle[nrow(rows)]), unit, rows$mode[nrow(rows)]
    )
  }
  told <- unlist(lapply(tiers, one))
  if (length(told) == 0) return(paste0(capitalised(what), "; no valid cell."))
  paste0(capitalised(what), ", median over valid repetitions. ", paste(told, collapse = "; "), ".")
}
