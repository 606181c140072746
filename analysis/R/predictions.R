# What theory and primitives predict for every cell, and what was measured.
#
# A prediction is made from the cell's configuration and from primitives, never from what a cell
# measured; only the Universal Scalability Law (usl.R) is fitted, and its rows say so.
#
# Throughput  closed loop: a closed network of a delay (the waiting that a request asks for) and of
#             the server's CPUs, by mean value analysis (Reiser and Lavenberg 1980); no more
#             requests circulate than the mode lets in, so that threads / service time is its bound
#             (Little 1961). Open loop: what is offered, up to that bound.
# Latency     where a request waits or works: the network's response time and the queue before it;
#             in an open loop Erlang's M/M/c corrected for how regular arrivals and service are
#             (Allen and Cunneen). Where it does neither, none.
# CPU         the smallest request to the simplest server of a kind, or to Tomcat, at the cell's rate, and
#             what a sleep or a statement adds to it; without compiling. A request is the more expensive
#             the rarer it is, since its CPU was idle and its caches are cold. Users who ask together come
#             at the highest rate.
# Databases   transactions of one row: a statement, and a connection made or borrowed for it; client
#             and database are two queues in a closed network.
#
# No primitive is measured on a mode of a study: workloads/request_primitives.py says how each is.

library(data.table)

# ---- What a mode does ----------------------------------------------------------------------------

# The request of a mode, by how it handles requests: on a new connection; on one that is kept, whose thread
# must be woken; and answered after a sleep. Where there is `awake`, the sleep is what the primitive `asleep`
# costs more than that.
on_a_pool <- list(
  request = "pool-beside-request", kept = "kept-request-on-one-thread",
  asleep = "pool-asleep-beside-request"
)
ways <- list(
  "platform thread" = list(
    request = "platform-thread-beside-request", kept = "kept-request-on-one-thread",
    asleep = "platform-thread-asleep-beside-request"
  ),
  "pool" = on_a_pool,
  "caller-runs pool" = on_a_pool,
  "virtual thread" = list(
    request = "virtual-thread-beside-request", kept = "kept-request-on-virtual-thread",
    asleep = "virtual-thread-asleep-beside-request"
  ),
  "event loop" = list(
    request = "request-through-selector", kept = "kept-request-through-selector",
    asleep = "timed-request-through-selector"
  ),
  # The smallest request to Tomcat has its hand-over in it, to a thread of either kind.
  "tomcat, pool" = list(
    request = "tomcat-request", kept = "tomcat-request",
    asleep = "platform-thread-asleep-beside-request", awake = "platform-thread-beside-request"
  ),
  "tomcat, virtual thread" = list(
    request = "tomcat-request", kept = "tomcat-request",
    asleep = "virtual-thread-asleep-beside-request", awake = "virtual-thread-beside-request"
  )
)

# What a call of a remote adds, by the client. The blocking one keeps the thread of the request; a worker
# thread is started for its call, so that its start is in the difference.
calls <- list(
  "blocking" = list(with = "platform-thread-call-beside-request", without = "platform-thread-beside-request"),
  "worker-threads" = list(with = "platform-thread-call-beside-request", without = "request-on-one-thread"),
  "event-loop" = list(with = "event-loop-call-beside-request", without = "request-on-one-thread")
)

or_else <- function(value, otherwise) if (is.null(value) || is.na(value)) otherwise else value

# A number in the query of a path.
asked_in_path <- function(path, name) {
  found <- regmatches(path, regexec(paste0("[?&]", name, "=([0-9.]+)"), path))[[1]]
  if (length(found) == 2) as.numeric(found[2]) else 0
}

# Tools that load a database, and how they name transactions of a single row.
single_rows_of <- c("database-client" = "point", sysbench = "oltp_point_select")

