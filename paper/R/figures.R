# The report's figures. Each function takes the tables that the analysis wrote and returns a ggplot
# object; none measures or computes a result beyond what it draws. Figures are made
# for 7 inches of width.

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

# A ratio of one, and what is as good as one: `margin` is the logarithm of a ratio.
around_one <- function(margin) {
  list(
    annotate("rect", xmin = exp(-margin), xmax = exp(margin), ymin = -Inf, ymax = Inf, fill = "#DDDDDD", alpha = 0.6),
    geom_vline(xintercept = 1, colour = faint, linewidth = 0.3)
  )
}
