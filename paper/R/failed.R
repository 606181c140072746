# Predictions of PROTOCOL.md that failed, each with the condition that says so.

# A p99 is predicted within this factor, and a share within these percentage points.
p99_predicted_within <- 1.5
share_predicted_within <- 0.1

#' The predictions that this run does not bear out.
tell_failed <- function(all) {
  failed <- Filter(nzchar, c(
    failed_mixes(all$mixes), if (is_readable(all$predictions)) failed_swaps(all$predictions),
    failed_goodput(all$overloads$loads), failed_recovery(all$overloads$recoveries, all$overloads$seconds),
    failed_carriers(all$findings[["carriers"]], finding_holds(all$findings[["wake-ups"]]))
  ))
  if (length(failed) == 0) return("")
  paragraph("**Predictions that failed.** `analysis/PROTOCOL.md` has the predictions and their models, written before the loads were measured.", failed)
}

failed_mixes <- function(mixes) {
  rows <- mixes[!is_control(mode) & abs(log(measured_p99_ms / predicted_p99_ms)) > log(p99_predicted_within)]
  if (nrow(rows) == 0) return("")
  sprintf("p99 of short requests next to long ones, predicted and measured: %s.", paste(rows[, sprintf(
    "%s and %s with %s at %.0f %% of the CPU", format_number(signif(predicted_p99_ms, 2)), value_of(measured_p99_ms, "ms"), in_words(mode), 100 * utilization
  )], collapse = "; "))
}

#' Swaps beyond the bound of their prediction: rows of predictions.csv.
failed_swaps <- function(predictions) {
  rows <- predictions[refuted == 1]
  if (nrow(rows) == 0) return("")
  points <- rows$effect == "difference"
  said <- rows[, sprintf(
    "%s: at %s %s%s, measured %s", of, ifelse(is.na(at_least), "most", "least"), format_number(ifelse(points, 100, 1) * fcoalesce(at_least, at_most)), ifelse(points, " points", ""),
    ifelse(points, effect_with_interval(rows, 100), effect_with_interval(rows))
  )]
  sprintf("Predicted of swaps: %s.", paste(said, collapse = "; "))
}

# The prediction is one with heap enough.
failed_goodput <- function(loads) {
  rows <- goodput_of(loads[!grepl("^virtual-512m", mode)])[abs(in_time - predicted_share) > share_predicted_within]
  if (nrow(rows) == 0) return("")
  sprintf("Answered in time, predicted and measured: %s.", paste(rows[, sprintf(
    "%s and %s with %s at %s times the capacity", percent(signif(predicted_share, 2)), percent(in_time), in_words(mode), format_number(highest_share)
  )], collapse = "; "))
}

failed_recovery <- function(recoveries, seconds) {
  rows <- recoveries[grepl("^virtual-2g", mode), .(back_s = median(back_s)), by = mode][!is.finite(back_s)]
  if (nrow(rows) == 0 || nrow(seconds) == 0) return("")
  sprintf(
    "p99 was predicted to be back 10 s after an overload, with heap enough and in either order: with %s it is not in %s s.",
    enumerate(in_words(rows$mode), " or "), format_number(seconds_after_most(seconds))
  )
}

# CPU time was predicted to rise by 10 to 40 %, capacity to fall by 10 to 35 %; `explained`: whether wake-ups are shown to be the cause.
failed_carriers <- function(finding, explained) {
  if (is.null(finding$rows)) return("")
  rows <- finding$rows
  cost <- rows[pair == "cost" & high < 1.1]
  most <- rows[pair == "most" & mode_value > baseline_value]
  paragraph(
    if (nrow(cost) > 0) cost[, sprintf(
      "Sixteen carriers were predicted to take 10 to 40 %% more CPU time where requests only wait: %s become %s.",
      value_in_words(baseline_value, statistic), value_in_words(mode_value, statistic)
    )],
    if (nrow(most) > 0) most[, sprintf(
      "%s were predicted to serve 10 to 35 %% less where more requests come than the CPU serves: it is %s in place of %s%s%s.",
      if (nrow(cost) > 0) "They" else "Sixteen carriers",
      value_in_words(mode_value, statistic), value_in_words(baseline_value, statistic), if (pairs == 1) ", in one session" else "",
      if (explained) " (wake-ups, @sec-order)" else "; its cause is not shown"
    )]
  )
}
