# The cells of a whole run on a noisy machine, and each thing that guide, causes and claims name by itself. A mask takes validity, or
# the cell, from some of the cells that a thing names.

noisy_run <- "2026-11-27-xeon"

#' The run's cells as the analysis has them, read once.
#'
#' @return see as_measured(), with capacity, cells, and sweeps; `extras` see read_claim_extras().
measured_on_noisy_machine <- function() {
  folder <- new_folder()
  untar(file.path(analysis_folder, "runs", noisy_run, "cells.tar.xz"), exdir = folder)
  use_modes(file.path(folder, "modes.csv"))
  paths <- Sys.glob(file.path(folder, "cells", "*", "*", "*", "*", "rep-*", "cell.json"))
  read <- read_measured(paths[!is_sweep(paths)])
  sweeps <- read_cells(whole_cells(paths[is_sweep(paths)]))
  slices <- with_usual_speed(read$slices, speed_law(read$slices))
  measured <- as_measured(with_session_values(read$summary, slices, read$histograms), slices, read$histograms)
  c(measured, list(
    capacity = capacities_of(sweeps), sweeps = sweeps, cells = read_cells(read$paths), extras = read_claim_extras(folder)
  ))
}

place_columns <- c("study", "mode", "tier", "tool")
guide_of_run <- file.path(analysis_folder, "guide.yaml")

# ---- Things

# A thing: `id`, `cells` that it names, `rows` that it has at least, and `run`, which gives its rows with a value or a reason.
things_of <- function(measured) {
  c(
    lapply(read_causes(file.path(analysis_folder, "causes.yaml")), thing_of_cause),
    lapply(read_claims(file.path(analysis_folder, "claims.yaml")), thing_of_claim, measured),
    lapply(split(pairs_named(measured), by = "id"), thing_of_pair)
  )
}

thing_of_cause <- function(cause) {
  at_tool <- function(step) list(mode = step$mode, tier = c(step$tier, cause$tier)[1], tool = cause$tool)
  own <- if (!is.null(cause$difference)) sides_of(cause)
  swaps <- unlist(lapply(cause$swaps, function(swap) sides_of(cause, swap$changes)), recursive = FALSE)
  sides <- Filter(Negate(is.null), c(own, swaps, lapply(c(cause$doses$modes, cause$steps), at_tool)))
  list(
    id = paste("cause", cause$id), cells = unique(rbindlist(lapply(sides, function(side) c(list(study = cause$study), side[c("mode", "tier", "tool")])))),
    rows = length(cause$swaps) + !is.null(cause$doses) + if (length(cause$steps) > 0) length(steps_of(cause)) else 0,
    run = function(measured) trace_causes(list(cause), measured$summary, measured$slices)[, value := before]
  )
}

thing_of_claim <- function(claim, all) {
  # Values that are printed with the reason are of the same cells.
  claim$also <- NULL
  terms <- unique(rbindlist(lapply(Filter(function(place) is.null(place[["primitive"]]), places_of(claim)), terms_of), fill = TRUE))
  list(
    id = paste("claim", claim$id), cells = if (nrow(terms) > 0) unique(terms[, ..place_columns]) else all$summary[0, ..place_columns], rows = 1,
    run = function(measured) {
      summary <- with_capacities(measured$summary, measured$capacity)
      tables <- list(summary = summary, measured = replace(measured, "summary", list(summary)), comparisons = no_judged(), extras = all$extras)
      judge_claims(list(claim), tables)[, `:=`(value = estimate, reason = fifelse(verdict == not_in_this_run, verdict, reason))]
    }
  )
}

# Comparisons of a mode with its baseline that guide.yaml names, each once, in the first statistic that it names.
pairs_named <- function(all) {
  pairs <- rbind(places_of_pairs(read_findings(guide_of_run)), read_primaries(guide_of_run))
  pairs <- unique(pairs, by = place_columns)[, c(place_columns, "statistic"), with = FALSE]
  sides <- unique(rbindlist(lapply(all[c("summary", "capacity")], function(table) table[, c(place_columns, "baseline"), with = FALSE])))
  sides[!is.na(baseline)][pairs, on = place_columns, nomatch = NULL][, id := .I][]
}

thing_of_pair <- function(pair) {
  cells <- pair[, .(study, mode = c(mode, baseline), tier, tool)]
  list(
    id = paste("pair", paste(cells[1], collapse = "/")), cells = cells, rows = 1,
    run = function(measured) {
      if (pair$statistic == "capacity_per_s") return(rbind(compare_capacities(measured$capacity), list(reason = "no capacity"), fill = TRUE)[1][, value := estimate])
      as.data.table(effect_between(measured, pair[, .(study, mode, baseline, tier, tool)], pair$statistic))[, value := estimate]
    }
  )
}

# Findings and comparisons of all cells: rows with neither a value nor a reason, and what has no row.
faults_of_guide <- function(measured, label) {
  findings <- read_findings(guide_of_run)
  take_problems()
  comparisons <- compare_all(measured, guide_of_run)
  decided <- decide_findings(findings, comparisons)
  lacking <- c(
    setdiff(vapply(findings, `[[`, "", "id"), decided$finding),
    if (nrow(decided) != sum(lengths(lapply(findings, `[[`, "pairs")))) "a pair"
  )
  rows <- rbind(comparisons, decided, fill = TRUE)
  faults <- c(take_problems()$message, if (length(lacking) > 0) paste("no row of", lacking), neither_of(rows[, value := estimate]))
  if (length(faults) > 0) paste0(label, ": ", faults)
}

# ---- Masks

# The tables of a run with a change to each.
changed_tables <- function(measured, change) {
  tables <- c("summary", "slices", "capacity")
  replace(measured, tables, lapply(measured[tables], change))
}

# The same with a change to the rows of some cells.
changed_rows <- function(measured, cells, change) {
  changed_tables(measured, function(table) change(copy(table), function(table) table[cells, on = names(cells), which = TRUE, nomatch = NULL]))
}

only <- function(measured, cells) changed_tables(measured, function(table) table[cells, on = names(cells), nomatch = NULL])

masks <- list(
  absent = function(table, at) table[setdiff(seq_len(nrow(table)), at(table))],
  invalid = function(table, at) set_all(table, at(table), list(valid = FALSE, failed_checks = "masked")),
  "without a valid latency" = function(table, at) set_all(table, at(table), list(latency_valid = FALSE, failed_checks = "masked")),
  "in another session" = function(table, at) set_all(table, at(table), list(session = "another"))
)

set_all <- function(table, rows, values) {
  for (column in intersect(names(values), names(table))) set(table, rows, column, values[[column]])
  table
}

neither_of <- function(rows) {
  neither <- rows[!is.finite(value) & !nzchar(fcoalesce(reason, "")), .N]
  if (neither > 0) sprintf("%d rows with neither a value nor a reason", neither)
}

# Faults of a thing's rows under a mask, or none: an error, a row too few, a row with neither value nor reason.
faults_of <- function(thing, measured, label) {
  take_problems()
  rows <- tryCatch(thing$run(measured), error = function(problem) data.table(value = 0, reason = "", failed = conditionMessage(problem)))
  faults <- c(
    rows[["failed"]], take_problems()$message, if (nrow(rows) < thing$rows && is.null(rows[["failed"]])) sprintf("%d rows of %d", nrow(rows), thing$rows),
    neither_of(rows)
  )
  if (length(faults) > 0) sprintf("%s, %s: %s", thing$id, label, faults)
}
