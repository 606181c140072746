# Comparing every mode with its baseline: effects.R has the effects, intervals.R their intervals, verdicts.R the verdicts.
#
# A comparison has a reason instead of a number where there is none to give: a value of 0, a percentile that failed requests
# reach, CPU times at throughputs that differ, or an interval so wide that it says nothing.

# CPU time per request falls with the rate, so at rates farther apart than this its ratio is not of the modes alone, unless both servers
# used up their CPUs: then a difference of the rates is one of the CPU times.
like_throughput <- 1.2
throughputs_differ <- "throughputs differ by more than 20 %"
serve_unlike <- function(log_ratio) abs(log_ratio) > log(like_throughput)
threads_short_lived <- "threads live for less than the time between two samples"
# Beyond this share of failed requests a mean is that of survivors.
failed_at_most <- 0.01
# The CPU time of others is compared where each request of a client makes a connection, which two sides pay.
beside_the_server <- c("backend_cpu_us_per_request", "generator_cpu_us_per_request")
tool_of_connections <- "sysbench"
# A throughput above this share of what the load offers says nothing of the server.
fixed_from <- 0.95

# ---- A statistic of all places

compare_statistic <- function(measured, places, about) {
  logs <- about$effect == "ratio"
  of <- function(excluding) pool_sessions(session_effects(measured, places, about$statistic, logs, excluding), logs)
  pooled <- of(TRUE)
  all <- if (about$counts == "latency") of(FALSE)
  if (!is.null(all) && logs) pooled <- with_disturbed_bounds(pooled, all)
  rows <- judge_pooled(pooled, places, about, lenders_of(measured$known, about$statistic))[places, on = "id"]
  if (is.null(all)) rows[, estimate_all := centre] else rows[all[why == ""], estimate_all := i.centre, on = "id"]
  if (NROW(measured$slices) == 0) rows[, estimate_all := NA_real_]
  ends <- c("low", "high", "estimate_all")
  if (logs) rows[, (ends) := lapply(.SD, exp), .SDcols = ends]
  rows[, estimate := if (logs) exp(centre) else centre]
  rows[, `:=`(statistic = about$statistic, unit = about$unit, better = about$better, effect = about$effect, rounds = fcoalesce(as.numeric(rounds), 0))]
  rows[, reason := if (anyNA(why)) fcoalesce(why, why_no_session(measured$summary, places, about$statistic)) else why]
  if (about$statistic == "threads_peak") rows[reason == "" & are_short_lived(rows, measured$summary), reason := threads_short_lived]
  collections_of_places(measured, places, about$statistic)[rows, on = "id"]
}

# Pooled effects with their intervals; those that have a reason in place of an effect stay as they are.
judge_pooled <- function(pooled, places, about, known) {
  usable <- pooled[why == ""][places, place := name_of_place(places), on = "id"]
  rbind(judge_usable(usable, about, known), pooled[why != ""], fill = TRUE)
}

# Effects of a statistic with their intervals, see judge_effects().
judge_usable <- function(usable, about, known) {
  judged <- judge_effects(usable, margin_of(about), known, about$counts == "latency")
  if (about$statistic == "error_share") with_binomial_ends(judged, margin_of(about)) else judged
}

# Half of the region of equivalence, on the scale of the effects.
margin_of <- function(about) if (about$effect == "ratio") log(about$margin) else about$margin

# A comparison has the same name in all runs. One between tiers or kinds of slices has no other of its name.
name_of_place <- function(places) {
  columns <- intersect(c("study", "tier", "tool", "mode", "baseline", "baseline_tier", "kind", "baseline_kind"), names(places))
  do.call(paste, c(as.list(places[, ..columns]), sep = "\r"))
}

