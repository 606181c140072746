# No value, however odd, ends the analysis: every number of every measured table in turn is 0, negative, empty and
# huge, and every verb that reads the table goes on. What is no such table still stops, and names the file.

odd_values <- c(zero = 0, negative = -1, empty = NA, huge = 1e12)

# Errors of a verb on a table with an odd value, named by both; its warnings are its own.
stopped <- function(label, verbs) {
  found <- lapply(names(verbs), function(name) {
    tryCatch(
      {
        suppressWarnings(verbs[[name]]())
        NULL
      },
      error = function(problem) sprintf("%s, %s: %s", label, name, conditionMessage(problem))
    )
  })
  unlist(found)
}

expect_none <- function(found) {
  found <- unique(unlist(found))
  expect(length(found) == 0, paste(found, collapse = "\n"))
}

# Every column in turn: `verbs_on` gives the verbs of the changed table.
stopped_by_columns <- function(table, columns, rows, verbs_on) {
  unlist(lapply(columns, function(column) {
    lapply(names(odd_values), function(odd) {
      changed <- copy(table)
      set(changed, j = column, value = as.numeric(changed[[column]]))
      set(changed, rows, column, odd_values[[odd]])
      stopped(paste(odd, column), verbs_on(changed, column))
    })
  }))
}

numbers_of <- function(table, but = character()) {
  setdiff(names(table)[vapply(table, is.numeric, NA)], c("repetition", "slice", "round", but))
}

# ---- A small run -----------------------------------------------------------------------------

root <- new_folder()
both_modes <- c("fixed-pool", "thread-per-request")
demo_cell <- function(mode, repetition, tool, ...) {
  write_cell(
    root, mode = mode, repetition = repetition, tool = tool, versus = if (mode == "fixed-pool") "thread-per-request",
    provenance = list(server_cpus = 0, generator_cpus = 1, machine = list(cpu_model = "A CPU", cpus = 2, memory_bytes = 8e9, kernel = "6.1")),
    configuration = list(
      study = list(server = list(package = "artifact.sockets.mode")), tier = list(id = "low", path = "/work", sleep_ms = 10),
      tool = list(id = tool, threads = if (tool == "jmeter") 100, rate_per_s = if (tool == "wrk2") 100), mode = list(options = list()),
      testbed = list(profiler = list(allocation_kib = 64))
    ),
    backend = list(id = "mariadb", cpus = 0), profile = list(start_epoch_s = 26, end_epoch_s = 27, slices = 1, kept = 1), ...
  )
}
paths <- unlist(lapply(both_modes, function(mode) lapply(1:2, function(repetition) c(
  demo_cell(mode, repetition, "jmeter", elapsed_ms = 20:29 + repetition), demo_cell(mode, repetition, "wrk2", histogram_ms = 20:29 + repetition)
))))
curves <- unlist(lapply(both_modes, function(mode) lapply(1:2, function(repetition) {
  write_curve(root, steps_with(c(5, 8, 30, 50)), mode = mode, repetition = repetition, versus = if (mode == "fixed-pool") "thread-per-request")
})))
for (path in paths) {
  writeLines("java/net/ServerSocket.accept_[1] 100", file.path(dirname(path), "profile.collapsed"))
  writeLines("java/net/ServerSocket.accept_[1] 4096", file.path(dirname(path), "allocation.collapsed"))
  fwrite(data.table(time_s = c(26.1, 26.2), source = "jvm", group = "carrier", state = "WAITING", threads = c(1, 2)), file.path(dirname(path), "thread-states.csv"))
}
rules <- read_stack_groups(file.path(analysis_folder, "stack-groups.csv"))
summary <- summarise_cells(paths)
slices <- slices_of_cells(paths)
capacity <- capacities_of(read_cells(curves))
comparisons <- rbind(compare_modes(summary, slices), compare_capacities(capacity))
cpu_groups <- group_cpu(paths, rules)
demo_cells <- read_cells(paths[1:2])

