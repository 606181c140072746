# The report's figures. Each function takes the tables that the analysis wrote and returns a ggplot
# object; none measures or computes a result beyond what it draws. Figures are made
# for 7 inches of width.

library(data.table)
library(ggplot2)

# Where a tool rounds to 1 ms, half of that stands for "below", since a log scale has no 0.
drawable_latency <- function(latency_ms, resolution_ms) {
  pmax(latency_ms, resolution_ms / 2)
}

# Rows of a study; NULL stands for all tools, tiers and modes.
chosen <- function(table, study, tool, tiers, modes) {
  wanted_study <- study
  wanted_tool <- tool
  table <- copy(table[study == wanted_study])
  if (!is.null(tool)) table <- table[tool %in% wanted_tool]
  if (!is.null(tiers)) table <- table[tier %in% tiers]
  if (!is.null(modes)) table <- table[mode %in% modes]
  table[, mode := factor(mode, mode_levels(mode))]
}

# A figure without cells says so: a report on a run of which nothing is valid is still a report.
nothing_to_draw <- function(why) {
  ggplot() +
    annotate("text", x = 0, y = 0, label = why, size = 3, colour = ink) +
    theme_void() +
    theme(plot.background = element_rect(fill = "white", colour = NA))
}

in_load_order <- function(table, summary) {
  order <- tier_levels(summary)
  table[, tier := factor(tier, order[order %in% tier])][]
}

# The same, without the control modes unless they are named.
drawn <- function(table, study, tool, tiers, modes) {
  if (is.null(modes)) modes <- unique(table$mode[!is_control(table$mode)])
  chosen(table, study, tool, tiers, modes)
}

# Mean and 95 % interval over repetitions on the log scale; the interval is NA at one repetition.
geometric <- function(values) {
  interval <- exp(t_interval(log(values)))
  list(middle = exp(mean(log(values))), low = interval[1], high = interval[2])
}

log_ms <- function(limits) {
  # Intervals of two repetitions may be endless: they are cut off at the frame.
  list(
    scale_y_log10(labels = plain_number),
    coord_cartesian(ylim = limits * c(1 / 1.6, 1.6))
  )
}

plain_number <- function(values) {
  format_one <- function(value) {
    format(value, digits = 3, big.mark = ",", scientific = FALSE, drop0trailing = TRUE)
  }
  ifelse(is.na(values), "", vapply(values, format_one, ""))
}

#' Latency percentiles by mode and tier.
#'
#' Points are geometric means over valid repetitions with 95 % intervals (t on logarithms); a
#' cross is a repetition that is not valid. Open loop: corrected latency strong, uncorrected
#' faint.
#'
#' @param summary see read_summary().
#' @param study study id.
#' @param tool jmeter or wrk2.
#' @param tiers,modes ids; NULL for all tiers, and for all modes but controls.
#' @return ggplot.
figure_latency <- function(summary, study, tool, tiers = NULL, modes = NULL) {
  cells <- in_load_order(drawn(summary, study, tool, tiers, modes), summary)
  long <- rbind(
    latency_long(cells, "latency_", "corrected"),
    latency_long(cells, "latency_uncorrected_", "uncorrected")
  )
  if (nrow(long) == 0) return(nothing_to_draw("no cell has latencies"))
  pooled <- long[usable == TRUE, geometric(latency_ms), by = .(mode, tier, kind, percentile)]
  dodge <- position_dodge(width = 0.5)
  strength <- function(kind) ifelse(kind == "corrected", 1, 0.3)
  ggplot(pooled, aes(percentile, middle, colour = mode, shape = mode, linetype = mode,
    group = interaction(mode, kind), alpha = strength(kind)
  )) +
    geom_line(position = dodge, linewidth = 0.4) +
    geom_linerange(
      aes(ymin = low, ymax = high), position = dodge, linetype = "solid", na.rm = TRUE
    ) +
    geom_point(position = dodge, size = 1.6) +
    geom_point(
      data = long[usable == FALSE & kind == "corrected"], aes(y = latency_ms), shape = 4,
      size = 1.2, position = dodge, show.legend = FALSE
    ) +
    facet_wrap(~tier, ncol = 2) +
    scale_alpha_identity() +
    scales_of_modes(levels(cells$mode)) +
    log_ms(range(long$latency_ms)) +
    labs(x = "percentile of requests", y = "latency (ms, log scale)") +
    theme_artifact() +
    guides(colour = guide_legend(ncol = 2))
}

