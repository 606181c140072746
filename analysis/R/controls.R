# Positive controls: modes that are slower than another by a known ratio (`slower_of` in config.yaml). A run that does
# not find the ratio cannot be trusted with differences of that size.

#' Reads the positive controls.
#'
#' @param path path of guide.yaml, which says what stands in it.
#' @return list of controls, each with mode, tier, tool, statistic, true_ratio (low and high) and does (in words).
read_controls <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  controls <- yaml::read_yaml(path)$controls
  for (control in controls) {
    missing <- setdiff(c("mode", "tier", "tool", "statistic", "true_ratio", "does"), names(control))
    if (length(missing) > 0) fail_reading(path, "a control has no ", paste(missing, collapse = ", "))
    # A true ratio of 1 could never be found.
    if (length(control$true_ratio) != 2 || control$true_ratio[1] <= 1 || control$true_ratio[2] < control$true_ratio[1]) {
      fail_reading(path, control$mode, ": true_ratio: ", paste(control$true_ratio, collapse = ", "))
    }
  }
  controls
}

#' Whether each positive control was found.
#'
#' @param comparisons data.table, a row per comparison: mode, baseline, tier, tool, statistic, estimate, low, high, reason.
#' @param controls see read_controls().
#' @return data.table, a row per control, in the order of `controls`: control (what it does), statistic,
#'   estimate, low, high (of the ratio), true_low, true_high (where the true ratio lies), found (the interval lies above 1
#'   and overlaps the true one; FALSE where there is no interval), reason (why there is none, or empty).
judge_controls <- function(comparisons, controls) {
  sought <- rbindlist(c(
    list(typed_table(c("control", "mode", "tier", "tool", "statistic"), c("true_low", "true_high"))),
    lapply(controls, function(control) {
      c(list(control = control$does, true_low = control$true_ratio[1], true_high = control$true_ratio[2]), control[c("mode", "tier", "tool", "statistic")])
    })
  ), use.names = TRUE)
  compared <- comparisons[mode_facts(mode)$variant == "slower" & baseline == base_of(mode)]
  rows <- compared[sought, on = c("mode", "tier", "tool", "statistic")]
  rows[is.na(baseline), reason := no_cell_of_it]
  rows[, .(
    control, statistic, estimate, low, high, true_low, true_high,
    found = !is.na(low) & !is.na(high) & low > 1 & low <= true_high & high >= true_low, reason
  )]
}
