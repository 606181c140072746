# Causes in words and in one table. `causes` is what read_causes() read of causes.yaml, `traced` what read_traced() read
# of causes.csv.

is_measured <- function(traced) traced$reason == ""

# Marks intervals over the rounds of one session.
mark_of <- function(rows) ifelse(rows$over == "rounds", paste0(" ", one_session_mark), "")

# Shares of an effect in percent, with a minus, and none before a zero.
shares_in_words <- function(rows) {
  interval <- ifelse(is.na(rows$share_low), "", sprintf(" [%.0f, %.0f]", 100 * rows$share_low, 100 * rows$share_high))
  text <- paste0(sprintf("%.0f", 100 * rows$share), interval)
  gsub("-", "−", gsub("-0\\b", "0", text), fixed = TRUE)
}

share_text <- function(rows) ifelse(is.na(rows$share), no_figure, paste0(shares_in_words(rows), mark_of(rows)))

# A value of a statistic with its unit; shares as percentages.
in_its_unit <- function(value, statistic) {
  if (about_statistics(statistic)$effect == "difference") return(percent(value))
  trimws(paste(format_number(value), sub("1/s", "requests/s", unit_of_statistic(statistic), fixed = TRUE)))
}

#' One dose in a sentence: `row` of traced, `cause` of causes.
sentence_dose <- function(row, cause) {
  doses <- vapply(cause$doses$modes, function(each) as.numeric(each$dose), 0)
  reached <- span(round(100 * c(row$law_least, row$law_most)), " %")
  paragraph(
    sprintf(
      "From %s to %s %s, throughput rises from %s to %s requests/s%s.", format_number(doses[1]), format_number(tail(doses, 1)), cause$doses$of,
      format_number(row$before), format_number(row$after), if (is.na(row$law_least)) "" else sprintf(", %s of what Little's law allows", reached)
    ),
    if (!is.na(row$share)) {
      sprintf("Throughput is proportional to them where the slope of the logarithms is 1; it is %s%s.", with_interval(row$share, row$share_low, row$share_high), mark_of(row))
    }
  )
}

# The values of both sides, before or after a swap; `named`: with their words.
of_both <- function(row, cause, when, named) {
  sides <- c("mode", if (!is.null(cause$difference[["baseline"]])) "baseline")
  values <- vapply(paste0(when, "_", sides), function(column) in_its_unit(row[[column]], row$statistic), "")
  if (named) values <- paste(values, "with", unlist(cause$difference[paste0(sides, "_words")]))
  enumerate(unname(values))
}

# Whether the ends of the dose are the sides of the difference, whose values stand with the dose then.
dose_is_difference <- function(cause) {
  setequal(vapply(cause$doses$modes, `[[`, "", "mode"), unlist(cause$difference[c("mode", "baseline")]))
}

#' One swap in a sentence: both sides after it, the share of the effect that goes, and what was counted.
#'
#' @param alone whether no sentence before names the difference.
sentence_swap <- function(row, cause, alone) {
  goes <- if (is.na(row$share)) "" else sprintf(", and %s %% of the effect goes", share_text(row))
  paragraph(
    sprintf("%s: then %s is %s%s.", capitalised(row$does), if (alone) title_of(row$statistic) else "it", of_both(row, cause, "after", alone), goes),
    if (!is.na(row$counted_before_mode)) sprintf("Counted, %s.", counted_text(row))
  )
}

counted_text <- function(rows) {
  pair <- function(when) {
    baseline <- rows[[paste0("counted_", when, "_baseline")]]
    paste0(format_number(rows[[paste0("counted_", when, "_mode")]]), ifelse(is.na(baseline), "", paste(" and", format_number(baseline))))
  }
  sprintf("%s: %s before, %s after", rows$counter, pair("before"), pair("after"))
}

#' One cause in a few sentences: what was measured of it.
tell_cause <- function(cause, traced) {
  rows <- traced[id == cause$id & is_measured(traced)]
  swaps <- rows[kind == "swap"]
  doses <- rows[kind == "dose"]
  alone <- nrow(doses) > 0 && dose_is_difference(cause)
  paragraph(
    sprintf("*%s.* %s", cause$title, trimws(cause$mechanism)),
    vapply(split(doses, by = "does"), sentence_dose, "", cause = cause),
    if (nrow(swaps) > 0 && !alone) sprintf("The %s is %s.", title_of(swaps$statistic[1]), of_both(swaps[1], cause, "before", named = TRUE)),
    vapply(split(swaps, by = "does"), sentence_swap, "", cause = cause, alone = alone)
  )
}

