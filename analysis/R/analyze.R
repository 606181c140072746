# A run's tables, from its cells. What does not need each other is computed by two processes.

#' Writes all tables of a run but those that need profiles, whatever fails: see problems.R.
#'
#' @param results folder of the run, with modes.csv and primitives/thread-memory.csv; `paths` of cell.json, for every cell.
#' @param folder of the analysis: its YAML files, PROTOCOL.md and runs/, which lend their noise.
analyze <- function(results, paths, folder) {
  write_all(results, tables_of_cells, folder, "analyze", function(write) {
    use_modes(file.path(results, "modes.csv"))
    measured <- measure_cells(results, write, paths, folder)
    in_parallel(list(
      function() compare_and_judge(measured, results, write, folder),
      function() write_other_tables(measured, results, write, folder)
    ))
  })
}

# ---- Tables, each a task of its own

# Every table of a verb without a row: what is written where it cannot be computed.
tables_of_cells <- list(
  summary = function() no_cells(), slices = function() no_slices(), "cpu-speed" = function() as.data.table(no_law), capacity = function() no_capacities(),
  sweeps = function() no_pooled_steps(), overloads = function() no_overloads(),
  "overload-seconds" = function() no_seconds(), recoveries = function() no_recoveries(), "request-heap" = function() no_request_heap(),
  heaps = function() no_heaps(), "heap-per-request" = function() no_heap_per_request(), comparisons = function() no_judged(),
  combinations = function() no_combinations(), findings = function() decide_findings(list(), no_judged()), alternatives = function() no_alternatives(),
  predictions = function() judge_predictions(list(), no_judged()), controls = function() judge_controls(no_judged(), list()),
  "profiler-cost" = function() cbind(typed_table(c("study", "tier", "tool", "mode", "baseline", "kind", "baseline_kind")), no_comparisons()),
  causes = function() no_causes(), bounds = function() no_bounds(), occupancy = function() no_occupancy(), mixes = function() no_mixes(),
  claims = function() no_claims(), undecided = function() no_lacking(), elsewhere = function() no_elsewhere(),
  "hosts-left-out" = function() hosts_left_out(no_judged()[, host := character()], character()), sensitivity = function() no_sensitivity(),
  "rules-by-side" = function() no_rules_by_side()
)
tables_of_profiles <- list(
  "cpu-groups" = function() no_cpu_groups(), allocations = function() no_allocations(), "moved-groups" = function() no_moved()
)

# Runs `compute` with a function that writes a table. Each table of `empty` is there afterwards, and the problems are. A table is written,
# and read where it is needed: what a report shows is what was compared. It is computed within the call, so that one that cannot be is
# written without rows, and the others go on.
write_all <- function(results, empty, folder, verb, compute) {
  take_problems()
  path_of <- function(name) file.path(results, paste0(name, ".csv"))
  unlink(path_of(names(empty)))
  write <- function(table, name, rules = NULL) {
    versioned <- function(rows) if (is.null(rules)) rows else with_rules_version(rows, rules, folder)
    failed <- guarded({
      write_table(versioned(table), path_of(name))
      FALSE
    }, name, TRUE)
    if (failed) guarded(write_table(versioned(empty[[name]]()), path_of(name)), name)
  }
  guarded(compute(write), "")
  for (name in names(empty)) {
    if (file.exists(path_of(name))) next
    note_problem(name, "not written")
    guarded(write_table(empty[[name]](), path_of(name)), name)
  }
  write_problems(take_problems(), results, verb)
}

# ---- Cells

# All shipped runs, which lend what processes add, and may exclude rivals; but none whose sessions are these.
other_runs <- function(folder, sessions) {
  Filter(function(run) !any(sessions %in% run$summary$session), read_all_shipped(file.path(folder, "runs")))
}

# Values of single cells: summary, slices, the law of speed, capacities and steps of load sweeps.
measure_cells <- function(results, write, paths, folder) {
  path <- function(name) file.path(results, paste0(name, ".csv"))
  read <- read_measured(paths[!is_sweep(paths)])
  sweeps <- read_cells(whole_cells(paths[is_sweep(paths)]))
  law <- guarded(speed_law(read$slices), "cpu-speed", no_law)
  slices <- with_usual_speed(read$slices, law)
  write(as.data.table(law), "cpu-speed")
  write(slices, "slices")
  write(with_session_values(read$summary, slices, read$histograms), "summary")
  write(capacities_of(sweeps), "capacity")
  write(pool_steps(sweeps), "sweeps")
  summary <- read_summary(path("summary"))
  others <- guarded(other_runs(folder, summary$session), "comparisons", list())
  measured <- as_measured(summary, read_slices(path("slices")), read$histograms, if (length(others) > 0) with_hosts(others))
  facts <- guarded(facts_of_loads(read_cells(read$paths)), "findings", no_facts())
  c(measured, list(
    loads = read$paths, facts = facts, others = setNames(lapply(others, `[[`, "comparisons"), vapply(others, `[[`, "", "name")),
    host = host_of_cells(read$paths), capacity = read_capacity(path("capacity"))
  ))
}

