# The chains of causes.yaml in words: what differs, what was counted, what takes the effect away.
# `traced` is what read_traced() read of them, `cause` one of them.

side_code <- function(side) paste(as_code(side$mode), "at", as_code(side$tier))

#' An effect with its interval and, where it is no ratio, its unit.
#'
#' @param effect see read_traced().
#' @param difference what it is the effect of, see sides_of().
effect_figure <- function(effect, difference) {
  if (nzchar(effect$reason)) return(no_figure)
  ratio <- cause_statistic(difference$statistic)$effect == "ratio"
  rows <- as.data.table(effect)
  if (ratio) return(effect_with_interval(rows))
  paste(effect_with_interval(rows, 100), if (is.null(difference$versus)) "%" else "points")
}

removed_figure <- function(removed) with_interval(100 * removed[1], 100 * removed[2], 100 * removed[3])

#' An effect between two sides, without a full stop.
clause_effect <- function(effect, difference) {
  statistic <- cause_statistic(difference$statistic)
  sides <- sides_of(difference)
  figure <- effect_figure(effect, difference)
  if (is.null(sides$versus)) return(sprintf("the %s of %s is %s", statistic$title, side_code(sides$mode), figure))
  sprintf(
    if (statistic$effect == "ratio") "the %s of %s is %s times that of %s" else "the %s of %s differs by %s from that of %s",
    statistic$title, side_code(sides$mode), figure, side_code(sides$versus)
  )
}

#' What was counted on the sides of a difference, with 95 % intervals, without a full stop.
clause_counters <- function(counters, difference) {
  told <- vapply(counters, function(counter) {
    figures <- sprintf("%s with %s", counted_figure(counter$mode), as_code(difference$mode))
    if (!is.null(difference$versus)) {
      figures <- sprintf("%s, %s with %s", figures, counted_figure(counter$versus), as_code(difference$versus))
    }
    unit <- if (nzchar(counter$unit)) sprintf(" (%s)", counter$unit) else ""
    sprintf("%s%s: %s", counter$title, unit, figures)
  }, "")
  paste(told, collapse = "; ")
}

counted_figure <- function(counted) with_interval(counted$mean, counted$low, counted$high)

changes_text <- function(changes) {
  names_of <- c(mode = "mode", versus = "baseline", tier = "tier", versus_tier = "the baseline's tier")
  paste(names_of[names(changes)], unlist(changes), collapse = ", ")
}

#' What an intervention did, and what follows.
sentence_intervention <- function(intervention) {
  head <- sprintf("**%s** (%s):", capitalised(intervention$does), changes_text(intervention$changes))
  if (intervention$verdict == "not measured") return(sprintf("%s not measured: %s.", head, intervention$why))
  paragraph(
    sprintf("%s %s.", head, clause_effect(intervention$after, intervention$difference)),
    if (!is.na(intervention$removed[1])) {
      sprintf("Of the effect, %s %% is gone.", removed_figure(intervention$removed))
    },
    if (length(intervention$counters) > 0) {
      sprintf("%s.", capitalised(clause_counters(intervention$counters, intervention$difference)))
    },
    sprintf(
      "**%s**%s.", capitalised(intervention$verdict),
      if (nzchar(intervention$why)) paste0(": ", intervention$why) else ""
    )
  )
}

#' One chain as Markdown: a heading, the difference, what was counted, the mechanism, and a bullet an
#' intervention.
tell_cause <- function(cause) {
  paste(
    paste("##", cause$title),
    paragraph(
      sprintf("Under the %s, %s.", loop_of(cause$difference$tool), clause_effect(cause$before, cause$difference)),
      if (length(cause$counted) > 0) {
        sprintf("Counted: %s.", clause_counters(cause$counted, cause$difference))
      } else {
        "Nothing is counted: the servers do not count this mechanism, and what the client counts is the effect itself."
      },
      sprintf("*The mechanism:* %s", trimws(cause$mechanism))
    ),
    bullets(vapply(cause$interventions, sentence_intervention, "")),
    sep = "\n\n"
  )
}

# Tools that are neither of the two load a database, and wait for its answers.
loop_of <- function(tool) if (tool %in% names(loop_names)) loop_names[[tool]] else loop_names[["jmeter"]]

#' All chains of which the difference was measured, one after the other; the others in one sentence.
tell_causes <- function(traced) {
  measured <- vapply(traced, function(cause) cause$before$reason == "", NA)
  absent <- vapply(unname(traced[!measured]), function(cause) sprintf("%s (%s)", cause$title, cause$before$reason), "")
  paste(c(
    if (!all(measured)) sprintf("Not measured in this run: %s.", paste(absent, collapse = "; ")),
    vapply(traced[measured], tell_cause, "")
  ), collapse = "\n\n")
}

#' How many chains hold.
sentence_causes <- function(traced) {
  verdicts <- unlist(lapply(traced, function(cause) vapply(cause$interventions, `[[`, "", "verdict")))
  counts <- table(factor(verdicts, cause_verdicts))
  sprintf(
    "%s with %s: %s.", capitalised(count_of(length(traced), "difference")), count_of(length(verdicts), "intervention"),
    enumerate(paste(counts[counts > 0], names(counts)[counts > 0]))
  )
}

