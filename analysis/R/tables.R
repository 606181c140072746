# Tables as files. Every error names the file and what is wrong with it.

# The columns that name a cell but for its session, and a comparison but for its statistic.
cell_place <- c("study", "mode", "tier", "tool")
comparison_place <- c("study", "tier", "tool", "mode", "baseline")

fail_reading <- function(path, ...) stop(path, ": ", ..., call. = FALSE)

require_columns <- function(table, columns, path) {
  missing <- setdiff(columns, names(table))
  if (length(missing) > 0) fail_reading(path, "column ", paste(missing, collapse = ", "), " is missing")
  table
}

# A table with these columns, read with the options of fread().
read_required <- function(path, columns, ...) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  require_columns(fread(path, encoding = "UTF-8", ...), columns, path)
}

#' Writes a table as CSV, whole or not at all, creating its folder.
write_table <- function(table, path) {
  dir.create(dirname(path), recursive = TRUE, showWarnings = FALSE)
  new <- paste0(path, ".new")
  on.exit(unlink(new))
  fwrite(table, new)
  if (!file.rename(new, path)) fail_reading(path, "cannot be written")
}

#' Reads a table that write_table() wrote: text, and numbers in the columns that are named.
read_table <- function(path, numbers = character()) {
  # By name and not by content, which a column of a table without rows does not have.
  table <- read_required(path, numbers, colClasses = "character", na.strings = NULL)
  for (column in numbers) set(table, j = column, value = as.numeric(table[[column]]))
  table[]
}

#' The words of the columns of all tables, see analysis/tables.yaml: name, words.
#' @export
words_of_table_columns <- function() {
  columns <- yaml::read_yaml(file.path(getNamespaceInfo(topenv(), "path"), "tables.yaml"))$columns
  data.table(name = names(columns), words = unlist(columns, use.names = FALSE))
}

# A table without rows whose columns have types.
typed_table <- function(words = character(), numbers = character(), flags = character()) {
  of <- function(names, empty) setNames(rep(list(empty), length(names)), names)
  as.data.table(c(of(words, character()), of(numbers, numeric()), of(flags, logical())))
}

read_typed <- function(path, empty) {
  of_type <- function(is) names(empty)[vapply(empty, is, NA)]
  table <- require_columns(read_table(path, of_type(is.numeric)), names(empty), path)
  for (column in of_type(is.logical)) set(table, j = column, value = table[[column]] == "TRUE")
  if ("baseline" %in% names(table)) set(table, which(table$baseline == ""), "baseline", NA_character_)
  table[, names(empty), with = FALSE]
}

# A table that older runs lack: without its file it has no rows.
read_if_there <- function(path, empty) if (file.exists(path)) read_typed(path, empty) else empty

# Significant digits of a number in a shipped table.
run_digits <- 6

# Read as text, so that only long decimals change: a version stays what it is.
shortened_numbers <- function(path) {
  table <- fread(path, colClasses = "character", na.strings = "", encoding = "UTF-8")
  for (column in names(table)) {
    values <- table[[column]]
    long <- grep("^-?[0-9]+[.][0-9]+(e-?[0-9]+)?$", values)
    long <- long[nchar(values[long]) > run_digits + 2]
    set(table, long, column, as.character(signif(as.numeric(values[long]), run_digits)))
  }
  table
}

# Writes a table that is shipped.
write_shortened <- function(table, path) {
  write_table(table, path)
  write_table(shortened_numbers(path), path)
}
