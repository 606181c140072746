# No number of a cell that is unknown, or 0, stops a verb that reads it: each of its record and of its files in turn.

run <- small_run()
paths <- run$paths
curves <- run$curves
rules <- read_stack_groups(file.path(analysis_folder, "stack-groups.csv"))

# Those that read a section of the record.
cell_verbs <- function(cell, section = "profile") {
  c(
    list(summarise = function() summarise_cell(cell)),
    if (section %in% c("server", "profile")) list(cpu = function() group_cell_cpu(cell, rules), allocations = function() group_cell_allocations(cell, rules))
  )
}
curve_verbs <- function(cell, section = "sweep") {
  if (section %in% c("sweep", "load")) list(capacity = function() capacities_of(list(cell)), steps = function() pool_steps(list(cell)))
}

measured_sections <- c("load", "server", "backend", "machine", "profile", "warm_up", "sweep", "answers", "session")

# Paths of the numbers that the schema has and the analysis names, within the sections that are measured, and of what servers count themselves.
measured_numbers <- function() {
  schema <- yaml::read_yaml(file.path(analysis_folder, "..", "workloads", "record", "cell.schema.yaml"))
  below <- function(node, path) {
    if (!is.null(node[["$ref"]])) node <- Reduce(`[[`, strsplit(node[["$ref"]], "/")[[1]][-1], schema)
    parts <- unlist(lapply(c(node$oneOf, node$anyOf, node$allOf), below, path), recursive = FALSE)
    own <- if (any(c("number", "integer") %in% unlist(node$type))) list(path)
    inside <- Map(function(child, name) below(child, c(path, name)), node$properties, names(node$properties))
    of_any <- if (is.list(node$additionalProperties)) below(node$additionalProperties, c(path, "any"))
    c(own, parts, unlist(unname(inside), recursive = FALSE), of_any)
  }
  code <- unlist(lapply(list.files(file.path(analysis_folder, "R"), full.names = TRUE), readLines))
  is_read <- function(path) path[1] %in% measured_sections && any(grepl(tail(path, 1), code, fixed = TRUE))
  numbers <- Filter(is_read, below(schema, character()))
  counters <- c("pool_waits", "pool_wait_ms", "pinned", "pinned_ms")
  unique(c(numbers, lapply(counters, function(name) c("server", "counters", name))))
}

test_that("no number of a cell's record stops a verb", {
  numbers <- measured_numbers()
  expect_gt(length(numbers), 30)
  expect_true(list(c("server", "cpu_us_per_request")) %in% numbers)
  wrk2 <- read_cell(paths[2])
  curve <- read_cell(curves[1])
  expect_none(lapply(numbers, function(path) {
    stopped(paste(path, collapse = "."), function(value) {
      change <- Reduce(function(inner, name) setNames(list(inner), name), rev(path), if (!is.na(value)) value)
      c(cell_verbs(modifyList(wrk2, change), path[1]), curve_verbs(modifyList(curve, change), path[1]))
    })
  }))
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
  expect_none(stopped_by_file(paths[1], "slices.csv", function(cell) c(cell_verbs(cell), list(slices = function() read_load(cell, "")))))
  expect_none(stopped_by_file(curves[1], "slices.csv", curve_verbs))
  states <- function(cell) {
    list(summarise = function() summarise_cell(cell), states = function() {
      read <- read_states(cell$path)
      if (nrow(read) > 0) count_threads(read)
    })
  }
  expect_none(stopped_by_file(paths[1], "thread-states.csv", states, fread))
})