# Comparisons of other runs, which say how far sessions lie apart: those of a run, or where it has one of a comparison those of several runs
# of a host, which lend what processes add. Between hosts more changes than processes. A run with one session of it shows its rounds.
lenders_of <- function(known, id) {
  if (NROW(known) == 0) return(NULL)
  rows <- known[statistic == id & reason == "" & is.finite(estimate)]
  rows[, place := name_of_place(rows[, .(study, tier, tool, mode, baseline)])]
  rows[, lends := fifelse(pairs > 1 & is.finite(spread), "both", "rounds")]
  of_hosts <- runs_of_hosts(rows[!rows[lends == "both"], on = "place"])
  rbind(rows, of_hosts, fill = TRUE)[, c("place", columns_of_noise, "lends"), with = FALSE]
}

# A row per host and comparison: its runs as if they were sessions. A mean of sessions varies less than one.
runs_of_hosts <- function(rows) {
  if (!"host" %in% names(rows)) return(NULL)
  rows <- rows[!is.na(host) & bound == ""][, centre := on_scale(estimate, effect)]
  found <- rows[rows[, .(several = .N > 1), by = .(host, place)][several == TRUE, .(host, place)], on = c("host", "place")]
  found[, .(
    spread = sd(centre) * sqrt(mean(pairs)), within = sqrt(mean(within^2)), df_within = sum(df_within), rounds = sum(rounds / pairs), least = mean(least),
    pairs = .N, lends = "processes"
  ), by = .(host, place)][, host := NULL][]
}

# The most that a disturbance has multiplied a latency by: the p99 of the slices that the rules exclude over that of the others, in the run
# 2026-11-27-xeon.
disturbance_at_most <- 4.7

# Where rounds are too few because of disturbances, and all rounds lie so far on one side that these cannot be why, the effect is a bound.
with_disturbed_bounds <- function(pooled, all) {
  bounds <- all[!pooled[!rounds_too_few(why)], on = "id"][why == "" & bound %in% 0 & df_within > 0]
  bounds[, toward := sign(centre)][, `:=`(centre = toward * (abs(centre) - log(disturbance_at_most)), bound = toward)]
  reach <- bounds[, qt((1 + confidence) / 2, df_within) * within]
  bounds <- bounds[centre * toward > reach]
  rbind(pooled[!bounds, on = "id"], bounds[, toward := NULL], fill = TRUE)
}

# Threads that live for one request that does not wait are gone before the next of ten samples a second.
are_short_lived <- function(rows, summary) {
  short <- summary[sleep_ms %in% 0 & threads_started >= counted_requests / 2, file.path(study, mode, tier, tool)]
  rows[, file.path(study, mode, tier, tool) %in% short | file.path(study, baseline, tier, tool) %in% short]
}

# Why no session has values of both sides.
why_no_session <- function(summary, places, statistic) {
  sides <- sides_of_places(places)
  cells <- summary[sides, on = cell_place, nomatch = NULL, allow.cartesian = TRUE]
  cells[, `:=`(counted = counts_for(cells, statistic), why = fifelse(outcome == "completed", failed_checks, outcome))]
  of_side <- cells[, .(text = if (any(counted)) "" else sprintf("no valid cell (%s)", paste(unique(why), collapse = ", "))), by = .(id, side)]
  named <- of_side[sides, on = c("id", "side")]
  named[, text := fcoalesce(text, "no cell")][, text := fifelse(text == "", "", paste(text, fifelse(side == "mode", "of the mode", "of its baseline")))]
  why <- named[, .(text = paste(text[text != ""], collapse = "; ")), by = id][places, on = "id"]$text
  fifelse(why == "", "no session has values of both sides", why)
}

# ---- Why a ratio is not given

# `all`: the rows of the same places in other statistics.
with_reasons <- function(rows, all = rows) {
  place <- intersect(c("study", "tier", "tool", "mode", "baseline"), names(rows))
  value_of <- function(name, column) all[statistic == name][rows, on = place][[column]]
  served <- value_of("throughput_per_s", "mode_value") / value_of("throughput_per_s", "baseline_value")
  failed <- pmax(value_of("error_share", "mode_value"), value_of("error_share", "baseline_value"))
  rows[, reason := fcase(
    reason != "", reason,
    statistic == "cpu_us_per_request" & serve_unlike(log(served)) & !cpu_limited, throughputs_differ,
    statistic == "latency_mean_ms" & failed > failed_at_most, "more than 1 % of the requests failed",
    is.na(low) & is.na(high), alone_and_unknown,
    default = ""
  )]
  rows <- with_wide_intervals(rows)
  numbers <- c("estimate", "estimate_all", "low", "high", "p_value", "equivalence_p_value")
  rows[reason != "", (numbers) := NA_real_][]
}

