# Causes in words and in one table. `causes` is what read_causes() read of causes.yaml, `traced` what read_traced() read
# of causes.csv.

is_measured <- function(traced) traced$reason == ""

# Marks intervals over the rounds of one session.
mark_of <- function(rows) ifelse(rows$over == "rounds", paste0(" ", one_session_mark), "")

share_text <- function(rows) {
  share <- with_interval(100 * rows$share, 100 * rows$share_low, 100 * rows$share_high)
  ifelse(is.na(rows$share), no_figure, paste0(share, mark_of(rows)))
}

# A value of a statistic with its unit; shares as percentages.
in_its_unit <- function(values, statistic) {
  if (about_statistics(statistic)$effect == "difference") return(percent(values))
  trimws(paste(format_number(values), sub("1/s", "requests/s", unit_of_statistic(statistic), fixed = TRUE)))
}

#' One dose in a sentence.
sentence_dose <- function(row) {
  held <- 100 * c(row$law_least, row$law_most)
  paragraph(
    sprintf(
      "%s: throughput rises from %s to %s requests/s, %s %% of what Little's law allows.", capitalised(row$does),
      format_number(row$before), format_number(row$after), paste(unique(format_number(held)), collapse = " to ")
    ),
    if (!is.na(row$share)) {
      sprintf("The slope of the logarithms is %s%s, and 1 is the law.", with_interval(row$share, row$share_low, row$share_high), mark_of(row))
    }
  )
}

#' One swap in a sentence: the sides before it and after it, the share of the effect that goes, and what was counted.
#'
#' @param row of traced; `cause` of causes.
sentence_swap <- function(row, cause) {
  value <- function(of) in_its_unit(row[[of]], row$statistic)
  both <- function(when) {
    if (is.null(cause$difference[["versus"]])) return(value(paste0(when, "_mode")))
    sprintf("%s and %s", value(paste0(when, "_mode")), value(paste0(when, "_versus")))
  }
  paragraph(
    sprintf("The swap: %s. The %s is then %s.", row$does, title_of(row$statistic), both("after")),
    if (!is.na(row$share)) sprintf("%s %% of the effect goes.", share_text(row)),
    sentence_counted(row)
  )
}

sentence_counted <- function(row) {
  if (is.na(row$counted_before)) return("")
  sprintf(
    "Counted, %s: %s before, %s after%s.", row$counter, format_number(row$counted_before), format_number(row$counted_after),
    if (is.na(row$counted_versus)) "" else sprintf(", %s with %s", format_number(row$counted_versus), "the baseline")
  )
}

# What differs, before anything is swapped.
sentence_difference <- function(row, cause) {
  side <- function(which) {
    sprintf("%s with %s", in_its_unit(row[[paste0("before_", which)]], row$statistic), cause$difference[[paste0(which, "_words")]])
  }
  words <- c(side("mode"), if (!is.null(cause$difference[["versus"]])) side("versus"))
  sprintf("The %s is %s.", title_of(row$statistic), enumerate(words))
}

#' One cause in a few sentences: what was measured of it.
tell_cause <- function(cause, traced) {
  rows <- traced[id == cause$id & is_measured(traced)]
  swaps <- rows[kind == "swap"]
  paragraph(
    sprintf("*%s.* %s", cause$title, trimws(cause$mechanism)),
    vapply(split(rows[kind == "dose"], by = "does"), sentence_dose, ""),
    if (nrow(swaps) > 0) sentence_difference(swaps[1], cause),
    vapply(split(swaps, by = "does"), sentence_swap, "", cause = cause)
  )
}

#' The measured causes of a study, one after the other; empty without any.
#'
#' @param all with `causes` and `traced`; `study` its id.
tell_causes_of <- function(all, study) {
  measured <- unique(all$traced[is_measured(all$traced)]$id)
  own <- Filter(function(cause) cause$study == study && cause$id %in% measured, unname(all$causes))
  paste(vapply(own, tell_cause, "", traced = all$traced), collapse = " ")
}

#' All causes, a row a dose and a row a swap.
table_causes <- function(all) {
  rows <- all$traced[is_measured(all$traced)]
  titles <- vapply(all$causes[rows$id], `[[`, "", "title")
  effect <- function(name) {
    ends <- as.matrix(rows[, paste0(name, c("", "_low", "_high")), with = FALSE])
    # Shares of failed requests are effects in percentage points.
    scale <- ifelse(rows$statistic == "error_share", 100, 1)
    unit <- ifelse(rows$kind == "dose", "/s", ifelse(rows$statistic == "error_share", " %", " ×"))
    paste0(with_interval(scale * ends[, 1], scale * ends[, 2], scale * ends[, 3]), unit)
  }
  rows[, .(
    Cause = ifelse(duplicated(id), "", titles), "Dose or swap" = capitalised(does),
    Of = ifelse(kind == "dose", "throughput", title_of(statistic)), Before = effect("before"), After = effect("after"),
    "Share that goes (%)" = share_text(rows),
    Counted = ifelse(is.na(counted_before), no_figure, sprintf(
      "%s: %s → %s", counter, format_number(counted_before), format_number(counted_after)
    ))
  )]
}

#' What no value could be computed of, and counted waits that cannot be.
sentences_not_computed <- function(all) {
  absent <- all$traced[!is_measured(all$traced)]
  waits <- all$impossible_waits
  c(
    if (nrow(absent) > 0) {
      sprintf("Not measured well enough: %s.", paste(sprintf("%s (%s)", absent$does, absent$reason), collapse = "; "))
    },
    if (nrow(waits) > 0) {
      sprintf("Excluded, because a counted wait is longer than the mean latency: %s.", enumerate(waits[, sprintf(
        "%s at %s, repetition %d (%s ms of %s ms)", as_code(mode), as_code(tier), repetition, format_number(wait_ms), format_number(latency_mean_ms)
      )]))
    }
  )
}

# ---- Where CPU time moved --------------------------------------------------------------------

#' The groups of stacks that moved beyond their intervals, at most four a cause.
#'
#' @param all with `moved`, see moved_rows(), and `causes`.
#' @return data.table of text and figures.
table_moved <- function(all) {
  clear <- all$moved[beyond == TRUE & group != unseen_group, head(.SD, 4), by = cause]
  if (nrow(clear) == 0) return(data.table())
  clear[, .(
    Cause = ifelse(duplicated(cause), "", vapply(all$causes[cause], `[[`, "", "title")), Group = group,
    "Mode (µs)" = format_number(mode_us), "Baseline (µs)" = format_number(versus_us),
    "Moved (µs)" = paste0(signed(more_us), " ± ", format_number(reach_us)), Samples = samples, Sessions = sessions
  )]
}

signed <- function(figures) paste0(ifelse(figures < 0, "−", "+"), format_number(abs(figures)))

difference_file <- function(all, cause) file.path(all$results, "differences", paste0(cause$id, ".html"))

#' Differential flame graphs as raw HTML for Markdown; those that are not there are named.
difference_graphs <- function(all) {
  causes <- unname(Filter(function(cause) !is.null(cause$difference), all$causes))
  there <- vapply(causes, function(cause) isTRUE(file.size(difference_file(all, cause)) > 0), NA)
  frames <- vapply(causes[there], function(cause) {
    page_frame(difference_file(all, cause), cause$title, paste("Differential flame graph:", cause$title))
  }, "")
  absent <- vapply(causes[!there], `[[`, "", "title")
  paste(c(
    if (any(there)) raw_html(frames),
    if (!all(there)) sprintf("Without %d samples on both sides: %s.", samples_for_shares, paste(absent, collapse = "; "))
  ), collapse = "\n")
}
