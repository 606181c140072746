# The chains of causes.yaml in words: what differs, what was counted, what takes the effect away.
# `traced` is what trace_causes() made of them, `cause` one of them.

side_code <- function(side) paste(as_code(side$mode), "at", as_code(side$tier))

# In parts of a hundred for differences and shares, as it is for ratios.
effect_figure <- function(effect, kind) {
  if (kind == "ratio") return(with_interval(effect$estimate, effect$low, effect$high))
  figure <- with_interval(100 * effect$estimate, 100 * effect$low, 100 * effect$high)
  if (is.na(effect$estimate)) figure else paste(figure, "%")
}

removed_figure <- function(removed) with_interval(100 * removed[1], 100 * removed[2], 100 * removed[3])

#' An effect between two sides, without a full stop.
#'
#' @param effect see effect_of().
#' @param difference what it is the effect of, see sides_of().
clause_effect <- function(effect, difference) {
  statistic <- cause_statistic(difference$statistic)
  sides <- sides_of(difference)
  if (nzchar(effect$reason)) {
    return(sprintf("the %s of %s was not measured: %s", statistic$title, side_code(sides$mode), effect$reason))
  }
  figure <- effect_figure(effect, statistic$effect)
  if (is.null(sides$versus)) {
    return(sprintf("the %s of %s is %s", statistic$title, side_code(sides$mode), figure))
  }
  sprintf(
    if (statistic$effect == "ratio") "the %s of %s is %s times that of %s" else "the %s of %s differs by %s from that of %s",
    statistic$title, side_code(sides$mode), figure, side_code(sides$versus)
  )
}

clause_counter <- function(counter) {
  unit <- if (nzchar(counter$unit)) paste0(" ", counter$unit) else ""
  sprintf(
    "%s: %s%s on the mode's side, %s%s on its baseline's", counter$title, format_number(counter$mode), unit,
    format_number(counter$versus), unit
  )
}

clauses_counters <- function(counters) {
  enumerate(vapply(seq_len(nrow(counters)), function(row) clause_counter(counters[row]), ""), "; ")
}

changes_text <- function(changes) {
  names_of <- c(mode = "mode", versus = "baseline", tier = "tier", versus_tier = "the baseline's tier")
  paste(names_of[names(changes)], unlist(changes), collapse = ", ")
}

#' What an intervention did, and what follows.
sentence_intervention <- function(intervention) {
  gone <- if (is.na(intervention$removed[1])) {
    ""
  } else {
    sprintf("Of the effect, %s %% is gone.", removed_figure(intervention$removed))
  }
  paragraph(
    sprintf(
      "**%s** (%s): %s.", capitalised(intervention$does), changes_text(intervention$changes),
      clause_effect(intervention$after, intervention$difference)
    ),
    sprintf("%s %s.", gone, capitalised(clauses_counters(intervention$counters))),
    sprintf(
      "Verdict: **%s**%s.", intervention$verdict,
      if (nzchar(intervention$why)) paste0(", because ", intervention$why) else ""
    )
  )
}

#' One chain as Markdown: a heading, the difference, what was counted, the mechanism, and a bullet an
#' intervention.
tell_cause <- function(cause) {
  loop <- loop_names[cause$difference$tool]
  paste(
    paste("##", cause$title),
    paragraph(
      sprintf(
        "%s%s.", capitalised(clause_effect(cause$before, cause$difference)),
        if (is.na(loop)) "" else paste0(" (", loop, ")")
      ),
      if (nrow(cause$counted) > 0) sprintf("Counted: %s.", clauses_counters(cause$counted)),
      sprintf("*The mechanism:* %s", trimws(cause$mechanism))
    ),
    bullets(vapply(cause$interventions, sentence_intervention, "")),
    sep = "\n\n"
  )
}

