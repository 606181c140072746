# The sections of the studies: the skeleton of study.qmd, and within it what is a study's own.

#' The studies in the order of the configuration.
studies_of <- function(summary) {
  known <- unique(modes_in_use$table$study)
  union(intersect(known, summary$study), summary$study)
}

#' A study's section, to be knitted in an environment of its own: study.qmd with `{{id}}` filled in.
#'
#' What stands in <study>.qmd before its first heading introduces the study and may set what study.qmd has
#' set; the rest are its own sections. A study without such a file has the skeleton alone.
#'
#' @param id the study.
#' @return lines.
study_text <- function(id) {
  own <- paste0(id, ".qmd")
  lines <- if (file.exists(own)) readLines(own, encoding = "UTF-8") else character()
  before <- seq_along(lines) < c(grep("^## ", lines), Inf)[1]
  skeleton <- gsub("{{id}}", id, readLines("study.qmd", encoding = "UTF-8"), fixed = TRUE)
  skeleton |> put_at("<!-- introduction -->", lines[before]) |> put_at("<!-- sections -->", lines[!before])
}

put_at <- function(lines, mark, put) {
  at <- which(lines == mark)
  c(lines[seq_len(at - 1)], put, lines[-seq_len(at)])
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
  paste(c("The tiers and what each tool asks in them.", if (any(tiers$at_once)) {
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
