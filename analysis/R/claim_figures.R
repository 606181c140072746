# What a claim may speak of besides the columns of the summary: statistics derived from them or from
# files of a cell, and primitives.

library(data.table)

# Formulas over columns of the summary. survived: 1 where the server answered after the load as before
# it, else 0. threads_added: those that the load brought, without the JVM's own.
derived_formulas <- list(
  survived = quote(as.numeric(outcome == "completed" & !grepl("same_answer_after", failed_checks))),
  refused_share = quote(errors_of(errors, "connect_refused") / requests),
  threads_added = quote(threads_peak - threads_idle),
  cpus_in_use = quote(cpu_us_per_request * requests / duration_s / 1e6),
  queries_per_s = quote(throughput_per_s * queries / requests)
)
# See figures_of_files().
file_statistics <- c("runnable_share", "carriers_per_cpu", "workers_peak", "combinations_spread")
derived_statistics <- c(names(derived_formulas), file_statistics)
primitive_statistics <- c("cpu", "wall", "server", "rss_bytes", "heap_bytes", "held_bytes")

#' Adds the derived statistics to the summary.
#'
#' @param summary see read_summary().
#' @param paths paths of cell.json files; without them file_statistics are NA.
#' @return summary with a column per derived statistic whose columns it has.
with_derived <- function(summary, paths = character()) {
  summary <- copy(summary)
  for (name in names(derived_formulas)) {
    formula <- derived_formulas[[name]]
    if (all(all.vars(formula) %in% names(summary))) set(summary, j = name, value = eval(formula, summary))
  }
  found <- rbindlist(lapply(paths, figures_of_files))
  for (name in setdiff(file_statistics, names(summary))) set(summary, j = name, value = NA_real_)
  if (nrow(found) == 0) return(summary[])
  keys <- c("study", "mode", "tier", "tool", "repetition")
  summary[found, on = keys, (file_statistics) := mget(paste0("i.", file_statistics))][]
}

no_states <- data.table(
  source = character(), time_s = numeric(), group = character(), state = character(), threads = numeric()
)

#' What files beside a cell.json tell.
#'
#' @param path path of the cell.json.
#' @return data.table of one row, none where there is no such file: study, mode, tier, tool, repetition,
#'   runnable_share (of the threads that serve requests, RUNNABLE as the JVM has them; mean over time),
#'   carriers_per_cpu (at the peak, of the server's CPUs), workers_peak (threads in which an asynchronous
#'   client waits) and combinations_spread (throughput of the best combination of two pools by that of the
#'   worst).
figures_of_files <- function(path) {
  if (!any(file.exists(file.path(dirname(path), c("thread-states.csv", "combinations.csv"))))) return(NULL)
  cell <- read_cell(path)
  states <- read_states(path)
  if (nrow(states) == 0) states <- no_states
  serving <- states[source == "jvm" & group %in% c("http-nio-exec", "worker")]
  most_threads <- function(which) {
    most_of(as.numeric(states[source == "jvm" & group == which, .(threads = sum(threads)), by = time_s]$threads))
  }
  combinations <- file.path(cell$folder, "combinations.csv")
  speeds <- if (file.exists(combinations)) read_combinations(combinations)$per_s
  cbind(as.data.table(cell$cell[c("study", "mode", "tier", "tool")]), data.table(
    repetition = as.integer(cell$cell$repetition),
    runnable_share = per(sum(serving[state == "RUNNABLE"]$threads), sum(serving$threads)),
    carriers_per_cpu = most_threads("carrier") / length(cell$provenance$server_cpus),
    workers_peak = most_threads("worker"),
    combinations_spread = if (length(speeds) > 1) max(speeds) / min(speeds) else NA_real_
  ))
}

#' The primitives that a claim may name.
#'
#' @param folder results/primitives.
#' @return data.table: primitive, statistic (cpu, wall, server: µs; rss_bytes, heap_bytes, held_bytes, the sum
#'   of both: per thread that waits), mean, low, high (95 %), forks (of a cost), or numbers of threads (of
#'   memory). No rows where primitives were not measured.
read_claim_primitives <- function(folder) {
  files <- file.path(folder, c("primitives.csv", "thread-memory.csv"))
  rbind(
    data.table(
      primitive = character(), statistic = character(), mean = numeric(), low = numeric(), high = numeric(), forks = integer()
    ),
    if (file.exists(files[1])) read_primitives(files[1])[is.na(rate_per_s), .(primitive, statistic, mean, low, high, forks)],
    if (file.exists(files[2])) memory_per_thread(read_thread_memory(files[2]))
  )
}

# The unit is the number of threads: each is a JVM, and so a measurement of its own. What fewer hold does not
# stand out from the pages of a JVM.
memory_per_thread <- function(memory) {
  held <- memory[threads >= 500, .(
    primitive = paste0(kind, "-thread-waiting"), rss_bytes = rss_bytes / threads, heap_bytes = heap_bytes / threads,
    held_bytes = (rss_bytes + heap_bytes) / threads
  )]
  long <- melt(held, id.vars = "primitive", variable.name = "statistic", variable.factor = FALSE)
  long[, {
    interval <- t_interval(value)
    list(mean = mean(value), low = interval[1], high = interval[2], forks = .N)
  }, by = .(primitive, statistic)]
}

#' The estimate of a claim on primitives.
#'
#' @param primitives see read_claim_primitives().
#' @param claim the claim: `primitive` {id, versus} and statistic.
#' @return list: reason (empty where there is an estimate), estimate, low, high, pairs, bound; with versus
#'   their ratio, whose interval joins those of both by the root of their squares, on logarithms.
estimate_primitive <- function(primitives, claim) {
  ids <- unlist(claim$primitive[c("id", "versus")])
  rows <- primitives[statistic == claim$statistic][match(ids, primitive)]
  if (anyNA(rows$primitive)) return(no_effect(paste("the primitive", ids[is.na(rows$primitive)][1], "was not measured in this run")))
  pairs <- min(rows$forks)
  if (length(ids) == 1) return(c(as.list(rows[, .(estimate = mean, low, high)]), list(reason = "", pairs = pairs, bound = "")))
  reach <- function(ends) exp(sqrt(sum(log(ends / rows$mean)^2)))
  ratio <- rows$mean[1] / rows$mean[2]
  opposite <- list(low = c(rows$low[1], rows$high[2]), high = c(rows$high[1], rows$low[2]))
  list(
    estimate = ratio, low = ratio / reach(opposite$low), high = ratio * reach(opposite$high),
    reason = "", pairs = pairs, bound = ""
  )
}