#' All chains, a row an intervention.
table_causes <- function(traced) {
  rbindlist(lapply(unname(traced), function(cause) {
    steps <- cause$interventions
    data.table(
      Cause = c(
        sprintf("%s (%s)", cause$title, cause_statistic(cause$difference$statistic)$title),
        rep("", length(steps) - 1)
      ),
      Before = c(effect_figure(cause$before, cause$difference), rep("", length(steps) - 1)),
      Changed = vapply(steps, function(step) changes_text(step$changes), ""),
      After = vapply(steps, function(step) effect_figure(step$after, step$difference), ""),
      "Removed (%)" = vapply(steps, function(step) removed_figure(step$removed), ""),
      Verdict = vapply(steps, `[[`, "", "verdict")
    )
  }))
}

# ---- Where CPU time moved --------------------------------------------------------------------

#' The groups of stacks that moved beyond their intervals, at most four a pair; two chains may have one
#' pair.
#'
#' @param all with `moved`, see moved_rows().
#' @return data.table of text and figures.
table_moved <- function(all, traced) {
  pairs <- vapply(traced, pair_text, "")
  rbindlist(lapply(traced[!duplicated(pairs)], function(cause) {
    clear <- head(moved_in(all, cause)[beyond == TRUE], 4)
    if (nrow(clear) == 0) return(NULL)
    pair <- pair_text(cause)
    clear[, .(
      Pair = c(pair, rep("", .N - 1)), Group = group,
      "Mode (µs)" = format_number(mode_us), "Baseline (µs)" = format_number(versus_us),
      "Moved (µs)" = paste0(signed(more_us), " ± ", format_number(reach_us)),
      "Moved (% of CPU)" = signed(100 * more_share), Sessions = sessions
    )]
  }))
}

moved_in <- function(all, cause) {
  wanted <- cause$id
  all$moved[cause == wanted & group != unseen_group]
}

pair_text <- function(cause) {
  sides <- profiled_sides(cause)
  paste(side_text(sides$mode), "/", side_text(sides$versus))
}

signed <- function(figures) paste0(ifelse(figures < 0, "−", "+"), format_number(abs(figures)))

#' How much of a request's CPU time moved between groups, over the chains, and what that rests on.
sentence_moved_share <- function(all, traced) {
  moved <- Filter(nrow, lapply(traced, function(cause) moved_in(all, cause)))
  if (length(moved) == 0) return("No difference has both sides profiled.")
  shares <- vapply(moved, function(groups) sum(abs(groups$more_share)) / 2, 0)
  sprintf(
    "Between the two sides of a difference, %s of a request's CPU time moved from one group of stacks to another (%s with profiles of both sides; %s).",
    span(100 * shares, " %"), count_of(length(shares), "difference"), noise_of_groups(rbindlist(moved)$sessions)
  )
}

difference_file <- function(all, cause) file.path(all$results, "differences", paste0(cause$id, ".html"))

has_difference <- function(all, cause) isTRUE(file.size(difference_file(all, cause)) > 0)

#' Differential flame graphs as raw HTML for Markdown; those that are not there are named.
difference_graphs <- function(all, traced) {
  there <- vapply(traced, function(cause) has_difference(all, cause), NA)
  frames <- vapply(unname(traced[there]), function(cause) {
    page_frame(difference_file(all, cause), cause$title, paste("Differential flame graph:", cause$title))
  }, "")
  absent <- vapply(unname(traced[!there]), `[[`, "", "title")
  paste(c(
    if (any(there)) raw_html(frames), if (!all(there)) sprintf("Without profiles of both sides: %s.", paste(absent, collapse = "; "))
  ), collapse = "\n")
}

# ---- In a study's pages --------------------------------------------------------------------------

chains_told <- 2
# What is shown comes first, and what is refuted last.
told_verdicts <- c("shown", "removed, not traced", "not decided", "not shown", "not measured")

#' The causes that a study's pages tell: measured, one for each pair of modes; a second one only where it holds.
#'
#' @param traced see read_traced(); `study` its id.
chains_of <- function(traced, study) {
  rank_of <- function(cause) min(match(vapply(cause$interventions, `[[`, "", "verdict"), told_verdicts))
  own <- Filter(function(cause) cause$study == study && cause$before$reason == "", unname(traced))
  ranks <- vapply(own, rank_of, 0L)
  own <- own[order(ranks)]
  sides <- vapply(own, function(cause) paste(cause$difference[c("mode", "versus")], collapse = "/"), "")
  head(own[!duplicated(sides) & (sort(ranks) <= 2 | seq_along(own) == 1)], chains_told)
}

#' One chain in a few sentences: the difference, what was counted, the mechanism, and the intervention that shows most.
tell_chain <- function(cause) {
  verdicts <- vapply(cause$interventions, `[[`, "", "verdict")
  step <- cause$interventions[[which.min(match(verdicts, told_verdicts))]]
  paragraph(
    sprintf("*%s.* Under the %s, %s.", cause$title, loop_of(cause$difference$tool), clause_effect(cause$before, cause$difference)),
    if (length(cause$counted) > 0) sprintf("Counted: %s.", clause_counters(cause$counted, cause$difference)),
    capitalised(trimws(cause$mechanism)),
    if (step$verdict == "not measured") {
      "No intervention was measured."
    } else {
      sprintf(
        "The intervention: %s.%s The cause is **%s** (@sec-causes).", step$does,
        if (is.na(step$removed[1])) "" else sprintf(" Of the effect, %s %% is gone.", removed_figure(step$removed)), step$verdict
      )
    }
  )
}

tell_chains <- function(chains) paste(vapply(chains, tell_chain, ""), collapse = " ")