#' How many chains hold.
sentence_causes <- function(traced) {
  verdicts <- unlist(lapply(traced, function(cause) vapply(cause$interventions, `[[`, "", "verdict")))
  counts <- table(factor(verdicts, c("shown", "not shown", "not decided", "not measured")))
  sprintf(
    "%s with %s: %s.", capitalised(count_of(length(traced), "difference")), count_of(length(verdicts), "intervention"),
    enumerate(paste(counts[counts > 0], names(counts)[counts > 0]))
  )
}

#' All chains, a row an intervention.
table_causes <- function(traced) {
  rbindlist(lapply(unname(traced), function(cause) {
    statistic <- cause_statistic(cause$difference$statistic)
    rbindlist(lapply(cause$interventions, function(intervention) {
      data.table(
        Cause = cause$title, "What differs" = statistic$title,
        Before = effect_figure(cause$before, statistic$effect),
        Changed = changes_text(intervention$changes),
        After = effect_figure(intervention$after, statistic$effect),
        "Removed (%)" = removed_figure(intervention$removed), Verdict = intervention$verdict
      )
    }))
  }))
}

# ---- Where CPU time moved --------------------------------------------------------------------

#' The groups of stacks whose share in a request's CPU time moved beyond the noise of sampling (two
#' standard errors), at most four a chain.
#'
#' @return data.table of text and figures, see moved_between_groups().
table_moved <- function(all, traced) {
  rbindlist(lapply(unname(traced), function(cause) {
    moved <- moved_between_groups(cause, all$cpu_groups)
    clear <- head(moved[abs(more_us) > 2 * error_us], 4)
    if (nrow(clear) == 0) return(NULL)
    sides <- profiled_sides(cause)
    clear[, .(
      Pair = c(paste(side_text(sides$mode), "/", side_text(sides$versus)), rep("", .N - 1)), Group = group,
      "Mode (µs)" = format_number(mode_us), "Baseline (µs)" = format_number(versus_us),
      "Moved (µs)" = paste0(signed(more_us), " ± ", format_number(error_us)),
      "Moved (% of CPU)" = signed(100 * more_share)
    )]
  }))
}

signed <- function(figures) paste0(ifelse(figures < 0, "−", "+"), format_number(abs(figures)))

#' How much of a request's CPU time moved between groups, over the chains.
sentence_moved_share <- function(all, traced) {
  shares <- unlist(lapply(traced, function(cause) {
    moved <- moved_between_groups(cause, all$cpu_groups)
    if (nrow(moved) > 0) sum(abs(moved$more_share)) / 2
  }))
  if (length(shares) == 0) return("No difference has both sides profiled.")
  sprintf(
    "Between the two sides of a difference, %s of a request's CPU time moved from one group of stacks to another (%s with profiles of both sides).",
    span(100 * shares, " %"), count_of(length(shares), "difference")
  )
}

difference_file <- function(all, cause) file.path(all$results, "differences", paste0(cause$id, ".html"))

has_difference <- function(all, cause) isTRUE(file.size(difference_file(all, cause)) > 0)

#' Differential flame graphs as raw HTML for Markdown; those that are not there are named.
difference_graphs <- function(all, traced) {
  there <- vapply(traced, function(cause) has_difference(all, cause), NA)
  frames <- vapply(unname(traced[there]), function(cause) difference_frame(all, cause), "")
  absent <- vapply(unname(traced[!there]), `[[`, "", "title")
  paste(c(
    if (any(there)) c("``````````{=html}", frames, flame_graph_script, "``````````", ""),
    if (!all(there)) sprintf("Without profiles of both sides: %s.", enumerate(absent, "; "))
  ), collapse = "\n")
}

# A frame of its own: a flame graph brings scripts, which must not reach the page.
difference_frame <- function(all, cause) {
  page <- paste(readLines(difference_file(all, cause), warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  page <- gsub("\"", "&quot;", gsub("&", "&amp;", page, fixed = TRUE), fixed = TRUE)
  sprintf(
    paste0(
      "<details><summary>%s</summary>\n<iframe class=\"flame-graph\" title=\"Differential flame graph: %s\" ",
      "sandbox=\"allow-scripts\" data-page=\"%s\"></iframe></details>"
    ),
    cause$title, cause$title, page
  )
}
