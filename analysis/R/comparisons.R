# Comparing a mode with its baseline (`versus`).
#
# The unit is the server process, so a repetition gives one figure (Georges, Buytaert and Eeckhout
# 2007), and two modes are compared by the ratio of their figures with an interval (Kalibera and
# Jones 2013). Repetition n of all modes was measured in the same block, so ratios are taken
# within a block: what made the machine slow for a while is in both figures and cancels.
#
# The interval that decides is Student's t on the logarithms of these ratios, its noise moderated by
# that of its family, the same statistic in the same study under the same tool: see moderation.R. A
# bootstrap, which Kalibera and Jones prefer for many repetitions, cannot do it for few: n ratios
# have only choose(2n - 1, n) different resamples, 3, 10 and 35 for 2, 3 and 4 repetitions, and no
# resample lies outside the range of the ratios seen, which holds the truth in 50, 75 and 87.5 %
# of cases only (the chance that not all n lie on one side of it); BCa has no acceleration to
# estimate from three values. t supposes that log ratios are roughly normal, which figures with
# multiplicative noise are. The percentile bootstrap stands beside it (columns bootstrap_*), as the
# interval that comes closer to t as repetitions are added.
#
# The data are nested: blocks, in each a process of either mode, in each process its requests. The
# bootstrap is hierarchical in that it draws blocks, whole: both processes and all their requests
# come along, and with them the noise of every level. To draw requests again inside each would
# count their noise twice (Davison and Hinkley 1997, section 3.8), and they are no independent
# draws: they queue behind each other. sentence_levels() in repetitions.R says how much of the
# noise there is to be had from more requests, and how much from more processes.
#
# There are hundreds of comparisons, and 5 % of those between equals would be told apart by their
# intervals. So a difference is told where its p-value, adjusted after Benjamini and Hochberg
# (1995), is at most 5 %: of the differences that this artifact tells in a statistic, over all
# studies, at most 5 % are expected to be none. The same holds for equivalence, by Schuirmann's two
# one-sided tests (1987). Not Holm: it keeps the chance of a single error in the whole table at 5 %,
# at a price in repetitions that a table of hundreds is not worth. A family is one statistic, or
# what is plain (a pool has fewer threads) would make way for what is close. low and high stay
# intervals of 95 % of each comparison alone, and can exclude 1 where the verdict is undecided.
#
# Effect sizes: the ratio itself is the one to act on. effect_size is the other, Hedges' g of the
# log ratios: the effect in units of how much it varies from block to block.

library(data.table)

#' What is compared: a row each with `statistic` (column of the summary), `title`, `unit`,
#' `better` (which way is good), `effect` (ratio, or difference where 0 is a usual value) and
#' `quantised` (the tool's resolution limits it).
compared_statistics <- fread(
  "statistic,                    title,                        unit, better, effect,     quantised
   throughput_per_s,             throughput,                   1/s,  higher, ratio,      FALSE
   latency_mean_ms,              mean latency,                 ms,   lower,  ratio,      FALSE
   latency_p50_ms,               median latency,               ms,   lower,  ratio,      TRUE
   latency_p99_ms,               99th percentile of latency,   ms,   lower,  ratio,      TRUE
   cpu_us_per_request,           CPU time per request,         µs,   lower,  ratio,      FALSE
   threads_peak,                 peak number of threads,       '',   lower,  ratio,      FALSE
   rss_peak_mib,                 peak resident memory,         MiB,  lower,  ratio,      FALSE
   context_switches_per_request, context switches per request, '',   lower,  ratio,      FALSE
   error_share,                  share of failed requests,     '',   lower,  difference, FALSE",
  quote = "'", encoding = "UTF-8"
)

confidence <- 0.95
# Within 5 % of each other is the same for an engineer's choice; as a ratio it is symmetric, so
# that exchanging the sides gives the same verdict. For shares: one percentage point, which is
# what the validity check on 2xx allows.
equivalence <- list(ratio = log(1.05), difference = 0.01)
bootstrap_resamples <- 1999
# The same for every row, so that a row does not depend on which others there are.
bootstrap_seed <- 1

