# Waterfalls: a difference in parts that add up, from the value of one side to that of the other. `parts` are rows of label and value;
# the first and the last are the two sides.

waterfall_rows <- function(parts) {
  last <- nrow(parts)
  rows <- copy(parts)[, `:=`(at = seq_len(last), to = cumsum(value))][, from := to - value]
  rows[last, `:=`(from = 0, to = value)]
  rows[, kind := fcase(at %in% c(1, last), "side", value < 0, "less", default = "more")][]
}

#' @param parts see above; `unit` of the values.
#' @return ggplot.
figure_waterfall <- function(parts, unit) {
  if (nrow(parts) == 0) return(nothing_to_draw("a part was not measured"))
  rows <- waterfall_rows(parts)
  rows[, text := ifelse(kind == "side", format_number(value), signed(value))]
  ggplot(rows) +
    geom_rect(aes(xmin = from, xmax = to, ymin = at - 0.35, ymax = at + 0.35, fill = kind), colour = ink, linewidth = 0.15) +
    geom_text(aes(pmax(from, to), at, label = paste0(" ", text)), hjust = 0, size = 2.7, colour = ink) +
    scale_y_reverse(breaks = rows$at, labels = rows$label) +
    scale_x_continuous(labels = plain_number, expand = expansion(c(0, 0.2))) +
    scale_fill_manual(values = c(side = "#6E6E6E", more = "#D55E00", less = "#0072B2")) +
    labs(x = unit, y = NULL) +
    theme_artifact() +
    theme(legend.position = "none", panel.grid.major.y = element_blank())
}

height_of_waterfall <- function(parts) 0.8 + 0.3 * max(2, nrow(parts))

# ---- A new connection ------------------------------------------------------------------------------

#' The latency of a transaction on connections that are kept, the steps to a new connection for each, and the latency with these.
#'
#' @param steps see steps_measured(), of the cause `password`.
parts_of_connection <- function(steps) {
  whole <- steps[kind == "whole"]
  if (nrow(whole) == 0) return(data.table())
  of_steps <- steps[kind == "step", .(label = capitalised(does), value = after)]
  rbind(data.table(label = "Connections that stay open", value = whole$before_baseline), of_steps, data.table(label = "A new connection for each transaction", value = whole$before_mode))
}

#' The same in words, and what a pooler saves of it with either password.
sentence_of_connection <- function(steps) {
  whole <- steps[kind == "whole"]
  if (nrow(whole) == 0) return("")
  each <- steps[kind == "step"]
  in_steps <- sprintf("%s %s ms", each$does, paste0(more_of(each), mark_of(each)))
  paragraph(
    sprintf(
      "A transaction takes %s ms on connections that stay open and %s ms on a new one each, with ten clients on one CPU. In steps: %s.",
      format_number(whole$before_baseline), format_number(whole$before_mode), enumerate(in_steps)
    ),
    practice_of_password(steps)
  )
}

# Passwords are checked by a pooler, too: what it saves with either kind; nothing where the pair was not measured.
practice_of_password <- function(steps) {
  to_pooler <- steps[part == "password-pooled"]
  to_process <- steps[part == "password"]
  if (nrow(to_pooler) == 0 || !isTRUE(to_pooler$after_low > 0)) return("")
  apart <- isTRUE(to_process$after_low > to_pooler$after_high || to_pooler$after_low > to_process$after_high)
  paragraph(
    if (apart) sprintf("To PgBouncer SCRAM takes %s ms more than MD5: the parts depend on the order of the steps.", more_of(to_pooler)),
    sprintf(
      "*In practice:* keep connections open in the client. PgBouncer brings %s ms to %s with MD5, and %s ms to %s with SCRAM: it checks the password of each connection, too.",
      format_number(to_process$before_baseline), format_number(to_pooler$before_baseline), format_number(to_process$before_mode), format_number(to_pooler$before_mode)
    )
  )
}

# ---- A thread for each request ----------------------------------------------------------------------

thread_parts <- c(
  pool = "A pool", "hand-over" = "Without the hand-over to the pool", start = "Start and end of an empty thread", collector = "Pauses of the collector",
  buffers = "Allocation buffers of 64 KiB in place of 4", rest = "What no part explains", thread = "A thread for each request"
)

#' @param starts see parts_of_thread_start(), of one load.
parts_of_start <- function(starts) {
  rows <- starts[order(match(part, names(thread_parts)))]
  rows[, .(label = unname(thread_parts[part]), value = us)]
}

