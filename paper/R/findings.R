# Findings: what guide.yaml says of each outcome, with the values of the run.

findings_told <- 7

#' Findings that were measured, in the order of guide.yaml.
#'
#' @param decided see decide_findings(); `findings` see read_findings().
#' @return list of findings, each with rows (a row per pair) and text (what guide.yaml says of this outcome, or NULL).
told_findings <- function(decided, findings) {
  lapply(Filter(function(finding) finding$id %in% decided$finding, findings), function(finding) {
    wanted <- finding$id
    finding$rows <- decided[finding == wanted]
    finding$text <- if (is.na(finding$rows$chosen[1])) NULL else finding$told[[finding$rows$chosen[1]]]
    finding
  })
}

is_decided <- function(findings) vapply(findings, function(finding) !is.null(finding$text), NA)

#' Those that the paper tells first.
first_findings <- function(findings) head(findings[is_decided(findings)], findings_told)

findings_of <- function(findings, study) Filter(function(finding) finding$study == study, findings)

#' Puts values into a text.
#'
#' @param text with names in braces; `values` by name. Stops at a name without a value.
fill_in <- function(text, values) {
  names_of <- regmatches(text, gregexpr("\\{[a-z0-9_.]+\\}", text))[[1]]
  for (name in unique(names_of)) {
    key <- substr(name, 2, nchar(name) - 1)
    if (is.null(values[[key]])) stop("guide.yaml: a finding names ", name, ", which is none of its values", call. = FALSE)
    text <- gsub(name, values[[key]], text, fixed = TRUE)
  }
  text
}

# Two significant digits, a third below 1.1: there the difference would be lost.
ratio_digits <- function(ratio) format_number(signif(ratio, ifelse(ratio < 1.1, 3, 2)))

#' A ratio in prose: never below 1, the sentence says in which direction; with its interval where it has one.
#'
#' @param row a row of the comparisons.
#' @return text, as "9.2 × [8.3, 10]" or "at least 2 ×".
times_of <- function(row) {
  ends <- unlist(row[, .(estimate, low, high)])
  if (is.na(ends[1])) return(no_figure)
  flip <- ends[1] < 1
  if (flip) ends <- 1 / ends[c(1, 3, 2)]
  bound <- if (flip) c(at_least = "at_most", at_most = "at_least")[row$bound] else row$bound
  if (bound %in% "at_least") return(sprintf("at least %s ×", ratio_digits(max(ends[2], 1, na.rm = TRUE))))
  if (bound %in% "at_most") return(sprintf("at most %s ×", ratio_digits(ends[3])))
  if (anyNA(ends)) return(sprintf("%s ×, one session", ratio_digits(ends[1])))
  sprintf("%s × [%s]", ratio_digits(ends[1]), paste(ratio_digits(ends[2:3]), collapse = ", "))
}

# A value with its unit: "500/s", "161 ms".
value_of <- function(value, unit) paste0(format_number(value), if (startsWith(unit, "1/")) substring(unit, 2) else paste0(" ", unit))

#' What theory allows a ratio: "bound 10 × = 500 users ÷ 50 admitted".
bound_text_of <- function(bound) {
  ends <- sprintf("%s %s", format_number(unlist(bound)), gsub("_", " ", names(bound)))
  ends <- sub(" instead of$", "", ends)
  sprintf("bound %s × = %s", format_number(bound_ratio(bound)), paste(ends, collapse = " ÷ "))
}

finding_values <- function(finding) {
  rows <- split(finding$rows, by = "pair")
  unlist(unname(lapply(rows, function(row) {
    values <- list(times_of(row), value_of(row$baseline_value, row$unit), value_of(row$mode_value, row$unit))
    bound <- finding$pairs[[row$pair]]$bound
    values <- setNames(values, paste0(row$pair, c("", ".from", ".to")))
    if (is.null(bound)) values else c(values, setNames(list(bound_text_of(bound)), paste0(row$pair, ".bound")))
  })), recursive = FALSE)
}

#' A finding in words: its title, what was found, what to do.
#'
#' @return one string of Markdown.
tell_finding <- function(finding, values = finding_values(finding)) {
  paragraph(
    sprintf("**%s.**", finding$text$title), fill_in(trimws(finding$text$say), values),
    if (!is.null(finding$text$do)) sprintf("*In practice:* %s", trimws(finding$text$do))
  )
}

#' Findings that this run does not decide, in one line; where it decides none, that comes first.
sentence_open_findings <- function(findings) {
  open <- findings[!is_decided(findings)]
  if (length(findings) == 0) return("None of the comparisons that the findings name was measured in this run.")
  if (length(open) == 0) return("")
  topics <- vapply(open, function(finding) sprintf("%s (@sec-%s)", finding$topic, finding$study), "")
  paragraph(
    if (length(open) == length(findings)) "**This run decides none of its findings.**",
    sprintf("Not decided by this run: %s.", paste(topics, collapse = "; "))
  )
}

#' The first findings, each beside its figure, knitted from finding.qmd.
#'
#' @return one string of Markdown.
show_findings <- function(all, findings) {
  template <- readLines("finding.qmd", encoding = "UTF-8")
  told <- vapply(seq_along(findings), function(place) {
    values <- list2env(list(all = all, finding = findings[[place]]), parent = knitr::knit_global())
    knitr::knit_child(text = gsub("{{place}}", place, template, fixed = TRUE), envir = values, quiet = TRUE)
  }, "")
  paste(told, collapse = "\n\n")
}

# What a finding's figure shows: all its modes in the metric that it is about, at that pair's place.
places_of_finding <- function(finding) {
  rows <- finding$rows[, .(study, tier, tool, statistic, mode, baseline)]
  unique(rows[statistic == statistic[1] & tier == tier[1] & tool == tool[1]])
}

figure_finding <- function(all, finding) {
  places <- places_of_finding(finding)
  modes <- union(places$baseline, places$mode)
  figure_modes(all, places$study[1], places$tier[1], places$tool[1], places$statistic[1], modes)
}

height_of_finding <- function(finding) {
  places <- places_of_finding(finding)
  height_of_modes(union(places$baseline, places$mode))
}

alt_finding <- function(all, finding) {
  places <- places_of_finding(finding)
  one <- of_study(all, finding$study)
  alt_extremes(one, places$tool[1], places$tier[1], union(places$baseline, places$mode), places$statistic[1])
}

# ---- The pages of a study ------------------------------------------------------------------------

#' What was found in a study: its findings that are decided, and in one line those that are not.
tell_findings <- function(findings) {
  decided <- findings[is_decided(findings)]
  if (length(findings) == 0) return("None of the comparisons that its findings name was measured in this run.")
  told <- vapply(decided, function(finding) fill_in(trimws(finding$text$say), finding_values(finding)), "")
  open <- vapply(findings[!is_decided(findings)], `[[`, "", "topic")
  paragraph(told, if (length(open) > 0) sprintf("Not decided by this run: %s.", paste(open, collapse = "; ")))
}

#' Advice for the situations of a study.
tell_practice <- function(situations, all) {
  own <- Filter(function(situation) situation$study == all$study && !is.null(situation$practice), situations)
  if (length(own) == 0) return("The threats of @sec-threats hold here, too.")
  paste(vapply(own, function(situation) trimws(situation$practice), ""), collapse = " ")
}
