# Which cells and slices a statistic counts. A rule that finds a disturbance excludes what that disturbs, and no more: a late
# generator, a slow machine or a compiler at work make latency longer, and leave CPU time, throughput and counts as they
# are. What a mode does (fails, refuses, dies) is a result and excludes nothing.

# A slice that failed one of these has no value at all: its server was gone, or the load was not that of its tier.
spoils_slice <- "not_completed|idle_connections|unthrottled|stood_still"

#' Whether cells count for a statistic: a logical vector, one per row of the summary, of the slices or of the capacities.
#' @export
counts_for <- function(cells, statistic = "cpu_us_per_request") {
  switch(counts_of(statistic),
    offered = cells$valid & cells$outcome != "beyond_limits",
    latency = cells$valid & cells$latency_valid & cells$outcome == "completed",
    cells$valid & cells$outcome == "completed"
  )
}

# The same of the slices of cells that count, for each kind of load. A bound of latency counts as one.
slices_for <- function(slices, statistic, excluding = TRUE) {
  slices[valid & could_count(slices, statistic, excluding) & !(excluding & is_lost(slices, statistic))]
}

# Whether a slice has a value, disturbed or not. A cell without enough undisturbed ones has a latency of disturbed ones alone.
could_count <- function(slices, statistic, excluding) {
  spoiled <- grepl(spoils_slice, slices$reason)
  disturbed_alone <- if (!excluding && "kept_few" %in% names(slices)) slices$kept_few %in% TRUE else FALSE
  switch(counts_of(statistic),
    offered = !grepl("idle_connections|unthrottled|stood_still", slices$reason),
    latency = !spoiled & (slices$latency_valid | slices$bound_latency != "" | disturbed_alone), !spoiled
  )
}

# Slices that a disturbance takes from a statistic. From latency it is any. From a throughput and its CPU time it is the hypervisor or
# another program, if the server used what they left of its CPUs: where another limit decides, they change nothing.
is_lost <- function(slices, statistic) {
  if (counts_of(statistic) == "latency") return(!slices$kept & !grepl(spoils_slice, slices$reason))
  statistic %in% c("throughput_per_s", "cpu_us_per_request") & grepl("undisturbed", slices$reason) & is_at_cpu_limit(slices)
}

# A server at the limit of its CPUs uses so much of them, with what others take.
cpu_limit_from <- 0.9

is_at_cpu_limit <- function(slices) {
  if (!all(c("others_cpu_share", "steal_share", "server_cpus") %in% names(slices))) return(rep(FALSE, nrow(slices)))
  used <- slices$server_cpu_s / slices$duration_s / slices$server_cpus
  (used + pmax(slices$others_cpu_share, 0) + pmax(slices$steal_share, 0) >= cpu_limit_from) %in% TRUE
}

# Columns that are no estimand count like CPU time.
counts_of <- function(id) {
  found <- estimands$counts[match(id, estimands$statistic)]
  if (is.na(found)) if (grepl("^latency_", id)) "latency" else "completed" else found
}
