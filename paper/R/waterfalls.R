# Waterfalls: a difference in parts that add up, from the value of one side to that of the other. `parts` are rows of label and value;
# the first and the last are the two sides.

waterfall_rows <- function(parts) {
  last <- nrow(parts)
  rows <- copy(parts)[, `:=`(at = seq_len(last), to = cumsum(value))][, from := to - value]
  rows[last, `:=`(from = 0, to = value)]
  rows[, kind := fcase(at %in% c(1, last), "side", value < 0, "less", default = "more")][]
}

#' A waterfall, a bar a part.
#'
#' @param parts see above; `unit` of the values.
#' @return ggplot.
figure_waterfall <- function(parts, unit) {
  if (nrow(parts) == 0) return(nothing_to_draw("a part was not measured"))
  rows <- waterfall_rows(parts)
  rows[, text := ifelse(kind == "side", format_number(value), signed(value))]
  ggplot(rows) +
    geom_rect(aes(xmin = from, xmax = to, ymin = at - 0.35, ymax = at + 0.35, fill = kind), colour = ink, linewidth = 0.15) +
    geom_text(aes(pmax(from, to), at, label = text), hjust = 0, nudge_x = 0.008 * max(rows$to), size = 2.6, colour = ink) +
    scale_y_reverse(breaks = rows$at, labels = rows$label) +
    scale_x_continuous(labels = plain_number, expand = expansion(c(0, 0.2))) +
    scale_fill_manual(values = c(side = "#6E6E6E", more = "#D55E00", less = "#0072B2")) +
    labs(x = unit, y = NULL) +
    theme_artifact() +
    theme(legend.position = "none", panel.grid.major.y = element_blank())
}

height_of_waterfall <- function(parts) 0.55 + 0.18 * nrow(parts)

# ---- A new connection ------------------------------------------------------------------------------

#' The latency of a transaction on connections that are kept, the steps to a new connection for each, and the latency with these.
#'
#' @param steps see steps_measured(), of the cause `password`.
parts_of_connection <- function(steps) {
  whole <- steps[kind == "whole"]
  if (nrow(whole) == 0) return(data.table())
  of_steps <- steps[kind == "step", .(label = capitalised(does), value = after)]
  rbind(data.table(label = "Connections that stay open", value = whole$before_baseline), of_steps, data.table(label = "A new connection each, SCRAM", value = whole$before_mode))
}

#' The same in words.
sentence_of_connection <- function(steps) {
  whole <- steps[kind == "whole"]
  if (nrow(whole) == 0) return("")
  each <- steps[kind == "step"]
  paragraph(
    sprintf(
      "A transaction of ten clients takes %s ms on connections that stay open and %s ms with a new one for each. In steps: %s.",
      format_number(whole$before_baseline), format_number(whole$before_mode), paste(sprintf("%s: %s ms", each$does, paste0(more_of(each), mark_of(each))), collapse = "; ")
    ),
    sentence_of_passwords(steps)
  )
}

# Where a password costs another amount on the way to the pooler, another order of the steps gives other parts.
sentence_of_passwords <- function(steps) {
  to_pooler <- steps[part == "password-pooled"]
  to_process <- steps[part == "password"]
  apart <- isTRUE(to_process$after_low > to_pooler$after_high || to_pooler$after_low > to_process$after_high)
  if (!apart) return("")
  sprintf("To PgBouncer, SCRAM takes %s ms: the parts depend on the order of the steps.", paste0(more_of(to_pooler), mark_of(to_pooler)))
}

# ---- A thread for each request ----------------------------------------------------------------------

thread_parts <- c(
  pool = "A pool", "hand-over" = "Without the hand-over", start = "Start and end of an empty thread", collector = "Pauses of the collector",
  buffers = "Allocation buffers, 64 KiB for 4", rest = "What no part explains", thread = "A thread for each request"
)

#' The parts of a thread's start, with their words.
#'
#' @param starts see parts_of_thread_start(), of one load.
parts_of_start <- function(starts) {
  rows <- starts[order(match(part, names(thread_parts)))]
  rows[, .(label = unname(thread_parts[part]), value = us)]
}

