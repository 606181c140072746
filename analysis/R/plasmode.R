# How often intervals hold the truth, and how often a difference is found: a plasmode (Vaughan et al. 2009), that is measured
# rounds into which a known ratio is put.
#
# Real slices of every pair lend how their rounds vary, outliers and drifts included; what the pair itself differs by is taken
# out, and a ratio of 1, 1.05, 1.1 or 1.2 put in its place. Sessions are made of rounds drawn again, with an offset of their own
# (new processes), and lose rounds. Then compare_modes() sees them as it sees a run.

#' Variance that a new process adds, as a share of that of a round: of throughput 0.07, of CPU time 0.125 in the run of
#' 25 November 2026.
process_share <- 0.1
plasmode_sizes <- c(1, 1.05, 1.1, 1.2)
lost_rounds <- 0.1
rounds_needed <- 4

#' Reads from real pairs how their rounds vary.
#'
#' @param measured see as_measured(); `statistic` one that slices have a value of.
#' @return list, an element per pair: baseline (rows of its slices) and changes (log ratios of rounds about their mean).
measured_pairs <- function(measured, statistic) {
  places <- unique(measured$summary[!is.na(baseline), .(study, tier, tool, mode, baseline)])[, id := .I]
  rows <- rounds_of_sides(measured, sides_of_places(places), statistic, excluding = TRUE)
  both <- merge(rows[side == "mode"], rows[side == "baseline"], by = c("id", "session", "round"), suffixes = c("", "_baseline"))
  both <- both[value > 0 & value_baseline > 0]
  both[, `:=`(change = log(value / value_baseline), count = .N), by = .(id, session)]
  both <- both[count >= rounds_needed][, change := (change - mean(change)) * sqrt(count / (count - 1)), by = .(id, session)]
  lapply(split(both[sessions_first(both)], by = "id"), function(pair) {
    slices <- measured$slices[beside == "" & kind == "plain"][pair[, .(study, mode = mode_baseline, tier, tool, session, slice = slice_baseline)],
      on = c(cell_place, "session", "slice")
    ]
    list(place = places[id == pair$id[1]], baseline = slices, changes = pair$change)
  })
}

# One session a pair.
sessions_first <- function(rows) rows[, session == session[1], by = id]$V1

#' A run made of real rounds, with known ratios.
#'
#' @param pairs see measured_pairs(); `design` list: sessions, rounds, and where they are others process_share, and quantized (TRUE:
#'   values are counts of 100).
#' @param sizes true ratios, drawn for each pair, up or down.
#' @return list: measured (see as_measured()), truth (data.table: mode, true).
simulate_run <- function(pairs, statistic, design, sizes = plasmode_sizes) {
  true <- sample(sizes, length(pairs), replace = TRUE)^sample(c(-1, 1), length(pairs), replace = TRUE)
  slices <- rbindlist(Map(simulate_pair, pairs, true, seq_along(pairs), MoreArgs = list(statistic = statistic, design = design)))
  cells <- unique(slices, by = c(cell_place, "session"))
  summary <- cells[, .(study, mode, tier, tool, repetition, session, outcome, valid, latency_valid, failed_checks = "", baseline, loop, sleep_ms,
    offered_per_s = NA_real_, users = NA_real_, requests = 1e4, error_share = 0, bound_throughput, bound_latency)]
  summary[, (statistic) := NA_real_]
  list(measured = as_measured(summary, slices[, c("loop", "sleep_ms", "baseline") := NULL]), truth = data.table(mode = sprintf("mode-%d", seq_along(pairs)), true = true))
}

simulate_pair <- function(pair, true, number, statistic, design) {
  spread <- sd(pair$changes)
  rbindlist(lapply(seq_len(design$sessions), function(at) {
    drawn <- pair$baseline[sample(.N, design$rounds, replace = TRUE)]
    drawn[, `:=`(round = seq_len(.N), slice = seq_len(.N), repetition = at, session = paste(number, at), outcome = "completed", valid = TRUE)]
    drawn[, `:=`(latency_valid = TRUE, bound_throughput = "", bound_latency = "", kept = TRUE, reason = "", mode = paste0("baseline-", number), baseline = NA_character_)]
    offset <- rnorm(1, 0, spread * sqrt(c(design$process_share, process_share)[1]))
    other <- copy(drawn)[, `:=`(mode = paste0("mode-", number), baseline = paste0("baseline-", number))]
    values <- drawn[[statistic]] * true * exp(offset + sample(pair$changes, design$rounds, replace = TRUE))
    set(other, j = statistic, value = if (isTRUE(design$quantized)) round(100 * values / mean(values)) * mean(values) / 100 else values)
    lost <- function(rows) rows[runif(.N) < lost_rounds, `:=`(reason = "not_completed", kept = FALSE)]
    rbind(lost(drawn), lost(other))
  }))
}