# NA for a server, or a load, that the models do not know. What serves a connection of ours the configuration states.
handling_of <- function(configuration, mode_id) {
  mode <- configuration$mode
  # Requests that are all due at once have no rate.
  if (identical(configuration$tool$id, "wrk2") && isTRUE(configuration$tool$at_once)) return(NA_character_)
  if (!is.na(single_rows_of[or_else(configuration$tool$id, "")])) return("database")
  switch(or_else(configuration$study$server$package, ""),
    "artifact.tomcat" = if (isTRUE(mode$options$spring.threads.virtual.enabled)) {
      "tomcat, virtual thread"
    } else {
      "tomcat, pool"
    },
    "artifact.sockets.mode" = mode_facts(mode_id)[, ifelse(handling == "", NA_character_, handling)],
    NA_character_
  )
}

#' What theory needs to know of a cell, from its configuration alone.
#'
#' @param cell see read_cell().
#' @return list: study, mode, tier, tool; handling (NA where it is not known), most_inside (requests
#'   that the mode serves at once), rejects (whether it turns away what it cannot hold), wait_s and
#'   work_s (what a request asks for), cpus (the server's), shares_cpus (whether what the server
#'   depends on runs on them too); of a closed loop users, loops, ramp_up_s,
#'   lasts_s (NA where it is not for a time); of an open one rate_per_s, connections, lasts_s,
#'   warm_up_s, timeout_s; keep_alive; silent, see why_silent(); statement (whether a request asks a database
#'   for one); call (a name of `calls`, or empty); of a database's client `database`, see read_client().
read_setup <- function(cell) {
  configuration <- cell$configuration
  tool <- configuration$tool
  path <- or_else(configuration$tier$path, "")
  handling <- handling_of(configuration, cell$cell$mode)
  database <- read_client(cell)
  setup <- list(
    study = cell$cell$study, mode = cell$cell$mode, tier = cell$cell$tier, tool = cell$cell$tool,
    path = path, handling = handling, open = !is.null(tool$rate_per_s),
    wait_s = or_else(configuration$tier$sleep_ms, 0) / 1000,
    work_s = asked_in_path(path, "cpu_us") / 1e6,
    cpus = max(1, length(cell$provenance$server_cpus)),
    shares_cpus = setequal(cell$backend$cpus, cell$provenance$server_cpus),
    users = number(tool$threads), loops = or_else(tool$loops, 1),
    ramp_up_s = or_else(tool$ramp_up_s, 0), lasts_s = number(tool$duration_s),
    rate_per_s = number(tool$rate_per_s), connections = or_else(tool$connections, Inf),
    warm_up_s = or_else(tool$warm_up_s, 0),
    timeout_s = or_else(configuration$testbed$request_timeout_s, Inf),
    keep_alive = isTRUE(tool$keep_alive), database = database,
    silent = why_silent(configuration, handling, database), statement = grepl("query-test|registration", path),
    call = or_else(configuration$mode$options[["remote.client"]], "")
  )
  c(setup, list(
    most_inside = most_inside(setup, configuration$mode),
    rejects = setup$handling %in% "pool"
  ))
}

# Whether a request neither waits nor computes: how long it takes follows from no configuration.
asks_nothing <- function(setup) setup$wait_s + setup$work_s == 0

#' What a database's client does: clients, think_s, connects (per transaction), pool_size (Inf without
#' a pool), has_primitives (whether a transaction is one row of a MariaDB), cpus (the client's; NA for
#' sysbench, whose own cost no primitive tells).
read_client <- function(cell) {
  tool <- cell$configuration$tool
  client <- cell$configuration$mode$client
  in_java <- identical(tool$id, "database-client")
  every <- or_else(client$reconnect_every, 0)
  of_one_row <- or_else(c(tool$statement, tool$script)[1], "") %in% single_rows_of
  list(
    clients = number(if (in_java) tool$workers else tool$clients),
    think_s = or_else(tool$think_ms, 0) / 1000, pool_size = or_else(client$pool_size, Inf),
    connects = if (identical(client$connections, "new")) 1 else if (every > 0) 1 / every else 0,
    has_primitives = of_one_row && identical(cell$configuration$engine$id, "mariadb"),
    cpus = if (in_java) max(1, length(cell$provenance$generator_cpus)) else NA_real_
  )
}