alone_and_unknown <- "one session, and no other run knows its noise"
#' @export
not_measured_well <- "not measured well enough"

# A wide interval says a direction where it lies on one side: its nearer end is a bound. Elsewhere it is a reason.
with_wide_intervals <- function(rows) {
  wide <- rows$reason == "" & spans_too_much(rows) %in% TRUE
  toward <- rows[, fcase(low > 1, 1, high < 1, -1, default = 0)] * wide
  rows[wide & toward == 0, reason := not_measured_well]
  rows[toward != 0, `:=`(bound = bound_words(toward[toward != 0]), equivalence_p_value = NA_real_)]
  rows[toward > 0, high := Inf][toward < 0, low := 0][]
}

spans_too_much <- function(rows) rows[, effect == "ratio" & is.finite(high) & low > 0 & high / low > span_at_most]

# Whether both servers of a comparison used up their CPUs in a closed loop. `rows` have throughputs and CPU times among them.
are_cpu_limited <- function(rows, summary) {
  place <- intersect(c("study", "tier", "tool", "mode", "baseline"), names(rows))
  of <- function(name) rows[statistic == name][rows, on = place, .(mode_value, baseline_value)]
  busy <- of("throughput_per_s") * of("cpu_us_per_request") / 1e6
  loads <- unique(summary[, .(study, tier, tool, loop, cpus = cpus_of_server(.SD))], by = c("study", "tier", "tool"))
  load <- loads[rows, on = c("study", "tier", "tool"), mult = "first"]
  (load$loop == "closed" & pmin(busy$mode_value, busy$baseline_value) >= cpu_limit_from * load$cpus) %in% TRUE
}

# Summaries of older runs do not say it; all had one.
cpus_of_server <- function(cells) if ("server_cpus" %in% names(cells)) fcoalesce(as.numeric(cells$server_cpus), 1) else rep(1, nrow(cells))

# Whether the load fixes a throughput: both sides serve what it offers (an open loop a rate, users who wait one request each at a time), so
# that nothing is learned of the servers.
is_fixed_by_load <- function(rows, summary) {
  place <- c("study", "tier", "tool")
  offers <- unique(summary[, .(study, tier, tool, most = fifelse(loop == "open", offered_per_s, 1000 * users / sleep_ms))], by = place)
  most <- offers[rows, on = place]$most
  rows$statistic == "throughput_per_s" & (pmin(rows$mode_value, rows$baseline_value) >= fixed_from * most) %in% TRUE
}

# ---- All comparisons

#' @export
comparison_keys <- c("study", "tier", "tool", "mode", "baseline", "statistic")
comparison_columns <- c(
  "statistic", "unit", "better", "effect", "estimate", "low", "high", "mode_value", "baseline_value", "estimate_all", "bound", "reason", "pairs",
  "sessions", "rounds", "spread", "within", "df_within", "noise", "df", "least", "p_value", "equivalence_p_value", "fixed", "cpu_limited",
  "mode_collections", "baseline_collections", "mode_gc_share", "baseline_gc_share"
)

no_comparisons <- function() {
  words <- c("statistic", "unit", "better", "effect", "bound", "reason")
  flags <- c("fixed", "cpu_limited")
  typed_table(words, setdiff(comparison_columns, c(words, flags)), flags)[, ..comparison_columns]
}

bound_words <- function(bound) fcase(bound > 0, "at_least", bound < 0, "at_most", default = "")

