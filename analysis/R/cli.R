# What the command-line scripts beside this folder share; each begins by reading this file.

# data.table takes one thread where OMP_NUM_THREADS is set, as Snakemake sets it.
setDTthreads(2)

#' Loads all functions of a stage.
#'
#' @param folder the stage's folder; by default that of the script that runs.
#' @return the folder.
source_all <- function(folder = dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))) {
  for (file in list.files(file.path(folder, "R"), pattern = "[.]R$", full.names = TRUE)) source(file)
  invisible(folder)
}

#' Splits command-line words into options and files.
#'
#' @param words character vector, as `commandArgs(trailingOnly = TRUE)`.
#' @param options names of the options that must be given, each as `--name value`.
#' @return list with one string for each option, and `files`: the remaining words; instead of a `-` among them
#'   the lines of standard input.
parse_command_line <- function(words, options) {
  parsed <- list()
  for (option in options) {
    at <- which(words == paste0("--", option))
    if (length(at) != 1 || at == length(words)) {
      stop("--", option, " must be given once, with a value", call. = FALSE)
    }
    parsed[[option]] <- words[at + 1]
    words <- words[-c(at, at + 1)]
  }
  unknown <- grep("^--", words, value = TRUE)
  if (length(unknown) > 0) {
    known <- paste0("--", options, collapse = ", ")
    stop("unknown option ", unknown[1], "; known: ", known, call. = FALSE)
  }
  parsed$files <- as.character(unlist(lapply(words, function(word) if (word == "-") names_from_input() else word)))
  parsed
}

# Of no names printf still prints an empty line.
names_from_input <- function() {
  input <- file("stdin")
  on.exit(close(input))
  Filter(nzchar, readLines(input))
}
