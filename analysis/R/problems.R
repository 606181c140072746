# Problems: cells that could not be read, values that could not be computed. None ends an analysis: it is noted, and each verb leaves its rows in
# problems.csv, which page 1 of the report, the terminal and the exit status of `make report` show.

no_problems <- function() typed_table(c("table", "verb", "message", "cells"))

# Since the verb began, or since they were taken.
noted <- list2env(list(rows = list()))

#' Notes what could not be read or computed.
#'
#' @param table name of the table that lacks it, empty for all; `cells` names of cells, if it is theirs.
note_problem <- function(table, message, cells = character()) {
  # fread() leaves doubled quotes as they are.
  row <- list(table = table, message = gsub("\"", "'", gsub("\\s+", " ", message)), cells = paste(cells, collapse = ";"))
  noted$rows <- c(noted$rows, list(row))
}

#' The problems that were noted since the last call: table, message, cells.
take_problems <- function() {
  rows <- unique(rbindlist(c(list(no_problems()[, !"verb"]), noted$rows)))
  noted$rows <- list()
  rows
}

#' A value, or what stands for it where it cannot be computed, which is noted.
#'
#' @param value computed here; `otherwise` what stands for it: a value, or a function of the error's message.
#' @param table,cells see note_problem().
guarded <- function(value, table, otherwise = NULL, cells = character()) {
  tryCatch(value, error = function(problem) {
    note_problem(table, conditionMessage(problem), cells)
    if (is.function(otherwise)) otherwise(conditionMessage(problem)) else otherwise
  })
}

#' The reason that a row has in place of a value.
not_computed <- function(message) paste("could not be computed:", message)

#' Results of functions, of which each has a process; a machine has two CPUs at least.
#'
#' A process that is killed, as the kernel does where memory is short, leaves nothing: it is noted, and its task is done once more.
#'
#' @return list of results; NULL for a task whose process was killed twice.
in_parallel <- function(tasks) {
  done <- in_processes(tasks)
  lost <- which(lengths(done) == 0)
  if (length(lost) > 0) {
    note_problem("", "a process of the analysis was killed; memory may be short. Its work was done once more")
    done[lost] <- in_processes(tasks[lost])
  }
  if (any(lengths(done) == 0)) note_problem("", "a process of the analysis was killed twice")
  noted$rows <- c(noted$rows, unlist(lapply(done, `[[`, "problems"), recursive = FALSE))
  lapply(done, `[[`, "value")
}

# A task's notes come with its result. R's own word on a process without a result says less than in_parallel() does.
in_processes <- function(tasks) {
  of_task <- function(task) {
    noted$rows <- list()
    value <- guarded(task(), "")
    list(value = value, problems = noted$rows)
  }
  jobs <- lapply(tasks, function(task) parallel::mcparallel(of_task(task)))
  suppressWarnings(unname(parallel::mccollect(jobs)))
}

#' Reads problems.csv.
#'
#' @param results folder of a run; one without the file has no problems.
#' @return data.table: table, verb, message, cells.
#' @export
read_problems <- function(results) read_if_there(file.path(results, "problems.csv"), no_problems())

#' Writes the problems of a verb in place of those that it had.
#'
#' @param rows data.table: table, message, cells.
write_problems <- function(rows, results, verb) {
  of_verb <- verb
  rows <- copy(rows)[, `:=`(verb = rep(of_verb, .N), message = gsub(paste0(results, "/"), "", message, fixed = TRUE))]
  rows <- rbind(read_problems(results)[verb != of_verb], rows, use.names = TRUE)
  write_table(rows[, names(no_problems()), with = FALSE], file.path(results, "problems.csv"))
}