#' How many requests a mode serves at once.
most_inside <- function(setup, mode) {
  options <- mode$options
  switch(or_else(setup$handling, ""),
    "pool" = threads_of_pool(setup, options),
    # The thread that accepts serves one more.
    "caller-runs pool" = {
      threads <- threads_of_pool(setup, options)
      if (overflows(setup, options)) threads + 1 else threads
    },
    "tomcat, pool" = ,
    "tomcat, virtual thread" = most_inside_tomcat(setup, mode),
    Inf
  )
}

# Older cells spell an option with _.
option_of <- function(options, name) c(options[[name]], options[[gsub("-", "_", name)]])[1]

# The pool that the source has is that of the options' defaults.
pool_options <- function(options) {
  list(
    core = or_else(option_of(options, "core-threads"), 10), most = or_else(option_of(options, "max-threads"), 20),
    queue = or_else(option_of(options, "queue-capacity"), 100)
  )
}

# Java's pool grows beyond its core only when its queue is full.
threads_of_pool <- function(setup, options) {
  pool <- pool_options(options)
  at_once <- if (setup$open) {
    if (setup$rate_per_s * setup$wait_s > pool$core) Inf else pool$core
  } else {
    setup$users
  }
  max(pool$core, min(pool$most, at_once - pool$queue))
}

overflows <- function(setup, options) {
  pool <- pool_options(options)
  if (setup$open) return(setup$rate_per_s * setup$wait_s > pool$most)
  setup$users > pool$most + pool$queue
}

most_inside_tomcat <- function(setup, mode) {
  options <- mode$options
  virtual <- setup$handling == "tomcat, virtual thread"
  # An asynchronous client gives Tomcat's thread back while the remote is awaited.
  gives_back <- or_else(options$remote.client, "blocking") != "blocking"
  pinned <- virtual && identical(options$lock.kind, "synchronized") && or_else(mode$jdk, 25) < 24
  min(
    if (!virtual && !gives_back) or_else(options$server.tomcat.threads.max, 200),
    options$requests.permits,
    if (setup$statement) {
      or_else(options[["spring.datasource.hikari.maximum-pool-size"]], 10)
    },
    # A thread that sleeps while it holds a monitor keeps its carrier, of which there is one a CPU.
    if (pinned) setup$cpus,
    Inf
  )
}

# ---- What a request costs ------------------------------------------------------------------------

#' CPU time per request from primitives.
#'
#' @param setup see read_setup().
#' @param primitives see read_primitives().
#' @param rate_per_s at which requests come.
#' @return c(mean, low, high), µs; NA where no primitive says it, see why_silent().
request_cost <- function(setup, primitives, rate_per_s) {
  way <- ways[[setup$handling]]
  at_rate <- function(id) cost_of(primitives, id, "cpu", rate_per_s)
  asleep <- setup$wait_s > 0 && is.null(way$awake)
  base <- at_rate(if (asleep) way$asleep else if (setup$keep_alive) way$kept else way$request)
  if (setup$silent != "") return(base * NA)
  # A thread that awaits a statement, or a remote, is woken by the answer, however long that takes.
  more <- if (setup$statement) {
    list(with = "statement-within-request", without = "request-on-one-thread")
  } else if (!is.null(calls[[setup$call]])) {
    calls[[setup$call]]
  } else if (setup$wait_s > 0 && !asleep) {
    list(with = way$asleep, without = way$awake)
  }
  if (!is.null(more)) base <- base + at_rate(more$with) - at_rate(more$without)
  # A difference of costs that are noisy, or false, may come out below any cost.
  pmax(base, least_us) + setup$work_s * 1e6
}

least_us <- 1

