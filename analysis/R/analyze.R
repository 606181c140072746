# A run's tables, from its cells. What does not need each other is computed by two processes.

#' Writes all tables of a run but those that need profiles.
#'
#' @param results folder of the run, with modes.csv, grid.csv and primitives/thread-memory.csv.
#' @param paths of cell.json, for every cell, and of costs.csv of the primitives.
#' @param folder of the analysis: its YAML files and PROTOCOL.md; `reference` name of the shipped run that lends its noise.
analyze <- function(results, paths, folder, reference) {
  use_modes(file.path(results, "modes.csv"))
  write <- writer_of(results, folder)
  is_cell <- basename(paths) == "cell.json"
  measured <- measure_cells(results, write, paths[is_cell], folder, reference)
  write(summarise_primitives(paths[!is_cell], measured$law), "primitives/primitives")
  in_parallel(list(
    function() compare_and_judge(measured, results, write, folder),
    function() write_other_tables(measured, results, write, folder)
  ))
}

# The comparisons of a shipped run, which lend their noise; none where its sessions were of another design, or are these.
lent_comparisons <- function(folder, reference, sessions) {
  lender <- read_shipped(file.path(folder, "runs"), reference)
  current <- rules_version(read_protocol(file.path(folder, "PROTOCOL.md")), "comparisons")
  if (lender$facts$rules$comparisons == current && !any(sessions %in% lender$summary$session)) lender$comparisons else lender$comparisons[0]
}

# A table is written, and read where it is needed: what a report shows is what was compared.
writer_of <- function(results, folder) {
  function(table, name, rules = NULL) {
    if (!is.null(rules)) table <- with_rules_version(table, rules, folder)
    write_table(table, file.path(results, paste0(name, ".csv")))
  }
}

# Results of functions, two at a time. An error of one is that of all.
in_parallel <- function(tasks) {
  done <- suppressWarnings(parallel::mclapply(tasks, function(task) task(), mc.cores = 2, mc.preschedule = FALSE))
  for (one in done) if (inherits(one, "try-error")) stop(conditionMessage(attr(one, "condition")), call. = FALSE)
  done
}

# Sweeps have tables of their own: a step at a share of a mode's capacity is not pooled with the loads that a tier
# fixes, nor compared with them.
is_sweep <- function(paths) basename(dirname(dirname(paths))) == sweep_tool

# Values of single cells: summary, slices, the law of speed, capacities and steps of load sweeps.
measure_cells <- function(results, write, paths, folder, reference) {
  path <- function(name) file.path(results, paste0(name, ".csv"))
  loads <- paths[!is_sweep(paths)]
  sweeps <- read_cells(paths[is_sweep(paths)])
  read <- in_parallel(list(
    function() summarise_cells(loads),
    function() read_loads(loads)
  ))
  law <- speed_law(read[[2]]$slices)
  slices <- with_usual_speed(read[[2]]$slices, law)
  write(as.data.table(law), "cpu-speed")
  write(slices, "slices")
  write(with_session_values(with_usual_speed(read[[1]], law), slices, read[[2]]$histograms), "summary")
  write(capacities_of(sweeps), "capacity")
  write(pool_steps(sweeps), "sweeps")
  summary <- read_summary(path("summary"))
  known <- lent_comparisons(folder, reference, summary$session)
  measured <- as_measured(summary, read_slices(path("slices")), read[[2]]$histograms, known)
  c(measured, list(loads = loads, sweeps = sweeps, law = law, capacity = read_capacity(path("capacity"))))
}

# All modes with their baselines, in all statistics; the primaries of the guide have verdicts.
compare_all <- function(measured, guide) {
  rows <- rbind(compare_modes(measured), compare_capacities(measured$capacity, measured$known), fill = TRUE)
  add_verdicts(rows, read_primaries(guide))
}

