# What the report says of ratios on several machines.

# As many comparisons as a page draws.
travel_drawn <- 16

machines_of <- function(travelled) unique(travelled[machine != pooled_machines, .(machine, machine_title)])

#' Comparisons that the figure shows, with all their rows: where machines differ most, by I2 and tau.
travel_to_draw <- function(travelled) {
  pooled <- travelled[machine == pooled_machines & is.finite(estimate)][order(-i2, -tau)]
  wanted <- head(pooled, travel_drawn)[, ..travel_places]
  rows <- travelled[wanted, on = travel_places]
  rows[, name := sprintf("%s / %s, %s (%s)", mode, versus, tier, tool)][]
}

sentence_travel <- function(travelled) {
  pooled <- travelled[machine == pooled_machines]
  agreed <- table(factor(pooled$agreement, agreements))
  differing <- pooled[q_p_adjusted <= 1 - confidence, .N]
  sprintf(
    paste(
      "%s have %s in common. By the machines' own verdicts, %d point the same way on all of them, %d show no difference",
      "on any, %d point opposite ways, %d are a difference on some machines only, and %d are open on some. The size of the ratio differs between machines in %d."
    ),
    capitalised(count_of(nrow(machines_of(travelled)), "machine")), count_of(nrow(pooled), "comparison"),
    agreed[[1]], agreed[[2]], agreed[[3]], agreed[[4]], agreed[[5]], differing
  )
}

table_travel_machines <- function(travelled) {
  rows <- travelled[machine != pooled_machines]
  rows[, .(What = machine_title[1], Comparisons = .N), by = .(Machine = machine)]
}

table_travel <- function(travelled) {
  pooled <- travelled[machine == pooled_machines]
  pooled[, c(
    list(Comparisons = .N), as.list(table(factor(agreement, agreements))),
    list("Machines differ" = sum(q_p_adjusted <= 1 - confidence, na.rm = TRUE), "Median I² (%)" = 100 * median(i2, na.rm = TRUE))
  ), by = .(Metric = title_of(statistic))]
}

table_travel_ratios <- function(rows) {
  rows[, .(
    Metric = title_of(statistic), Comparison = name, Machine = machine, Ratio = sprintf(
      "%s [%s, %s]", format_number(estimate), format_number(low), format_number(high)
    ),
    "I² (%)" = ifelse(machine == pooled_machines, format_number(100 * i2), no_figure), "τ" = ifelse(machine == pooled_machines, format_number(tau), no_figure)
  )]
}

caption_of_travel <- function(drawn, travelled) {
  if (nrow(drawn) == 0) return("")
  pooled <- travelled[machine == pooled_machines, .N]
  count <- drawn[machine == pooled_machines, .N]
  paragraph(
    "Ratios per machine and pooled (diamonds) with 95 % intervals.",
    if (count < pooled) sprintf("Drawn are %d of %s: those in which machines differ most.", count, format_number(pooled))
  )
}

alt_of_travel <- function(drawn) {
  if (nrow(drawn) == 0) return("")
  most <- drawn[machine == pooled_machines][which.max(i2)]
  sprintf(
    "Forest plot of %s on %s. The machines differ most in %s of %s: I² is %s.",
    count_of(drawn[machine == pooled_machines, .N], "comparison"), count_of(uniqueN(drawn$machine) - 1, "machine"),
    title_of(most$statistic), most$name, percent(most$i2)
  )
}

figure_travel <- function(rows) {
  rows <- copy(rows)[, `:=`(title = title_of(statistic), who = factor(machine, c(setdiff(unique(machine), pooled_machines), pooled_machines)))]
  rows[, name := factor(name, rev(unique(name)))]
  reach <- rows[, 1.1 * exp(max(abs(log(estimate)), min(3, max(abs(log(c(low, high))), na.rm = TRUE))))]
  rows[, `:=`(low = pmax(low, 1 / reach), high = pmin(high, reach))]
  shapes <- setNames(c(rep(c(16, 17, 15), length.out = nlevels(rows$who) - 1), 5), levels(rows$who))
  colours <- setNames(c(rep(okabe_ito, length.out = nlevels(rows$who) - 1), "black"), levels(rows$who))
  apart <- position_dodge(width = 0.7)
  ggplot(rows, aes(estimate, name, colour = who, shape = who)) +
    around_one(equivalence$ratio) +
    geom_linerange(aes(xmin = low, xmax = high), position = apart, linewidth = 0.5) +
    geom_point(position = apart, size = 2) +
    facet_grid(title ~ ., scales = "free_y", space = "free_y", labeller = label_wrap_gen(14)) +
    scale_x_log10(limits = c(1 / reach, reach), breaks = scales::breaks_log(6), labels = plain_number) +
    scale_colour_manual(values = colours) +
    scale_shape_manual(values = shapes) +
    labs(x = "mode divided by its baseline (log scale)", y = NULL, colour = "machine", shape = "machine") +
    theme_artifact(8) +
    theme(strip.text.y = element_text(angle = 0))
}
