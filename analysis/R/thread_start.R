# The cost of a thread for each request, in parts: what primitives say of starting a thread and of handing a task to a pool, the collector's
# pauses, and the allocation buffers that threads leave behind. The rest is a part of its own, so that all add up.

# Loads without waiting at rates that primitives have, on connections of one request each.
thread_start_tiers <- c("high", "extreme", "saturated")
# With the difference's mode, but for buffers of 4 KiB in place of 64.
small_buffers <- "-tlab-4k"

no_thread_start <- function() typed_table(c("study", "tier", "tool", "part"), c("rate_per_s", "us"))

#' The CPU time of a request with a pool, the parts that lead from it to that with a thread of its own, and this.
#'
#' @param cause see read_causes(): its difference has a thread for each request, and a pool.
#' @param summary see read_summary(); `primitives` see read_primitives().
#' @return data.table: study, tier, tool, rate_per_s (answers), part (pool; hand-over, negative; start; collector; buffers, where the
#'   mode with small ones was measured; rest; thread), us. No rows where a side, or a primitive, is missing.
parts_of_thread_start <- function(cause, summary, primitives) {
  ends <- cause$difference
  sides <- c(thread = ends$mode, pool = ends$baseline, buffers = paste0(ends$mode, small_buffers))
  cells <- counted_cells(summary, cause)
  cells <- cells[counts_for(cells) & mode %in% sides & tier %in% thread_start_tiers & tool %in% c("jmeter", "wrk2")]
  # One collector's thread on its one CPU.
  sums <- cells[, .(
    cpu = median(cpu_us_per_request), gc = median(1000 * gc_pause_ms / requests), rate_per_s = median(answers_per_s)
  ), by = .(tier, tool, side = names(sides)[match(mode, sides)])]
  rows <- lapply(split(sums, by = c("tier", "tool")), parts_at, primitives = primitives)
  rbindlist(c(list(no_thread_start()), rows), fill = TRUE)[, study := rep(cause$study, .N)][]
}

parts_at <- function(sums, primitives) {
  value <- function(wanted, column) c(sums[side == wanted][[column]], NA_real_)[1]
  rate_per_s <- value("thread", "rate_per_s")
  beside <- function(id) cost_of(primitives, id, rate_per_s) - cost_of(primitives, "request-on-one-thread", rate_per_s)
  without_pauses <- function(wanted) value(wanted, "cpu") - value(wanted, "gc")
  buffers <- without_pauses("thread") - without_pauses("buffers")
  parts <- c(
    "hand-over" = -beside("pool-beside-request"), start = beside("platform-thread-beside-request"), collector = value("thread", "gc") - value("pool", "gc"),
    buffers = if (!is.na(buffers)) buffers
  )
  ends <- c(pool = value("pool", "cpu"), thread = value("thread", "cpu"))
  if (anyNA(c(parts, ends))) return(NULL)
  us <- c(ends["pool"], parts, rest = unname(ends["thread"] - ends["pool"]) - sum(parts), ends["thread"])
  data.table(sums[1, .(tier, tool)], rate_per_s = rate_per_s, part = names(us), us = unname(us))
}

#' Reads the table.
#'
#' @param path of results/thread-start.csv; older runs have none.
#' @export
read_thread_start <- function(path) read_if_there(path, no_thread_start())
