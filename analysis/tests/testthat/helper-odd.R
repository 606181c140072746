# Values that are unknown, or 0, in turn, and the verbs that they stop.

odd_values <- list(empty = NA_real_, zero = 0)

# Errors of verbs, named by the odd value and by `label`; their warnings are their own. `verbs_with` gives the verbs where a value stands.
stopped <- function(label, verbs_with) {
  run <- function(verb, label) {
    tryCatch(
      {
        suppressWarnings(verb())
        NULL
      },
      error = function(problem) paste0(label, ": ", conditionMessage(problem))
    )
  }
  unlist(lapply(names(odd_values), function(odd) {
    verbs <- verbs_with(odd_values[[odd]])
    Map(run, verbs, paste(odd, label, names(verbs), recycle0 = TRUE))
  }))
}

expect_none <- function(found) {
  found <- unique(unlist(found))
  expect(length(found) == 0, paste(found, collapse = "\n"))
}

# Every column in turn: `verbs_on` gives the verbs of the changed table.
stopped_by_columns <- function(table, columns, rows, verbs_on) {
  lapply(columns, function(column) {
    stopped(column, function(value) {
      changed <- set(copy(table), j = column, value = as.numeric(table[[column]]))
      verbs_on(set(changed, rows, column, value), column)
    })
  })
}

numbers_of <- function(table) setdiff(names(table)[vapply(table, is.numeric, NA)], c("repetition", "slice", "round"))

#' A small run of golden cells: two modes, two tools and a load sweep, two sessions, with a file of each kind that is measured.
#'
#' @return list: paths (a JMeter cell and a wrk2 cell of each mode and session), curves (cells of load sweeps).
small_run <- function() {
  root <- new_folder()
  copied <- function(mode, repetition, tool) {
    tier <- c(jmeter = "smoke-waiting", wrk2 = "smoke-burst", sweep = "smoke-sweep")[[tool]]
    folder <- file.path(root, "demo", mode, "low", tool, paste0("rep-", repetition))
    dir.create(folder, recursive = TRUE)
    files <- dirname(golden_path(file.path("request-threads", mode, tier, tool)))
    states <- golden_path("blocking-remote/pool-200-blocking/smoke-remote/jmeter", "thread-states.csv")
    allocation <- golden_path("stacks/webflux/smoke-order/wrk2", "allocation.collapsed")
    file.copy(c(list.files(files, full.names = TRUE), if (tool != "sweep") c(states, allocation)), folder)
    identify_cell(file.path(folder, "cell.json"), mode, repetition, tool)
  }
  modes <- rep(c("fixed-pool", "thread-per-request"), each = 2)
  cells_of <- function(mode, repetition) c(copied(mode, repetition, "jmeter"), copied(mode, repetition, "wrk2"))
  list(
    paths = unlist(Map(cells_of, modes, 1:2, USE.NAMES = FALSE)),
    curves = unlist(Map(copied, modes, 1:2, "sweep", USE.NAMES = FALSE))
  )
}

# A valid cell of the study "demo", of which every slice counts.
identify_cell <- function(path, mode, repetition, tool) {
  edit_rows(file.path(dirname(path), "slices.csv"), function(slices) slices[, `:=`(kept = "true", reason = "")])
  edit_record(
    path, cell = list(study = "demo", tier = "low", repetition = repetition), validity = list(valid = TRUE), backend = list(id = "mariadb", cpus = 0),
    session = list(id = paste0("session-", repetition), repetition = repetition), profile = if (tool != "sweep") list(kept = 1)
  )
  path
}
