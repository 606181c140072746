# A mode's treatment of a request, from a cell's configuration alone: its concurrency model, how many requests it serves
# concurrently, how long a request waits and computes.

or_else <- function(value, otherwise) if (is.null(value) || is.na(value)) otherwise else value

# A number in the query of a path.
number_in_path <- function(path, name) {
  found <- regmatches(path, regexec(paste0("[?&]", name, "=([0-9.]+)"), path))[[1]]
  if (length(found) == 2) as.numeric(found[2]) else 0
}

#' The facts on a cell that theory needs.
#'
#' @param cell see read_cell().
#' @return list: study, mode, tier, tool; path; kind (the concurrency model; empty for a server that the models do not know), most_inside
#'   (requests that are served concurrently, or Inf), wait_s and work_s (of each request), cpus (the server's), shares_cpus (whether what
#'   the server depends on runs on them too), users and steady (of a closed loop: whether all stay for the whole load), rate_per_s (of an
#'   open one), holds_connection (whether a request that waits holds one of the database), call (the client that calls a remote, or
#'   empty).
read_setup <- function(cell) {
  configuration <- cell$configuration
  tool <- configuration$tool
  mode <- configuration$mode
  path <- or_else(configuration$tier$path, "")
  setup <- c(cell$cell[cell_place], list(
    path = path, kind = or_else(mode$kind, ""), open = !is.null(tool$rate_per_s),
    wait_s = or_else(configuration$tier$sleep_ms, 0) / 1000, work_s = number_in_path(path, "cpu_us") / 1e6,
    cpus = max(1, min(length(cell$provenance$server_cpus), cell$configuration$mode$cpu_limit)),
    shares_cpus = setequal(cell$backend$cpus, cell$provenance$server_cpus),
    users = number(c(tool$users, tool$workers, tool$clients)[1]),
    steady = is.null(tool$rate_per_s) && is.null(tool$loops),
    rate_per_s = number(tool$rate_per_s), holds_connection = identical(configuration$tier$holds, "connection"),
    call = or_else(mode$options[["client"]], "")
  ))
  c(setup, list(most_inside = most_inside(setup, mode)))
}

# ---- How many requests a mode serves concurrently ------------------------------------------------

# Inf where nothing limits them, or where the server is not known.
most_inside <- function(setup, mode) {
  options <- mode$options
  permits <- or_else(options[["permits"]], 0)
  # An asynchronous client gives the thread back while it waits for the remote.
  holds_thread <- setup$kind == "pool" && setup$call %in% c("", "blocking", "pooled") && !is.null(options[["threads"]])
  # Before JDK 24 a virtual thread that sleeps with a monitor held keeps its carrier.
  pinned <- setup$kind == "virtual" && or_else(options[["lock"]], "") == "synchronized" && or_else(mode$jdk, 25) < 24
  min(
    if (holds_thread) threads_of_pool(setup, mode),
    if (permits > 0) permits,
    if (setup$holds_connection && setup$kind != "") or_else(options[["pool"]], 10),
    if (pinned) or_else(mode$carriers, setup$cpus),
    Inf
  )
}

# Java's pool grows beyond its core only when its queue is full.
threads_of_pool <- function(setup, mode) {
  most <- mode$options[["threads"]]
  core <- or_else(mode$options[["core-threads"]], most)
  queue <- or_else(mode$options[["queue"]], Inf)
  # Requests that would be in the server if it had a thread for each. In an open loop the queue fills as soon as the
  # core does not suffice.
  offered <- if (!setup$open) setup$users else if (setup$rate_per_s * setup$wait_s > core) Inf else 0
  if (core == most) most else max(core, min(most, offered - queue, na.rm = TRUE))
}
