# The verbs of analyze.R. Names of files come by standard input, a line each: a command line has room for some
# thousands of them only.

#' Runs one verb.
#'
#' @param verbs functions by name; `words` the verb and its settings, each as `key=value`.
#' @export
run_verb <- function(verbs, words) {
  verb <- verbs[[words[1]]]
  if (is.null(verb)) stop("no verb ", words[1], "; known: ", paste(names(verbs), collapse = ", "), call. = FALSE)
  settings <- settings_of(words[-1])
  known <- names(formals(verb))
  if (!setequal(names(settings), known)) {
    stop(words[1], " takes ", paste0(known, "=…", collapse = " "), "; given: ", paste(words[-1], collapse = " "), call. = FALSE)
  }
  invisible(do.call(verb, settings))
}

settings_of <- function(words) as.list(setNames(sub("^[^=]*=", "", words), sub("=.*", "", words)))

#' Reads names from standard input. Without names printf still prints an empty line.
#' @export
names_from_input <- function() {
  input <- file("stdin")
  on.exit(close(input))
  Filter(nzchar, readLines(input))
}

#' The verbs of analyze.R.
#'
#' @param folder of the analysis: claims.yaml, causes.yaml, guide.yaml, PROTOCOL.md, runs.
#' @return functions by name, each with its settings as arguments.
#' @export
verbs <- function(folder) {
  list(
    # Input: cell.json of every cell.
    analyze = function(results) analyze(results, names_from_input(), folder),
    # Input: profile.collapsed and allocation.collapsed of cells. `converter` is async-profiler's jfrconv.
    profiles = function(results, converter) analyze_profiles(results, names_from_input(), folder, converter),
    # `cell` is named by study/mode/tier/tool/rep-n, and `with` a shipped run.
    judge = function(results, cell, with) writeLines(judge_cell(results, cell, read_all_shipped(file.path(folder, "runs"), with), file.path(folder, "guide.yaml"))),
    # Judges the tables of shipped runs by today's rules; `results` of the cells of the runs `of`, analysed today, by commas, or both empty.
    again = function(of, results) ship_again(folder, setNames(strsplit(results, ",")[[1]], strsplit(of, ",")[[1]])),
    # `cells` are those of all variants but the first.
    builds = function(results, cells) write_builds(judge_builds(results, strsplit(cells, ",")[[1]]), results),
    # Takes a quarter of an hour: to be run with a run that is to be shipped, and its table committed.
    simulate = function(results, out) {
      table <- function(name) file.path(results, paste0(name, ".csv"))
      measured <- as_measured(read_summary(table("summary")), read_slices(table("slices")))
      of_named <- lapply(judged_statistics, function(id) simulate_until_decided(measured_pairs(measured, id), id, 100))
      found <- rbindlist(c(list(simulate_coverage(measured, 6)), of_named))
      shares <- names(found)[vapply(found, is.double, NA)]
      write_table(found[, (shares) := lapply(.SD, round, 3), .SDcols = shares], out)
    }
  )
}
