# What the report is made from: the analysis' tables and the cells.

#' Reads everything.
#'
#' @param results results folder: what the analysis wrote, and cells/; `analysis` folder of the analysis.
#' @return list: summary, impossible_waits (see waits_beyond_latency(); the summary is without them), slices, speed_law, comparisons, loops, generators, cpu_groups, allocations, moved, profiler_cost, capacity, load_curves,
#'   predicted_curves, sizes, size_laws, guide, findings (see told_findings()), causes and traced (see the analysis), cells (list of read_cell(), in the order of the summary), results (the folder).
read_results <- function(results, analysis) {
  use_modes(file.path(results, "modes.csv"))
  counted <- read_summary(file.path(results, "summary.csv"))
  summary <- without_impossible_waits(counted)
  list(
    results = results, summary = summary, impossible_waits = waits_beyond_latency(counted), slices = read_slices(file.path(results, "slices.csv")),
    speed_law = read_speed_law(file.path(results, "cpu-speed.csv")),
    comparisons = read_comparisons(file.path(results, "comparisons.csv")),
    loops = read_comparisons(file.path(results, "loops.csv")),
    generators = read_comparisons(file.path(results, "generators.csv")),
    cpu_groups = read_cpu_groups(file.path(results, "cpu-groups.csv")),
    allocations = read_allocations(file.path(results, "allocations.csv")),
    moved = read_moved(results),
    profiler_cost = read_comparisons(file.path(results, "profiler-cost.csv")),
    capacity = read_capacity(file.path(results, "capacity.csv")),
    load_curves = read_load_curves(file.path(results, "curves.csv")),
    predicted_curves = read_predicted_curves(file.path(results, "predicted-curves.csv")),
    sizes = read_sizes(file.path(results, "combinations.csv")),
    size_laws = read_size_laws(file.path(results, "combination-laws.csv")),
    guide = read_comparisons(file.path(results, "guide.csv")),
    findings = told_findings(
      read_comparisons(file.path(results, "findings.csv")), read_findings(file.path(analysis, "guide.yaml"))
    ),
    causes = read_causes(file.path(analysis, "causes.yaml")), traced = read_traced(file.path(results, "causes.csv")),
    cells = read_cells(file.path(results, "cells", cell_path(summary), "cell.json"))
  )
}

#' The path of each row's cell below cells/, which is its name.
cell_path <- function(summary) {
  with(summary, file.path(study, mode, tier, tool, paste0("rep-", repetition)))
}

#' The title of a study; `one` see of_study().
title_of_study <- function(one) one$cells[[1]]$labels$study$title

#' The same results, of one study alone.
of_study <- function(all, study) {
  wanted <- study
  keep <- all$summary$study == wanted
  all$cells <- all$cells[keep]
  all$summary <- all$summary[keep]
  of_studies <- c(
    "slices", "comparisons", "cpu_groups", "allocations", "moved", "capacity", "load_curves", "predicted_curves", "sizes", "size_laws"
  )
  for (table in of_studies) {
    all[[table]] <- all[[table]][study == wanted]
  }
  all$study <- study
  all
}

has_study <- function(all, study) study %in% all$summary$study

loop_names <- c(
  jmeter = "closed loop", wrk2 = "open loop", "wrk2-itself" = "open loop of wrk2 itself", sysbench = "closed loop of sysbench",
  "database-client" = "closed loop of database clients", curve = "load curve"
)

#' One figure of every cell; NULL in a cell becomes NA.
#'
#' @param get function of a cell.
from_cells <- function(cells, get, missing = NA) {
  vapply(cells, function(cell) {
    value <- get(cell)
    if (is.null(value)) missing else value
  }, missing)
}

#' Modes that answer the study's question, without the variants that answer others (published
#' traps, the noise floor).
main_modes <- function(summary) {
  modes <- mode_levels(summary$mode)
  modes[!is_variant(modes)]
}

#' Each main mode with its baseline.
#'
#' @return data.table: study, mode, versus.
pairs_of <- function(summary) {
  pairs <- unique(summary[mode %in% main_modes(summary) & !is.na(versus), .(study, mode, versus)])
  pairs[order(study, match(mode, mode_levels(mode)))]
}

#' Modes whose configuration gives an option this value, without variants.
modes_with <- function(all, option, value) {
  of <- Filter(function(cell) identical(cell$configuration$mode$options[[option]], value), all$cells)
  intersect(main_modes(all$summary), from_cells(of, function(cell) cell$cell$mode, ""))
}

#' The mode that serves the fewest requests at once.
mode_with_fewest <- function(all) {
  inside <- vapply(all$cells, function(cell) read_setup(cell)$most_inside, 0)
  all$cells[[which.min(inside)]]$cell$mode
}

published_modes <- function(summary) {
  modes <- mode_levels(summary$mode)
  modes[is_published(modes)]
}

#' The tiers of a study and what is asked in each, in the order of load.
#'
#' @return data.table: tier, title, path, group (ramped, at once, work), sleep_ms, threads, ramp_up_s,
#'   loops, lasts_s (closed loop; NA where there is none, or no such thing), rate_per_s, connections,
#'   duration_s, burst (whether a request of every connection is due at once; open loop), clients (of a database).
read_tiers <- function(all) {
  usual <- usual_path(all$summary)
  one <- function(name) {
    cells <- Filter(function(cell) cell$cell$tier == name, all$cells)
    asked <- lapply(setNames(nm = names(loop_names)), function(tool) {
      Find(function(cell) cell$cell$tool == tool, cells)$configuration$tool
    })
    figure <- function(tool, key, otherwise = NA_real_) {
      if (is.null(asked[[tool]])) return(NA_real_)
      number(c(asked[[tool]][[key]], otherwise)[1])
    }
    path <- words(cells[[1]]$configuration$tier$path)
    at_once <- isTRUE(asked$jmeter$at_once)
    data.table(
      tier = name, title = cells[[1]]$labels$tier$title, path = path,
      sleep_ms = number(cells[[1]]$configuration$tier$sleep_ms),
      group = if (!path %in% usual) "work" else if (at_once) "at once" else "ramped",
      at_once = at_once, threads = figure("jmeter", "threads"),
      ramp_up_s = figure("jmeter", "ramp_up_s"), loops = figure("jmeter", "loops", 1),
      lasts_s = figure("jmeter", "duration_s"),
      rate_per_s = figure("wrk2", "rate_per_s"), connections = figure("wrk2", "connections"),
      duration_s = figure("wrk2", "duration_s"), burst = isTRUE(asked$wrk2$at_once),
      clients = fcoalesce(figure("sysbench", "clients"), figure("database-client", "workers"))
    )
  }
  rbindlist(lapply(tier_levels(all$summary), one))
}

#' Tiers whose path begins so, in the order of load; smoke tiers ask the same paths.
tiers_on <- function(tiers, start) tiers[startsWith(fcoalesce(path, ""), start)]$tier

#' Tiers whose loads have idle connections beside them.
tiers_beside_idle <- function(all) {
  beside <- Filter(function(cell) !is.null(cell$configuration$tier$idle_connections), all$cells)
  unique(vapply(beside, function(cell) cell$cell$tier, ""))
}

#' Modes measured at these tiers, without variants.
modes_at <- function(all, tiers) {
  intersect(main_modes(all$summary), all$summary[tier %in% tiers]$mode)
}

#' Whether figures can be drawn of these: some cell answered some request.
has_cells <- function(all, tool, tiers) {
  wanted <- list(tool, tiers)
  nrow(all$summary[tool == wanted[[1]] & tier %in% wanted[[2]] & !is.na(latency_p50_ms)]) > 0
}
