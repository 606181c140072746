# The cost of the profiler: profiled slices against plain ones of the same cell, in the same session.

profiler_statistics <- c("cpu_us_per_request", "throughput_per_s", "latency_p99_ms")

#' The profiler's cost, by mode.
#'
#' @param slices see read_slices().
#' @return data.table, a row per study, tier, tool, mode and statistic: estimate (geometric mean over
#'   sessions of profiled / plain), low, high (95 %; of one session: within it), verdict (by the interval
#'   alone), pairs (sessions), rounds (plain slices).
profiler_cost <- function(slices) {
  long <- melt(
    slices[kept & beside == "" & valid & outcome == "completed"],
    id.vars = c("study", "tier", "tool", "mode", "session", "repetition", "kind"),
    measure.vars = profiler_statistics, variable.name = "statistic", variable.factor = FALSE
  )[value > 0]
  places <- c("study", "tier", "tool", "mode", "statistic")
  effects <- long[, if (uniqueN(kind) == 2) profiler_effect(.SD, statistic), by = c(places, "session", "repetition"), .SDcols = c("kind", "value", "tool")]
  if (nrow(effects) == 0) return(profiler_cost_of(effects))
  effects[, id := .GRP, by = places]
  pooled <- pool_sessions(effects)[unique(effects[, c("id", places), with = FALSE]), on = "id"]
  judged <- pooled[!(hidden), judge_family(.SD, equivalence$ratio),
    by = .(study, tool, statistic), .SDcols = setdiff(names(pooled), c("study", "tool", "statistic"))
  ]
  profiler_cost_of(judged)
}

# Profiled slices are few, often one: that they vary as the plain ones do is supposed.
profiler_effect <- function(slices, statistic) {
  plain <- slices[kind == "plain"]
  profiled <- slices[kind == "profiled"]
  reach <- lapply(list(plain, profiled), function(side) {
    lapply(rounding_reach(side$value, side$tool, statistic, logs = TRUE), mean)
  })
  list(
    effect = mean(log(profiled$value)) - mean(log(plain$value)),
    within = var(log(plain$value)) * (1 / nrow(plain) + 1 / nrow(profiled)), rounds = nrow(plain),
    low = reach[[2]]$down + reach[[1]]$up, high = reach[[2]]$up + reach[[1]]$down, least = 0, bound = 0, zero = FALSE
  )
}

profiler_cost_of <- function(judged) {
  columns <- c(
    "study", "tier", "tool", "mode", "statistic", "estimate", "low", "high", "verdict", "pairs", "rounds"
  )
  if (nrow(judged) == 0) return(setNames(as.data.table(rep(list(character()), length(columns))), columns))
  judged[, `:=`(
    estimate = exp(centre), low = exp(low), high = exp(high),
    verdict = vapply(seq_len(.N), function(at) verdict_alone(judged[at], equivalence$ratio), "")
  )]
  judged[order(study, tier, tool, mode), columns, with = FALSE]
}
