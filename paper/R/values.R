# Values of cells and comparisons as text, for tables.

# Marks values that did not pass the validity checks that concern them.
not_valid_mark <- "†"
# Marks what rests on one session.
one_session_mark <- "‡"
# Marks fewer collections than average out.
few_collections_mark <- "§"
# More requests failed than the percentile leaves room for.
not_reached <- "not reached"

#' Values as text; an infinite one is a percentile that failed requests reach.
value_text <- function(values) ifelse(is.infinite(values), not_reached, format_number(values))

# Median and range over repetitions. Where none is valid only the range is shown, with a mark: values that are not valid are shown
# and never pooled.
over_repetitions <- function(values, valid) {
  pooled <- values[valid & !is.na(values)]
  shown <- values[!is.na(values)]
  if (length(pooled) > 0) {
    range <- range_text(pooled)
    middle <- value_text(median(pooled))
    return(if (range == middle) middle else paste0(middle, " (", range, ")"))
  }
  if (length(shown) > 0) paste(range_text(shown), not_valid_mark) else no_figure
}

range_text <- function(values) paste(unique(value_text(range(values))), collapse = "–")

#' The printed ends of an effect: those that hold for the selection where it is reported as a finding. Selection may widen an
#' interval beyond the factor that says something; the end next to no effect is then printed as a bound.
#' `bound` is none where neither end says anything.
#'
#' @param rows of the comparisons: estimate, low, high, bound; fcr_low, fcr_high where they have verdicts.
printed_ends <- function(rows) {
  wider <- function(name) if (is.null(rows[[paste0("fcr_", name)]])) rows[[name]] else fcoalesce(rows[[paste0("fcr_", name)]], rows[[name]])
  ends <- data.table(low = as.numeric(wider("low")), high = as.numeric(wider("high")), bound = rows$bound)
  ratios <- if (is.null(rows$effect)) TRUE else rows$effect == "ratio"
  too_wide <- ratios & ends$bound == "" & ends$high / ends$low > span_at_most
  ends[too_wide %in% TRUE, bound := fcase(low > 1, "at_least", high < 1, "at_most", default = "none")][]
}

#' Effects with their intervals, or the reason why there is none. A bound is the end of its interval that holds, or the estimate where
#' it has no interval. It says that both servers were at the CPU's limit, how many sessions have both sides where not all have, and marks one session.
#'
#' @param rows see printed_ends(); reason, pairs and sessions of comparisons.
effect_with_interval <- function(rows, scale = 1) {
  ends <- printed_ends(rows)
  one <- function(value) format_number(scale * value)
  text <- fcase(
    ends$bound == "none", not_measured_well,
    ends$bound == "at_least", paste("at least", one(fcoalesce(ends$low, rows$estimate))),
    ends$bound == "at_most", paste("at most", one(fcoalesce(ends$high, rows$estimate))),
    rep(TRUE, nrow(ends)), with_interval(scale * rows$estimate, scale * ends$low, scale * ends$high)
  )
  why <- if (is.null(rows$reason)) "" else rows$reason
  ifelse(is.na(rows$estimate), ifelse(why == "", no_figure, why_missing(why)), paste0(text, limit_text(rows), sessions_text(rows)))
}

# CPU times of two servers that use up their CPU have a ratio at unequal rates, too.
limit_text <- function(rows) {
  if (!all(c("cpu_limited", "statistic") %in% names(rows))) return(rep("", nrow(rows)))
  ifelse(rows$statistic == "cpu_us_per_request" & rows$cpu_limited %in% 1, ", at the CPU's limit", "")
}

sessions_text <- function(rows) {
  if (is.null(rows$pairs)) return("")
  some <- if (is.null(rows$sessions)) FALSE else rows$pairs < rows$sessions
  paste0(ifelse(rows$pairs == 1, paste0(" ", one_session_mark), ""), ifelse(some, sprintf(" (%d of %d sessions)", rows$pairs, rows$sessions), ""))
}

#' Both values of comparisons, with their unit: "500 and 3,102/s".
values_of_both <- function(rows) {
  text <- paste(value_text(rows$baseline_value), "and", value_of(rows$mode_value, rows$unit))
  ifelse(is.na(rows$baseline_value) | is.na(rows$mode_value), no_figure, text)
}

# A value with its unit: "500/s", "161 ms".
value_of <- function(value, unit) {
  with_unit <- paste0(value_text(value), ifelse(startsWith(unit, "1/"), substring(unit, 2), ifelse(unit == "", "", paste0(" ", unit))))
  ifelse(is.infinite(value), not_reached, with_unit)
}

#' The collector beside the values of comparisons: its share of the windows' time and the collections of the baseline and of the mode, as
#' "1.2 % (24) / 0"; empty where none was counted, and for what is neither a throughput nor a percentile.
collections_text <- function(rows) {
  of_side <- function(side) collections_of_side(rows[[paste0(side, "_collections")]], rows[[paste0(side, "_gc_share")]])
  unknown <- is.na(rows$mode_collections) & is.na(rows$baseline_collections) | !grepl("^(throughput_per_s|latency_)", rows$statistic)
  ifelse(unknown, "", paste(of_side("baseline"), "/", of_side("mode")))
}

collections_of_side <- function(counts, shares) {
  few <- counts < collections_averaged
  text <- sprintf("%s %% (%s)%s", format_number(signif(100 * shares, 2)), format_number(counts), ifelse(few, few_collections_mark, ""))
  ifelse(is.na(counts), no_figure, ifelse(counts == 0, "0", text))
}

# A column of a table, where any row has it.
with_collections <- function(table, rows, after) {
  text <- collections_text(rows)
  if (!any(nzchar(text))) return(table)
  table <- copy(table)[, GC := text]
  setcolorder(table, c(names(table)[seq_len(match(after, names(table)))], "GC"))[]
}