#' Which cells may be pooled.
#'
#' @param summary see read_summary().
#' @return logical vector, one per row.
poolable <- function(summary) {
  summary$valid & summary$outcome == "completed"
}

#' Student's t interval of the mean of effects.
#'
#' @param effects numeric vector, one per repetition.
#' @return low and high; NA where there are fewer than two.
t_interval <- function(effects) {
  count <- length(effects)
  if (count < 2) return(c(NA_real_, NA_real_))
  half <- half_interval(sd(effects), count - 1, count)
  mean(effects) + c(-half, half)
}

# Half of the interval of a mean of so many values with this noise, that of so many degrees of freedom.
half_interval <- function(noise, df, count) qt((1 + confidence) / 2, df) * noise / sqrt(count)

#' Percentile bootstrap interval of the mean of effects, seeded.
#'
#' @param effects numeric vector, one per repetition.
#' @return low and high; NA where there are fewer than two.
bootstrap_interval <- function(effects) {
  if (length(effects) < 2) return(c(NA_real_, NA_real_))
  if (diff(range(effects)) == 0) return(range(effects))
  set.seed(bootstrap_seed)
  drawn <- sample(effects, length(effects) * bootstrap_resamples, replace = TRUE)
  means <- sort(rowMeans(matrix(drawn, nrow = bootstrap_resamples)))
  means[round((bootstrap_resamples + 1) * (1 + c(-confidence, confidence)) / 2)]
}

# How far rounding alone can move a log ratio: each value may be off by half the resolution.
rounding_width <- function(pairs) {
  pairs[, mean(-log1p(-resolution / 2 / value) - log1p(-baseline_resolution / 2 / baseline))]
}

#' The verdict on an interval of effects (log ratios or differences).
#'
#' @param low,high ends of the interval.
#' @param margin half-width of the region of equivalence around 0.
#' @return higher, lower, equivalent or undecided.
verdict_on <- function(low, high, margin) {
  if (low >= -margin && high <= margin) return("equivalent")
  if (low > 0) return("higher")
  if (high < 0) return("lower")
  "undecided"
}

# One-sided: the chance to see an effect so far on the right side of a limit if it were on it.
tail_beyond <- function(distance, error, df) {
  fifelse(error == 0, as.numeric(distance <= 0), pt(-distance / error, df))
}

#' Intervals and p-values of effects.
#'
#' @param centre means of effects over repetitions; `error` their standard errors, `df` the degrees
#'   of freedom of these, NA where there is one repetition; `widen` what rounding can do.
#' @param margin half-width of the region of equivalence around 0.
#' @return list of vectors: low, high (95 %), p_value (of no difference), equivalence_p_value (of a
#'   difference beyond the margin), both against what rounding can do.
judge_effects <- function(centre, error, df, widen, margin) {
  reach <- qt((1 + confidence) / 2, df) * error + widen
  list(
    low = centre - reach, high = centre + reach,
    p_value = pmin(1, 2 * tail_beyond(pmax(0, abs(centre) - widen), error, df)),
    equivalence_p_value = tail_beyond(margin - abs(centre) - widen, error, df)
  )
}

# Hedges' g with the exact correction for few values; below three values there is none.
effect_size <- function(effects) {
  df <- length(effects) - 1
  if (df < 2 || sd(effects) == 0) return(NA_real_)
  correction <- exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)
  correction * mean(effects) / sd(effects)
}

# One side of a comparison: how many cells there are, and why some do not count.
side <- function(cells, repetitions) {
  counts <- poolable(cells)
  reasons <- cells[!counts, ifelse(outcome == "completed", failed_checks, outcome)]
  list(
    valid = sum(counts), invalid = sum(!counts), missing = repetitions - nrow(cells),
    reasons = paste(unique(reasons), collapse = ", "), cells = cells[counts]
  )
}

