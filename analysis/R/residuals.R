# Predictions beside what was measured, and why they differ: by rules that know no results, from what
# the cell's own figures show.

library(data.table)

within_share <- 0.1
fitted_model <- "universal scalability law, fitted"

#' What was measured, pooled over valid repetitions.
#'
#' @param summary see read_summary().
#' @return data.table: study, mode, tier, tool, figure, measured (geometric mean), measured_low,
#'   measured_high (95 %, t on logarithms), and what explains it: server_cpu_share (CPUs in use),
#'   generator_cpu_share, backend_cpu_share (of theirs), gc_share (of the time of the load), at_once
#'   (requests, by Little's law), server_cpu_us, backend_cpu_us (per request).
pool_measured <- function(summary) {
  figures <- c("throughput_per_s", "latency_mean_ms", "cpu_us_per_request")
  cells <- summary[poolable(summary)]
  cells[, `:=`(
    server_cpu_share = cpu_us_per_request * throughput_per_s / 1e6,
    gc_share = gc_pause_ms / 1000 / duration_s, at_once = throughput_per_s * latency_mean_ms / 1000,
    server_cpu_us = cpu_us_per_request, backend_cpu_us = backend_cpu_us_per_request
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

evidence <- c(
  "server_cpu_share", "generator_cpu_share", "backend_cpu_share", "gc_share", "at_once",
  "server_cpu_us", "backend_cpu_us"
)

#' Predictions of all cells beside what was measured.
#'
#' @param cells list of cells, see read_cells().
#' @param summary see read_summary().
#' @param primitives see read_primitives().
#' @param cpu_groups see read_cpu_groups().
#' @param fits see fit_modes().
#' @return data.table, a row per study, mode, tier, tool, figure and model: predicted, low, high,
#'   measured, measured_low, measured_high (NA where no repetition is valid), residual (measured /
#'   predicted - 1), within_10_percent, explanation (empty within 10 %, otherwise the cause that the
#'   cell's own figures show, or `unexplained`).
predict_cells <- function(cells, summary, primitives, cpu_groups, fits) {
  setups <- lapply(cells, read_setup)
  names(setups) <- vapply(setups, place_of, "")
  setups <- setups[!duplicated(names(setups))]
  keys <- c("study", "mode", "tier", "tool", "figure")
  predicted <- rbindlist(lapply(setups, function(setup) {
    rows <- predict_cell(setup, primitives)
    cbind(as.data.table(setup[keys[1:4]])[rep(1, nrow(rows))], rows)
  }))
  measured <- pool_measured(summary)
  table <- merge(predicted, measured, by = keys, all.x = TRUE, sort = FALSE)
  table <- rbind(table, fitted_rows(summary, fits, measured), fill = TRUE)
  table[, residual := measured / predicted - 1]
  table[, within_10_percent := abs(residual) <= within_share]
  assumed <- lapply(setups, function(setup) {
    rate <- predicted[setup[keys[1:4]], on = keys[1:4]][figure == "throughput_per_s", predicted]
    request_costs(setup, primitives, rate)
  })
  groups <- pool_cpu_groups(cpu_groups)[group != "JIT"]
  table[, explanation := vapply(seq_len(.N), function(index) {
    explain_residual(table[index], setups, assumed, groups)
  }, "")]
  columns <- c(
    keys, "predicted", "low", "high", "measured", "measured_low", "measured_high", "residual",
    "model", "within_10_percent", "explanation"
  )
  table[, columns, with = FALSE]
}

place_of <- function(row) paste(row$study, row$mode, row$tier, row$tool, sep = "/")

fitted_rows <- function(summary, fits, measured) {
  fitted <- merge(
    unique(summary[fixed_by(summary) == "", .(study, mode, tier, tool, users, path = what_is_asked(path, tier))]),
    fits[reason == ""],
    by = c("study", "mode", "tool", "path")
  )
  if (nrow(fitted) == 0) return(NULL)
  rows <- fitted[, .(
    study, mode, tier, tool, figure = "throughput_per_s",
    predicted = usl_throughput(users, lambda, sigma, kappa), model = fitted_model
  )]
  merge(rows, measured, by = c("study", "mode", "tier", "tool", "figure"))
}

# ---- Why it differs ------------------------------------------------------------------------------

#' Why a value was not as predicted, from the cell's own figures: the first of
#' - the intervals of prediction and measurement overlap, so that nothing needs a cause;
#' - of CPU time: the group of stacks whose cost is farthest from what the model assumes;
#' - users of a closed loop were not there: its requests at once (X R) are fewer than its users by a
#'   tenth, or by as much as throughput is less;
#' - the generator was busier than the server, so that the loop went at its pace;
#' - requests cost another CPU time than assumed: with that which was measured the same model comes
#'   at least half as near (on logarithms) to the figure; and that group of stacks;
#' - the server's CPUs were the limit, and that group of stacks;
#' - the collector stopped the server.
#'
#' @param row one row of the predictions, with the evidence of pool_measured().
#' @param setups,assumed by place: see read_setup(), request_costs().
#' @param groups see pool_cpu_groups().
#' @return one string.
explain_residual <- function(row, setups, assumed, groups) {
  if (is.na(row$residual) || row$within_10_percent) return("")
  if (row$model == fitted_model) return("throughput does not follow the law at this load")
  if (isTRUE(row$measured_low <= row$high && row$low <= row$measured_high)) {
    return("the intervals of prediction and measurement overlap")
  }
  place <- place_of(row)
  cell_groups <- groups[as.list(row), on = c("study", "mode", "tier", "tool"), nomatch = NULL]
  costs <- compare_costs(cell_groups, assumed[[place]])
  why <- if (row$figure == "cpu_us_per_request") {
    farthest_group(costs, more = row$residual > 0)
  } else {
    explain_load(row, setups[[place]], costs)
  }
  if (is.null(why)) "unexplained" else why
}

explain_load <- function(row, setup, costs) {
  # A request that costs more lowers the throughput and raises the latency.
  worse <- (row$residual < 0) == (row$figure == "throughput_per_s")
  users_were_missing(row, setup) %or%
    (if (worse) generator_was_slower(row, setup)) %or%
    cpu_time_was_another(row, setup, costs) %or%
    cpus_were_used_up(row, setup, costs, worse) %or%
    (if (worse) collector_stopped(row))
}

`%or%` <- function(first, second) if (is.null(first)) second else first

# CPUs of the server that were in use, those by a database beside it too.
cpu_share <- function(row, setup) {
  row$server_cpu_share / setup$cpus + if (setup$shares_cpus) row$backend_cpu_share else 0
}

users_were_missing <- function(row, setup) {
  always_there <- !setup$open && (setup$loops > 1 || !is.na(setup$lasts_s))
  # Fewer users make both throughput and latency lower.
  if (!always_there || row$residual > 0) return(NULL)
  # Throughput by as much as they are fewer, if those who were there waited as long as predicted.
  there <- row$at_once / setup$users
  alone <- row$figure == "throughput_per_s" && abs(row$measured / (row$predicted * there) - 1) <= within_share
  if (!isTRUE(there < 1 - within_share || (there < 1 && alone))) return(NULL)
  sprintf(
    "of %s users %s were there on average: the generator was still starting them, or done with some",
    three_digits(setup$users), three_digits(row$at_once)
  )
}

generator_was_slower <- function(row, setup) {
  share <- cpu_share(row, setup)
  if (!isTRUE(row$generator_cpu_share > max(share, 0.5))) return(NULL)
  sprintf(
    "the generator used %.0f %% of its CPUs, the server %.0f %%: the load went at the generator's pace",
    100 * row$generator_cpu_share, 100 * share
  )
}

cpus_were_used_up <- function(row, setup, costs, worse) {
  share <- cpu_share(row, setup)
  if (!isTRUE(share > 0.8)) return(NULL)
  busy <- sprintf("the server's CPUs were used to %.0f %%", 100 * share)
  if (setup$shares_cpus) {
    busy <- sprintf("%s, %.0f %% by the database", busy, 100 * row$backend_cpu_share)
  }
  paste(c(busy, farthest_group(costs, worse)), collapse = "; ")
}

collector_stopped <- function(row) {
  if (!isTRUE(row$gc_share > 0.05)) return(NULL)
  sprintf("garbage collection stopped the server for %.0f %% of the load", 100 * row$gc_share)
}

cpu_time_was_another <- function(row, setup, costs) {
  cpu_us <- row$server_cpu_us + if (setup$shares_cpus) row$backend_cpu_us else 0
  if (!isTRUE(cpu_us > 0) || setup$handling == "database") return(NULL)
  again <- predict_again(row, setup, cpu_us, costs)
  if (!isTRUE(again > 0)) return(NULL)
  left <- abs(log(row$measured / again)) / abs(log(row$measured / row$predicted))
  if (!isTRUE(left <= 0.5)) return(NULL)
  told <- sprintf(
    "a request took %s µs of CPU time; with that the model gives %s", three_digits(cpu_us),
    three_digits(again)
  )
  paste(c(told, farthest_group(costs, more = sum(costs$apart_us) > 0)), collapse = "; ")
}

# The same figure by the same model, with the CPU time that was measured.
predict_again <- function(row, setup, cpu_us, costs) {
  if (row$model == one_thread_model) {
    return(if (is.null(costs)) NA_real_ else row$predicted + (cpu_us - sum(costs$assumed_us)) / 1000)
  }
  load <- predict_load(setup, cpu_us / 1e6)
  if (row$figure == "throughput_per_s") load$throughput_per_s else 1000 * load$latency_s
}

# What each group of stacks costs a request, and what the model assumes; NULL where nothing was
# sampled or assumed.
compare_costs <- function(measured, assumed) {
  if (nrow(measured) == 0 || is.null(assumed) || nrow(assumed) == 0) return(NULL)
  measured <- measured[, .(
    us = sum(cpu_us_per_request)
  ), by = .(group = ifelse(group %in% request_groups, request_group, group))]
  both <- merge(measured, assumed[, .(group, assumed_us = mean)], by = "group", all = TRUE)
  setnafill(both, fill = 0, cols = c("us", "assumed_us"))
  both[, apart_us := us - assumed_us][]
}

# The group farthest from what the model assumes; NULL where it makes less than a third of the
# difference.
farthest_group <- function(costs, more) {
  if (is.null(costs)) return(NULL)
  farthest <- costs[which.max(if (more) apart_us else -apart_us)]
  if ((farthest$apart_us > 0) != more) return(NULL)
  if (abs(farthest$apart_us) < abs(sum(costs$apart_us)) / 3) return(NULL)
  sprintf(
    "%s takes %s µs, the model assumes %s", farthest$group, three_digits(farthest$us),
    three_digits(farthest$assumed_us)
  )
}

three_digits <- function(value) format(signif(value, 3), big.mark = ",", scientific = FALSE)

#' Reads the predictions that predict.R wrote.
#'
#' @param path path of results/predictions.csv.
#' @return data.table, see predict_cells().
read_predictions <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  predictions <- fread(path, encoding = "UTF-8", na.strings = "NA", colClasses = list(
    character = c("study", "mode", "tier", "tool", "figure", "model", "explanation"),
    double = c(
      "predicted", "low", "high", "measured", "measured_low", "measured_high", "residual"
    ),
    logical = "within_10_percent"
  ))
  predictions[]
}
