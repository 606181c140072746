# The rounds, sessions and minutes that an undecided comparison lacks, by the noise that is known, and supposing that the ratio stays what it is. A cell
# that is measured by itself has a session of its own with its baseline (workloads/session/until_decided.py), so the rounds are those of one session.

rounds_tried <- c(4:20, seq(25, 100, 5), seq(120, 400, 20))
sessions_tried <- 2:20

no_lacking <- function() {
  typed_table(c(comparison_place, "statistic", "lacks"), c("rounds_needed", "sessions_needed", "minutes"))
}

#' The rounds or sessions that each undecided primary comparison lacks.
#'
#' @param comparisons see add_verdicts(); `measured` see as_measured(), with known.
#' @return rows of undecided.csv, see tables.yaml: rounds of one session by itself, or sessions where rounds alone decide nothing, as
#'   processes differ by more; lacks is `more` for nothing that can be told.
lacking <- function(comparisons, measured) {
  rows <- comparisons[verdict == "undecided" & rounds > 0 & is.finite(within) & df_within > 0]
  if (nrow(rows) == 0) return(no_lacking())
  rows[, place := name_of_place(.SD), .SDcols = comparison_place]
  rows[, process_reach := fcoalesce(reach_of_new_process(as_one_session(.SD), lenders_of(measured$known, .BY$statistic)), 0), by = statistic]
  times <- times_of_rounds(measured)
  rbindlist(lapply(seq_len(nrow(rows)), function(at) lacking_of(rows[at], times)))
}

lacking_of <- function(row, times) {
  margin <- margin_of(compared_statistics[statistic == row$statistic])
  centre <- abs(on_scale(row$estimate, row$effect))
  spread <- row$within * sqrt(row$rounds / row$pairs)
  of_rounds <- function(count) decides(centre, margin, spread / sqrt(count), count - 1, row$process_reach)
  of_sessions <- function(count) decides(centre, margin, row$within / sqrt(count), count * row$df_within / row$pairs, row$process_reach / sqrt(count))
  rounds <- first_that(rounds_tried, of_rounds)
  sessions <- if (is.na(rounds)) first_that(sessions_tried, of_sessions) else NA_real_
  time <- times[row, on = cell_place]
  per_session_s <- time$set_up_s + row$rounds / row$pairs * time$round_s
  seconds <- if (!is.na(rounds)) time$set_up_s + rounds * time$round_s else sessions * per_session_s
  cbind(row[, ..comparison_keys], data.table(
    lacks = if (!is.na(rounds)) "rounds" else if (!is.na(sessions)) "sessions" else "more", rounds_needed = as.numeric(rounds), sessions_needed = as.numeric(sessions),
    minutes = seconds / 60
  ))
}

first_that <- function(counts, decides) c(Filter(decides, counts), NA_real_)[1]

# Whether an effect of this size would be told from none, or placed within the margin.
decides <- function(centre, margin, error, df, process_reach) {
  reach <- function(level) sqrt((qt((1 + level) / 2, df) * error)^2 + (process_reach * qnorm((1 + level) / 2) / qnorm((1 + confidence) / 2))^2)
  centre > reach(confidence) || centre + reach(2 * confidence - 1) < margin
}

# Seconds that a round of a mode with its baseline takes, and those before the first: starts and warm-ups of both.
times_of_rounds <- function(measured) {
  plain <- measured$slices[kind == "plain" & beside == ""][order(session, start_epoch_s)]
  plain[, apart_s := shift(start_epoch_s, -1) - start_epoch_s, by = .(session, tier, tool)]
  of_round <- plain[, .(round_s = 2 * median(pmax(apart_s, duration_s), na.rm = TRUE)), by = cell_place]
  before <- measured$summary[, .(set_up_s = 2 * mean_of(fcoalesce(start_up_s, 0) + fcoalesce(warm_up_s, 0))), by = cell_place]
  before[of_round, on = cell_place]
}

#' @export
read_lacking <- function(path) read_typed(path, no_lacking())
