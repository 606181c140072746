# The section on signing up: how many of the offered requests are answered as connections grow.

#' Tiers at which every connection has about one request a second, as in the source, without its traps.
read_steps <- function(all, tiers) {
  trapped <- all$summary[is_published(mode)]$tier
  tiers[abs(log(rate_per_s / connections)) < 0.2 & !tier %in% trapped][order(connections)]$tier
}

#' Cells with the share of the requests due that were answered right: 0 for a server that answered none.
#'
#' @return rows of the summary that ran, with answered.
answered_of <- function(all, steps, modes) {
  cells <- all$summary[tier %in% steps & mode %in% modes & outcome != "beyond_limits"]
  cells[, answered := pmin(1, fcoalesce(as.numeric(throughput_per_s), 0) / offered_per_s)][is.finite(answered)]
}

#' The share of requests that are answered, against the number of connections; all cells that ran count, failed ones too.
#'
#' @param cells see answered_of().
#' @return ggplot.
figure_answered <- function(cells) {
  if (nrow(cells) == 0) return(nothing_to_draw("no step was measured"))
  cells <- copy(cells)[, mode := factor(mode, mode_levels(mode))]
  middle <- cells[, .(answered = median(answered)), by = .(mode, connections)]
  dodge <- position_dodge(width = 0.06)
  ggplot(cells, aes(connections, 100 * answered, colour = mode, shape = mode, linetype = mode)) +
    geom_line(data = middle, linewidth = 0.5, position = dodge) +
    geom_point(size = 1.9, position = dodge) +
    scale_x_log10(labels = plain_number, breaks = sort(unique(cells$connections))) +
    scale_y_continuous(limits = c(0, 100)) +
    scales_of_modes(levels(cells$mode)) +
    labs(x = "connections, each with about one request a second", y = "answered right (% of those due)") +
    theme_artifact() +
    guides(colour = guide_legend(ncol = 3))
}

answer_of_steps <- function(cells) {
  if (nrow(cells) == 0) return(NULL)
  answer(
    function() figure_answered(cells), 2.7,
    "Requests answered right, as a share of those due, against the number of connections: a point per session, valid or not, and lines through the medians.",
    spoken(c("Share of requests answered against connections.", sentence_of_collapse(cells)))
  )
}

#' Steps at which a mode answers fewer than 95 % of the requests due.
sentence_of_collapse <- function(cells) {
  behind <- cells[, .(
    answered = median(answered), of = median(offered_per_s), sessions = .N, gc = median(gc_pause_ms / 1000 / duration_s)
  ), by = .(mode, connections)][answered < 0.95]
  if (nrow(behind) == 0) return("Every mode answers at least 95 % of the requests at every step.")
  behind <- behind[order(connections, match(mode, mode_levels(mode)))]
  told <- behind[, sprintf(
    "with %s connections %s answers %s of %s requests/s (median of %s%s)", format_number(connections), as_code(mode),
    format_number(answered * of), format_number(of), vapply(sessions, count_of, "", noun = "session"),
    ifelse(is.finite(gc) & gc > 0.05, paste0("; the collector stops it for ", percent(gc), " of the time"), "")
  )]
  sprintf("Requests are lost: %s.", enumerate(told, "; "))
}
