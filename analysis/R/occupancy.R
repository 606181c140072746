# Where the users stand: the users of a closed loop by what they wait for. By Little's law N = X · R, so the time that a request spends
# in one place, times the throughput, is how many users are there at any moment.

no_occupancy <- function() typed_table(cell_place, c("users", "waiting", "connection", "cpu", "not_admitted", "throughput_per_s"))

#' The users of closed loops by what they wait for.
#'
#' @param cells list of read_cell(); `summary` see read_summary(), whose valid cells give throughputs and waits.
#' @return rows of occupancy.csv, see tables.yaml, for closed loops whose users all stay: medians over valid sessions. A connection is
#'   one of the pool, where the server counts that (else 0); cpu is the rest, the client's time included.
occupy_modes <- function(cells, summary) {
  if (length(cells) == 0) return(no_occupancy())
  setups <- rbindlist(lapply(cells, function(cell) read_setup(cell)[c(cell_place, "users", "most_inside", "wait_s", "steady", "holds_connection")]))
  setups <- unique(setups[steady == TRUE & is.finite(users)], by = cell_place)[, most_inside := as.numeric(most_inside)]
  if (nrow(setups) == 0) return(no_occupancy())
  values <- summary[counts_for(summary), .(
    throughput_per_s = as.numeric(median(throughput_per_s, na.rm = TRUE)), pool_wait_ms = as.numeric(median(pool_wait_mean_ms, na.rm = TRUE))
  ), by = cell_place]
  rows <- values[setups, on = cell_place, nomatch = NULL][is.finite(throughput_per_s) & throughput_per_s > 0]
  rows[, waiting := pmin(users, throughput_per_s * wait_s)]
  # Users before a pool of connections are those whom its server counts, where it does.
  rows[, connection := pmin(users - waiting, fcoalesce(throughput_per_s * pool_wait_ms / 1000, 0))]
  rows[holds_connection & is.finite(pool_wait_ms) & connection > 0.01 * users, most_inside := Inf]
  rows[, not_admitted := pmin(users - waiting - connection, pmax(0, users - most_inside))]
  rows[, cpu := users - waiting - connection - not_admitted]
  rows[, names(no_occupancy()), with = FALSE]
}

#' @export
read_occupancy <- function(path) read_if_there(path, no_occupancy())
