# The section on kinds of threads: the kind, and how many requests are admitted.

#' Modes by kind of thread and by how many requests they admit.
#'
#' @return data.table: mode, kind (platform, virtual), inside (requests served concurrently; Inf for no
#'   limit), jdk (NA for that of the set-up).
read_kinds <- function(all, tier, modes) {
  wanted <- tier
  rbindlist(lapply(modes, function(name) {
    cell <- Find(function(cell) cell$cell$mode == name && cell$cell$tier %in% wanted, all$cells)
    setup <- read_setup(cell)
    data.table(
      mode = name, kind = if (grepl("virtual", setup$kind)) "virtual threads" else "platform threads",
      inside = setup$most_inside, jdk = number(cell$configuration$mode$jdk)
    )
  }))
}

inside_text <- function(inside) {
  ifelse(is.finite(inside), paste(format_number(inside), "admitted"), "no limit")
}

#' Kinds of threads against the number of requests admitted: each mode at one tier, with the value of the baseline that its ratio is to.
#'
#' @param kinds see read_kinds().
#' @return ggplot.
figure_kinds <- function(all, kinds, tier, tool, statistic) {
  wanted <- list(tier = tier, tool = tool, statistic = statistic)
  cells <- all$summary[counts_for(all$summary, statistic)][tier == wanted$tier & tool == wanted$tool & mode %in% kinds$mode]
  cells <- cells[is.finite(get(statistic)) & get(statistic) > 0]
  if (nrow(cells) == 0) return(nothing_to_draw("no valid cell"))
  tiles <- cells[, .(value = geometric(get(wanted$statistic))$middle), by = mode][kinds, on = "mode", nomatch = NULL]
  ratios <- all$comparisons[tier == wanted$tier & tool == wanted$tool & statistic == wanted$statistic]
  ratios <- ratios[, .(mode, baseline, mode_value, unit, told = ifelse(
    is.na(estimate), reason, sprintf("× %s of %s", effect_with_interval(ratios), value_of(baseline_value, unit))
  ))]
  tiles <- ratios[tiles, on = "mode"]
  tiles[, `:=`(
    column = factor(ifelse(inside == min(inside), "few admitted", "many admitted"), c("few admitted", "many admitted")),
    kind = factor(kind, c("virtual threads", "platform threads")),
    text = sprintf(
      "%s (%s)\n%s\n%s", mode, inside_text(inside), value_of(fcoalesce(mode_value, value), unit_of_statistic(wanted$statistic)),
      ifelse(is.na(baseline), "the baseline", told)
    )
  )]
  ggplot(tiles, aes(column, kind)) +
    geom_tile(aes(fill = mode), colour = ink, linewidth = 0.3, width = 0.96, height = 0.92) +
    geom_text(aes(label = text), size = 2.7, colour = ink, lineheight = 1.05) +
    scale_fill_manual(values = setNames(lighter(mode_colours(tiles$mode), 0.7), unique(tiles$mode))) +
    labs(title = title_of(statistic), x = NULL, y = NULL) +
    theme_artifact() +
    theme(
      legend.position = "none", panel.grid.major = element_blank(), panel.border = element_blank(),
      axis.text.y = element_text(angle = 90, hjust = 0.5), plot.title = element_text(size = 8.5, face = "bold")
    )
}

#' The figure of the study: throughput and mean latency; NULL where no closed loop has valid cells of both kinds.
#'
#' @param tier of the closed loop.
answer_of_kinds <- function(all, kinds, tier) {
  wanted <- tier
  valid <- all$summary[counts_for(all$summary, "throughput_per_s") & tool == "jmeter" & tier %in% wanted]$mode
  if (uniqueN(kinds[mode %in% valid]$kind) < 2) return(NULL)
  answer(
    function() {
      figure_kinds(all, kinds, tier, "jmeter", "throughput_per_s") + figure_kinds(all, kinds, tier, "jmeter", "latency_mean_ms") +
        plot_layout(ncol = 1)
    },
    4.6,
    sprintf(
      "Kind of thread and number of requests admitted, at `%s`, closed loop: the value of each mode, and its ratio to the baseline with its 95 %% interval.",
      tier
    ),
    alt_extremes(all, "jmeter", tier, kinds$mode, "throughput_per_s")
  )
}