# Ten times as many as when the primitives sleep: each thread has a stack, which is cold when it wakes.
most_asleep <- 2000

#' Why no primitive says what a request costs, or the models do not know the server; empty where they do.
#'
#' @param configuration of a cell; `handling` see handling_of(); `database` see read_client().
why_silent <- function(configuration, handling, database) {
  options <- configuration$mode$options
  asleep <- or_else(configuration$tier$sleep_ms, 0) / 1000 * or_else(configuration$tool$rate_per_s, 0)
  if (isTRUE(configuration$tool$at_once)) return("requests that are all due at once have no rate")
  if (is.na(handling)) return("the models do not know how the server handles a request")
  if (handling == "database" && !database$has_primitives) return("only transactions of one row on MariaDB have primitives")
  if (asleep > most_asleep) return("no primitive has so many requests asleep at once")
  if (startsWith(handling, "tomcat")) why_silent_on_tomcat(options, or_else(configuration$tier$path, "")) else ""
}

why_silent_on_tomcat <- function(options, path) {
  if (grepl("file-test", path)) return("no primitive writes a file")
  if (identical(options[["remote.client"]], "pooled")) return("no primitive is a call by a client with a pool of connections")
  if (isTRUE(options[["registration.as-published"]])) return("no primitive is an exception that is logged for each request")
  ""
}

# ---- What comes of it ----------------------------------------------------------------------------

#' Throughput and latency of a cell, for one CPU time per request.
#'
#' @param setup see read_setup().
#' @param cpu_s CPU time of a request.
#' @return list: throughput_per_s, latency_s (NA where nothing is predicted), model.
predict_load <- function(setup, cpu_s) {
  if (setup$open) predict_open(setup, cpu_s) else predict_closed(setup, cpu_s)
}

predict_closed <- function(setup, cpu_s) {
  inside <- min(setup$users, setup$most_inside)
  most_per_s <- closed_throughput(inside, setup$wait_s, cpu_s / setup$cpus)
  if (!is.na(setup$lasts_s)) return(predict_window(setup, inside, most_per_s))
  answers <- setup$users * setup$loops
  took_s <- max(setup$ramp_up_s + setup$loops * (setup$wait_s + cpu_s), answers / most_per_s)
  spread <- took_s > answers / most_per_s
  in_line <- inside < setup$users || setup$wait_s == 0
  list(
    throughput_per_s = answers / took_s,
    latency_s = if (asks_nothing(setup)) {
      NA_real_
    } else if (spread) {
      setup$wait_s + cpu_s
    } else if (in_line) {
      in_line_latency_s(setup$users, answers, most_per_s)
    } else {
      inside / most_per_s
    },
    model = if (spread) "users over ramp-up" else closed_model(setup, inside)
  )
}

closed_model <- function(setup, inside) {
  if (setup$wait_s == 0) {
    "CPUs / CPU time"
  } else if (inside < setup$users) {
    "threads / service time"
  } else {
    "users / response time"
  }
}

# A slice: all users begin at once, and what is answered after the warm-up counts.
predict_window <- function(setup, inside, most_per_s) {
  list(
    throughput_per_s = most_per_s,
    # What nothing is known of takes no time, and is answered without end.
    latency_s = if (asks_nothing(setup)) {
      NA_real_
    } else {
      window_latency_s(setup$users, inside, most_per_s, setup$warm_up_s, setup$lasts_s)
    },
    model = closed_model(setup, inside)
  )
}

