# The sections of the studies: the skeleton of study.qmd, and within it what is a study's own.

#' The studies in the order of the configuration.
studies_of <- function(summary) {
  known <- unique(modes_in_use$table$study)
  union(intersect(known, summary$study), summary$study)
}

# study.qmd has three parts, and within them places that a study's own file may fill.
part_mark <- "^<!-- part: (\\w+) -->$"
place_mark <- "^<!-- (\\w+) -->$"

#' Lines under each mark, by its name; those before the first stand under `first`.
lines_by_mark <- function(lines, mark, first) {
  marked <- grepl(mark, lines)
  under <- c(first, sub(mark, "\\1", lines[marked]))[cumsum(marked) + 1]
  split(lines[!marked], factor(under[!marked], unique(under)))
}

#' A study's text: study.qmd with `{{id}}` filled in, and each of its places with what the study's own file, <study>.qmd,
#' has under the same mark. What stands there before its first mark is for `setup`. A study without such a file has the
#' skeleton alone.
#'
#' @param id the study.
#' @return list of lines: setup, paper, supplement.
study_texts <- function(id) {
  own <- paste0(id, ".qmd")
  fills <- if (file.exists(own)) lines_by_mark(readLines(own, encoding = "UTF-8"), place_mark, "setup")
  skeleton <- gsub("{{id}}", id, readLines("study.qmd", encoding = "UTF-8"), fixed = TRUE)
  is_place <- grepl(place_mark, skeleton)
  unknown <- setdiff(names(fills), sub(place_mark, "\\1", skeleton[is_place]))
  if (length(unknown) > 0) stop(own, " has the mark ", unknown[1], ", which study.qmd does not have", call. = FALSE)
  skeleton <- as.list(skeleton)
  skeleton[is_place] <- lapply(skeleton[is_place], function(line) fills[[sub(place_mark, "\\1", line)]])
  lines_by_mark(unlist(skeleton), part_mark, "setup")
}

# What the setup of each study has set, for both parts.
study_values <- new.env()

#' One part of each study's text, knitted.
#'
#' @param part `paper` or `supplement`.
#' @return one string of Markdown.
tell_studies <- function(all, part) {
  told <- vapply(studies_of(all$summary), function(id) {
    texts <- study_texts(id)
    is_new <- !exists(id, study_values)
    if (is_new) assign(id, new.env(parent = knitr::knit_global()), study_values)
    knitr::knit_child(text = c(if (is_new) texts$setup, texts[[part]]), envir = study_values[[id]], quiet = TRUE)
  }, "")
  paste(told, collapse = "\n\n")
}

#' What a source printed of a study; no rows for a study without a source.
published_of <- function(all, analysis) {
  path <- file.path(analysis, "published", paste0(all$study, ".csv"))
  if (file.exists(path)) read_published(path) else data.table(tier = character(), mode = character(), figure = character(), value = numeric())
}

#' The tiers of which the source printed figures, in the order of load.
tiers_of_source <- function(all, published) {
  measured <- all$summary[tool == "jmeter"]$tier
  intersect(tier_levels(all$summary), intersect(measured, published[figure %in% source_figures$figure]$tier))
}

caption_tiers <- function(tiers) {
  paste(c("The tiers, and the load that each tool applies in them.", if (any(tiers$at_once)) {
    paste(
      "All at once means that all users are held back until the last is there; with a ramp-up of 0 s they start as fast",
      "as the generator can start them, which is not at once."
    )
  }), collapse = " ")
}

#' What the servers used over time at one tier, the first repetition; no rows where no cell has it.
resources_at <- function(all, tool, tier, modes) {
  if (length(tier) == 0) return(data.table())
  found <- read_resources(cell_paths(all$results, all$study, tier, tool, 1))
  if (nrow(found) > 0) found[mode %in% modes] else found
}
