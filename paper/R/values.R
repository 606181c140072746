# Values of cells and comparisons as text, for tables.

# Marks values of cells that did not pass the validity checks.
not_valid_mark <- "†"
# Marks intervals of one session: they hold for its processes and decide nothing.
one_session_mark <- "‡"

# Median and range over repetitions. Where no repetition is valid only the range is shown, with a
# mark: figures that are not valid are shown and never pooled.
over_repetitions <- function(values, valid) {
  pooled <- values[valid & !is.na(values)]
  shown <- values[!is.na(values)]
  if (length(pooled) > 0) {
    range <- range_text(pooled)
    middle <- format_number(median(pooled))
    return(if (range == middle) middle else paste0(middle, " (", range, ")"))
  }
  if (length(shown) > 0) paste(range_text(shown), not_valid_mark) else no_figure
}

range_text <- function(values) {
  paste(unique(format_number(range(values))), collapse = "–")
}

#' Effects with their intervals. A bound is the end of its interval that holds, or the estimate where it
#' has no interval. Where sessions fell out it says how many are left, and the estimate at worst.
#'
#' @param rows rows with estimate, low, high, bound, verdict, and of comparisons all else, see compare_modes().
#' @param scale 100 for percentages.
#' @return character vector.
effect_with_interval <- function(rows, scale = 1) {
  one <- function(value) format_number(scale * value)
  text <- fcase(
    is.na(rows$estimate), no_figure,
    rows$bound == "at_least" & (rows$low < rows$estimate / far) %in% TRUE, not_bounded,
    rows$bound == "at_most" & (rows$high > rows$estimate * far) %in% TRUE, not_bounded,
    rows$bound == "at_least", paste("at least", one(fcoalesce(rows$low, rows$estimate))),
    rows$bound == "at_most", paste("at most", one(fcoalesce(rows$high, rows$estimate))),
    rep(TRUE, length(rows$estimate)), with_interval(scale * rows$estimate, scale * rows$low, scale * rows$high)
  )
  marked <- rows$verdict == "one session" & !is.na(rows$estimate)
  paste0(text, ifelse(marked, paste0(" ", one_session_mark), ""), sessions_text(rows, one))
}

sessions_text <- function(rows, one) {
  if (length(rows$worst) == 0) return("")
  measured <- sessions_measured(rows)
  worst <- ifelse(is.na(rows$worst), "", paste0(", at worst ", one(rows$worst)))
  ifelse(
    is.na(rows$estimate) | rows$pairs >= measured, "",
    paste0(" (", rows$pairs, " of ", measured, " sessions", worst, ")")
  )
}

sessions_measured <- function(rows) rows$mode_valid + rows$mode_invalid + rows$mode_missing
