# Threads by group and state over time, as the server counts them itself: to the JVM and to the kernel.

# The groups that wait for others on a request's behalf; all else is the JVM's and Tomcat's own.
thread_groups <- c("http-nio-exec", "worker", "reactor-http", "carrier")
# Running, or free to run.
running_states <- c(jvm = "RUNNABLE", kernel = "R")

#' Thread states of cells, within the profiled slice that counts.
#'
#' @param paths paths of cell.json files.
#' @return data.table: mode, tier, tool, repetition, valid, time_s (0 is the start of the slice), source (jvm, kernel), group (see
#'   thread_groups), state, threads; 0 where a state was not seen. No rows where no server counted.
#' @export
read_states <- function(paths) {
  rbindlist(lapply(paths, function(path) {
    cell <- read_cell(path)
    file <- file.path(cell$folder, "thread-states.csv")
    if (!file.exists(file) || nrow(profiled_slice(cell)) == 0) return(NULL)
    states <- read_thread_states(file)
    window <- c(number(cell$profile$start_epoch_s), number(cell$profile$end_epoch_s))
    states <- states[time_s >= window[1] & time_s <= window[2]]
    if (nrow(states) == 0) return(NULL)
    cbind(
      as.data.table(cell$cell[c("mode", "tier", "tool", "repetition")]), valid = isTRUE(cell$validity$valid),
      with_zeros(states)[, time_s := time_s - window[1]]
    )
  }))
}

# A state that no thread is in has no line.
with_zeros <- function(states) {
  states <- copy(states)[, group := ifelse(group %in% thread_groups, group, "others")]
  counts <- states[, .(threads = sum(threads)), by = .(source, time_s, group, state)]
  kinds <- unique(counts[, .(source, group, state)])
  times <- unique(counts[, .(source, time_s)])
  every <- merge(times, kinds, by = "source", allow.cartesian = TRUE)
  filled <- counts[every, on = names(every)]
  filled[is.na(threads), threads := 0][]
}

#' How many threads of each group there were.
#'
#' @param states see read_states().
#' @return data.table, a row per mode, tier, tool, source and group: peak (at once, median over
#'   repetitions) and running (mean over time, of those that run or are free to).
#' @export
count_threads <- function(states) {
  place <- c("mode", "tier", "tool", "source", "group")
  at_once <- states[, .(threads = sum(threads), running = sum(threads[state == running_states[source[1]]])), by = c(place, "repetition", "time_s")]
  each <- at_once[, .(peak = max(threads), running = mean(running)), by = c(place, "repetition")]
  each[, lapply(.SD, median), .SDcols = c("peak", "running"), by = place]
}
