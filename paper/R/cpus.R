# Ratios over the number of CPUs that the server has: tiers that a study has for each number.

#' Which tiers are for a number of CPUs, and whether this machine has so many.
#'
#' @param cells see read_cells().
#' @return data.table: study, tier, of (the tier without its number), cpus, measured.
cpu_levels <- function(cells) {
  rows <- lapply(cells, function(cell) {
    tier <- cell$configuration$tier
    if (is.null(tier$server_cpus)) return(NULL)
    data.table(
      study = cell$cell$study, tier = cell$cell$tier, of = sub("-on-[0-9]+$", "", cell$cell$tier),
      cpus = number(tier$server_cpus), measured = cell$outcome != "beyond_limits"
    )
  })
  found <- rbindlist(c(list(no_cpu_levels), rows))
  found[, .(measured = any(measured)), by = .(study, tier, of, cpus)]
}

no_cpu_levels <- data.table(study = character(), tier = character(), of = character(), cpus = numeric(), measured = logical())

statistics_over_cpus <- c("throughput_per_s", "latency_p50_ms", "latency_p99_ms", "cpu_us_per_request")

ratios_over_cpus <- function(comparisons, levels) {
  rows <- comparisons[statistic %in% statistics_over_cpus & verdict != "not comparable"]
  rows <- rows[levels[measured == TRUE], on = c("study", "tier"), nomatch = NULL]
  rows[, title := title_of(statistic)][order(study, of, tool, mode, cpus)]
}

sentence_cpus <- function(levels) {
  there <- sort(unique(levels[measured == TRUE]$cpus))
  missing <- setdiff(sort(unique(levels$cpus)), there)
  paragraph(
    sprintf("The server had %s.", enumerate(vapply(there, count_of, "", "CPU"), " or ")),
    if (length(missing) > 0) sprintf("This machine has not enough for %s.", enumerate(format_number(missing), " or ")),
    if (length(there) < 2) "So the number of CPUs has one level here, and nothing is said of how a ratio depends on it."
  )
}

alt_of_cpus <- function(rows) {
  sprintf("Ratios of %s at %s CPUs.", count_of(uniqueN(rows[, .(study, mode, of, tool)]), "mode"), enumerate(format_number(sort(unique(rows$cpus)))))
}

figure_cpus <- function(rows) {
  ggplot(rows, aes(cpus, estimate, colour = mode, shape = mode, group = interaction(study, mode, tool))) +
    geom_hline(yintercept = 1, colour = faint, linewidth = 0.3) +
    geom_line(linewidth = 0.4) +
    geom_pointrange(aes(ymin = low, ymax = high), size = 0.3, linewidth = 0.4) +
    facet_grid(title ~ of, scales = "free_y", labeller = label_wrap_gen(16)) +
    scale_x_continuous(trans = "log2", breaks = sort(unique(rows$cpus))) +
    scale_y_log10(labels = plain_number) +
    scales_of_modes(unique(rows$mode)) +
    labs(x = "CPUs of the server", y = "ratio to the baseline (log scale)") +
    theme_artifact(8)
}

table_cpus <- function(rows) {
  rows[, .(
    Study = study, Tier = of, Tool = tool, Mode = mode, Baseline = versus, Metric = title, CPUs = cpus, Ratio = effect_with_interval(.SD)
  )]
}