latency_long <- function(cells, prefix, kind) {
  points <- c("50 %" = "p50", "90 %" = "p90", "95 %" = "p95", "99 %" = "p99", "99.9 %" = "p99_9")
  columns <- paste0(prefix, points, "_ms")
  long <- melt(
    cells[, c("mode", "tier", "valid", "outcome", "latency_resolution_ms", columns), with = FALSE],
    measure.vars = columns, variable.name = "column", value.name = "latency_ms"
  )[!is.na(latency_ms)]
  long[, `:=`(
    percentile = factor(names(points)[match(column, columns)], names(points)), kind = kind,
    latency_ms = drawable_latency(latency_ms, latency_resolution_ms),
    usable = valid & outcome == "completed"
  )][]
}

#' Throughput of right answers against offered load, open loop.
#'
#' The dashed line is where all that is offered is answered. Hollow crosses are not valid.
#'
#' @param summary see read_summary().
#' @param study study id.
#' @param tiers,modes ids; NULL for all tiers, and for all modes but controls.
#' @return ggplot; a panel per path, because tiers of different work are not one curve.
figure_throughput <- function(summary, study, tiers = NULL, modes = NULL) {
  cells <- drawn(summary, study, "wrk2", tiers, modes)[throughput_per_s > 0]
  if (nrow(cells) == 0) return(nothing_to_draw("no cell of an open loop has throughput"))
  cells[, usable := poolable(cells)]
  pooled <- cells[usable == TRUE, geometric(throughput_per_s), by = .(mode, path, offered_per_s)]
  pooled[, is_curve := .N > 1, by = .(mode, path)]
  ggplot(pooled, aes(offered_per_s, middle, colour = mode, shape = mode, linetype = mode)) +
    geom_abline(slope = 1, intercept = 0, colour = faint, linetype = "22", linewidth = 0.4) +
    geom_line(data = pooled[is_curve == TRUE], linewidth = 0.5) +
    geom_linerange(aes(ymin = low, ymax = high), linetype = "solid", na.rm = TRUE) +
    geom_point(size = 2) +
    geom_point(
      data = cells[usable == FALSE], aes(y = throughput_per_s), shape = 4, size = 1.6,
      show.legend = FALSE
    ) +
    facet_wrap(~path, scales = "free", ncol = 2) +
    scale_x_log10(labels = plain_number) +
    scale_y_log10(labels = plain_number) +
    scales_of_modes(levels(cells$mode)) +
    labs(x = "offered load (requests/s, log scale)", y = "right answers (1/s, log scale)") +
    theme_artifact() +
    guides(colour = guide_legend(ncol = 2))
}

#' Share of failed requests, a point per repetition; a cross is a repetition that is not valid.
#'
#' @param summary see read_summary().
#' @param study study id.
#' @param tool jmeter, wrk2 or both.
#' @param tiers,modes ids; NULL for all tiers, and for all modes but controls.
#' @return ggplot.
figure_errors <- function(summary, study, tool = c("jmeter", "wrk2"), tiers = NULL, modes = NULL) {
  cells <- in_load_order(drawn(summary, study, tool, tiers, modes), summary)[!is.na(error_percent)]
  if (nrow(cells) == 0) return(nothing_to_draw("no cells"))
  cells[, `:=`(usable = poolable(cells), mode = factor(mode, rev(levels(mode))))]
  styles <- mode_styles(levels(cells$mode))
  cells[, shape := ifelse(usable, styles$shape[match(mode, styles$mode)], 4)]
  ggplot(cells, aes(error_percent, mode, colour = mode, shape = shape)) +
    geom_point(size = 2) +
    scale_shape_identity() +
    scale_colour_manual(values = mode_colours(styles$mode)) +
    facet_grid(tier ~ loop_title(tool), scales = "free_y", space = "free_y") +
    # From 0, and to 1 at least: where none failed, there is no range to derive one from.
    scale_x_continuous(labels = plain_number, limits = function(range) c(0, max(1, range))) +
    labs(x = "failed requests (% of all)", y = NULL) +
    theme_artifact() +
    theme(legend.position = "none", strip.text.y = element_text(angle = 0))
}

loop_title <- function(tools) {
  paste0(ifelse(tools == "wrk2", "open", "closed"), " loop (", tools, ")")
}