#' The same in words.
#'
#' @param starts see parts_of_start(); `primitives` see read_primitives().
sentence_of_starts <- function(starts, primitives) {
  if (nrow(starts) == 0) return("")
  us <- setNames(as.list(starts$us), starts$part)
  whole <- us$thread - us$pool
  in_us <- function(value) format_number(round(value))
  alone <- primitives[primitive == "platform-thread-start" & statistic == "cpu" & is.finite(mean)]$mean
  paragraph(
    sprintf(
      "At %s requests/s that compute for 200 µs, a new thread for each request takes %s µs more than a pool: %s to start and end an empty thread, less %s for the hand-over to a pool, %s for pauses of the collector%s, and a rest of %s (%s) that no part explains.",
      format_number(starts$rate_per_s[1]), in_us(whole), in_us(us$start), in_us(-us[["hand-over"]]), in_us(us$collector),
      if (is.null(us$buffers)) "" else sprintf(", %s for allocation buffers of 64 KiB in place of 4", in_us(us$buffers)), in_us(us$rest), percent(round(us$rest / whole, 2))
    ),
    if (length(alone) > 0) sprintf("Started in a row, without requests, an empty thread takes %s µs.", in_us(alone[1])),
    if (is.null(us$buffers)) "`depth=full` measures how much of the rest is allocation buffers."
  )
}

# ---- CPU time and rate -------------------------------------------------------------------------------

series_by_rate <- c(
  "tomcat-request" = "Tomcat and Spring (primitive)", "request-on-one-thread" = "one thread (primitive)", "request-through-selector" = "a selector (primitive)"
)

#' CPU time of a request against the rate: the smallest requests to the simplest servers, and the modes of a study on new connections.
#'
#' @param primitives see read_primitives(); `summary` of the study.
#' @return data.table: series, rate_per_s, cpu_us; no rows for a series at one rate.
costs_by_rate <- function(primitives, summary) {
  smallest <- primitives[statistic == "cpu" & primitive %in% names(series_by_rate) & is.finite(rate_per_s) & is.finite(mean)]
  cells <- summary[counts_for(summary) & tool == "wrk2" & !is_variant(mode) & tier %in% c("low", "mid", "high", "extreme")]
  rows <- rbind(
    smallest[, .(series = series_by_rate[primitive], rate_per_s, cpu_us = mean)],
    cells[is.finite(cpu_us_per_request), .(cpu_us = median(cpu_us_per_request)), by = .(series = mode, rate_per_s = offered_per_s)]
  )
  rows[rows[, .(rates = .N), by = series][rates > 1], on = "series", nomatch = NULL][order(series, rate_per_s), .(series, rate_per_s, cpu_us)]
}

# Modes look as everywhere; primitives are black and dashed.
looks_of_costs <- function(series) {
  primitives <- intersect(series_by_rate, series)
  rbind(
    mode_styles(mode_levels(setdiff(series, primitives))), data.table(mode = primitives, colour = ink, shape = c(0, 1, 2)[seq_along(primitives)], linetype = "42")
  )
}

#' CPU time of a request against the rate, a line a series.
#'
#' @param rows see costs_by_rate().
#' @return ggplot.
figure_costs <- function(rows) {
  if (nrow(rows) == 0) return(nothing_to_draw("no cost was measured at several rates"))
  looks <- looks_of_costs(rows$series)
  named <- function(column) setNames(looks[[column]], looks$mode)
  ggplot(rows, aes(rate_per_s, cpu_us, colour = series, shape = series, linetype = series)) +
    geom_line(linewidth = 0.5) +
    geom_point(size = 1.9) +
    scale_x_log10(labels = plain_number, breaks = scales::breaks_log(6)) +
    scale_y_log10(labels = plain_number, breaks = scales::breaks_log(6)) +
    scale_colour_manual(values = named("colour"), limits = looks$mode) +
    scale_shape_manual(values = named("shape"), limits = looks$mode) +
    scale_linetype_manual(values = named("linetype"), limits = looks$mode) +
    labs(x = "requests/s", y = "CPU time per request (µs)") +
    theme_artifact() +
    guides(colour = guide_legend(ncol = 3))
}
