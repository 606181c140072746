# Findings: what guide.yaml says of each outcome, with the values of the run.

findings_told <- 7

#' Findings that were measured, in the order of guide.yaml.
#'
#' @param decided see decide_findings(); `findings` see read_findings().
#' @return list of findings, each with rows (a row per pair) and text (what guide.yaml says of this outcome; NULL where nothing fits, or
#'   where a pair that the text names has no values).
told_findings <- function(decided, findings) {
  lapply(Filter(function(finding) finding$id %in% decided$finding, findings), function(finding) {
    wanted <- finding$id
    finding$rows <- decided[finding == wanted]
    text <- if (is.na(finding$rows$chosen[1])) NULL else finding$told[[finding$rows$chosen[1]]]
    if (!is.null(text) && has_values(text, finding$rows)) finding$text <- text
    finding
  })
}

# Whether the pairs that a text names have the values that it names.
has_values <- function(text, rows) {
  names <- names_in(text$say)
  of <- function(end) rows$pair[is.na(rows[[paste0(end, "_value")]])]
  lacking <- c(rows$pair[is.na(rows$estimate)], paste0(of("baseline"), ".from"), paste0(of("mode"), ".to"))
  !any(names %in% lacking)
}

is_decided <- function(findings) vapply(findings, function(finding) !is.null(finding$text), NA)

#' Those that the paper tells first.
first_findings <- function(findings) head(findings[is_decided(findings)], findings_told)

findings_of <- function(findings, study) Filter(function(finding) finding$study == study, findings)

names_in <- function(text) gsub("[{}]", "", unique(regmatches(text, gregexpr("\\{[a-z0-9_.]+\\}", text))[[1]]))

#' Puts values into a text.
#'
#' @param text with names in braces; `values` by name. Stops at a name without a value.
fill_in <- function(text, values) {
  for (name in names_in(text)) {
    if (is.null(values[[name]])) stop("guide.yaml: a finding names {", name, "}, which is none of its values", call. = FALSE)
    text <- gsub(paste0("{", name, "}"), values[[name]], text, fixed = TRUE)
  }
  text
}

# Two significant digits, a third below 1.1: there the difference would be lost.
ratio_digits <- function(ratio) format_number(signif(ratio, ifelse(ratio < 1.1, 3, 2)))

# A headline says so itself if it would be another by more than this with no slice excluded.
excluding_changes <- 1.05

#' A ratio in prose: never below 1, the sentence says in which direction; with its interval where it has one, a mark if it is of one
#' session, and what it would be with no slice excluded where that is another.
#'
#' @param row a row of the comparisons.
#' @return text, as "9.2 × [8.3, 10]" or "at least 2 ×".
times_of <- function(row) {
  if (is.na(row$estimate)) return(if (nzchar(row$reason)) row$reason else no_figure)
  ends <- printed_ends(row)
  if (ends$bound == "none") return(not_measured_well)
  ratio <- c(row$estimate, ends$low, ends$high)
  all <- row$estimate_all
  bound <- ends$bound
  if (row$estimate < 1) {
    ratio <- 1 / ratio[c(1, 3, 2)]
    all <- 1 / all
    bound <- c(at_least = "at_most", at_most = "at_least")[bound]
  }
  told <- fcase(
    bound %in% "at_least", sprintf("at least %s ×", ratio_digits(max(ratio[2], 1, na.rm = TRUE))),
    bound %in% "at_most", sprintf("at most %s ×", ratio_digits(fcoalesce(ratio[3], ratio[1]))),
    default = sprintf("%s ×", ratio_digits(ratio[1]))
  )
  bracket <- c(
    if (!bound %in% c("at_least", "at_most") && !anyNA(ratio)) paste(ratio_digits(ratio[2:3]), collapse = ", "),
    if (change_without_exclusion(row) > excluding_changes) sprintf("with no slice excluded: %s ×", ratio_digits(all))
  )
  paste0(told, if (length(bracket) > 0) sprintf(" [%s]", paste(bracket, collapse = "; ")), if (row$pairs == 1) one_session_mark)
}

# By which factor estimates change if no slice is excluded; 1 where nothing is known of it.
change_without_exclusion <- function(rows) {
  fcoalesce(exp(abs(suppressWarnings(log(as.numeric(rows$estimate_all) / rows$estimate)))), 1)
}

#' Whether the findings stand with no slice excluded.
sentence_without_exclusion <- function(findings) {
  changes <- unlist(lapply(findings, function(finding) {
    change_without_exclusion(finding$rows[is.finite(estimate) & is.finite(estimate_all) & effect == "ratio"])
  }))
  small <- changes[changes <= excluding_changes]
  if (length(small) == 0) return("")
  most <- if (max(small) < 1.0005) "none changes" else sprintf("the largest change is %s", percent(max(small) - 1))
  sprintf("%s ratios of these findings stand with no slice excluded: %s.", if (length(small) < length(changes)) "All other" else "All", most)
}

