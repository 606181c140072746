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

# ---- The line of Little's law --------------------------------------------------------------------

#' Throughput and its bound, min(users, admitted) over the time that each request waits.
#'
#' @param bounds see read_bounds(); `tiers` those of closed loops whose requests wait equally long.
#' @return data.table: mode, tier, inside (requests that are served concurrently), wait_ms, measured_per_s.
line_points <- function(bounds, tiers) {
  rows <- bounds[tier %in% tiers & tool == "jmeter" & is.finite(measured_per_s) & !is_variant(mode)]
  rows[, .(mode, tier, inside = pmin(users, admitted, na.rm = TRUE), wait_ms, measured_per_s)]
}

#' Measured throughput against the requests that are served concurrently; the dashed line is what Little's law allows them.
#'
#' @param points see line_points().
#' @return ggplot.
figure_line <- function(points) {
  if (nrow(points) == 0) return(nothing_to_draw("no valid cell"))
  modes <- mode_levels(points$mode)
  ends <- range(points$inside)
  law <- data.table(inside = ends, per_s = 1000 * ends / points$wait_ms[1])
  ggplot(copy(points)[, mode := factor(mode, modes)], aes(inside, measured_per_s)) +
    geom_line(aes(y = per_s), law, colour = ink, linetype = "42", linewidth = 0.35) +
    geom_point(aes(colour = mode, shape = mode), size = 2.2) +
    scale_x_log10(labels = plain_number, breaks = sort(unique(points$inside))) +
    scale_y_log10(labels = plain_number) +
    scales_of_modes(modes) +
    guides(linetype = "none", colour = guide_legend(ncol = 2), shape = guide_legend(ncol = 2)) +
    labs(x = sprintf("served concurrently: min(users, admitted), each for %s ms", format_number(points$wait_ms[1])), y = "requests/s") +
    theme_artifact()
}

#' How far the values of a line lie below it, and where most.
sentence_of_line <- function(points) {
  reached <- copy(points)[, share := measured_per_s * wait_ms / 1000 / inside][order(share)]
  least <- reached[1]
  sprintf(
    "Throughput is min(users, admitted) ÷ %s ms: %s of %d values reach 90 %% of that; the least is %s of it, with %s requests on %s (%s/s).",
    format_number(least$wait_ms), sum(reached$share >= 0.9), nrow(reached), percent(least$share), format_number(least$inside), as_code(least$mode),
    format_number(least$measured_per_s)
  )
}

#' Sentences on the figures of this section, one each; empty without any.
tell_lines <- function(orders, of_users, pinned) {
  paragraph(
    if (nrow(orders) > 0) c(sentence_of_orders(orders), see("fig-virtual-threads-orders", TRUE)),
    if (nrow(of_users) > 0) c(sentence_of_line(of_users), see("fig-virtual-threads-users", TRUE)),
    if (nrow(pinned) > 0) c("With a lock held, a carrier is what a waiting request keeps.", sentence_of_line(pinned), see("fig-virtual-threads-pinned", TRUE))
  )
}

#' Who goes on where half of the requests hold a lock and half wait for it in synchronized.
#'
#' @param tier where they do.
sentence_of_deadlock <- function(all, tier) {
  wanted <- tier
  cells <- all$summary[tier == wanted & tool == "jmeter" & outcome != "beyond_limits"]
  if (nrow(cells) == 0) return("")
  jdk <- vapply(all$cells[match(cells$mode, vapply(all$cells, function(cell) cell$cell$mode, ""))], function(cell) number(cell$configuration$mode$jdk), 0)
  told <- cells[, ifelse(
    outcome == "completed", sprintf("on JDK %s they serve %s requests/s", jdk, format_number(throughput_per_s)),
    sprintf("on JDK %s the server answers nothing any more (outcome `%s`)", jdk, outcome)
  )]
  sprintf("Where half of %s users hold one lock and half wait for it in `synchronized`, %s.", format_number(cells$users[1]), enumerate(unique(told)))
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

# ---- Short requests next to long ones --------------------------------------------------------

#' The 99th percentile of short requests against the utilization of the CPU, a panel for each kind of mix: measured, and predicted by
#' queueing theory (dashed).
#'
#' @param mixes see predict_mixes().
#' @return ggplot.
figure_mixes <- function(mixes) {
  rows <- with_panels(mixes[is.finite(measured_p99_ms) & is.finite(utilization)])
  if (nrow(rows) == 0) return(nothing_to_draw("no valid cell"))
  # A line takes two points.
  joined <- rows[, if (.N > 1) .SD, by = .(panel, mode)]
  ggplot(rows, aes(100 * utilization, measured_p99_ms, colour = mode, shape = mode)) +
    geom_line(aes(y = predicted_p99_ms), joined[is.finite(predicted_p99_ms)], linewidth = 0.35, linetype = "5212") +
    geom_line(data = joined, linewidth = 0.6) +
    geom_point(size = 1.9) +
    facet_wrap(~panel, nrow = 1) +
    scale_y_log10(labels = plain_number, breaks = scales::breaks_log(6)) +
    scales_of_modes(levels(rows$mode)) +
    labs(x = "CPU in use (%)", y = "p99 of the short requests (ms)") +
    theme_artifact() +
    guides(colour = guide_legend(ncol = 3))
}

with_panels <- function(mixes) {
  mixes <- copy(mixes)[, mode := factor(mode, mode_levels(mode))][order(share, long_ms)]
  mixes[, panel := sprintf("%s %% take %s ms, the others %s ms", format_number(100 * share), format_number(long_ms), format_number(short_ms))]
  mixes[, panel := factor(panel, unique(panel))][]
}

caption_of_mixes <- paste(
  "Short requests next to long ones, arrivals at random: the 99th percentile of the short ones against the share of the CPU in use.",
  "Solid: measured, medians over sessions. Dashed: predicted from rate, paths and CPU time, by a queue in which at most as many requests",
  "share the CPU as the mode has carriers or threads, and the others wait in order."
)

#' The mix whose modes differ most, in words: p99 of the short requests and median of the long ones, mode by mode.
sentence_of_mixes <- function(mixes) {
  rows <- with_panels(mixes[is.finite(measured_p99_ms)])
  if (nrow(rows) == 0) return("")
  at <- rows[, .(apart = max(measured_p99_ms) / min(measured_p99_ms)), by = tier][which.max(apart)]$tier
  rows <- rows[tier == at][order(measured_p99_ms)]
  of_mode <- rows[, sprintf(
    "%s with `%s`%s", value_of(measured_p99_ms, "ms"), mode,
    ifelse(is.finite(measured_long_p50_ms), sprintf(" (median of the long ones %s)", value_of(measured_long_p50_ms, "ms")), "")
  )]
  sprintf("At `%s`, with %.0f %% of the CPU in use, the slowest 1 %% of the short requests take %s.", at, 100 * median(rows$utilization), enumerate(of_mode))
}