#' The cell.json files of a tier, those of control modes left out.
#'
#' @param results the results folder.
#' @param study,tier,tool ids; tool defaults to every tool.
#' @param repetition number, or NULL for all.
#' @return character vector of paths that exist.
cell_paths <- function(results, study, tier, tool = "*", repetition = NULL) {
  folder <- paste0("rep-", if (is.null(repetition)) "*" else repetition)
  modes <- basename(Sys.glob(file.path(results, "cells", study, "*")))
  modes <- modes[!is_control(modes)]
  Sys.glob(file.path(results, "cells", study, modes, tier, tool, folder, "cell.json"))
}

#' Resources of cells over time, from their telemetry in the slices that count.
#'
#' @param paths paths of cell.json files.
#' @return data.table: mode, repetition, time_s (of load: slices are put end to end), figure (`CPUs in
#'   use`, `memory (MiB)`, `threads`, and where they were sampled `connections not yet accepted`
#'   and `CPUs in use by the backend`), value.
read_resources <- function(paths) {
  rbindlist(lapply(paths, function(path) {
    cell <- read_cell(path)
    file <- file.path(cell$folder, "telemetry.csv")
    slices <- plain_slices(read_cell_slices(file.path(cell$folder, "slices.csv")))
    if (!file.exists(file) || nrow(slices) == 0) return(NULL)
    slices <- slices[, .(slice, start_epoch_s, before_s = cumsum(duration_s) - duration_s)]
    telemetry <- read_telemetry(file)[slices, on = "slice", nomatch = NULL]
    # Rows between two full samples hold clocks alone.
    telemetry <- telemetry[!is.na(server_cpu_s)]
    # CPU per interval between two samples; the first sample of a slice has none.
    cpus <- function(cpu_s) telemetry[, c(NA, diff(cpu_s[.I]) / diff(time_s)), by = slice]$V1
    wide <- telemetry[, .(
      mode = cell$cell$mode, repetition = as.integer(cell$cell$repetition),
      time_s = time_s - start_epoch_s + before_s,
      "CPUs in use" = cpus(telemetry$server_cpu_s),
      "memory (MiB)" = server_rss_bytes / 2^20, "threads" = server_threads,
      "connections not yet accepted" = or_no_figure(telemetry$accept_queue),
      "CPUs in use by the backend" =
        if (is.null(cell$backend)) NA_real_ else cpus(telemetry$backend_cpu_s)
    )]
    melt(wide, id.vars = c("mode", "repetition", "time_s"), variable.name = "figure")
  }))
}

# What was sampled at all, and is not 0 all the time.
resources_to_show <- function(resources) {
  copy(resources)[!is.na(value), if (any(value > 0)) .SD, by = figure]
}

#' How tall figure_resources() must be.
height_of_resources <- function(resources) {
  if (is.null(resources) || nrow(resources) == 0) return(1)
  1 + 1.25 * uniqueN(resources_to_show(resources)$figure)
}

or_no_figure <- function(values) if (is.null(values)) NA_real_ else values

#' Resources over time, a line per mode.
#'
#' @param resources see read_resources(), of one repetition.
#' @return ggplot.
figure_resources <- function(resources) {
  if (nrow(resources) == 0) return(nothing_to_draw("no telemetry of these cells"))
  resources <- droplevels(resources_to_show(resources))
  resources[, mode := factor(mode, mode_levels(mode))]
  ggplot(resources, aes(time_s, value, colour = mode, linetype = mode)) +
    geom_line(linewidth = 0.5) +
    facet_wrap(~figure, ncol = 1, scales = "free_y") +
    scales_of_modes(levels(resources$mode)) +
    scale_y_continuous(limits = c(0, NA), labels = plain_number) +
    labs(x = "time under load, slices end to end (s)", y = NULL) +
    theme_artifact() +
    guides(colour = guide_legend(ncol = 2))
}

