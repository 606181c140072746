# Two pools in a row: threads in the database, connections in its client. Which sizes are best together, how sure that is, and what a
# new connection takes in steps.

#' Reads what a client measured of every combination of sizes.
#'
#' @param path path of a cell's combinations.csv.
#' @return data.table, means over the slices of a combination: thread_pool_size (0: as the server has it), connection_pool_size (0: a new
#'   connection each time), transactions, per_s, latencies in ms, wait_*_ms (for a connection), fairness (Jain's index over workers).
read_combinations <- function(path) {
  wanted <- c("slice", "thread_pool_size", "connection_pool_size", "transactions", "per_s", "p99_ms", "fairness")
  table <- read_required(path, wanted)[, slice := NULL]
  table[, lapply(.SD, function(values) mean(as.numeric(values))), by = .(thread_pool_size, connection_pool_size)]
}

#' The grid of both sizes, see read_combinations(), from valid cells in which more than one combination was measured.
read_grid <- function(cells) {
  rows <- rbindlist(lapply(cells, function(cell) {
    file <- file.path(cell$folder, "combinations.csv")
    if (!isTRUE(cell$validity$valid) || !file.exists(file)) return(NULL)
    combinations <- read_combinations(file)
    if (nrow(combinations) < 2) return(NULL)
    combinations[, `:=`(
      study = cell$cell$study, mode = cell$cell$mode, tier = cell$cell$tier, repetition = as.integer(cell$cell$repetition)
    )]
  }), fill = TRUE)
  if (nrow(rows) == 0) no_grid() else rows
}

no_grid <- function() typed_table(c("study", "mode", "tier"))
no_combinations <- function() summarise_combinations(no_grid())

#' Throughput of every combination over repetitions, and whether it can be told from the best.
#'
#' Combinations of a mode and a tier are compared with the one of the highest mean. What differs between repetitions is taken out as a block,
#' and the noise is pooled over all combinations (two-way analysis of variance on logarithms), for few repetitions of one say little of it.
#' The limit is Bonferroni's over all but the best, so the set of those that may be the best rather holds too many (Hsu 1984).
#'
#' @param grid see read_grid().
#' @return rows of combinations.csv, see tables.yaml. With one repetition there is no noise, and low, high, spread and among_best are NA.
summarise_combinations <- function(grid) {
  columns <- c("thread_pool_size", "connection_pool_size", "middle", "low", "high", "share", "spread", "among_best")
  if (nrow(grid) == 0) return(copy(grid)[, (columns) := numeric()][])
  grid[, {
    repetitions <- uniqueN(repetition)
    sizes <- .SD[per_s > 0, .(middle = exp(mean(log(per_s)))), by = .(thread_pool_size, connection_pool_size)]
    noise <- if (repetitions > 1) noise_of_grid(.SD) else list(sd = NA_real_, df = NA_real_)
    behind <- log(max(sizes$middle)) - log(sizes$middle)
    reach <- half_interval(noise$sd, noise$df, repetitions)
    sizes[, `:=`(
      low = middle * exp(-reach), high = middle * exp(reach),
      share = middle / max(middle), spread = exp(noise$sd),
      among_best = if (repetitions > 1) behind <= reach_of_noise(noise, .N, repetitions) else NA
    )]
  }, by = .(study, mode, tier)]
}

# NA where too little was measured to have noise.
noise_of_grid <- function(rows) {
  rows <- copy(rows[per_s > 0])[, sizes := paste(thread_pool_size, connection_pool_size)]
  if (uniqueN(rows$sizes) < 2 || uniqueN(rows$repetition) < 2) return(list(sd = NA_real_, df = NA_real_))
  fit <- lm(log(per_s) ~ sizes + factor(repetition), rows)
  list(sd = summary(fit)$sigma, df = fit$df.residual)
}

# How far below the best a combination's mean of logarithms may be and still be as good.
reach_of_noise <- function(noise, combinations, repetitions) {
  qt(1 - (1 - confidence) / (combinations - 1), noise$df) * noise$sd * sqrt(2 / repetitions)
}

#' @export
read_combined <- function(path) {
  fread(path, colClasses = list(character = c("study", "mode", "tier"), numeric = c("share", "middle")))
}
