# Odd values in turn, and the verbs that they stop.

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

#' A small run: two modes, two tools and a curve, two sessions, with a file of each kind that is measured.
#'
#' @return list: paths (a JMeter cell and a wrk2 cell of each mode and session), curves.
small_run <- function() {
  root <- new_folder()
  both_modes <- c("fixed-pool", "thread-per-request")
  demo_cell <- function(mode, repetition, tool, ...) {
    write_cell(
      root, mode = mode, repetition = repetition, tool = tool, baseline = if (mode == "fixed-pool") "thread-per-request",
      provenance = list(server_cpus = 0, generator_cpus = 1, machine = list(cpu_model = "A CPU", cpus = 2, memory_bytes = 8e9, kernel = "6.1")),
      configuration = list(
        study = list(server = list(package = "artifact.sockets.mode")), tier = list(id = "low", path = "/work", sleep_ms = 10),
        tool = list(id = tool, users = if (tool == "jmeter") 100, rate_per_s = if (tool == "wrk2") 100), mode = list(options = list()),
        testbed = list(profiler = list(allocation_kib = 64))
      ),
      backend = list(id = "mariadb", cpus = 0), profile = list(start_epoch_s = 26, end_epoch_s = 27, slices = 1, kept = 1), ...
    )
  }
  cells_of <- function(mode, repetition) {
    c(
      demo_cell(mode, repetition, "jmeter", elapsed_ms = 20:29 + repetition), demo_cell(mode, repetition, "wrk2", histogram_ms = 20:29 + repetition)
    )
  }
  curve_of <- function(mode, repetition) {
    baseline <- if (mode == "fixed-pool") "thread-per-request"
    write_curve(root, steps_with(c(5, 8, 30, 50)), mode = mode, repetition = repetition, baseline = baseline)
  }
  modes <- rep(both_modes, each = 2)
  paths <- unlist(Map(cells_of, modes, 1:2, USE.NAMES = FALSE))
  curves <- unlist(Map(curve_of, modes, 1:2, USE.NAMES = FALSE))
  for (path in paths) {
    writeLines("java/net/ServerSocket.accept_[1] 100", file.path(dirname(path), "profile.collapsed"))
    writeLines("java/net/ServerSocket.accept_[1] 4096", file.path(dirname(path), "allocation.collapsed"))
    fwrite(data.table(time_s = c(26.1, 26.2), source = "jvm", group = "carrier", state = "WAITING", threads = c(1, 2)), file.path(dirname(path), "thread-states.csv"))
  }
  list(paths = paths, curves = curves)
}
