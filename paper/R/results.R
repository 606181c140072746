# Results by cell and by study.

#' The path of each row's cell below cells/, which is its name.
cell_path <- function(summary) {
  with(summary, file.path(study, mode, tier, tool, paste0("rep-", repetition)))
}

#' The same results, of one study alone.
of_study <- function(all, study) {
  wanted <- study
  # Sessions of all studies say how far apart capacities of sessions are.
  if (is.null(all$capacities)) all$capacities <- readable("capacity.csv", pool_capacity(all$capacity))
  keep <- all$summary$study == wanted
  all$cells <- all$cells[keep]
  all$summary <- all$summary[keep]
  of_studies <- c("slices", "comparisons", "cpu_groups", "moved", "capacity", "capacities", "load_curves", "mixes")
  # One that cannot be read stays as it is, for the tables that need it.
  for (table in Filter(function(table) is_readable(all[[table]]), of_studies)) {
    all[[table]] <- all[[table]][study == wanted]
  }
  if (is_readable(all$overloads)) all$overloads <- lapply(all$overloads, function(table) table[study == wanted])
  all$study <- study
  all
}

loop_names <- c(
  jmeter = "closed loop", wrk2 = "open loop", sysbench = "closed loop of sysbench",
  "database-client" = "closed loop of database clients", sweep = "load curve", overload = "open loop beyond capacity"
)

#' One value of every cell, which the function `get` takes from it; `missing` in place of NULL.
from_cells <- function(cells, get, missing = NA) {
  vapply(cells, function(cell) {
    value <- get(cell)
    if (is.null(value)) missing else value
  }, missing)
}
