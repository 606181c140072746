# Waterfalls: a difference in parts that add up, from the value of one side to that of the other. `parts` are rows of label and value;
# the first and the last are the two sides.

waterfall_rows <- function(parts) {
  last <- nrow(parts)
  rows <- copy(parts)[, `:=`(at = seq_len(last), to = cumsum(value))][, from := to - value]
  rows[last, `:=`(from = 0, to = value)]
  rows[, kind := fcase(at %in% c(1, last), "side", value < 0, "less", default = "more")][]
}

#' A waterfall, a bar a part; `unit` is that of the values.
figure_waterfall <- function(parts, unit) {
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

# ---- A new connection: `steps` see steps_measured(), of the cause `password` --------------------------

#' The latency of a transaction on connections that are kept, the steps to a new connection for each, and the latency with these.
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
