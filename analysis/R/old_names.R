# Names as they were until schema 3, read as they are now: of cells, and of the tables of shipped runs. This file goes
# when the first run with the new names is shipped.

old_columns <- c(idle_beside_share = "idle_neighbors_share", requests_asked = "requests_offered", handling = "kind")
old_options <- c(
  "max-threads" = "threads", "server.tomcat.threads.max" = "threads", "queue-capacity" = "queue", "requests.permits" = "permits",
  "spring.datasource.hikari.maximum-pool-size" = "pool", "remote.client" = "client", "lock.kind" = "lock",
  "spring.threads.virtual.enabled" = "virtual"
)
old_kinds <- c(
  "platform thread" = "thread-each", "pool" = "pool", "caller-runs pool" = "pool", "virtual thread" = "virtual", "event loop" = "event-loop"
)
old_words <- c(
  "-again\\b" = "-a-a", "^own-asyncio$" = "user-asyncio", "^curve$" = "sweep", "^twin$" = "A/A", "\\btreatment\\b" = "observed",
  "\\bidle_beside\\b" = "idle_neighbors", "above the ladder" = "above the highest rate",
  "below the ladder" = "below the lowest rate"
)

new_words <- function(words) {
  if (is.null(words)) return(NULL)
  for (old in names(old_words)) words <- gsub(old, old_words[[old]], words)
  words
}

#' A table with the new names; one that has them stays as it is.
with_new_names <- function(table) {
  names <- sub("^versus", "baseline", names(table))
  known <- names %in% names(old_columns)
  names[known] <- old_columns[names[known]]
  # Elsewhere a group is one of stacks.
  if ("session" %in% names) names[names == "group"] <- "comparison"
  setnames(table, names)
  if ("must_fail" %in% names(table)) table[, must_fail := NULL]
  columns <- c("mode", "baseline", "of", "variant", "tool", "comparison", "mode_title", "failed_checks", "reason", "ended", "why_bounded")
  for (column in intersect(columns, names)) set(table, j = column, value = new_words(table[[column]]))
  if ("kind" %in% names) table[kind %in% names(old_kinds), kind := old_kinds[kind]]
  if (!"failed_checks" %in% names || "latency_valid" %in% names) return(table)
  if ("outcome" %in% names) table[, survived := fifelse(outcome == "completed" & !grepl("same_answer_after", failed_checks), "1", "0")]
  with_rejudged(table)
}

#' The path of a cell of before; a new mode or tool has another folder.
old_path <- function(path) sub("/sweep/", "/curve/", sub("/user-asyncio/", "/own-asyncio/", sub("-a-a/", "-again/", path)))

#' A cell of schema 2 with the names of schema 3.
with_new_cell_names <- function(cell) {
  for (name in c("mode", "tool")) cell$cell[[name]] <- new_words(cell$cell[[name]])
  cell$session$comparison <- new_words(cell$session$group)
  cell$labels$mode[c("baseline", "title")] <- lapply(cell$labels$mode[c("versus", "title")], new_words)
  cell$validity$checks <- lapply(cell$validity$checks, function(check) replace(check, "id", new_words(check$id)))
  cell$load$requests_offered <- cell$load$requests_asked
  cell$configuration$tool$users <- cell$configuration$tool$threads
  if (!is.null(cell$curve)) cell$sweep <- cell$curve
  if (grepl("query-test|registration|^/order([?]|$)", c(cell$configuration$tier$path, "")[1])) cell$configuration$tier$holds <- "connection"
  cell$configuration$mode <- new_mode(cell$configuration$mode, cell$configuration$study$server)
  cell
}

new_mode <- function(mode, server) {
  known <- names(mode$options) %in% names(old_options)
  names(mode$options)[known] <- old_options[names(mode$options)[known]]
  class <- c(mode$class, "")[1]
  of_spring <- c(server$package, "")[1] %in% c("artifact.tomcat", "artifact.stacks") && grepl("^(mvc[.].*)?$", class)
  mode$kind <- if (of_spring) (if (isTRUE(mode$options$virtual)) "virtual" else "pool") else
    c(names(Filter(function(pattern) grepl(pattern, class), c(
      virtual = "^VirtualThread", "thread-each" = "^ThreadPerRequest", pool = "^(Fixed|CallerRuns)Pool", "event-loop" = "^(EventLoop|webflux)"
    ))), "")[1]
  carriers <- grep("Scheduler[.]parallelism=", c(server$jvm_options, mode$jvm_options), value = TRUE)
  if (length(carriers) > 0) mode$carriers <- as.numeric(sub(".*=", "", tail(carriers, 1)))
  mode
}

# Until version 13 each rule made a whole cell invalid. Some found what the mode did, which is a result; some what makes latency longer.
old_results <- c("completed", "same_answer_after", "share_2xx", "alive_after")
old_latency_rules <- c("settled", "little", "slices_kept", "generator_healthy")

#' The validity of a cell that was judged by an earlier version.
old_validity <- function(cell) {
  failed <- vapply(Filter(function(check) !isTRUE(check$passed), cell$validity$checks), `[[`, "", "id")
  modifyList(cell$validity, rejudged(failed))
}

rejudged <- function(failed) {
  spoil_all <- setdiff(failed, c(old_results, old_latency_rules))
  list(valid = length(spoil_all) == 0, latency_valid = length(setdiff(failed, old_results)) == 0)
}

#' The same of a table's rows.
with_rejudged <- function(table) {
  judged <- lapply(strsplit(fcoalesce(table$failed_checks, ""), ";", fixed = TRUE), rejudged)
  of <- function(name) as.character(vapply(judged, `[[`, NA, name))
  table[, `:=`(valid = of("valid"), latency_valid = of("latency_valid"))][]
}