#' Where CPU goes: CPU time per request by group of stacks, valid repetitions pooled; n is the number of samples that
#' a bar rests on. A bar is as long as the cell's CPU time per request. With too few samples it has no shares.
#'
#' @param cpu_groups see read_cpu_groups().
#' @param summary see read_summary(), for the order of tiers.
#' @param study study id.
#' @param tool jmeter or wrk2.
#' @param tiers,modes ids; NULL for all tiers, and for all modes but controls.
#' @return ggplot.
figure_cpu_groups <- function(cpu_groups, summary, study, tool, tiers = NULL, modes = NULL) {
  pooled <- pool_cpu_groups(drawn(cpu_groups, study, tool, tiers, modes))
  if (nrow(pooled) == 0) return(nothing_to_draw("no valid cell was sampled"))
  # Groups that only the servers of other studies have.
  pooled <- pooled[, if (any(samples > 0) || group == unseen_group) .SD, by = group]
  in_load_order(pooled, summary)
  pooled[, `:=`(
    group = factor(group, rev(names(group_colours))), mode = factor(mode, rev(mode_levels(mode))),
    share = fifelse(samples > 0, share_of_samples(samples, of), "")
  )]
  # An interval has room only in a wide part.
  pooled[cpu_us_per_request < 0.15 * max(pooled[, sum(cpu_us_per_request), by = .(mode, tier)]$V1), share := ""]
  dark <- c("accept", "write", "thread start", "remote or database", "logging", "measuring", "network", "authenticate", "execute", "commit")
  pooled[, label_colour := ifelse(group %in% dark, "white", ink)]
  ggplot(pooled, aes(cpu_us_per_request, mode, fill = group)) +
    geom_col(width = 0.75, colour = ink, linewidth = 0.15) +
    geom_text(aes(label = share, colour = label_colour), position = position_stack(vjust = 0.5), size = 2) +
    geom_text(
      data = pooled[, .(cpu_us_per_request = sum(cpu_us_per_request), label = paste0(" ", count_of_samples(of[1]))), by = .(mode, tier)],
      aes(label = label, fill = NULL), hjust = 0, size = 2.2, colour = ink
    ) +
    facet_grid(tier ~ ., scales = "free_y", space = "free_y") +
    scale_fill_manual(values = group_colours, breaks = names(group_colours), drop = TRUE) +
    scale_colour_identity() +
    scale_x_continuous(labels = plain_number, expand = expansion(c(0, 0.2))) +
    labs(x = "CPU time of the server per request, without compiling (µs)", y = NULL) +
    theme_artifact() +
    theme(strip.text.y = element_text(angle = 0), legend.key.size = unit(0.8, "lines")) +
    guides(fill = guide_legend(nrow = 3))
}

#' Latency distributions of cells.
#'
#' @param paths paths of cell.json files.
#' @return data.table: mode, tool, repetition, valid, kind (corrected, uncorrected; closed for
#'   the closed loop, right answers alone), inverse (1 / (1 - percentile)), latency_ms.
read_spectra <- function(paths) {
  rbindlist(lapply(paths, function(path) {
    cell <- read_cell(path)
    spectra <- if (cell$cell$tool == "jmeter") closed_spectrum(cell) else open_spectra(cell)
    if (is.null(spectra) || nrow(spectra) == 0) return(NULL)
    cbind(
      data.table(
        mode = cell$cell$mode, tool = cell$cell$tool,
        repetition = as.integer(cell$cell$repetition), valid = isTRUE(cell$validity$valid)
      ),
      spectra
    )
  }))
}

points_per_octave <- 10

open_spectra <- function(cell) {
  rbindlist(lapply(c("corrected", "uncorrected"), function(kind) {
    file <- file.path(cell$folder, paste0("latency-", kind, ".hgrm"))
    if (!file.exists(file)) return(NULL)
    histogram <- read_histogram(file)
    steps <- histogram$steps
    if (nrow(steps) == 0) return(NULL)
    # The last value would stand at infinity: it is drawn at its rank.
    inverse <- 1 / (1 - pmin(steps$percentile, 1 - 1 / histogram$count))
    # As many as a plot can show.
    kept <- !duplicated(round(points_per_octave * log2(inverse)), fromLast = TRUE)
    unique(data.table(kind = kind, inverse = inverse[kept], latency_ms = steps$value_ms[kept]))
  }))
}

closed_spectrum <- function(cell) {
  file <- file.path(cell$folder, "samples.csv.gz")
  if (!file.exists(file)) return(NULL)
  elapsed_ms <- read_samples(file)[is_right(success, responseCode), elapsed]
  if (length(elapsed_ms) == 0) return(NULL)
  inverse <- unique(pmin(2^seq(0, log2(length(elapsed_ms)) + 0.1, by = 1 / points_per_octave), length(elapsed_ms)))
  data.table(
    kind = "closed", inverse = inverse,
    latency_ms = drawable_latency(percentiles(elapsed_ms, 1 - 1 / inverse), 1)
  )
}