predict_open <- function(setup, cpu_s) {
  inside <- min(setup$most_inside, setup$connections)
  most_per_s <- min(
    if (is.finite(inside)) closed_throughput(inside, setup$wait_s, cpu_s / setup$cpus),
    setup$cpus / cpu_s
  )
  if (setup$rate_per_s >= most_per_s) return(predict_overload(setup, cpu_s, most_per_s, inside))
  # Requests are due at a constant rate. A wait lasts as long as was asked for, and so does work;
  # the rest of the CPU time varies, as if it were exponential.
  varies <- if (cpu_s > 0) ((cpu_s - setup$work_s) / cpu_s)^2 else 0
  latency_s <- setup$wait_s + cpu_s +
    queue_wait_s(setup$rate_per_s, inside, setup$wait_s + cpu_s, 0, 0) +
    queue_wait_s(setup$rate_per_s, setup$cpus, cpu_s, 0, varies)
  list(
    throughput_per_s = setup$rate_per_s * share_in_window(setup, latency_s), latency_s = latency_s,
    model = "offered rate"
  )
}

# Answers count that come within the window: those asked for in the warm-up too, those asked for
# shortly before its end no longer.
share_in_window <- function(setup, latency_s) {
  min(1, max(0, setup$lasts_s + setup$warm_up_s - latency_s) / setup$lasts_s)
}

# What cannot be served at once queues, longer and longer; a request that has waited for too long
# is given up. A pool that turns requests away keeps those that it takes no longer than its queue.
predict_overload <- function(setup, cpu_s, most_per_s, inside) {
  service_s <- setup$wait_s + cpu_s
  mean_s <- (setup$warm_up_s + setup$lasts_s / 2) * (setup$rate_per_s / most_per_s - 1)
  list(
    throughput_per_s = most_per_s * share_in_window(setup, service_s),
    latency_s = if (setup$rejects) NA_real_ else service_s + min(mean_s, setup$timeout_s / 2),
    model = if (inside / service_s > setup$cpus / cpu_s) "CPUs / CPU time" else "threads / service time"
  )
}

#' Everything that is predicted for a cell.
#'
#' @param setup see read_setup().
#' @param primitives see read_primitives().
#' @return data.table, a row per figure: figure, predicted, low, high, model; where `model` is no_prediction the
#'   numbers are NA, and setup$silent says why.
predict_cell <- function(setup, primitives) {
  switch(or_else(setup$handling, "not known"),
    "not known" = unpredicted(),
    "database" = predict_database(setup, primitives),
    predict_server(setup, primitives)
  )
}

# Users who began together and wait equally long go on asking together. Within a bunch the CPU does not rest,
# so a request costs what it costs at the highest rate, however few bunches there are.
in_step <- function(setup) !setup$open && setup$wait_s > 0 && setup$ramp_up_s == 0

predict_server <- function(setup, primitives) {
  # What a request costs depends on how often one comes, and that on what it costs: twice is enough.
  cost <- request_cost(setup, primitives, Inf)
  rate_per_s <- predict_load(setup, total_s(setup, cost, "mean"))$throughput_per_s
  if (!in_step(setup)) cost <- request_cost(setup, primitives, rate_per_s)
  ends <- lapply(c(mean = "mean", low = "low", high = "high"), function(end) {
    predict_load(setup, total_s(setup, cost, end))
  })
  rbind(
    figure_row("throughput_per_s", lapply(ends, `[[`, "throughput_per_s"), ends$mean$model),
    latency_row(setup, ends),
    if (anyNA(cost)) unpredicted() else figure_row("cpu_us_per_request", as.list(cost), "primitives")
  )[is.finite(predicted) | model == no_prediction]
}

no_prediction <- "no prediction"
unpredicted <- function(figure = "cpu_us_per_request") figure_row(figure, list(mean = NA_real_), no_prediction)

#' Why nothing is predicted of a value.
#'
#' @param setup see read_setup(); `figure` of a row whose model is no_prediction.
why_unpredicted <- function(setup, figure) {
  if (setup$silent != "") return(setup$silent)
  if (figure == "latency_mean_ms") return("how soon an idle CPU wakes follows from no rate: of one server it differs fourfold between neighboring ones")
  "a primitive was not measured"
}

# Without primitives the work that was asked for is what is known of the CPU time: a lower bound.
total_s <- function(setup, cost, end) if (anyNA(cost)) setup$work_s else cost[[end]] / 1e6

