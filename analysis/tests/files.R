# Which file needs which: the tests of analysis and paper show that no file needs itself through another.

#' The files of a folder that each of them needs.
#'
#' @param folder of R files, each a row of definitions.
#' @return list, named by file: the other files that define a global name of its functions.
needs_of_files <- function(folder) {
  files <- list.files(folder, "[.]R$")
  definitions <- lapply(setNames(file.path(folder, files), files), function(file) {
    Filter(function(one) is.call(one) && identical(one[[1]], quote(`<-`)), as.list(parse(file, keep.source = FALSE)))
  })
  names_of <- lapply(definitions, function(defined) vapply(defined, function(one) as.character(one[[2]])[1], ""))
  place <- setNames(rep(files, lengths(names_of)), unlist(names_of))
  lapply(setNames(nm = files), function(file) {
    values <- lapply(definitions[[file]], `[[`, 3)
    globals <- unlist(lapply(values, function(value) codetools::findGlobals(eval(call("function", NULL, value), baseenv()))))
    setdiff(unname(place[intersect(globals, names(place))]), file)
  })
}

#' The files that need themselves through others.
#'
#' @param needs see needs_of_files().
files_in_circles <- function(needs) {
  reached <- needs
  for (step in seq_along(needs)) reached <- lapply(reached, function(files) unique(c(files, unlist(needs[files]))))
  names(needs)[mapply(`%in%`, names(needs), reached)]
}
