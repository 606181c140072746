# Loads in numbers, for sentences: users, waits, rates and limits are those of the cells that a run measured, so a sentence about a load of the
# reader's own has the reader's numbers. Shipped runs have no cells; guide.yaml says what their loads were (`shipped`).

load_numbers <- c("users", "wait_ms", "cpu_ms", "rate_per_s", "long_ms", "long_share", "objective_ms", "times_capacity", "unanswered_at_best")
mode_numbers <- c("admitted", "carriers", "heap_mib")

no_facts <- function() {
  list(loads = typed_table(c("study", "tier", "tool"), load_numbers), modes = typed_table(cell_place, mode_numbers))
}

#' The loads and limits of cells.
#'
#' @param cells list of read_cell().
#' @return list of two data.tables: loads (study, tier, tool, load_numbers: a request's wait and CPU time by its path; of a mix the CPU
#'   time and the share of the long ones; how long users of an overload wait, the highest share of the capacity, and the share that no
#'   order of service answers by then) and modes (study, mode, tier, tool, mode_numbers: requests that are served concurrently, NA
#'   without a limit; carriers, by default one for each CPU; heap). NA for what a load has not.
facts_of_loads <- function(cells) {
  if (length(cells) == 0) return(no_facts())
  of_cells <- function(place, facts_of) unique(rbindlist(lapply(cells, function(cell) c(cell$cell[place], facts_of(cell, read_setup(cell))))), by = place)
  list(loads = of_cells(c("study", "tier", "tool"), load_of_cell), modes = of_cells(cell_place, limits_of_cell))
}

load_of_cell <- function(cell, setup) {
  tool <- cell$configuration$tool
  steps <- data.table(share = vapply(tool$steps, function(step) as.numeric(step[[1]]), 0), length_s = vapply(tool$steps, function(step) as.numeric(step[[2]]), 0))
  list(
    users = setup$users, wait_ms = 1000 * setup$wait_s, cpu_ms = 1000 * setup$work_s, rate_per_s = setup$rate_per_s,
    long_ms = if (is.null(tool$mix)) NA_real_ else number_in_path(tool$mix$path, "cpu_us") / 1000, long_share = number(tool$mix$share),
    objective_ms = number(tool$objective_ms), times_capacity = if (nrow(steps) > 0) max(steps$share) else NA_real_,
    unanswered_at_best = if (nrow(steps) > 0) 1 - in_time_at_most(steps, number(tool$objective_ms) / 1000) else NA_real_
  )
}

limits_of_cell <- function(cell, setup) {
  mode <- cell$configuration$mode
  list(
    admitted = if (is.finite(setup$most_inside)) as.numeric(setup$most_inside) else NA_real_,
    carriers = if (setup$kind == "virtual") as.numeric(or_else(mode$carriers, setup$cpus)) else NA_real_, heap_mib = heap_of(cell)
  )
}

#' The loads of shipped runs, see facts_of_loads(): by study and tier, and limits by study and mode.
#'
#' @param path path of guide.yaml.
#' @export
shipped_facts <- function(path) {
  shipped <- yaml::read_yaml(path)$shipped
  rows <- function(part, key, numbers) {
    row <- function(study, id) as.data.table(c(setNames(list(study, id), c("study", key)), shipped[[study]][[part]][[id]]))
    found <- lapply(names(shipped), function(study) lapply(names(shipped[[study]][[part]]), row, study = study))
    rbindlist(c(list(typed_table(c("study", key), numbers)), unlist(found, recursive = FALSE)), fill = TRUE)
  }
  list(loads = rows("loads", "tier", load_numbers), modes = rows("modes", "mode", mode_numbers))
}

#' Adds the load, and the limits of both sides, to rows of comparisons.
#'
#' @param rows with study, tier, tool, mode and baseline; `facts` see facts_of_loads().
#' @return rows with load_numbers, and mode_numbers of both sides (mode_admitted, baseline_admitted and so on).
with_facts <- function(rows, facts) {
  of <- function(table, side) {
    keys <- intersect(cell_place, names(table))
    places <- setNames(rows[, sub("^mode$", side, keys), with = FALSE], keys)
    table[places, on = keys, mult = "first"]
  }
  found <- of(facts$loads, "mode")
  for (name in load_numbers) set(rows, j = name, value = as.numeric(found[[name]]))
  for (side in c("mode", "baseline")) {
    limits <- of(facts$modes, side)
    for (name in mode_numbers) set(rows, j = paste0(side, "_", name), value = as.numeric(limits[[name]]))
  }
  rows[]
}
