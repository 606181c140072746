# The versions of the rules by which verdicts are made. PROTOCOL.md is the one place where they stand.

# For example "**10** (2026-11-25, f9df6d5, after results). The change, and why."
version_line <- "^[*][*]([0-9]+)[*][*] [(]([0-9]{4}-[0-9]{2}-[0-9]{2}), ([0-9a-f]{7}), (after|before) results[)][.] .+"

#' Reads the versions of the rules.
#'
#' @param path path of PROTOCOL.md: a heading (`## name`) for each set of rules, a paragraph for each version.
#' @return data.table, a row per version: rules, version, fixed (date), commit, after_results (whether results were
#'   known by then). Stops at a paragraph that begins in bold and is no version.
#' @export
read_protocol <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  lines <- readLines(path, encoding = "UTF-8")
  heading <- cummax(ifelse(grepl("^## ", lines), seq_along(lines), 0))
  is_version <- grepl("^[*][*]", lines)
  wrong <- is_version & (!grepl(version_line, lines) | heading == 0)
  if (any(wrong)) fail_reading(path, "not a version of a rule: ", lines[wrong][1])
  part <- function(index) sub(version_line, paste0("\\", index), lines[is_version])
  data.table(
    rules = sub("^## ", "", lines[heading[is_version]]), version = as.integer(part(1)), fixed = part(2), commit = part(3),
    after_results = part(4) == "after"
  )
}

#' The version in force of a set of rules.
#'
#' @param protocol see read_protocol().
#' @param set one of its rules.
#' @export
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