# ---- Cells -----------------------------------------------------------------------------------

# Those that read a section of the record.
cell_verbs <- function(cell, section = "profile") {
  c(
    list(summarise = function() summarise_cell(cell)),
    if (section %in% c("server", "machine", "profile")) list(
      cpu = function() group_cell_cpu(cell, rules), allocations = function() group_cell_allocations(cell, rules),
      slices = function() slices_of_cell(cell, ""), setup = function() read_setup(cell)
    )
  )
}
curve_verbs <- function(cell, section = "curve") {
  if (!section %in% c("curve", "load")) return(list())
  list(
    capacity = function() capacities_of(list(cell)), steps = function() pool_steps(list(cell)),
    predicted = function() predict_curves(list(cell), known_primitives)
  )
}

# Paths of the numbers that the schema has, within the sections that are measured.
measured_numbers <- function() {
  schema <- jsonlite::read_json(file.path(analysis_folder, "..", "workloads", "cell.schema.json"))
  below <- function(node, path) {
    if (!is.null(node[["$ref"]])) node <- Reduce(`[[`, strsplit(node[["$ref"]], "/")[[1]][-1], schema)
    parts <- unlist(lapply(c(node$oneOf, node$anyOf, node$allOf), below, path), recursive = FALSE)
    own <- if (any(c("number", "integer") %in% unlist(node$type))) list(path)
    inside <- Map(function(child, name) below(child, c(path, name)), node$properties, names(node$properties))
    of_any <- if (is.list(node$additionalProperties)) below(node$additionalProperties, c(path, "any"))
    c(own, parts, unlist(unname(inside), recursive = FALSE), of_any)
  }
  unique(Filter(function(path) path[1] %in% c(
    "load", "server", "backend", "machine", "telemetry", "profile", "warm_up", "curve", "answers", "session"
  ), below(schema, character())))
}

test_that("no number of a cell's record stops a verb", {
  numbers <- measured_numbers()
  expect_gt(length(numbers), 60)
  expect_true(list(c("server", "cpu_us_per_request")) %in% numbers)
  wrk2 <- read_cell(paths[2])
  curve <- read_cell(curves[1])
  found <- lapply(numbers, function(path) lapply(names(odd_values), function(odd) {
    value <- if (odd == "empty") list(NULL) else list(odd_values[[odd]])
    change <- Reduce(function(inner, name) setNames(list(inner), name), rev(path[-length(path)]), setNames(value, path[length(path)]))
    changed <- function(cell) modifyList(cell, change)
    stopped(paste(odd, paste(path, collapse = ".")), c(cell_verbs(changed(wrk2), path[1]), curve_verbs(changed(curve), path[1])))
  }))
  expect_none(found)
})

test_that("a count that its raw samples contradict is a damaged record, and names the file", {
  expect_error(summarise_cell(modifyList(read_cell(paths[1]), list(load = list(requests_recorded = -1)))), "samples.csv.gz: 10 samples")
})

# A copy of a cell's folder, with one file of it changed.
with_file <- function(path, name, write) {
  folder <- new_folder()
  file.copy(list.files(dirname(path), full.names = TRUE), folder)
  write(file.path(folder, name))
  read_cell(file.path(folder, basename(path)))
}

stopped_by_file <- function(path, name, verbs_of, read = function(path) fread(path, colClasses = list(character = "kept"))) {
  table <- read(file.path(dirname(path), name))
  stopped_by_columns(table, numbers_of(table), seq_len(nrow(table)), function(changed, column) {
    verbs_of(with_file(path, name, function(path) fwrite(changed, path)))
  })
}

test_that("no value of a cell's slices, steps or thread states stops a verb", {
  expect_none(stopped_by_file(paths[1], "slices.csv", cell_verbs))
  expect_none(stopped_by_file(curves[1], "slices.csv", curve_verbs))
  states <- function(cell) {
    list(summarise = function() summarise_cell(cell), states = function() {
      read <- read_states(cell$path)
      if (nrow(read) > 0) count_threads(read)
    })
  }
  expect_none(stopped_by_file(paths[1], "thread-states.csv", states, fread))
})

