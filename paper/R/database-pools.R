# The section on databases: what a connection costs, and what pools of connections and threads save.

#' Loads of one tier that make a connection for every k transactions, MariaDB.
#'
#' @return data.table: mode, per_transaction (connections a transaction; 0 for kept ones), per_s.
reconnecting_cells <- function(all, at) {
  every <- vapply(all$cells, function(cell) {
    number(c(cell$configuration$mode$client$reconnect_every, 0)[1])
  }, 0)
  engine <- vapply(all$cells, function(cell) words(cell$configuration$engine$id), "")
  cells <- copy(all$summary)[, `:=`(every = every, engine = engine)]
  measured <- cells$tool == "sysbench" & cells$tier == at & cells$engine %in% "mariadb" & counts_for(cells, "throughput_per_s")
  # Those that keep their connections, but are otherwise alike.
  kept <- base_of(cells$mode) %in% cells$baseline[measured & every > 0]
  wanted <- measured & (every > 0 | kept)
  cells[wanted, .(mode, per_transaction = fifelse(every == 0, 0, 1 / every), per_s = throughput_per_s)]
}

#' @param cost see connection_cost(); `at` the tier.
sentence_connection_cost <- function(cost, at) {
  if (is.null(cost)) return("Too few kinds of reconnecting were measured to show what a connection costs.")
  sprintf(
    "At %s, with the database's CPU used up, a transaction takes %s ms of it and a new connection another %s ms (linear fit over connections per transaction, R² = %s).",
    as_code(at), with_interval(cost$work_ms, cost$work_ms_low, cost$work_ms_high),
    with_interval(cost$connect_ms, cost$connect_ms_low, cost$connect_ms_high), format_number(cost$r_squared)
  )
}

#' The tier at which most ways of making connections were measured.
tier_of_reconnecting <- function(all) {
  tiers <- tier_levels(all$summary)
  ways <- vapply(tiers, function(at) uniqueN(reconnecting_cells(all, at)$per_transaction), 0L)
  tiers[which.max(ways)]
}

#' The effect of the pooler where clients keep their connections.
sentence_kept_pooler <- function(all) {
  setups <- unique(rbindlist(lapply(all$cells, function(cell) {
    data.table(mode = cell$cell$mode, engine = words(cell$configuration$engine$id), keeps = is.null(cell$configuration$mode$client))
  })))
  kept <- setups[keeps == TRUE]
  rows <- all$comparisons[statistic == "throughput_per_s" & !is.na(estimate) & mode %in% kept$mode & baseline %in% kept$mode]
  engine_of <- function(modes) kept$engine[match(modes, kept$mode)]
  rows <- rows[engine_of(mode) %in% "pgbouncer" & engine_of(baseline) %in% "postgresql"]
  if (nrow(rows) == 0) return("")
  sprintf(
    "Where clients keep their connections, PostgreSQL alone and with PgBouncer serve %s.",
    enumerate(sprintf("%s at %s, a ratio of %s", values_of_both(rows), as_code(rows$tier), effect_with_interval(rows)), "; ")
  )
}
