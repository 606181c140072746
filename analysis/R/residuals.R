# Predictions beside what was measured, in classes that tell what a hit says of the primitives, the score
# that false primitives would have, and reasons for what is off: each is a rule that can fail.

library(data.table)

# A value counts as predicted within the first of these shares, as nearly so within the second.
within_shares <- c("within 10 %" = 0.1, "within 15 %" = 0.15)
#' What comes of a prediction: within 10 or 15 % where it depends on primitives; `configured`, within
#' 10 % where it does not, so that the load's configuration alone says it; `not predicted`.
prediction_classes <- c(names(within_shares), "configured", "not predicted")
# Doubling the primitives must move a prediction by more than a hit allows. Else it hits whatever they are.
depends_from <- within_shares[[1]]
shuffles <- 20
unexplained <- "unexplained"

#' What was measured, pooled over valid repetitions.
#'
#' @param summary see read_summary().
#' @return data.table: study, mode, tier, tool, figure, measured (geometric mean), measured_low,
#'   measured_high (95 %, t on logarithms), and what may explain it: server_cpu_share (CPUs in use),
#'   generator_cpu_share, gc_share (of the time of the load), users_alive (as the generator counts them).
pool_measured <- function(summary) {
  figures <- c("throughput_per_s", "latency_mean_ms", "cpu_us_per_request")
  cells <- summary[poolable(summary)]
  cells[, `:=`(
    server_cpu_share = cpu_us_per_request * throughput_per_s / 1e6, gc_share = gc_pause_ms / 1000 / duration_s
  )]
  long <- melt(cells,
    id.vars = c("study", "mode", "tier", "tool", evidence), measure.vars = figures,
    variable.name = "figure", variable.factor = FALSE
  )[value > 0]
  long[, {
    interval <- exp(t_interval(log(value)))
    pooled <- list(
      measured = exp(mean(log(value))), measured_low = interval[1], measured_high = interval[2]
    )
    c(pooled, lapply(.SD, mean))
  }, by = .(study, mode, tier, tool, figure), .SDcols = evidence]
}

evidence <- c("server_cpu_share", "generator_cpu_share", "gc_share", "users_alive")
prediction_keys <- c("study", "mode", "tier", "tool", "figure")

place_of <- function(row) paste(row$study, row$mode, row$tier, row$tool, sep = "/")

#' The setups of cells, one per mode, tier and tool, by place; see read_setup().
setups_of <- function(cells) {
  setups <- lapply(cells, read_setup)
  names(setups) <- vapply(setups, place_of, "")
  setups[!duplicated(names(setups))]
}

# A row per place and figure, see predict_cell().
predict_places <- function(setups, primitives) {
  rbindlist(lapply(setups, function(setup) {
    rows <- predict_cell(setup, primitives)
    cbind(as.data.table(setup[prediction_keys[1:4]])[rep(1, nrow(rows))], rows)
  }))
}

scaled_primitives <- function(primitives, factor) {
  ends <- c("mean", "low", "high")
  copy(primitives)[, (ends) := lapply(.SD, `*`, factor), .SDcols = ends]
}

# The costs change places among the primitives of the same statistic.
shuffled_primitives <- function(primitives, seed) {
  set.seed(seed)
  ends <- c("mean", "low", "high")
  copy(primitives)[, (ends) := .SD[sample(.N)], by = statistic, .SDcols = ends]
}

class_of <- function(residual, depends) {
  off <- abs(residual)
  fcase(
    is.na(off), NA_character_,
    !depends & off <= within_shares[1], "configured",
    depends & off <= within_shares[1], names(within_shares)[1],
    depends & off <= within_shares[2], names(within_shares)[2],
    default = "not predicted"
  )
}

#' Predictions of all cells beside what was measured.
#'
#' @param setups see setups_of().
#' @param summary see read_summary().
#' @param primitives see read_primitives().
#' @return data.table, a row per study, mode, tier, tool and figure: predicted, low, high, measured,
#'   measured_low, measured_high (NA where no repetition is valid), residual (measured / predicted - 1),
#'   model, doubled (what doubled primitives would predict, by predicted), depends (whether that is
#'   away from 1 by more than 10 %), class (see prediction_classes; NA where nothing is measured),
#'   explanation (of what is not predicted: a reason by explain_residual(), or `unexplained`). A row whose
#'   model is no_prediction has no numbers and counts nowhere; its explanation is why nothing is predicted.
predict_cells <- function(setups, summary, primitives) {
  table <- predict_places(setups, primitives)
  twice <- predict_places(setups, scaled_primitives(primitives, 2))
  table[twice, on = prediction_keys, doubled := i.predicted / predicted]
  table <- merge(table, pool_measured(summary), by = prediction_keys, all.x = TRUE, sort = FALSE)
  table[, `:=`(residual = measured / predicted - 1, depends = (abs(doubled - 1) > depends_from) %in% TRUE)]
  table[, class := class_of(residual, depends)]
  table[, explanation := vapply(seq_len(.N), function(index) {
    row <- table[index]
    setup <- setups[[place_of(row)]]
    if (row$model == no_prediction) return(why_unpredicted(setup, row$figure))
    if (row$class %in% "not predicted") explain_residual(row, setup, primitives) else ""
  }, "")]
  table[, (evidence) := NULL][]
}

