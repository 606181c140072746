# The tables of results/ as data: the page shows the rows of each file, to be searched and sorted.

# Headings of columns that are no statistics and have another than their name.
column_titles <- c(
  repetition = "Rep.", tier_title = "Load", cpu_limited = "At the CPU's limit", estimate = "Ratio", pairs = "Sessions",
  p_adjusted = "p, adjusted", mode_value = "Mode's value", baseline_value = "Baseline's value", estimate_all = "Ratio, no slice excluded",
  fcr_low = "Low, reported", fcr_high = "High, reported", mva_per_s = "MVA (1/s)", share_percent = "Measured / bound (%)",
  within_per_s = "From (1/s)", beyond_per_s = "To (1/s)", warm_up_s = "Warm-up (s)", warm_up_ended = "Warm-up ended",
  answered_after_s = "Answered after (s)"
)
# Units by the ends of other columns' names.
column_units <- c("_per_s" = "1/s", "_ms" = "ms", "_us" = "µs", "_kib" = "KiB", "_mib" = "MiB")

title_of_column <- function(names) {
  with_unit <- names
  for (end in names(column_units)) with_unit <- sub(paste0(end, "$"), sprintf(" (%s)", column_units[[end]]), with_unit)
  of_statistics <- fifelse(is.na(about_statistics(names)$title), with_unit, headings(names))
  capitalised(gsub("_", " ", fcoalesce(unname(column_titles[names]), of_statistics)))
}

#' A table as HTML, for the page alone: pandoc would take minutes for thousands of rows.
#'
#' @param table data.frame; numbers are set with three significant digits, texts as they are. `what` is the caption, with units that
#'   the headings lack; `file` of results/ whose rows these are; `ids` the columns, as words_of_columns() knows them.
page_table <- function(table, what, file = NULL, ids = names(table)) {
  # Before the table loses columns.
  force(ids)
  table <- as.data.table(table)
  if (nrow(table) == 0) return("")
  empty <- vapply(table, function(column) all(column %in% c(NA, "")), NA)
  table <- table[, !empty, with = FALSE]
  is_number <- vapply(table, is.numeric, NA)
  cells <- Map(function(column, number) {
    text <- if (number) format_number(column) else escape_html(fcoalesce(as.character(column), ""))
    paste0(if (number) "<td class=\"n\">" else "<td>", text, "</td>")
  }, table, is_number)
  heads <- paste0("<th", ifelse(is_number, " class=\"n\"", ""), ">", escape_html(names(table)), "</th>", collapse = "")
  source <- if (!is.null(file)) sprintf(" <code>%s</code>, %s.", file, count_of(nrow(table), "row"))
  paste0(
    sprintf("<figure class=\"tbl data\"%s>\n<figcaption>", if (is.null(file)) "" else sprintf(" data-file=\"%s\"", file)),
    escape_html(what), source, "</figcaption>\n<table class=\"table\">\n<thead><tr>", heads, "</tr></thead>\n<tbody>\n",
    paste0("<tr>", do.call(paste0, unname(cells)), "</tr>", collapse = "\n"), "\n</tbody>\n</table>\n",
    column_list(names(table), words_of_columns(ids[!empty], file)), "</figure>"
  )
}

# Folded under its table.
column_list <- function(headings, words) {
  paste0(
    "<details class=\"columns\"><summary>Columns</summary>\n<dl>",
    paste0("<dt>", escape_html(headings), "</dt><dd>", escape_html(words), "</dd>", collapse = "\n"), "</dl>\n</details>\n"
  )
}

# Names, which may look like numbers: a load may be called 500 or 010.
id_columns <- c("study", "comparison", "mode", "baseline", "tier", "tool", "of", "family")

#' Reads a file of results/ with its numbers as numbers; no rows where there is none.
read_data <- function(results, file) {
  path <- file.path(results, file)
  if (!file.exists(path)) return(data.table())
  rows <- readable(file, fread(path, colClasses = "character", na.strings = "", encoding = "UTF-8"))
  numbers <- setdiff(names(rows), id_columns)
  if (length(numbers) > 0) rows[, (numbers) := lapply(.SD, type.convert, as.is = TRUE), .SDcols = numbers]
  rows[]
}

#' Rows of a file of results/ as HTML.
#'
#' @param columns of the file, in the order to be shown; `keep` function of the rows that says which to show.
data_table <- function(results, file, what, columns = NULL, keep = NULL) {
  rows <- read_data(results, file)
  if (nrow(rows) == 0) return("")
  if (!is.null(keep)) rows <- rows[keep(rows) %in% TRUE]
  shown <- if (is.null(columns)) names(rows) else intersect(columns, names(rows))
  texts <- Map(function(id) value_of_cell(rows, id), shown)
  page_table(setnames(as.data.table(texts), title_of_column(shown)), what, file, shown)
}