#' A cause in a few sentences; where this run has no value of it, the reason.
tell_cause_of <- function(all, id) {
  wanted <- id
  if (nrow(all$traced[id == wanted & is_measured(all$traced)]) == 0) return(sentence_unmeasured(all, id))
  tell_cause(all$causes[[wanted]], all$traced)
}

#' The sentence that stands where a cause would, of which this run has no value.
sentence_unmeasured <- function(all, id) {
  wanted <- id
  reasons <- unique(unlist(strsplit(all$traced[id == wanted & !is_measured(all$traced)]$reason, "; ", fixed = TRUE)))
  sprintf("*%s*: not measured here%s.", all$causes[[wanted]]$title, if (length(reasons) > 0) sprintf(" (%s)", plain(enumerated(reason_in_words(reasons), 2))) else "")
}

#' All causes, a row a dose and a row a swap.
table_causes <- function(all) {
  rows <- all$traced[is_measured(all$traced) & kind %in% c("dose", "swap")]
  titles <- vapply(all$causes[rows$id], `[[`, "", "title")
  effect <- function(name) {
    ends <- as.matrix(rows[, paste0(name, c("", "_low", "_high")), with = FALSE])
    # Shares of failed requests are effects in percentage points.
    scale <- ifelse(rows$statistic == "error_share", 100, 1)
    unit <- ifelse(rows$kind == "dose", "/s", ifelse(rows$statistic == "error_share", " %", " ×"))
    wide <- rows$statistic != "error_share" & ends[, 3] / ends[, 2] > span_at_most
    ifelse(wide %in% TRUE, not_measured_well, paste0(with_interval(scale * ends[, 1], scale * ends[, 2], scale * ends[, 3]), unit))
  }
  rows[, .(
    Cause = ifelse(duplicated(id), "", titles), "Dose or swap" = capitalised(does),
    Of = ifelse(kind == "dose", "throughput", title_of(statistic)), Before = effect("before"), After = effect("after"),
    "Share that goes (%)" = share_text(rows), n = units, Counted = ifelse(is.na(counted_before_mode), no_figure, counted_text(rows))
  )]
}

#' Causes without a value, and counted waits that cannot be.
sentences_not_computed <- function(all) {
  gone <- all$traced[, .(gone = all(grepl("^no cells of", reason))), by = id][gone == TRUE]$id
  gone <- union(gone, setdiff(names(all$causes), all$traced$id))
  absent <- all$traced[!is_measured(all$traced) & !id %in% gone, .(does = enumerate(does)), by = .(id, reason)]
  titles <- function(ids) vapply(all$causes[ids], `[[`, "", "title")
  waits <- all$impossible_waits
  c(
    if (nrow(absent) > 0) {
      sprintf("Not measured well enough: %s.", paste(sprintf("%s: %s (%s)", titles(absent$id), absent$does, plain(reason_in_words(absent$reason))), collapse = "; "))
    },
    if (length(gone) > 0) sprintf("Not measured here, without a cell of a side: %s.", paste(titles(gone), collapse = "; ")),
    if (nrow(waits) > 0) {
      sprintf("Excluded, because a counted wait is longer than the mean latency: %s.", enumerate(waits[, sprintf(
        "%s at %s, repetition %d (%s ms of %s ms)", as_code(mode), as_code(tier), repetition, format_number(wait_ms), format_number(latency_mean_ms)
      )]))
    }
  )
}

# ---- Where CPU time moved --------------------------------------------------------------------

#' The groups of stacks that moved beyond their intervals, at most four a cause.
table_moved <- function(all) {
  clear <- all$moved[beyond == TRUE & group != unseen_group, head(.SD, 4), by = cause]
  if (nrow(clear) == 0) return(data.table())
  clear[, .(
    Cause = ifelse(duplicated(cause), "", vapply(all$causes[cause], `[[`, "", "title")), Group = group,
    "Mode (µs)" = format_number(mode_us), "Baseline (µs)" = format_number(baseline_us),
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
