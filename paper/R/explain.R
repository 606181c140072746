# Notes on a study's profiles, and what the published traps did.

#' Notes on the bars of a study: what they exclude, and what the profiler cost there.
#'
#' @param all results of one study; `tool`, `tiers`, `modes` that are drawn.
note_on_profiles <- function(all, tool, tiers, modes) {
  wanted <- list(tool, tiers, modes)
  drawn <- all$cpu_groups[tool == wanted[[1]] & tier %in% wanted[[2]] & mode %in% wanted[[3]]]
  cost <- all$profiler_cost[study == all$study]
  paragraph(
    "Shares are of the samples, with 95 % intervals.",
    sentence_clocks(all$summary[tool == wanted[[1]] & tier %in% wanted[[2]] & mode %in% wanted[[3]]]), sentence_jit(drawn), if (nrow(cost) > 0) sentence_profiler_cost(cost)
  )
}

#' How many servers the traps ended, beside those without them.
sentence_of_traps <- function(all) {
  ended <- function(modes) {
    cells <- all$summary[mode %in% modes]
    sprintf("%d of %s", sum(cells$outcome != "completed"), count_of(nrow(cells), "cell"))
  }
  traps <- published_modes(all$summary)
  if (length(traps) == 0) return("")
  sprintf(
    "As published, with the source's traps, %s ended with a server that no longer answered; without the traps %s did.",
    ended(traps), ended(base_of(traps))
  )
}