#' Compares places, see compare_modes().
#'
#' @param measured see as_measured(); `places` see sides_of_places(), and what names the rows.
compare_places <- function(measured, places, statistics = compared_statistics[counts != "sweep"]) {
  named <- setdiff(names(places), "id")
  if (nrow(places) == 0) return(cbind(copy(places)[, id := NULL], no_comparisons()))
  # The reasons of some rest on others.
  all <- compared_statistics[statistic %in% c(statistics$statistic, "throughput_per_s", "error_share")]
  rows <- rbindlist(lapply(split(all, seq_len(nrow(all))), function(about) compare_statistic(measured, places, about)), fill = TRUE)
  rows[, `:=`(bound = bound_words(fcoalesce(as.numeric(bound), 0)), cpu_limited = are_cpu_limited(rows, measured$summary))]
  rows <- with_reasons(rows)
  cells <- measured$summary[sides_of_places(places), on = cell_place, nomatch = NULL, allow.cartesian = TRUE]
  # A mode may have fewer sessions by design than its baseline.
  rows[cells[, uniqueN(repetition), by = .(id, side)][, .(sessions = min(V1)), by = id], sessions := i.sessions, on = "id"]
  rows[, `:=`(fixed = is_fixed_by_load(rows, measured$summary), pairs = fcoalesce(as.numeric(pairs), 0))]
  rows <- rows[statistic %in% statistics$statistic & !(statistic %in% beside_the_server & tool != tool_of_connections)]
  rows[order(id), c(named, comparison_columns), with = FALSE]
}

#' Compares every mode with its `baseline`, for each study, tier, tool and statistic.
#'
#' @param measured see as_measured(); `statistics` rows of compared_statistics.
#' @return data.table, a row per comparison: study, tier, tool, mode, baseline, and comparison_columns, see tables.yaml. Spread, within,
#'   noise and least are on the scale of log ratios or differences.
compare_modes <- function(measured, statistics = compared_statistics[counts != "sweep"]) {
  places <- unique(measured$summary[!is.na(baseline), .(study, tier, tool, mode, baseline)])[, id := .I]
  compare_places(measured, places, statistics)
}

#' One mode against another, or against itself at another tier, in any column of the summary.
#'
#' @param measured see as_measured(); `place` list: study, mode, baseline, tier, tool, and baseline_tier where it is another; `effect` ratio
#'   or difference.
#' @return list: estimate, low, high, bound, reason, pairs (sessions), centre, error, df (on the scale of the effect).
effect_between <- function(measured, place, statistic, effect = "ratio") {
  at <- match(statistic, compared_statistics$statistic)
  about <- as.list(compared_statistics[at])
  about <- modifyList(about, list(statistic = statistic, effect = effect, counts = counts_of(statistic), margin = fcoalesce(about$margin, 1.05)))
  row <- compare_statistic(measured, as.data.table(place)[, id := 1L], about)
  row[, bound := bound_words(fcoalesce(as.numeric(bound), 0))]
  row <- with_wide_intervals(row[, reason := fcase(reason != "", reason, is.na(low), alone_and_unknown, default = "")])
  if (row$reason != "") row[, c("estimate", "low", "high") := NA_real_]
  kept <- c("estimate", "low", "high", "mode_value", "baseline_value", "reason", "centre", "error", "df", "bound")
  c(as.list(row[, ..kept]), list(pairs = fcoalesce(as.numeric(row$pairs), 0)))
}

#' How many cells were measured again.
#' @export
replaced_cells <- function(results) length(Sys.glob(file.path(results, "replaced", "*", "*", "*", "*", "rep-*", "*")))

#' Reads comparisons.csv, or another table with its columns.
#' @export
read_comparisons <- function(path) {
  words <- c(
    "study", "tier", "tool", "mode", "baseline", "kind", "baseline_kind", "statistic", "unit", "better", "effect", "verdict",
    "bound", "reason", "finding", "pair", "outcome", "expected", "holds", "rival", "swap", "excluded_by", "state", "of"
  )
  comparisons <- require_columns(read_table(path), c("mode", "statistic", "estimate"), path)
  flags <- intersect(c("fixed", "primary", "cpu_limited", "refuted"), names(comparisons))
  comparisons[, (flags) := lapply(.SD, `%in%`, c("TRUE", "1")), .SDcols = flags]
  numbers <- setdiff(names(comparisons), words)
  comparisons[, (numbers) := lapply(.SD, as.numeric), .SDcols = numbers][]
}