# A column of cells: latencies that do not count have a mark, and a percentile that failed requests reach is not reached.
value_of_cell <- function(rows, id) {
  values <- rows[[id]]
  if (id == "reason") return(reason_in_words(values))
  if (!grepl("^latency_.*_ms$", id) || !is.numeric(values)) return(values)
  marks <- if (is.null(rows$latency_valid)) FALSE else !(rows$valid & rows$latency_valid) & !is.na(values)
  if (!any(is.infinite(values) | marks)) return(values)
  paste0(value_text(values), ifelse(marks, paste0(" ", not_valid_mark), ""))
}

# ---- A study's tables ------------------------------------------------------------------------

of_cell <- c("mode", "tier", "tool", "repetition")
client_columns <- c(
  of_cell, "valid", "latency_valid", "outcome", "offered_per_s", "users", "connections", "requests", "throughput_per_s", "error_percent",
  "latency_mean_ms", "latency_p50_ms", "latency_p95_ms", "latency_p99_ms", "latency_p99_9_ms", "latency_max_ms",
  "latency_uncorrected_p99_ms", "latency_mixed_in_p50_ms", "latency_mixed_in_p99_ms"
)
server_columns <- c(
  of_cell, "valid", "cpu_us_per_request", "backend_cpu_us_per_request", "pool_wait_mean_ms", "threads_peak", "threads_started",
  "rss_peak_mib", "rss_idle_mib", "first_answer_s", "warm_up_s", "warm_up_ended", "collections", "full_collections", "gc_pause_ms", "machine_context_switches_per_request", "pinned", "pinned_ms",
  "counted_requests", "accept_queue_peak", "listen_overflows", "retransmits", "compiler_share", "generator_cpu_share"
)
invalid_columns <- c(of_cell, "outcome", "outcome_reason", "failed_checks", "errors", "bound_throughput", "bound_latency")
excluded_slice_columns <- c(
  of_cell, "round", "kind", "reason", "throughput_per_s", "latency_mean_ms", "latency_p99_ms", "cpu_us_per_request", "compiler_share",
  "others_cpu_share", "steal_share", "server_steal_share", "idle_neighbors_share"
)
of_curve <- c("mode", "tier", "step", "sessions", "rate_per_s")

#' The tables of one study as HTML, with its time series and flame graphs.
tables_of_study <- function(all) {
  table <- function(file, what, columns = NULL, keep = function(rows) TRUE) {
    data_table(all$results, file, what, columns, function(rows) rows$study == all$study & keep(rows))
  }
  allocations <- function() read_allocations(file.path(all$results, "allocations.csv"))[study == all$study]
  tables_of(
    paste("tables of", all$study),
    page_table(table_modes_asked(all), "The modes, as their cells record them. An A/A pair is one mode under two names."),
    page_table(table_tiers(all), "The tiers, and the load that each tool applies."),
    page_table(table_start(all), "Time to peak and idle cost of each mode: medians over its cells."),
    page_table(table_primaries(all$comparisons, all$undecided), "The primary comparisons of the study. ‡ marks one session, § few collections."),
    table("summary.csv", "What clients saw, cell by cell. Latency of an open loop counts from when a request was due, uncorrected from when it was sent. † marks latencies that do not count; a percentile is not reached where more requests failed.", client_columns),
    table("summary.csv", "What servers used, cell by cell.", server_columns),
    table("summary.csv", "Cells that are not valid, cells whose latency does not count, and servers that failed; what they still bound.", invalid_columns, function(rows) {
      !(rows$valid %in% TRUE & rows$latency_valid %in% TRUE & rows$outcome == "completed")
    }),
    table("slices.csv", "Slices whose latency does not count, and the rule that each fails. Shares are of the server's CPUs.", excluded_slice_columns, function(rows) !rows$kept),
    table_of_bounds(all),
    table("occupancy.csv", "Where the users of closed loops stand at any moment, by Little's law; medians over the sessions that count."),
    table("capacity.csv", "Load curves: the capacity is the highest rate that keeps the objective.", c(
      "mode", "tier", "repetition", "valid", "baseline", "objective_ms", "capacity_per_s", "bound_capacity", "why_bounded", "within_per_s",
      "beyond_per_s", "calibrated_per_s", "out_of_memory", "failed_checks"
    )),
    table("sweeps.csv", "Load curves, step by step: geometric means over sessions with the range over sessions.", c(
      of_curve, paste0(rep(c("latency_p50_ms", "latency_p99_ms", "cpu_us_per_request"), each = 3), c("", "_low", "_high")), "saturated"
    )),
    table("mixes.csv", "Short requests next to long ones: latency as queueing theory predicts it from rate, paths and CPU time, and as it was measured; medians over the sessions that count."),
    table("overloads.csv", "Loads beyond capacity: requests due, answered right in time, and within 1 to 10 s, which any time-out would have left; shares that a fluid model predicts, and the most that any order of service allows.", c(
      "mode", "tier", "repetition", "slice", "outcome", "steps", "capacity_per_s", "due", "in_time", "predicted_in_time", "most_in_time", "refused",
      "answered_after_s", "full_collections_after", sprintf("within_%d_s", 1:10)
    )),
    table("overload-seconds.csv", "Loads beyond capacity that change in time, by the second in which requests were due: share of the capacity that is offered, answers, and percentiles of latency (∞: failed requests reach them)."),
    table("recoveries.csv", "The way back: the 99th percentile before the overload, shares answered in time before, during and after it, and seconds until the 99th percentile was back (∞: not within the load)."),
    table("request-heap.csv", "Heap that a request in flight holds at the most: heap in use after the collection that left most of it, by the requests in flight then, where the heap had room."),
    table("heaps.csv", "Heap and collector: medians over the sessions that count. The share of time in pauses has no value for a collector that works next to the program; its cost is in the CPU time."),
    table("heap-per-request.csv", "Heap that a request in flight holds, by collector: the median slope between any two collections of a cell, over all its heaps."),
    table("cpu-groups.csv", "CPU time by group of stacks; groups without a sample are not shown.", c(
      of_cell, "valid", "group", "samples", "cpu_us_per_request"
    ), function(rows) rows$samples > 0),
    page_table(table_allocations(allocations()), "What a request allocates in the profiled slices of valid cells, with 95 % intervals by sampling."),
    table("allocations.csv", "Bytes that a request allocates, by group of stacks, with the standard error of sampling."),
    page_table(table_thread_events(read_thread_events(cell_files(all))), "Events of the JVM's threads in profiled slices of valid cells: JFR's, none too short to be recorded."),
    table("combinations.csv", "Transactions a second by the sizes of both pools, and the combinations that cannot be told from the best."),
    page_table(table_threads(all), "Threads by group: the most that existed at a time, and how many of them ran or were free to run, as the JVM and as the kernel has them; medians over repetitions."),
    traces_frame(all),
    flame_graphs(choose_flame_graphs(all))
  )
}