#' How many of the values that depend on primitives are predicted, with the primitives as measured and
#' with false ones. A score that false primitives reach says nothing.
#'
#' @param setups,primitives see predict_cells(); `predictions` what that returns.
#' @return data.table, a row per set of primitives: primitives (as measured, halved, doubled, shuffled),
#'   draw (of the shuffled), values, within_10, within_15 (numbers of values).
score_primitives <- function(setups, primitives, predictions) {
  sets <- c(
    list("as measured" = primitives, halved = scaled_primitives(primitives, 0.5), doubled = scaled_primitives(primitives, 2)),
    setNames(lapply(seq_len(shuffles), shuffled_primitives, primitives = primitives), rep("shuffled", shuffles))
  )
  wanted <- predictions[depends & !is.na(measured), c(prediction_keys, "measured"), with = FALSE]
  rows <- lapply(sets, function(set) {
    found <- predict_places(setups, set)[wanted, on = prediction_keys]
    off <- found[, abs(measured / predicted - 1)]
    data.table(
      values = nrow(wanted), within_10 = sum(off <= within_shares[1], na.rm = TRUE),
      within_15 = sum(off <= within_shares[2], na.rm = TRUE)
    )
  })
  rbindlist(rows, idcol = "primitives")[, draw := seq_len(.N), by = primitives][]
}

# ---- Why it differs ------------------------------------------------------------------------------

#' Why a value was not as predicted: the first rule that fits. None uses the value itself or a figure
#' that follows from it, and none fits both too much and too little.
#' - users of a closed loop were not there, as the generator counts them: with those who were, the same
#'   model predicts the value within 10 %;
#' - the collector stopped the server: without that time the prediction is within 10 %;
#' - worse than predicted, while the generator used up its CPUs and the server did not.
#' CPU time per request has no rule.
#'
#' @param row one row of the predictions, with the evidence of pool_measured().
#' @param setup see read_setup(); `primitives` see read_primitives().
#' @return one string.
explain_residual <- function(row, setup, primitives) {
  if (row$figure == "cpu_us_per_request") return(unexplained)
  # A request that costs more lowers the throughput and raises the latency.
  worse <- (row$residual < 0) == (row$figure == "throughput_per_s")
  users_were_missing(row, setup, primitives) %or%
    (if (worse) collector_stopped(row)) %or%
    (if (worse) generator_was_slower(row, setup)) %or% unexplained
}

`%or%` <- function(first, second) if (is.null(first)) second else first

hits <- function(measured, predicted) isTRUE(abs(measured / predicted - 1) <= within_shares[1])

users_were_missing <- function(row, setup, primitives) {
  if (setup$open || !isTRUE(row$users_alive < (1 - within_shares[1]) * setup$users)) return(NULL)
  wanted <- row$figure
  again <- predict_cell(modifyList(setup, list(users = max(1, round(row$users_alive)))), primitives)[figure == wanted]
  if (nrow(again) == 0 || !hits(row$measured, again$predicted)) return(NULL)
  sprintf(
    "of %s users %s were there on average; for those the model gives %s", three_digits(setup$users),
    three_digits(row$users_alive), three_digits(again$predicted)
  )
}

collector_stopped <- function(row) {
  left <- 1 - row$gc_share
  again <- row$predicted * if (row$figure == "throughput_per_s") left else 1 / left
  if (!isTRUE(left > 0) || !hits(row$measured, again)) return(NULL)
  sprintf("garbage collection stopped the server for %.0f %% of the load", 100 * row$gc_share)
}

generator_was_slower <- function(row, setup) {
  share <- row$server_cpu_share / setup$cpus
  if (!isTRUE(row$generator_cpu_share > 0.9 && share < 0.8)) return(NULL)
  sprintf(
    "the generator used %.0f %% of its CPUs, the server %.0f %%: the load went at the generator's pace",
    100 * row$generator_cpu_share, 100 * share
  )
}

three_digits <- function(value) format(signif(value, 3), big.mark = ",", scientific = FALSE)

#' Reads the predictions that predict.R wrote.
#'
#' @param path path of results/predictions.csv.
#' @return data.table, see predict_cells(), and rules_version.
read_predictions <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  fread(path, encoding = "UTF-8", na.strings = "NA", colClasses = list(
    character = c(prediction_keys, "model", "class", "explanation"),
    double = c(
      "predicted", "low", "high", "measured", "measured_low", "measured_high", "residual", "doubled"
    ),
    logical = "depends"
  ))[]
}