host_of_cells <- function(paths) if (length(paths) > 0) host_of(list(facts = read_cell(paths[1])$provenance)) else NA_character_

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
  write(decide_findings(read_findings(guide), comparisons, measured$facts), "findings", "comparisons")
  write(decide_alternatives(read_findings(guide), comparisons, measured$others), "alternatives", "comparisons")
  write(judge_predictions(read_predictions(guide), comparisons), "predictions", "comparisons")
  write(judge_controls(comparisons, yaml::read_yaml(guide)$controls), "controls", "comparisons")
  write(judge_variants(measured, comparisons, read_findings(guide), read_primaries(guide)), "sensitivity", "comparisons")
  write(lacking(comparisons, measured), "undecided")
  of_hosts <- rbind(measured$known, copy(comparisons)[, host := measured$host], fill = TRUE)
  write(elsewhere(of_hosts, read_starts(guide)), "elsewhere")
  write(hosts_left_out(of_hosts, read_starts(guide)), "hosts-left-out")
  write(judge_all_claims(measured, results, folder), "claims", "claims")
  write(profiler_cost(measured), "profiler-cost", "comparisons")
}

judge_all_claims <- function(measured, results, folder) {
  judge_claims(read_claims(file.path(folder, "claims.yaml")), read_claim_tables(results, measured))
}

write_other_tables <- function(measured, results, write, folder) {
  cells <- read_cells(measured$loads)
  is_of <- function(tool) vapply(cells, function(cell) cell$cell$tool == tool, NA)
  write(summarise_combinations(read_grid(cells[is_of("database-client")])), "combinations")
  # Beyond capacity nothing of a server is at a bound of its own.
  within <- cells[!is_of(overload_tool)]
  beyond <- cells[is_of(overload_tool)]
  write(bound_modes(within, measured$summary), "bounds")
  write(occupy_modes(within, measured$summary), "occupancy")
  write(predict_mixes(cells, measured$summary), "mixes")
  loads <- guarded(overloads_of(beyond), "overloads", no_overloads())
  write_overloads(beyond, loads, write)
  write(heaps_of(cells, measured$summary, loads), "heaps")
  write(heap_per_request_of(beyond), "heap-per-request")
  write(rules_by_side(measured$summary, measured$slices), "rules-by-side")
  causes <- guarded(read_causes(file.path(folder, "causes.yaml")), "causes", list())
  write(trace_causes(causes, measured$summary, measured$slices), "causes", "causes")
}

#' Writes the tables that need profiles, and the differential flame graphs.
#'
#' @param results,folder see analyze(); `paths` of profile.collapsed and allocation.collapsed; `converter` async-profiler's jfrconv.
analyze_profiles <- function(results, paths, folder, converter) {
  drawn <- file.path(results, "differences")
  dir.create(drawn, showWarnings = FALSE, recursive = TRUE)
  write_all(results, tables_of_profiles, folder, "profiles", function(write) {
    rules <- read_stack_groups(file.path(folder, "stack-groups.csv"))
    causes <- read_causes(file.path(folder, "causes.yaml"))
    note_faults_of_profiles(unique(dirname(paths)))
    cells_with <- function(name) file.path(dirname(paths[basename(paths) == name]), "cell.json")
    write(group_cpu(cells_with("profile.collapsed"), rules), "cpu-groups")
    write(group_allocations(cells_with("allocation.collapsed"), rules), "allocations")
    cpu_groups <- read_cpu_groups(file.path(results, "cpu-groups.csv"))
    write(moved_rows(causes, cpu_groups), "moved-groups")
    draw_differences(causes, cpu_groups, rules, file.path(results, "cells"), converter, drawn)
  })
}

# Recordings that could not be converted say so next to their cell.
note_faults_of_profiles <- function(folders) {
  for (file in Filter(file.exists, file.path(folders, "profile-fault.txt"))) {
    note_problem("cpu-groups", paste(readLines(file, warn = FALSE), collapse = " "), name_of_cell(file.path(dirname(file), "cell.json")))
  }
}