#' How long each mode takes until it is warm, and what it uses at rest.
table_start <- function(all) {
  idle_cpu <- 100 * from_cells(all$cells, function(cell) number(cell$server$idle_cpu_share), NA_real_)
  middle <- function(values) as.numeric(median(values, na.rm = TRUE))
  copy(all$summary)[, idle_cpu := idle_cpu][, .(
    "Start (s)" = middle(start_up_s), "First answer (s)" = middle(first_answer_s), "Time to peak (s)" = middle(warm_up_s),
    "Idle CPU (%)" = middle(idle_cpu), "Idle memory (MiB)" = middle(rss_idle_mib), "Idle threads" = middle(threads_idle)
  ), by = .(Mode = mode)][order(match(Mode, mode_levels(Mode)))]
}

cell_files <- function(all) file.path(all$results, "cells", cell_path(all$summary), "cell.json")

#' Bounds of theory next to measured values, with their ratio.
table_of_bounds <- function(all) {
  bounds <- read_bounds(file.path(all$results, "bounds.csv"))[study == all$study]
  bounds[, share_percent := 100 * measured_per_s / bound_per_s]
  shown <- setdiff(names(bounds), "study")
  page_table(setNames(bounds[, shown, with = FALSE], title_of_column(shown)), paste(
    "What users, admission or the CPUs allow (Little's law, the utilization law, mean value analysis), and what was measured:",
    "median over the sessions that count."
  ), "bounds.csv", shown)
}

#' Threads by group and source, where servers counted them.
table_threads <- function(all) {
  states <- read_states(cell_files(all))
  if (nrow(states) == 0) return(data.table())
  counts <- count_threads(states)[peak > 0]
  wide <- dcast(counts, mode + tier + tool + group ~ source, value.var = c("peak", "running"), fill = 0)
  setnames(wide[order(match(mode, mode_levels(mode)), tier)], title_of_column)[]
}

#' A folded section of the page, empty where no table has rows: a title, tables as HTML, and Markdown below the title.
section_of_tables <- function(title, id, ..., about = "") {
  tables <- Filter(nzchar, tables_of(title, ...))
  if (length(tables) == 0) return("")
  paste0(sprintf("# %s {#sec-%s .data .unnumbered}\n\n%s\n", title, id, about), raw_html(tables), "\n")
}

#' Those of the studies, in the order of the configuration.
tables_of_studies <- function(all) {
  studies <- union(intersect(unique(modes_in_use$table$study), all$summary$study), all$summary$study)
  told <- vapply(studies, function(id) {
    one <- of_study(all, id)
    about <- one$cells[[1]]$labels$study
    question <- sprintf("*%s*", trimws(about$question))
    section_of_tables(paste(about$title, "– tables"), paste0(id, "-tables"), tables_of_study(one), about = question)
  }, "")
  paste(told, collapse = "\n")
}