#' That findings rest on one session; empty where none does.
sentence_one_session <- function(findings) {
  pairs <- unlist(lapply(findings, function(finding) finding$rows[!is.na(estimate)]$pairs))
  if (!any(pairs == 1)) return("")
  sprintf(
    "%s %s: the interval holds the noise of the session's rounds, and between sessions that of comparisons of two, in this run or the shipped one.",
    if (all(pairs == 1)) "These findings rest on **one session**, marked" else "**One session** is marked", one_session_mark
  )
}

#' The bound that theory sets a ratio: "bound 10 × = 500 users ÷ 50 admitted".
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

#' The findings of which this run does not have all cells, in one line; empty where it has them.
#'
#' @param findings see told_findings(); `known` see read_findings().
sentence_unmeasured_findings <- function(findings, known) {
  missing <- Filter(function(finding) !finding$id %in% vapply(findings, `[[`, "", "id"), known)
  if (length(missing) == 0) return("")
  sprintf("Not in this run: %s.", paste(vapply(missing, `[[`, "", "topic"), collapse = "; "))
}

#' How many findings this run does not decide.
sentence_open_findings <- function(findings) {
  open <- findings[!is_decided(findings)]
  if (length(findings) == 0) return("None of the comparisons that the findings name was measured in this run.")
  if (length(open) == 0) return("")
  if (length(open) == length(findings)) return("**This run decides none of its findings** (@sec-primaries).")
  sprintf("%d of %s are not decided by this run; @sec-primaries says why.", length(open), count_of(length(findings), "finding"))
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

# Rows of a finding's figure: all its modes in the metric that it is about, at that pair's place.
rows_of_figure <- function(finding) finding$rows[statistic == statistic[1] & tier == tier[1] & tool == tool[1]]

#' The values of a finding's text, with the interval of each value over sessions.
#'
#' @param cells see with_curves(): all that count give the interval.
#' @return data.table, a row a mode: mode, value, low, high (95 %; NA for one session, and where it says nothing).
values_of_finding <- function(finding, cells) {
  rows <- rows_of_figure(finding)
  sides <- rbind(rows[, .(at = .I, side = 1, mode = baseline, value = baseline_value)], rows[, .(at = .I, side = 2, mode, value = mode_value)])
  sides <- unique(sides[order(at, side), .(mode, value)], by = "mode")
  id <- rows$statistic[1]
  counted <- cells[counts_for(cells, id)][rows[1, .(study, tier, tool)], on = c("study", "tier", "tool"), nomatch = NULL]
  counted <- counted[is.finite(get(id)) & get(id) > 0, over_sessions(get(id)), by = mode]
  sides <- counted[sides, on = "mode"]
  # The interval is around the value that is printed.
  sides[, .(mode, value, low = value * low / middle, high = value * high / middle)]
}

figure_finding <- function(all, finding) {
  values <- values_of_finding(finding, with_curves(all))
  rows <- rows_of_figure(finding)
  pooled <- values[, .(mode, panel = headings(rows$statistic[1]), middle = value, low, high)]
  figure_of_values(pooled, setdiff(rows$baseline, rows$mode), values$mode)
}

height_of_finding <- function(finding) height_of_modes(unlist(rows_of_figure(finding)[, .(baseline, mode)]))

alt_finding <- function(all, finding) {
  values <- values_of_finding(finding, with_curves(all))
  sprintf("%s of %s.", capitalised(title_of(finding$rows$statistic[1])), enumerate(values[, paste(mode, value_of(value, finding$rows$unit[1]))]))
}

# ---- The pages of a study ------------------------------------------------------------------------

#' The findings of a study: those that are decided, and in one line those that are not.
tell_findings <- function(findings) {
  decided <- findings[is_decided(findings)]
  if (length(findings) == 0) return("None of the comparisons that its findings name was measured in this run.")
  told <- vapply(decided, function(finding) fill_in(trimws(finding$text$say), finding_values(finding)), "")
  open <- vapply(findings[!is_decided(findings)], `[[`, "", "topic")
  paragraph(told, if (length(open) > 0) sprintf("Not decided by this run (@sec-primaries): %s.", paste(open, collapse = "; ")))
}

#' Advice for the situations of a study that this run measured.
tell_practice <- function(situations, all) {
  own <- Filter(function(situation) !is.null(situation$practice), measured_situations(all, situations))
  if (length(own) == 0) return("The threats of @sec-threats hold here, too.")
  paste(vapply(own, function(situation) trimws(situation$practice), ""), collapse = " ")
}
