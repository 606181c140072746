# The versions of the rules by which verdicts are made. PROTOCOL.md is the one place where they stand.

library(data.table)

#' Reads the versions of the rules.
#'
#' @param path path of PROTOCOL.md, which holds one table.
#' @return data.table, a row per version: rules, version, fixed (date), commit, after_results (whether
#'   results were known by then), change.
read_protocol <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  lines <- grep("^[|]", readLines(path, encoding = "UTF-8"), value = TRUE)[-(1:2)]
  cells <- strsplit(gsub("^[|] | [|]$", "", lines), " | ", fixed = TRUE)
  columns <- c("rules", "version", "fixed", "commit", "after_results", "change")
  wrong <- lengths(cells) != length(columns)
  if (any(wrong)) fail_reading(path, "not a row of ", length(columns), " cells: ", lines[wrong][1])
  table <- setnames(as.data.table(do.call(rbind, cells)), columns)
  table[, `:=`(version = as.integer(version), after_results = after_results == "yes")][]
}

#' The version in force of a set of rules.
#'
#' @param protocol see read_protocol().
#' @param set one of its rules.
rules_version <- function(protocol, set) {
  versions <- protocol[rules == set]$version
  if (length(versions) == 0) stop("no rules of ", set, " in the protocol", call. = FALSE)
  max(versions)
}

#' Adds the column rules_version to a table of verdicts.
#'
#' @param table the verdicts; `set` the rules that they follow.
#' @param folder folder of PROTOCOL.md.
with_rules_version <- function(table, set, folder) {
  version <- rules_version(read_protocol(file.path(folder, "PROTOCOL.md")), set)
  copy(table)[, rules_version := version][]
}