test_that("no latency and no count of samples stops a verb, and what is no table names its file", {
  odd_samples <- function(column, value) {
    with_file(paths[1], "samples.csv.gz", function(path) {
      fwrite(fread(cmd = paste("gzip -dc", shQuote(path)), colClasses = "character")[, (column) := value], path)
    })
  }
  for (column in c("timeStamp", "elapsed", "bytes", "sentBytes")) {
    for (odd in c("0", "-1", "1000000000000")) expect_none(stopped(paste(odd, column), cell_verbs(odd_samples(column, odd))))
    expect_error(summarise_cell(odd_samples(column, "")), "samples.csv.gz")
  }
  histogram <- function(value) {
    with_file(paths[2], "latency-corrected.hgrm", function(path) {
      lines <- readLines(path)
      writeLines(sub("^ *[0-9.]+( +[01][.])", paste0(value, "\\1"), lines), path)
    })
  }
  for (odd in c("0", "1000000000000")) expect_none(stopped(odd, cell_verbs(histogram(odd))))
  expect_error(summarise_cell(histogram("")), "latency-corrected.hgrm")
  for (count in c(0, 1e12)) {
    changed <- with_file(paths[1], "profile.collapsed", function(path) writeLines(sprintf("a;b %.0f", count), path))
    expect_none(stopped(paste(count, "samples"), cell_verbs(changed)))
  }
})

# ---- Tables ----------------------------------------------------------------------------------

one_statistic <- function(column) compared_statistics[statistic == (if (column %in% statistic) column else "throughput_per_s")]
situation <- list(title = "A demo", study = "demo", versus = "thread-per-request", tier = "low", tool = "wrk2", statistics = "throughput_per_s")
finding <- list(
  id = "one", study = "demo", pairs = list(pair = list(mode = "fixed-pool", tier = "low", tool = "wrk2", statistic = "throughput_per_s")), told = list()
)
demo_difference <- function(statistic) {
  list(list(
    id = "one", study = "demo", tool = "wrk2", tier = "low",
    difference = list(mode = "fixed-pool", versus = "thread-per-request", statistic = statistic),
    counter = list(title = "started", unit = "", value = "threads_started / counted_requests"),
    swaps = list(list(does = "nothing", changes = list(mode = "fixed-pool")))
  ))
}
demo_claim <- function(statistic) {
  list(list(
    id = "one", source = "a", where = "b", claim = "c", published = "d", treatment = "same", differs = "", because = "e", rule = list(above = 1),
    decided_by = list(list(study = "demo", mode = "fixed-pool", versus = "thread-per-request", tiers = "low", tool = "wrk2", statistic = statistic))
  ))
}

# Those that read a column; slices would stand in for the summary, so there are none.
summary_verbs <- function(summary, column) {
  statistic <- one_statistic(column)
  causes <- function() trace_causes(demo_difference(statistic$statistic), summary, no_slices())
  bounds <- function() bound_modes(demo_cells, summary)
  if (!column %in% c(compared_statistics$statistic, "requests", "offered_per_s")) return(list(causes = causes, bounds = bounds))
  list(
    compare = function() compare_modes(summary, no_slices(), statistic), bounds = bounds,
    causes = function() if (column == "cpu_us_per_request") causes(),
    # Comparisons of another pair of cells.
    loops = function() if (column == "latency_p99_ms") compare_tools(summary, no_slices(), "wrk2", "jmeter", column),
    noise = function() noise_floor(comparisons[statistic == column], summary),
    findings = function() decide_findings(list(finding), comparisons, summary),
    guide = function() compare_guide(list(situation), summary, no_slices(), comparisons),
    claims = function() judge_claims(demo_claim(statistic$statistic), list(summary = summary, comparisons = comparisons[0], extras = read_claim_extras("")))
  )
}