#' Latency by percentile as HdrHistogram draws it: the further right, the rarer.
#'
#' A line per mode and repetition; uncorrected latency faint. Cells that are not valid are left out.
#'
#' @param spectra see read_spectra(), of one tier and tool.
#' @return ggplot.
figure_spectrum <- function(spectra) {
  if (nrow(spectra) > 0) spectra <- spectra[valid == TRUE & latency_ms > 0]
  if (nrow(spectra) == 0) return(nothing_to_draw("no valid cell has a latency distribution"))
  spectra[, mode := factor(mode, mode_levels(mode))]
  ends <- 10^(0:ceiling(log10(max(spectra$inverse))))
  percent <- paste0(plain_percent(100 * (1 - 1 / ends)), " %")
  ggplot(spectra, aes(inverse, latency_ms, colour = mode, linetype = mode,
    group = interaction(mode, repetition, kind), alpha = ifelse(kind == "uncorrected", 0.3, 1)
  )) +
    geom_step(linewidth = 0.4) +
    scale_x_log10(breaks = ends, labels = percent) +
    scale_y_log10(labels = plain_number) +
    scale_alpha_identity() +
    scales_of_modes(levels(spectra$mode)) +
    labs(x = "percentile of requests", y = "latency (ms, log scale)") +
    theme_artifact() +
    guides(colour = guide_legend(ncol = 2))
}

plain_percent <- function(values) {
  vapply(values, function(value) format(value, digits = 12), "")
}

#' Ratios of modes to their baselines with 95 % intervals; the band is ±5 %.
#'
#' A full point is decided (higher, lower or equivalent), a hollow one is not. What cannot be
#' compared is named with its reason. Intervals that leave the frame are cut off.
#'
#' @param comparisons see read_comparisons().
#' @param summary see read_summary(), for the order of tiers.
#' @param statistic a `statistic` of the comparisons whose effect is a ratio.
#' @param study study id.
#' @param tool jmeter or wrk2.
#' @param tiers,modes ids, or NULL for all, controls among them.
#' @return ggplot.
figure_ratios <- function(comparisons, summary, statistic, study, tool, tiers = NULL,
                          modes = NULL) {
  wanted <- statistic
  rows <- chosen(comparisons, study, tool, tiers, modes)[statistic == wanted & effect == "ratio"]
  if (nrow(rows) == 0) return(nothing_to_draw(paste("no ratios of", statistic)))
  in_load_order(rows, summary)
  pair_names <- unique(rows[order(mode), paste(mode, "/", versus)])
  rows[, pair := factor(paste(mode, "/", versus), rev(pair_names))]
  reach <- max(1.25, exp(1.3 * max(abs(log(rows$estimate)), 0, na.rm = TRUE)))
  rows[, `:=`(low = pmax(low, 1 / reach), high = pmin(high, reach))]
  colours <- mode_colours(levels(rows$mode))
  decided <- rows$verdict %in% c("higher", "lower", "equivalent")
  fills <- ifelse(decided, colours[as.character(rows$mode)], "white")
  ggplot(rows, aes(estimate, pair, colour = mode)) +
    around_one(equivalence$ratio) +
    geom_linerange(aes(xmin = low, xmax = high), linewidth = 0.5, na.rm = TRUE) +
    geom_point(shape = 21, fill = fills, size = 2, na.rm = TRUE) +
    geom_text(
      data = rows[verdict == "not comparable"], aes(x = 1, label = shortened(reason)), size = 2.1,
      colour = ink
    ) +
    facet_grid(tier ~ ., scales = "free_y", space = "free_y") +
    scale_x_log10(
      limits = c(1 / reach, reach), breaks = scales::breaks_log(8), labels = plain_number
    ) +
    scale_colour_manual(values = colours) +
    labs(x = paste0("ratio of ", title_of(wanted), " (log scale)"), y = NULL) +
    theme_artifact() +
    theme(legend.position = "none", strip.text.y = element_text(angle = 0))
}

# A ratio of one, and what is as good as one: `margin` is the logarithm of a ratio.
around_one <- function(margin) {
  list(
    annotate("rect", xmin = exp(-margin), xmax = exp(margin), ymin = -Inf, ymax = Inf, fill = "#DDDDDD", alpha = 0.6),
    geom_vline(xintercept = 1, colour = faint, linewidth = 0.3)
  )
}

shortened <- function(text, width = 60) {
  ifelse(nchar(text) > width, paste0(substr(text, 1, width - 1), "…"), text)
}
