# Numbers and tables as text: for the words of claims, and for a terminal.

#' @export
plain_number <- function(values) {
  texts <- vapply(values, format, "", digits = 3, big.mark = ",", scientific = FALSE, drop0trailing = TRUE)
  ifelse(is.na(values), "", texts)
}

# The word of a table where it has no value.
#' @export
no_figure <- "–"

#' Numbers for readers: three significant digits, thousands separated; a dash for NA, ∞ for what has no end.
#' @export
format_number <- function(values) {
  rounded <- ifelse(abs(values) >= 1000, round(values), signif(values, 3))
  ifelse(is.na(values), no_figure, ifelse(is.infinite(values), "∞", plain_number(rounded)))
}

interval_text <- function(low, high) {
  ifelse(is.na(low), no_figure, paste0("[", format_number(low), ", ", format_number(high), "]"))
}

# An end of an interval that is farther than this factor from a ratio says nothing of it.
far <- 100

not_bounded <- "not bounded"

#' @export
with_interval <- function(estimate, low, high) {
  open <- low > 0 & low < estimate / far & high > estimate * far
  interval <- ifelse(open %in% TRUE, sprintf("[%s]", not_bounded), interval_text(low, high))
  ifelse(is.na(estimate), no_figure, paste0(format_number(estimate), ifelse(is.na(low), "", paste0(" ", interval))))
}

# The texts of values with intervals; a ratio whose interval ends at 0 or is infinite is a bound: the end that holds says something, the value nothing.
ratio_or_bound <- function(text, effect, low, high) {
  at_least <- (effect == "ratio" & low > 0 & is.infinite(high)) %in% TRUE
  at_most <- (effect == "ratio" & low == 0 & is.finite(high)) %in% TRUE
  fcase(at_least, paste("at least", format_number(low)), at_most, paste("at most", format_number(high)), rep(TRUE, length(text)), text)
}

# Columns side by side, as wide as they must be.
table_lines <- function(table) {
  columns <- lapply(names(table), function(name) {
    cells <- c(name, ifelse(is.na(table[[name]]), no_figure, as.character(table[[name]])))
    format(cells, width = max(nchar(cells)))
  })
  trimws(do.call(paste, c(columns, sep = "  ")), "right")
}
