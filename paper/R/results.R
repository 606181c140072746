# Reads what the report is made from: the analysis' tables and the cells.

#' The path of each row's cell below cells/, which is its name.
cell_path <- function(summary) {
  with(summary, file.path(study, mode, tier, tool, paste0("rep-", repetition)))
}

#' The summary of a run with its capacities.
with_curves <- function(run) with_capacities(run$summary, run$capacity)

#' The title of a study; `one` see of_study().
title_of_study <- function(one) one$cells[[1]]$labels$study$title

question_of_study <- function(one) sprintf("*%s*", trimws(one$cells[[1]]$labels$study$question))

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

#' One value of every cell; NULL in a cell becomes NA.
#'
#' @param get function of a cell.
from_cells <- function(cells, get, missing = NA) {
  vapply(cells, function(cell) {
    value <- get(cell)
    if (is.null(value)) missing else value
  }, missing)
}

#' The tiers of a study and the load of each, in the order of load.
#'
#' @return data.table: tier, title, path, threads, ramp_up_s, loops, lasts_s, at_once (closed loop; NA where there is
#'   none), rate_per_s, connections, duration_s, burst (whether a request of every connection is due at the same
#'   moment; open loop), clients (of a database).
read_tiers <- function(all) {
  one <- function(name) {
    cells <- Filter(function(cell) cell$cell$tier == name, all$cells)
    loads <- lapply(setNames(nm = names(loop_names)), function(tool) {
      Find(function(cell) cell$cell$tool == tool, cells)$configuration$tool
    })
    setting <- function(tool, key, otherwise = NA_real_) {
      if (is.null(loads[[tool]])) return(NA_real_)
      number(c(loads[[tool]][[key]], otherwise)[1])
    }
    data.table(
      tier = name, title = cells[[1]]$labels$tier$title, path = words(cells[[1]]$configuration$tier$path),
      at_once = isTRUE(loads$jmeter$at_once), threads = setting("jmeter", "threads"),
      ramp_up_s = setting("jmeter", "ramp_up_s"), loops = setting("jmeter", "loops", 1),
      lasts_s = setting("jmeter", "duration_s"),
      rate_per_s = setting("wrk2", "rate_per_s"), connections = setting("wrk2", "connections"),
      duration_s = setting("wrk2", "duration_s"), burst = isTRUE(loads$wrk2$at_once),
      clients = fcoalesce(setting("sysbench", "clients"), setting("database-client", "workers"))
    )
  }
  rbindlist(lapply(tier_levels(all$summary), one))
}