slice_verbs <- function(slices, column) {
  law <- speed_law(slices)
  speed <- function() with_usual_speed(slices, law)
  if (!column %in% c(slice_statistics, "requests_recorded")) return(list(speed = speed))
  list(
    speed = speed, profiler = function() profiler_cost(slices), compare = function() compare_modes(summary, slices, one_statistic(column)),
    causes = function() if (column == "throughput_per_s") trace_causes(demo_difference(column), summary, slices)
  )
}

# What compared statistics rest on, and the counters of causes.
used_of_summary <- c(
  intersect(compared_statistics$statistic, names(summary)), "requests", "backend_cpu_us_per_request", "offered_per_s", "users",
  "counted_requests", "threads_started", "pool_waits", "pool_wait_ms", "pool_wait_mean_ms", "pinned", "pinned_ms", "sleep_ms"
)

test_that("no value of the summary stops a verb", {
  expect_none(stopped_by_columns(summary, used_of_summary, which(summary$mode == "fixed-pool"), summary_verbs))
})

test_that("no value of the slices stops a verb", {
  expect_none(stopped_by_columns(slices, numbers_of(slices), which(slices$mode == "fixed-pool"), slice_verbs))
})

test_that("no value of capacities stops a verb", {
  verbs <- function(capacity, column) {
    list(
      compare = function() compare_capacities(capacity), pool = function() pool_capacity(capacity), summary = function() with_capacities(summary, capacity),
      guide = function() curve_situations(capacity, comparisons)
    )
  }
  expect_none(stopped_by_columns(capacity, numbers_of(capacity), 1L, verbs))
})

test_that("no count of samples stops a verb", {
  verbs <- function(groups, column) list(moved = function() moved_rows(demo_difference("throughput_per_s"), groups))
  expect_none(stopped_by_columns(cpu_groups, numbers_of(cpu_groups), seq_len(nrow(cpu_groups)), verbs))
})

test_that("no cost of a primitive, no memory of a thread and no combination stops a verb", {
  path <- tempfile(fileext = ".csv")
  costs <- CJ(primitive = c("tomcat-request", "platform-park"), rate_per_s = c(100, 1000), repetition = 1:2)
  costs[, `:=`(statistic = "cpu", value = 10, unit = "us", probe_us = 200)]
  law <- list(exponent = 0.5, usual_us = 200)
  verbs <- function(costs, column) {
    fwrite(costs, path)
    list(
      primitives = function() summarise_primitives(path, law),
      predicted = function() predict_curves(read_cells(curves[1]), summarise_primitives(path, law))
    )
  }
  expect_none(stopped_by_columns(costs, c("rate_per_s", "value", "probe_us"), 1L, verbs))
  memory <- data.table(kind = c("platform", "virtual"), threads = c(500, 1000), rss_bytes = 1e6, nmt_thread_reserved_bytes = 1e6, nmt_thread_committed_bytes = 1e6, heap_bytes = 1e6)
  verbs <- function(memory, column) {
    fwrite(memory, path)
    list(memory = function() memory_of_a_thread(read_thread_memory(path)))
  }
  expect_none(stopped_by_columns(memory, numbers_of(memory), 1L, verbs))
  sizes <- CJ(slice = 1:2, thread_pool_size = c(1, 4), connection_pool_size = c(2, 8))[, `:=`(transactions = 10, per_s = 100, p99_ms = 5, fairness = 1)]
  verbs <- function(sizes, column) {
    fwrite(sizes, path)
    grid <- function() rbindlist(lapply(1:2, function(repetition) cbind(study = "demo", mode = "both", tier = "grid", repetition, read_combinations(path))))
    list(combinations = function() worst_combinations(summarise_combinations(grid())))
  }
  expect_none(stopped_by_columns(sizes, numbers_of(sizes), 1L, verbs))
  expect_none(stopped_by_columns(sizes, numbers_of(sizes), seq_len(nrow(sizes)), verbs))
})