#' Compares, and judges what the guide and the claims name.
compare_and_judge <- function(measured, results, write, folder) {
  guide <- file.path(folder, "guide.yaml")
  write(compare_all(measured, guide), "comparisons", "comparisons")
  comparisons <- read_comparisons(file.path(results, "comparisons.csv"))
  measured$known <- rbind(measured$known, comparisons, fill = TRUE)
  across <- compare_tiers(read_guide(guide), measured)
  if (!is.null(across)) across <- add_verdicts(across, read_primaries(guide)[0])
  situations <- c(read_guide(guide), curve_situations(measured$capacity, comparisons))
  write(compare_guide(situations, rbind(comparisons, across, fill = TRUE)), "guide", "comparisons")
  write(decide_findings(read_findings(guide), comparisons), "findings", "comparisons")
  write(judge_controls(comparisons, read_controls(guide)), "controls", "comparisons")
  write(judge_all_claims(measured, results, folder), "claims", "claims")
  write(compare_loops(measured), "loops", "comparisons")
  write(compare_generators(measured), "generators", "comparisons")
  write(profiler_cost(measured), "profiler-cost", "comparisons")
}

judge_all_claims <- function(measured, results, folder) {
  tables <- read_claim_tables(results, measured)
  grid <- fread(file.path(results, "grid.csv"), colClasses = "character")
  claims <- check_claims(read_claims(file.path(folder, "claims.yaml")), grid, names(tables$summary))
  judge_claims(claims, tables)
}

write_other_tables <- function(measured, results, write, folder) {
  cells <- read_cells(measured$loads)
  is_grid <- vapply(cells, function(cell) cell$cell$tool == "database-client", NA)
  write(summarise_combinations(read_grid(cells[is_grid])), "combinations")
  # Beyond capacity nothing of a server is at a bound of its own.
  is_overload <- vapply(cells, function(cell) cell$cell$tool == overload_tool, NA)
  write(bound_modes(cells[!is_overload], measured$summary), "bounds")
  write(occupy_modes(cells[!is_overload], measured$summary), "occupancy")
  write(predict_mixes(cells, measured$summary), "mixes")
  loads <- overloads_of(cells[is_overload])
  write_overloads(cells[is_overload], loads, write)
  write(heaps_of(cells, measured$summary, loads), "heaps")
  write(heap_per_request_of(cells[is_overload]), "heap-per-request")
  primitives <- read_primitives(file.path(results, "primitives", "primitives.csv"))
  write(predict_curves(measured$sweeps, primitives), "predicted-sweeps")
  causes <- read_causes(file.path(folder, "causes.yaml"))
  write(parts_of_thread_start(causes[["thread-start"]], measured$summary, primitives), "thread-start")
  write(trace_causes(causes, measured$summary, measured$slices), "causes", "causes")
}

#' Writes the tables that need profiles, and the differential flame graphs.
#'
#' @param results folder of the run, with cpu-speed.csv; `paths` of profile.collapsed and allocation.collapsed.
#' @param folder of the analysis; `converter` async-profiler's jfrconv.
analyze_profiles <- function(results, paths, folder, converter) {
  write <- writer_of(results, folder)
  law <- read_speed_law(file.path(results, "cpu-speed.csv"))
  rules <- read_stack_groups(file.path(folder, "stack-groups.csv"))
  causes <- read_causes(file.path(folder, "causes.yaml"))
  cells_with <- function(name) file.path(dirname(paths[basename(paths) == name]), "cell.json")
  write(group_cpu(cells_with("profile.collapsed"), rules, law), "cpu-groups")
  write(group_allocations(cells_with("allocation.collapsed"), rules), "allocations")
  cpu_groups <- read_cpu_groups(file.path(results, "cpu-groups.csv"))
  write(moved_rows(causes, cpu_groups), "moved-groups")
  draw_differences(causes, cpu_groups, rules, law, file.path(results, "cells"), converter, file.path(results, "differences"))
}

#' Compares a run with a shipped one, on the terminal and in compare.csv.
#'
#' @param results folder of the run; `with` and `this` names of shipped runs, `this` empty for the cells in `results`.
#' @param folder of the analysis, with runs/.
compare_with_shipped <- function(results, with, this, folder) {
  runs <- file.path(folder, "runs")
  shipped <- read_shipped(runs, with)
  of_results <- this == ""
  run <- if (of_results) read_run(results, shipped) else run_of_shipped(read_shipped(runs, this), shipped)
  if (is.null(run)) return(writeLines(if (of_results) no_new_cell else "Nothing to compare: both names are of one run."))
  rows <- reproduce_run(shipped, run)
  out <- file.path(results, "compare.csv")
  write_table(with_rules_version(rows, "reproduction", folder), out)
  writeLines(c(print_reproduction(rows, shipped, run, if (of_results) "here" else this), paste("All of them:", out)))
}