#' How right intervals are in one design.
#'
#' @param runs how many runs are made; `lender` design of a shipped run, which lends its noise, or NULL.
#' @return data.table of one row: comparisons, coverage (intervals that hold the truth), wide (no interval, as it spans too much),
#'   half_width (median, as a share), false (of no difference: p-values of at most 5 %), found_5, found_10, found_20 (of these
#'   differences), same (of no difference: within the margin by a test at 5 %).
rates_of <- function(pairs, statistic, design, runs, lender = NULL) {
  at <- match(statistic, compared_statistics$statistic)
  only <- compared_statistics[at]
  rows <- rbindlist(lapply(seq_len(runs), function(run) {
    known <- if (!is.null(lender)) compare_modes(simulate_run(pairs, statistic, lender)$measured, only)
    made <- simulate_run(pairs, statistic, design)
    made$measured$known <- known
    compare_modes(made$measured, only)[made$truth, on = "mode"]
  }))
  told <- rows[reason == ""]
  found <- function(size) told[abs(abs(log(true)) - log(size)) < 1e-9, mean(p_value <= 1 - confidence)]
  told[, .(
    comparisons = nrow(rows), coverage = mean(low <= true & true <= high), wide = 1 - nrow(told) / nrow(rows), half_width = median(log(high / low)) / 2,
    false = found(1), found_5 = found(1.05), found_10 = found(1.1), found_20 = found(1.2), same = mean((equivalence_p_value <= 1 - confidence)[true == 1])
  )]
}

# Shipped runs lend the noise of what they have; what is new, or a reader's own, is alone.
plasmode_designs <- list(
  list(sessions = 1, rounds = 6), list(sessions = 2, rounds = 2), list(sessions = 2, rounds = 6), list(sessions = 3, rounds = 6),
  list(sessions = 2, rounds = 6, alone = TRUE), list(sessions = 3, rounds = 6, alone = TRUE), list(sessions = 3, rounds = 6, few = TRUE),
  list(sessions = 3, rounds = 6, quantized = TRUE)
)
plasmode_statistics <- c("throughput_per_s", "cpu_us_per_request", "latency_mean_ms")

#' The rates of all designs, by statistic.
#'
#' @param measured see as_measured(): the run whose slices are used; `runs` of each design.
#' @return data.table: statistic, sessions, rounds, design (what is special), and see rates_of(). All but those that are alone take their
#'   noise from another run of two sessions, as shipped runs lend it; few are five, of which a small study or a named cell has no more.
simulate_coverage <- function(measured, runs, designs = plasmode_designs, statistics = plasmode_statistics) {
  pairs <- lapply(setNames(nm = statistics), measured_pairs, measured = measured)
  tasks <- CJ(statistic = statistics, design = seq_along(designs), sorted = FALSE)
  found <- parallel::mclapply(seq_len(nrow(tasks)), function(at) {
    set.seed(at)
    coverage_of(pairs[[tasks$statistic[at]]], tasks$statistic[at], designs[[tasks$design[at]]], runs)
  }, mc.cores = 2, mc.preschedule = FALSE)
  failed <- Filter(function(row) inherits(row, "try-error"), found)
  if (length(failed) > 0) stop(failed[[1]], call. = FALSE)
  rbindlist(found)
}

coverage_of <- function(pairs, statistic, design, runs) {
  few <- isTRUE(design$few)
  lender <- if (!isTRUE(design$alone)) list(sessions = 2, rounds = 6)
  words <- c(if (few) "five comparisons", if (isTRUE(design$alone)) "in no other run", if (isTRUE(design$quantized)) "counts of about 100")
  cbind(
    data.table(statistic = statistic, sessions = design$sessions, rounds = design$rounds, design = paste(words, collapse = ", ")),
    rates_of(if (few) sample(pairs, 5) else pairs, statistic, design, runs * if (few) 5 else 1, lender)
  )
}
