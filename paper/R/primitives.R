# Costs of the steps of serving a request, and the memory of a waiting thread.

primitive_titles <- c(
  "platform-thread-start" = "Platform thread, start to end",
  "virtual-thread-start" = "Virtual thread, start to end",
  "pool-hand-off" = "Task handed to a waiting thread of a pool",
  "connection-borrow" = "HikariCP, borrow and return",
  "database-connect" = "Database connection, made and closed",
  "database-statement" = "One row by its key, on an open connection",
  "request-on-one-thread" = "Request on a new connection, one thread",
  "pool-beside-request" = "… and an empty task handed to a pool",
  "platform-thread-beside-request" = "… and an empty platform thread started",
  "virtual-thread-beside-request" = "… and an empty virtual thread started",
  "pool-asleep-beside-request" = "… answered by a thread of a pool after a sleep of 100 ms",
  "platform-thread-asleep-beside-request" = "… answered by a new platform thread after a sleep of 100 ms",
  "virtual-thread-asleep-beside-request" = "… answered by a new virtual thread after a sleep of 100 ms",
  "platform-thread-call-beside-request" = "… and a RestTemplate's call of 100 ms on a new platform thread",
  "event-loop-call-beside-request" = "… and a WebClient's call of 100 ms",
  "statement-within-request" = "… and one row of a database before the answer",
  "kept-request-on-one-thread" = "Request on a kept connection, its platform thread woken",
  "kept-request-on-virtual-thread" = "Request on a kept connection, its virtual thread woken",
  "request-through-selector" = "Request on a new connection, through a selector",
  "timed-request-through-selector" = "… answered by a timer after 100 ms",
  "kept-request-through-selector" = "Request on a kept connection, through a selector",
  "tomcat-request" = "Request to Tomcat and Spring, kept connection"
)

#' The primitives with their titles, in the order of these.
#'
#' @param primitives see read_primitives().
table_primitives <- function(primitives) {
  statistics <- c(cpu = "CPU time", wall = "time", server = "CPU time of the database", latency = "latency")
  rows <- primitives[order(match(primitive, names(primitive_titles)), rate_per_s, statistic)]
  rows[, .(
    Step = fcoalesce(unname(primitive_titles[primitive]), primitive), "Rate (1/s)" = rate_per_s,
    Statistic = fcoalesce(unname(statistics[statistic]), statistic), Mean = mean, Low = low, High = high, Unit = unit,
    Repetitions = repetitions, Reason = reason
  )]
}

#' Memory of one waiting thread, by kind and number; no rows where it was not measured.
table_thread_memory <- function(memory) {
  if (is.null(memory)) return(data.table())
  memory[, .(
    Kind = kind, Threads = threads, "Resident (KiB)" = rss_bytes / threads / 1024,
    "Heap (KiB)" = heap_bytes / threads / 1024,
    "Stack, reserved (KiB)" = nmt_thread_reserved_bytes / threads / 1024,
    "Stack, committed (KiB)" = nmt_thread_committed_bytes / threads / 1024
  )]
}
