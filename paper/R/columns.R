# The columns of the page's tables, in words. Statistics have theirs in the analysis (title_of).

# A row per column that is no statistic: `name` (of a column, or the heading that is printed; `file.csv:name` where a file means something of its
# own), `words`; see analysis/tables.yaml.
column_words <- words_of_table_columns()
column_words <- rbind(column_words, data.table(name = sprintf("within_%d_s", 1:10), words = sprintf("requests answered right within %d s", 1:10)))

#' Explanations of columns.
#'
#' @param names of the columns as their file or their table has them; `file` of results/, or NULL.
#' @return character vector; empty where nothing is known of a column.
words_of_columns <- function(names, file = NULL) {
  known <- function(names) fcoalesce(words_of(paste0(file, ":", names)), words_of(names))
  of_base <- known(sub("_(low|high)$", "", names))
  end <- fifelse(endsWith(names, "_low"), "lower", "upper")
  of_end <- fifelse(is.na(of_base), NA_character_, sprintf("%s end of the interval or range of: %s", end, of_base))
  capitalised(fcoalesce(known(names), of_end, ""))
}

# NA where neither the table above nor the analysis knows the column.
words_of <- function(names) {
  about <- about_statistics(names)
  statistic <- paste0(about$title, ifelse(about$unit %in% c("", NA), "", paste(", in", about$unit)))
  fcoalesce(column_words$words[match(names, column_words$name)], fifelse(is.na(about$title), NA_character_, statistic))
}