#' The same in words.
sentence_of_starts <- function(starts) {
  if (nrow(starts) == 0) return("")
  us <- setNames(as.list(starts$us), starts$part)
  whole <- us$thread - us$pool
  paragraph(
    sprintf(
      "At %s, %s/s, a thread for each request takes %s µs of CPU time more than a pool. Start and end of an empty thread account for %s of them, less %s for the hand-over to a pool; the collector's pauses for %s; %s µs (%s) are left.",
      as_code(starts$tier[1]), format_number(starts$rate_per_s[1]), format_number(whole), format_number(us$start), format_number(-us[["hand-over"]]),
      format_number(us$collector), format_number(us$rest), percent(us$rest / whole)
    ),
    if (is.null(us$buffers)) {
      "How much of the rest is allocation buffers takes `depth=full` to measure; the run queue and the TLB are not counted."
    } else {
      sprintf("Allocation buffers of 64 KiB in place of 4 take %s µs.", format_number(us$buffers))
    }
  )
}

#' The start of a thread among many others, which is less than next to a request; empty without it.
#'
#' @param primitives see read_primitives().
sentence_of_start_alone <- function(primitives) {
  us <- primitives[primitive == "platform-thread-start" & statistic == "cpu" & is.finite(mean)]$mean
  if (length(us) == 0) return("")
  sprintf("Started many in a row, an empty thread takes %s µs: next to a request its start costs what a busy CPU, other threads and cold caches add.", format_number(us[1]))
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

#' @param rows see costs_by_rate().
#' @return ggplot.
figure_costs <- function(rows) {
  if (nrow(rows) == 0) return(nothing_to_draw("no cost was measured at several rates"))
  rows <- copy(rows)[, primitive := grepl("(primitive)", series, fixed = TRUE)]
  ggplot(rows, aes(rate_per_s, cpu_us, colour = series, shape = series)) +
    geom_line(aes(linetype = primitive), linewidth = 0.5) +
    geom_point(size = 1.9) +
    scale_x_log10(labels = plain_number, breaks = scales::breaks_log(6)) +
    scale_y_log10(labels = plain_number, breaks = scales::breaks_log(6)) +
    scale_shape_manual(values = seq_len(uniqueN(rows$series)) - 1) +
    scale_linetype_manual(values = c("TRUE" = "42", "FALSE" = "solid"), guide = "none") +
    labs(x = "requests/s", y = "CPU time per request (µs)") +
    theme_artifact() +
    guides(colour = guide_legend(ncol = 2), shape = guide_legend(ncol = 2))
}

#' The series that changes most, in words.
sentence_of_costs <- function(rows) {
  if (nrow(rows) == 0) return("")
  ends <- rows[, .(slow = rate_per_s[1], slow_us = cpu_us[1], fast = rate_per_s[.N], fast_us = cpu_us[.N]), by = series]
  most <- ends[which.max(slow_us / fast_us)]
  sprintf(
    "CPU time per request depends on the rate: %s takes %s µs at %s/s and %s µs at %s/s, since at low rates a CPU sleeps between requests and its caches are cold. *In practice:* measure it at your own rate.",
    sub(" (primitive)", "", most$series, fixed = TRUE), format_number(most$slow_us), format_number(most$slow), format_number(most$fast_us), format_number(most$fast)
  )
}

# ---- Size of a pool ---------------------------------------------------------------------------------

#' Throughput of a closed loop against the threads of a pool, with what theory allows and predicts.
#'
#' @param bounds see read_bounds(), of one closed loop whose requests wait and compute.
#' @return ggplot.
figure_sizes <- function(bounds) {
  rows <- bounds[is.finite(measured_per_s) & is.finite(admitted)][order(admitted)]
  if (nrow(rows) == 0) return(nothing_to_draw("no valid cell"))
  ggplot(rows, aes(admitted, measured_per_s)) +
    geom_line(aes(y = bound_per_s), colour = ink, linetype = "42", linewidth = 0.35) +
    geom_line(aes(y = mva_per_s), colour = "#D55E00", linewidth = 0.5, na.rm = TRUE) +
    geom_point(size = 2.2, colour = "#0072B2") +
    scale_x_log10(labels = plain_number, breaks = rows$admitted) +
    scale_y_continuous(labels = plain_number, limits = c(0, NA)) +
    labs(x = "threads of the pool", y = "requests/s") +
    theme_artifact()
}

#' Measured values and mean value analysis, in words, and how many threads are enough.
sentence_of_sizes <- function(bounds) {
  rows <- bounds[is.finite(measured_per_s) & is.finite(admitted)][order(admitted)]
  if (nrow(rows) < 2) return("")
  enough <- rows[measured_per_s >= as_good_from * max(measured_per_s)][1]
  off <- rows[is.finite(mva_per_s), max(abs(measured_per_s / mva_per_s - 1))]
  paragraph(
    sprintf("%s threads serve %s requests/s.", enumerate(format_number(rows$admitted)), enumerate(format_number(rows$measured_per_s))),
    if (is.finite(off)) sprintf("Mean value analysis is at most %s off.", percent(off)),
    sprintf("*In practice:* %s threads are enough here. CPUs × (1 + waiting ÷ CPU time) is the rule of thumb.", format_number(enough$admitted))
  )
}
