# Threads by group and state over time, as the server counts them itself: to the JVM and to the kernel.

library(data.table)
library(ggplot2)

# The groups that wait for others on a request's behalf, in the order of its way; all else is the
# JVM's and Tomcat's own.
thread_groups <- c(
  "http-nio-exec" = "#0072B2", "worker" = "#D55E00", "reactor-http" = "#CC79A7",
  "carrier" = "#009E73", "others" = "#8A8A8A"
)
thread_sources <- c(jvm = "as the JVM has them", kernel = "as the kernel has them")
# Running, or free to run, is drawn strong.
running_states <- c(jvm = "RUNNABLE", kernel = "R")
state_lightness <- c(
  RUNNABLE = 0, R = 0, BLOCKED = 0.3, D = 0.3, TIMED_WAITING = 0.5, S = 0.6, WAITING = 0.72
)

#' Thread states of cells, within the profiled slice that counts.
#'
#' @param paths paths of cell.json files.
#' @return data.table: mode, tier, tool, repetition, valid, time_s (0 is the start of the slice), source
#'   (jvm, kernel), group (see thread_groups), state, threads; 0 where a state was not seen. No rows
#'   where no server counted.
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
  states <- copy(states)[, group := ifelse(group %in% names(thread_groups), group, "others")]
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
#'   repetitions), mean and running (mean over time, of all and of those that run or are free to).
count_threads <- function(states) {
  at_once <- states[, .(
    threads = sum(threads), running = sum(threads[state == running_states[source[1]]])
  ), by = .(mode, tier, tool, repetition, source, group, time_s)]
  each <- at_once[, .(
    peak = max(threads), mean = mean(threads), running = mean(running)
  ), by = .(mode, tier, tool, repetition, source, group)]
  each[, lapply(.SD, median),
    .SDcols = c("peak", "mean", "running"), by = .(mode, tier, tool, source, group)
  ]
}

#' Threads by group and state over time: stacked areas, a row per mode, the JVM's view beside the
#' kernel's.
#'
#' @param states see read_states(), of one tier, tool and repetition.
#' @return ggplot.
figure_thread_states <- function(states) {
  if (nrow(states) == 0) return(nothing_to_draw("no server counted its threads"))
  states <- copy(states)
  # What the JVM and Tomcat have besides is one area.
  states[group == "others", state := ""]
  areas <- states[, .(threads = sum(threads)), by = .(mode, source, time_s, group, state)]
  areas <- areas[, if (any(threads > 0)) .SD, by = .(group, state)]
  kinds <- unique(areas[, .(group, state)])
  kinds <- kinds[order(match(group, names(thread_groups)), match(state, names(state_lightness)))]
  kinds[, `:=`(
    kind = trimws(paste(group, state)),
    colour = lighter(thread_groups[group], fcoalesce(state_lightness[state], 0.5))
  )]
  areas <- kinds[areas, on = c("group", "state")]
  areas[, `:=`(
    kind = factor(kind, rev(kinds$kind)), mode = factor(mode, mode_levels(mode)),
    source = factor(thread_sources[source], thread_sources)
  )]
  ggplot(areas, aes(time_s, threads, fill = kind)) +
    # All groups have the same moments; aligning them would only add points.
    geom_area(stat = "identity", position = "stack", colour = ink, linewidth = 0.1) +
    facet_grid(mode ~ source) +
    scale_fill_manual(values = setNames(kinds$colour, kinds$kind), breaks = kinds$kind) +
    labs(x = "time since the slice began (s)", y = "threads") +
    theme_artifact() +
    theme(
      strip.text.y = element_text(angle = 0), legend.key.width = unit(0.8, "lines"),
      legend.key.height = unit(0.8, "lines")
    ) +
    guides(fill = guide_legend(ncol = 4))
}
