# Comparisons of shipped runs whose tables hold no slices: made again from cells, by the rules of today. It goes with old_names.R.

#' The comparisons of a run that was shipped before values stood next to their ratio: made again from its cells, with the variance
#' within sessions that its table has.
#'
#' @param tables list: summary, comparisons, see read_run_tables().
old_comparisons <- function(tables) {
  if ("mode_value" %in% names(tables$comparisons)) return(tables$comparisons)
  keys <- c("study", "tier", "tool", "mode", "baseline", "statistic")
  within <- tables$comparisons[, c(keys, "within", "pairs", "rounds"), with = FALSE][, df_within := rounds - pairs]
  rows <- compare_modes(as_measured(tables$summary))
  again <- rows[pairs > 0 & statistic %in% estimands[!counts %in% c("process", "sweep"), statistic]]
  again[within, `:=`(within = i.within, df_within = i.df_within, rounds = i.rounds), on = keys]
  again[, c("low", "high", "p_value", "equivalence_p_value") := NULL]
  again[, `:=`(id = .I, centre = fifelse(effect == "ratio", log(mode_value / baseline_value), mode_value - baseline_value))]
  again[, `:=`(bound = fcase(bound == "at_least", 1, bound == "at_most", -1, default = 0), why = "")]
  judged <- rbindlist(lapply(split(again[is.finite(centre)], by = "statistic"), function(some) {
    about <- compared_statistics[statistic == some$statistic[1]]
    logs <- about$effect == "ratio"
    done <- judge_effects(some, if (logs) log(about$margin) else about$margin)
    if (logs) done[, `:=`(low = exp(low), high = exp(high))]
    done[, estimate := if (logs) exp(centre) else centre]
  }))
  judged[, bound := bound_words(bound)]
  judged <- with_reasons(judged[, reason := fifelse(reason %in% c(alone_and_unknown, not_measured_well), "", reason)], rows)
  rest <- rows[!judged, on = keys]
  rbind(judged, rest, tables$comparisons[statistic == "capacity_per_s"][, `:=`(fixed = 0, sessions = pairs)], fill = TRUE)
}