#' A transaction of one row: what client and database do for it.
predict_database <- function(setup, primitives) {
  client <- setup$database
  if (!client$has_primitives) return(unpredicted())
  sum_of <- function(statistic) {
    cost_of(primitives, "database-statement", statistic) +
      client$connects * cost_of(primitives, "database-connect", statistic)
  }
  borrowing <- if (is.finite(client$pool_size)) cost_of(primitives, "connection-borrow") else 0
  client_us <- sum_of("cpu") + borrowing
  database_us <- sum_of("server")
  loads <- lapply(c(mean = "mean", low = "low", high = "high"), function(end) {
    in_turns(client, c(client_us[[end]] / client$cpus, database_us[[end]] / setup$cpus) / 1e6)
  })
  rows <- rbind(
    figure_row("cpu_us_per_request", as.list(database_us), "primitives"),
    figure_row("throughput_per_s", lapply(loads, `[[`, "throughput_per_s"), "client and database in turns"),
    figure_row("latency_mean_ms", lapply(loads, `[[`, "latency_ms"), "client and database in turns")
  )
  rows[is.finite(predicted)]
}

# Clients that think are not in the pool; those that do not, share its connections.
in_turns <- function(client, demands_s) {
  if (anyNA(demands_s)) return(list(throughput_per_s = NA_real_, latency_ms = NA_real_))
  throughput <- min(
    closed_throughput(client$clients, client$think_s, demands_s),
    closed_throughput(min(client$clients, client$pool_size), 0, demands_s)
  )
  list(
    throughput_per_s = throughput,
    latency_ms = 1000 * (client$clients / throughput - client$think_s)
  )
}

latency_row <- function(setup, ends) {
  if (asks_nothing(setup)) return(unpredicted("latency_mean_ms"))
  latencies <- lapply(ends, function(end) 1000 * end$latency_s)
  figure_row("latency_mean_ms", latencies, paste0(ends$mean$model, ", and its queue"))
}

figure_row <- function(figure, ends, model) {
  range <- range(unlist(ends))
  data.table(
    figure = figure, predicted = ends$mean, low = range[1], high = range[2], model = model
  )
}

# ---- Where a pool begins to win ------------------------------------------------------------------

#' Where a pool of platform threads begins to win over a thread per request, from primitives alone.
#'
#' @param primitives see read_primitives().
#' @param cpus of the server.
#' @param sizes numbers of threads of the pool.
#' @return data.table, a row per size: pool_threads; saving_us with _low and _high (CPU time that the
#'   pool saves per request); same_from_us (CPU time of a request from which on the saving is within
#'   5 %, so that it no longer matters); threads_most_per_s and pool_most_per_s (requests a second at
#'   which the CPUs are used up); wins_below_wait_ms (a request that waits longer than this makes the
#'   pool's number of threads a lower bound than the CPUs are).
pool_crossovers <- function(primitives, cpus, sizes = c(10, 20, 50, 200)) {
  base <- cost_of(primitives, "request-on-one-thread", "cpu", Inf)
  start <- cost_of(primitives, "platform-thread-start")
  hand_off <- cost_of(primitives, "pool-hand-off")
  per_s <- function(us) cpus * 1e6 / us
  threads_most <- per_s(base[["mean"]] + start[["mean"]])
  saving <- start[["mean"]] - hand_off[["mean"]]
  data.table(
    pool_threads = sizes, saving_us = saving,
    saving_us_low = start[["low"]] - hand_off[["high"]],
    saving_us_high = start[["high"]] - hand_off[["low"]],
    same_from_us = max(0, saving) / (exp(equivalence$ratio) - 1),
    threads_most_per_s = threads_most, pool_most_per_s = per_s(base[["mean"]] + hand_off[["mean"]]),
    wins_below_wait_ms = 1000 * sizes / threads_most
  )
}