lacking <- function(side, name) {
  if (side$valid > 0) return(NULL)
  if (side$invalid == 0) return(paste("no cells of", name))
  paste0("no valid cells of ", name, " (", side$reasons, ")")
}

why_not_comparable <- function(mode, versus, pairs, statistic) {
  lacks <- c(lacking(mode, "the mode"), lacking(versus, "its baseline"))
  if (length(lacks) > 0) return(paste(lacks, collapse = "; "))
  if (nrow(pairs) == 0) return("no repetition is valid and has this figure on both sides")
  if (statistic$effect == "difference") return(NULL)
  if (any(pairs$value <= 0 | pairs$baseline <= 0)) return("a figure of 0 has no ratio")
  if (statistic$quantised && pairs[, any(value <= resolution / 2 | baseline <= baseline_resolution / 2)]) {
    return("below the resolution of the tool")
  }
  NULL
}

pair_repetitions <- function(mode, versus, column) {
  pairs <- merge(
    mode$cells[, .(repetition, value = get(column), resolution = latency_resolution_ms)],
    versus$cells[, .(
      repetition, baseline = get(column), baseline_resolution = latency_resolution_ms
    )],
    by = "repetition"
  )
  pairs[is.finite(value) & is.finite(baseline)]
}

# Effects in the space where they add up: logarithms for ratios.
estimate <- function(pairs, statistic) {
  ratio <- statistic$effect == "ratio"
  effects <- if (ratio) log(pairs$value / pairs$baseline) else pairs$value - pairs$baseline
  back <- if (ratio) exp else identity
  bootstrap <- back(bootstrap_interval(effects))
  list(
    estimate = back(mean(effects)),
    bootstrap_low = bootstrap[1], bootstrap_high = bootstrap[2],
    effect_size = effect_size(effects), spread = sd(effects),
    rounding = if (statistic$quantised) rounding_width(pairs) else 0
  )
}

no_estimate <- function() {
  figures <- c("estimate", "bootstrap_low", "bootstrap_high", "effect_size", "spread", "rounding")
  setNames(as.list(rep(NA_real_, length(figures))), figures)
}

compare_statistic <- function(mode, versus, statistic) {
  pairs <- pair_repetitions(mode, versus, statistic$statistic)
  reason <- why_not_comparable(mode, versus, pairs, statistic)
  result <- if (is.null(reason)) estimate(pairs, statistic) else no_estimate()
  middle <- function(side) as.numeric(median(side$cells[[statistic$statistic]], na.rm = TRUE))
  as.data.table(c(
    statistic[c("statistic", "unit", "better", "effect")],
    result,
    list(
      reason = if (is.null(reason)) "" else reason, pairs = nrow(pairs),
      mode_median = middle(mode), versus_median = middle(versus),
      mode_valid = mode$valid, mode_invalid = mode$invalid, mode_missing = mode$missing,
      versus_valid = versus$valid, versus_invalid = versus$invalid,
      versus_missing = versus$missing
    )
  ))
}

# Adds to estimates what they become beside the others of their family: noise, interval, p-values.
add_intervals <- function(rows) {
  rows[, c("noise", "df") := moderate(spread^2, pairs - 1, family_noise(spread^2, pairs - 1)),
    by = c(intersect(c("study", "tool"), names(rows)), "statistic")
  ]
  ratio <- rows$effect == "ratio"
  centre <- rows$estimate
  centre[ratio] <- log(centre[ratio])
  margin <- ifelse(ratio, equivalence$ratio, equivalence$difference)
  found <- rows[, judge_effects(centre, noise / sqrt(pairs), df, rounding, margin)]
  ends <- c("low", "high")
  found[ratio, (ends) := lapply(.SD, exp), .SDcols = ends]
  set(rows, j = names(found), value = found)
}

