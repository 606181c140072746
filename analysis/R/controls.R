# Positive controls: modes that are slower than another by a known ratio (`slower_of` in config.yaml). A run that does
# not find the ratio cannot be trusted with differences of that size.

#' Whether each positive control was found.
#'
#' @param comparisons see compare_modes(); `controls` of guide.yaml.
#' @return data.table, a row per control, in the order of `controls`: control (what it does), statistic, estimate, low, high (of the ratio),
#'   true_low, true_high (where the true ratio lies), found (the interval lies above 1 and overlaps the true one; FALSE where there is no
#'   interval), reason (why there is none, or empty).
judge_controls <- function(comparisons, controls) {
  place <- c("mode", "tier", "tool", "statistic")
  sought <- rbindlist(c(list(typed_table(c("control", place), c("true_low", "true_high"))), lapply(controls, function(control) {
    c(list(control = control$does, true_low = control$true_ratio[1], true_high = control$true_ratio[2]), control[place])
  })), use.names = TRUE)
  compared <- comparisons[mode_facts(mode)$variant == "slower" & baseline == base_of(mode)]
  rows <- compared[sought, on = place]
  rows[is.na(baseline), reason := no_cell_of_it]
  rows[, .(
    control, statistic, estimate, low, high, true_low, true_high,
    found = !is.na(low) & !is.na(high) & low > 1 & low <= true_high & high >= true_low, reason
  )]
}
