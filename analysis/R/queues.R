# Queues: what theory says of waiting, from rates and service times alone.

#' Throughput of a closed network of a delay and queues (mean value analysis, Reiser and Lavenberg 1980).
#'
#' @param customers how many circulate; `wait_s` delay of each round; `demands_s` its service time at each of the queues.
#' @return requests a second; Inf where a round takes no time.
closed_throughput <- function(customers, wait_s, demands_s) {
  if (wait_s + sum(demands_s) == 0) return(Inf)
  queues <- 0
  for (count in seq_len(customers)) {
    responses_s <- demands_s * (1 + queues)
    throughput <- count / (wait_s + sum(responses_s))
    queues <- throughput * responses_s
  }
  throughput
}

#' How long requests last where at most so many share the CPUs evenly, none more than one of them, and the others wait in the order of their
#' arrival: with as many as CPUs first come, first served, with Inf processor sharing.
#'
#' @param arrives when, increasing; `service` time of each, in the same unit, of few different lengths; `at_a_time` from 1.
#' @return time from the arrival of each request to its end.
shared_sojourns <- function(arrives, service, at_a_time, cpus = 1) {
  stopifnot(at_a_time >= 1)
  count <- length(arrives)
  # Requests of one length end in the order of their arrival: of each length, its requests and the first that has not ended.
  length_of <- match(service, unique(service))
  queues <- split(seq_len(count), length_of)
  first <- rep(1L, length(queues))
  # `served`: the service of a request that had been served from the start on; what it is when each request ends, and the first of
  # each length that is being served.
  now <- served <- 0
  served_at_end <- ends <- numeric(count)
  next_end <- rep(Inf, length(queues))
  arrived <- started <- ended <- 0L
  while (ended < count) {
    sharing <- started - ended
    # The factor by which one request is slowed by the others.
    slowed <- max(1, sharing / cpus)
    arrival <- if (arrived < count) arrives[arrived + 1L] else Inf
    ending <- which.min(next_end)
    end <- now + if (sharing > 0) (next_end[ending] - served) * slowed else Inf
    if (arrival <= end) {
      if (sharing > 0) served <- served + (arrival - now) / slowed
      now <- arrival
      arrived <- arrived + 1L
    } else {
      served <- next_end[ending]
      ends[queues[[ending]][first[ending]]] <- now <- end
      ended <- ended + 1L
      first[ending] <- first[ending] + 1L
      following <- queues[[ending]][first[ending]]
      next_end[ending] <- if (isTRUE(following <= started)) served_at_end[following] else Inf
    }
    if (started < arrived && started - ended < at_a_time) {
      started <- started + 1L
      served_at_end[started] <- served + service[started]
      next_end[length_of[started]] <- min(next_end[length_of[started]], served_at_end[started])
    }
  }
  ends - arrives
}