# Verdicts of comparisons that stand side by side; adds the adjusted p-values they rest on.
decide <- function(rows) {
  add_intervals(rows)[, `:=`(
    p_adjusted = p.adjust(p_value, "BH"),
    equivalence_p_adjusted = p.adjust(equivalence_p_value, "BH")
  ), by = statistic]
  neutral <- ifelse(rows$effect == "ratio", 1, 0)
  rows[, verdict := fcase(
    reason != "", "not comparable",
    pairs < 2, "one repetition",
    equivalence_p_adjusted <= (1 - confidence) / 2, "equivalent",
    p_adjusted > 1 - confidence, "undecided",
    estimate > neutral, "higher",
    default = "lower"
  )]
  rows[, repetitions_needed := repetitions_needed(rows)][]
}

# No cells, but a column for every statistic.
no_cells <- function(summary, statistics) {
  cells <- copy(summary[0])
  for (column in statistics$statistic) set(cells, j = column, value = numeric())
  cells
}

# A row per place (a row of `places`: study, tier, …) and statistic. `sides` gives both sides, of
# the cells and a place. The table has its columns where there is no place, too.
compare_places <- function(summary, places, sides, statistics) {
  compared <- function(place, both) {
    rows <- lapply(split(statistics, seq_len(nrow(statistics))), function(statistic) {
      compare_statistic(both[[1]], both[[2]], as.list(statistic))
    })
    cbind(place, rbindlist(rows))
  }
  rows <- lapply(seq_len(nrow(places)), function(index) {
    at <- as.list(places[index])
    cells <- summary[study == at$study & tier == at$tier]
    compared(places[index], sides(cells, at))
  })
  if (length(rows) == 0) {
    nothing <- side(no_cells(summary, statistics), 0)
    rows <- list(compared(places[NA_integer_], list(nothing, nothing))[0])
  }
  decide(rbindlist(rows))
}

#' Compares every mode with its `versus`, for each study, tier, tool and statistic.
#'
#' Only valid cells are pooled; how many there are, and how many are not, is in the row.
#'
#' @param summary see read_summary().
#' @param statistics see compared_statistics.
#' @return data.table, a row per comparison: study, tier, tool, mode, versus, statistic, unit,
#'   better, effect, estimate (geometric mean of the ratios mode / versus, or mean of the
#'   differences mode - versus), bootstrap_low, bootstrap_high, effect_size (Hedges' g), spread
#'   (standard deviation of the log ratios or differences), rounding (what low and high were widened
#'   by, on that scale), the counts that follow below, noise (the standard deviation moderated by the
#'   family's) and df (its degrees of freedom), low, high (95 %, t, widened by what rounding alone can
#'   do where the tool rounds), p_value (of no difference), equivalence_p_value (of a difference beyond the
#'   margin), both also _adjusted, verdict (higher, lower, equivalent, undecided, one repetition,
#'   not comparable), repetitions_needed (see there), reason, pairs (repetitions used), mode_median,
#'   versus_median (in `unit`), and the counts of valid, invalid and missing cells of each side.
compare_modes <- function(summary, statistics = compared_statistics) {
  places <- unique(summary[!is.na(versus), .(study, tier, tool, mode, versus)])
  sides <- function(cells, at) {
    cells <- cells[tool == at$tool]
    repetitions <- uniqueN(cells$repetition)
    lapply(c(at$mode, at$versus), function(name) side(cells[mode == name], repetitions))
  }
  compare_places(summary, places, sides, statistics)
}

#' Reads the comparisons that compare.R or compare_loops.R wrote.
#'
#' @param path path of results/comparisons.csv or results/loops.csv.
#' @return data.table, see compare_modes() or compare_loops(); without rows where there are none.
read_comparisons <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  comparisons <- fread(path, colClasses = "character", na.strings = NULL, encoding = "UTF-8")
  require_columns(comparisons, c("mode", "statistic", "estimate", "verdict"), path)
  words <- c(
    "study", "tier", "tool", "mode", "versus", "statistic", "unit", "better", "effect", "verdict",
    "reason"
  )
  # By name and not by content, which a column of a table without rows does not have.
  for (column in setdiff(names(comparisons), words)) {
    set(comparisons, j = column, value = as.numeric(comparisons[[column]]))
  }
  comparisons
}
