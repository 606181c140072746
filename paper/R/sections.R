# The sections of the studies: the skeleton of study.qmd, and within it what is a study's own.

#' The studies in the order of the configuration.
studies_of <- function(summary) {
  known <- unique(modes_in_use$table$study)
  union(intersect(known, summary$study), summary$study)
}

# study.qmd has places that a study's own file may fill.
place_mark <- "^<!-- (\\w+) -->$"

#' Lines under each mark, by its name; those before the first mark are for `setup`.
lines_by_place <- function(lines) {
  marked <- grepl(place_mark, lines)
  under <- c("setup", sub(place_mark, "\\1", lines[marked]))[cumsum(marked) + 1]
  split(lines[!marked], factor(under[!marked], unique(under)))
}

#' A study's text: study.qmd with `{{id}}` filled in, and each of its places with what the study's own file, <study>.qmd,
#' has under the same mark. A study without such a file has the skeleton alone.
#'
#' @param id the study.
#' @return lines.
study_text <- function(id) {
  own <- paste0(id, ".qmd")
  fills <- if (file.exists(own)) lines_by_place(readLines(own, encoding = "UTF-8"))
  skeleton <- gsub("{{id}}", id, readLines("study.qmd", encoding = "UTF-8"), fixed = TRUE)
  is_place <- grepl(place_mark, skeleton)
  unknown <- setdiff(names(fills), sub(place_mark, "\\1", skeleton[is_place]))
  if (length(unknown) > 0) stop(own, " has the mark ", unknown[1], ", which study.qmd does not have", call. = FALSE)
  text <- as.list(skeleton)
  text[is_place] <- lapply(skeleton[is_place], function(line) fills[[sub(place_mark, "\\1", line)]])
  unlist(text)
}

#' The text of each study, knitted.
#'
#' @return one string of Markdown.
tell_studies <- function(all) {
  told <- vapply(studies_of(all$summary), function(id) {
    knitr::knit_child(text = study_text(id), envir = new.env(parent = knitr::knit_global()), quiet = TRUE)
  }, "")
  paste(told, collapse = "\n\n")
}
