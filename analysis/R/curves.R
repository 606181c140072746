# How figures of the modes change with the load, or with a size.

library(data.table)
library(ggplot2)
library(patchwork)

#' Columns of the summary over a load, a panel each, a line per mode.
#'
#' Points are geometric means over valid repetitions with 95 % intervals, on a log scale; of
#' `counts`, of which 0 is a usual value, medians with the range. A cross is a repetition that is not
#' valid.
#'
#' @param cells rows of the summary.
#' @param x name of the column on the x axis, above 0.
#' @param panels columns; those without any figure are left out.
#' @param x_title words for the x axis.
#' @param counts columns where 0 is a usual value.
#' @param keeps_up columns in which all that is asked is answered on the dashed line y = x.
#' @param columns how many panels side by side.
#' @return patchwork of ggplots.
figure_curves <- function(cells, x, panels, x_title, counts = character(), keeps_up = character(), columns = 2) {
  shown <- panels_to_show(cells, panels, counts)
  if (length(shown) == 0) return(nothing_to_draw("no cell has these figures"))
  modes <- mode_levels(cells$mode)
  drawn <- lapply(shown, function(column) {
    points <- data.table(
      mode = factor(cells$mode, modes), x = cells[[x]], y = as.numeric(cells[[column]]),
      usable = poolable(cells)
    )
    curve_panel(points, headings(column)[[1]], x_title, column %in% counts, column %in% keeps_up)
  })
  wrap_plots(drawn, ncol = columns, guides = "collect") & theme(legend.position = "bottom")
}

# A log scale has no 0.
panels_to_show <- function(cells, panels, counts) {
  Filter(function(column) {
    values <- cells[[column]]
    any(is.finite(values) & (column %in% counts | values > 0))
  }, panels)
}

curve_panel <- function(points, title, x_title, is_count, keeps_up) {
  points <- points[is.finite(y) & (is_count | y > 0)]
  over <- if (is_count) median_and_range else geometric
  pooled <- points[usable == TRUE, over(y), by = .(mode, x)]
  ggplot(pooled, aes(x, middle, colour = mode, shape = mode, linetype = mode)) +
    (if (keeps_up && nrow(pooled) > 0) {
      geom_abline(slope = 1, intercept = 0, colour = faint, linetype = "22", linewidth = 0.4)
    }) +
    geom_line(linewidth = 0.5) +
    geom_linerange(aes(ymin = low, ymax = high), linetype = "solid", na.rm = TRUE) +
    geom_point(size = 1.8) +
    geom_point(
      data = points[usable == FALSE], aes(y = y), shape = 4, size = 1.4, show.legend = FALSE
    ) +
    scale_x_log10(
      breaks = sort(unique(points$x)), labels = plain_number,
      guide = guide_axis(check.overlap = TRUE)
    ) +
    scale_of_panel(points$y, is_count) +
    scales_of_modes(levels(points$mode)) +
    labs(title = title, x = x_title, y = NULL) +
    theme_artifact() +
    theme(plot.title = element_text(size = 8.5, face = "bold")) +
    guides(colour = guide_legend(ncol = 3))
}

# Intervals of two repetitions may be endless: they are cut off at the frame.
scale_of_panel <- function(values, is_count) {
  if (is_count) {
    return(list(
      scale_y_continuous(labels = plain_number),
      coord_cartesian(ylim = c(0, if (any(values > 0)) 1.1 * max(values) else 1))
    ))
  }
  list(scale_y_log10(labels = plain_number), coord_cartesian(ylim = range(values) * c(1 / 1.3, 1.3)))
}

median_and_range <- function(values) {
  ends <- if (length(values) > 0) range(values) else c(NA_real_, NA_real_)
  list(middle = as.numeric(median(values)), low = ends[1], high = ends[2])
}

#' How tall figure_curves() must be, see there.
height_of_curves <- function(cells, panels, counts = character(), columns = 2) {
  0.8 + 2 * ceiling(length(panels_to_show(cells, panels, counts)) / columns)
}
