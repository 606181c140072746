# A mode's treatment of a request, from a cell's configuration alone: how it handles it, how many it serves
# concurrently, how long a request waits and computes.

or_else <- function(value, otherwise) if (is.null(value) || is.na(value)) otherwise else value

# A number in the query of a path.
number_in_path <- function(path, name) {
  found <- regmatches(path, regexec(paste0("[?&]", name, "=([0-9.]+)"), path))[[1]]
  if (length(found) == 2) as.numeric(found[2]) else 0
}

#' What theory needs to know of a cell.
#'
#' @param cell see read_cell().
#' @return list: study, mode, tier, tool; path; handling (see handling_of()), most_inside (requests that the mode
#'   serves concurrently; Inf where nothing limits them), wait_s and work_s (of each request), cpus (the server's),
#'   shares_cpus (whether what the server depends on runs on them too); of a closed loop users, steady (whether all
#'   of them stay for the whole load); of an open one rate_per_s, connections (Inf where it opens one for each
#'   request); keep_alive; statement (whether a request makes a database run one); call (the client that calls a
#'   remote, or empty).
#' @export
read_setup <- function(cell) {
  configuration <- cell$configuration
  tool <- configuration$tool
  path <- or_else(configuration$tier$path, "")
  setup <- list(
    study = cell$cell$study, mode = cell$cell$mode, tier = cell$cell$tier, tool = cell$cell$tool,
    path = path, handling = handling_of(configuration, cell$cell$mode), open = !is.null(tool$rate_per_s),
    wait_s = or_else(configuration$tier$sleep_ms, 0) / 1000, work_s = number_in_path(path, "cpu_us") / 1e6,
    cpus = max(1, length(cell$provenance$server_cpus)),
    shares_cpus = setequal(cell$backend$cpus, cell$provenance$server_cpus),
    users = number(c(tool$threads, tool$workers, tool$clients)[1]),
    steady = is.null(tool$rate_per_s) && is.null(tool$loops),
    rate_per_s = number(tool$rate_per_s), connections = or_else(tool$connections, Inf),
    keep_alive = isTRUE(tool$keep_alive), statement = grepl("query-test|registration", path),
    call = or_else(configuration$mode$options[["remote.client"]], "")
  )
  c(setup, list(most_inside = most_inside(setup, configuration)))
}

# Whether a request neither waits nor computes: no configuration says how long it takes.
asks_nothing <- function(setup) setup$wait_s + setup$work_s == 0

# How a server of ours handles a request: for the sockets as modes.csv states it, else by its kind of thread. NA for
# a server that the models do not know.
handling_of <- function(configuration, mode_id) {
  switch(or_else(configuration$study$server$package, ""),
    "artifact.tomcat" = if (isTRUE(configuration$mode$options$spring.threads.virtual.enabled)) {
      "tomcat, virtual thread"
    } else {
      "tomcat, pool"
    },
    "artifact.sockets.mode" = mode_facts(mode_id)[, ifelse(handling == "", NA_character_, handling)],
    NA_character_
  )
}

# ---- How many requests a mode serves concurrently ------------------------------------------------

# Inf where nothing limits them, or where the server is not ours.
most_inside <- function(setup, configuration) {
  mode <- configuration$mode
  if (identical(configuration$study$server$package, "artifact.stacks")) return(most_inside_stack(setup, mode))
  switch(or_else(setup$handling, ""),
    "pool" = threads_of_pool(setup, mode$options),
    # The thread that accepts serves one more.
    "caller-runs pool" = threads_of_pool(setup, mode$options) + overflows(setup, mode$options),
    "tomcat, pool" = ,
    "tomcat, virtual thread" = most_inside_tomcat(setup, configuration),
    Inf
  )
}

# The pool that the source has is that of the options' defaults.
pool_options <- function(options) {
  list(
    core = or_else(options[["core-threads"]], 10), most = or_else(options[["max-threads"]], 20),
    queue = or_else(options[["queue-capacity"]], 100)
  )
}

# Requests that would be in the server if it had a thread for each.
offered_inside <- function(setup) if (setup$open) setup$rate_per_s * setup$wait_s else setup$users

# Java's pool grows beyond its core only when its queue is full.
threads_of_pool <- function(setup, options) {
  pool <- pool_options(options)
  offered <- offered_inside(setup)
  # In an open loop the queue fills as soon as the core does not suffice.
  if (setup$open && offered > pool$core) offered <- Inf
  max(pool$core, min(pool$most, offered - pool$queue))
}

overflows <- function(setup, options) {
  pool <- pool_options(options)
  offered_inside(setup) > pool$most + if (setup$open) 0 else pool$queue
}

most_inside_tomcat <- function(setup, configuration) {
  mode <- configuration$mode
  options <- mode$options
  virtual <- setup$handling == "tomcat, virtual thread"
  # An asynchronous client gives Tomcat's thread back while it waits for the remote.
  gives_back <- or_else(options$remote.client, "blocking") != "blocking"
  pinned <- virtual && identical(options$lock.kind, "synchronized") && or_else(mode$jdk, 25) < 24
  min(
    if (!virtual && !gives_back) or_else(options$server.tomcat.threads.max, 200),
    options$requests.permits,
    if (setup$statement) or_else(options[["spring.datasource.hikari.maximum-pool-size"]], 10),
    # A virtual thread that sleeps while it holds a monitor keeps its carrier.
    if (pinned) carriers(setup, configuration),
    Inf
  )
}

# Platform threads that carry the virtual ones: of two values of the option the JVM takes the later.
carriers <- function(setup, configuration) {
  options <- c(configuration$study$server$jvm_options, configuration$mode$jvm_options)
  found <- sub("^-Djdk[.]virtualThreadScheduler[.]parallelism=", "", grep("Scheduler[.]parallelism=", options, value = TRUE))
  if (length(found) > 0) as.numeric(found[length(found)]) else setup$cpus
}

# An order holds its connection while it waits for the remote.
most_inside_stack <- function(setup, mode) {
  options <- mode$options
  of_spring <- startsWith(or_else(mode$class, "mvc."), "mvc.")
  permits <- or_else(options$permits, 0)
  min(
    if (of_spring && !isTRUE(options$virtual)) or_else(options$threads, 200),
    if (permits > 0) permits,
    if (grepl("^/order([?]|$)", setup$path)) or_else(options$pool, 10),
    Inf
  )
}