# ---- The tables of all studies ---------------------------------------------------------------

place_columns <- c("study", "mode", "baseline", "tier", "tool", "statistic", "unit")
ratio_columns <- c(
  place_columns, "baseline_value", "mode_value", "estimate", "low", "high", "fcr_low", "fcr_high", "estimate_all", "bound", "reason", "verdict",
  "cpu_limited", "p_adjusted", "pairs", "rounds", "baseline_collections", "mode_collections", "baseline_gc_share", "mode_gc_share"
)

#' The tables that are not of one study.
#'
#' @param coverage of analysis/coverage.csv; `changes` see reproduce_run(); `protocol` see read_protocol(); `renderer` its name.
tables_of_all <- function(all, coverage, published, changes, protocol, renderer) {
  table <- function(...) data_table(all$results, ...)
  sections <- list(
    section_of_tables("Comparisons – tables", "comparison-tables",
      table("comparisons.csv", "Each mode against its baseline: the ratio, or for shares the difference, with its 95 % interval, and the values that divide to it. Primary comparisons alone have a verdict.", ratio_columns),
      table("findings.csv", "The pairs that the findings name.", c("finding", "pair", "outcome", "expected", "holds", ratio_columns)),
      table("alternatives.csv", "Rivals of the findings, and what became of each.", c("finding", "rival", "swap", "excluded_by", "outcome", "state", ratio_columns)),
      table("predictions.csv", "Predictions of swaps, with the bound beyond which each is refuted.", c("of", "at_least", "at_most", "refuted", ratio_columns)),
      table("sensitivity.csv", "Findings in other analyses: whether each holds with one choice changed, and the ratio, or for shares the difference, of its first pair."),
      table("undecided.csv", "Undecided primary comparisons: the rounds of a session by itself, or the sessions, that would decide each if its ratio stays what it is, and their minutes."),
      table("elsewhere.csv", "Here and on another host: where the comparison lies on another host in 95 of 100 cases, by all runs of two hosts or more."),
      page_table(setNames(changes, title_of_column(names(changes))), "This run against the shipped run that it is compared with.", ids = names(changes))
    ),
    section_of_tables("Causes – tables", "cause-tables",
      table("causes.csv", "Doses, swaps and steps; the share is of the effect, or of the whole of the steps."),
      table("moved-groups.csv", "CPU time per request (µs) by group of stacks, on both sides of a cause."),
      table("profiler-cost.csv", "Profiled against plain slices of the same mode in the same session.")
    ),
    section_of_tables("The sources' values – tables", "source-tables",
      page_table(table_theirs(all$summary, published), paste(
        "Every value that the sources printed, and ours: median over the repetitions that count with their range, of the server as published",
        "where there is one. † marks the range where none counts. The sources' machines are other machines, so no verdict",
        "follows, and where a slice is shorter than their load, mean and longest latency of a queue that grows are not comparable."
      ))
    ),
    section_of_tables("Memory of threads – tables", "primitive-tables",
      page_table(table_thread_memory(all$thread_memory), "Memory per waiting thread with 50 frames on its stack: each row is a JVM of its own, and what grew in it. Stacks of virtual threads lie in the heap.", "primitives/thread-memory.csv")
    ),
    section_of_tables("How good the measurement is – tables", "quality-tables",
      page_table(table_slices(all$summary, all$slices), "Slices without the profiler: loaded, counted, repeated, and excluded by each rule. A slice may fail several."),
      page_table(table_a_a(all$comparisons), "A/A pairs: a mode against itself under a second name, in the same sessions."),
      table("controls.csv", "Positive controls: what a mode does more, the ratio that was found, and where the true one lies."),
      table("rules-by-side.csv", "What each rule excludes from either side of the comparisons, where it excludes anything."),
      page_table(table_coverage(coverage), "Coverage and power: known ratios in measured rounds, by metric and design."),
      table("cpu-speed.csv", "How CPU time goes with the speed of the CPUs: the exponent of the speed probe's time, and the spread of CPU time per request before and after the correction."),
      page_table(table_checks(all$cells), "The validity checks, and how many of the cells to which each applies passed.")
    ),
    section_of_tables("Machine, versions and rules – tables", "machine-tables",
      page_table(table_machine(all$cells), "The machine. Several values in one row mean that cells differ."),
      page_table(table_versions(all$cells, all$summary, renderer), "Versions."),
      page_table(table_limits(all$cells), "Limits of the system."),
      page_table(table_protocol(protocol), "The versions of the rules, and whether results were known when each was fixed.")
    )
  )
  paste(unlist(sections), collapse = "\n")
}
