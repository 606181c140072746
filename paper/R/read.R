# Reading what the report is made from: the analysis' tables and the cells.

#' A shipped run with verdicts on the primary comparisons, which old ones lack.
with_verdicts <- function(run, guide) replace(run, "comparisons", list(add_verdicts(run$comparisons, read_primaries(guide))))

# Positive controls, see judge_controls().
read_found_controls <- function(path) {
  rows <- fread(path, colClasses = list(character = c("control", "reason")), encoding = "UTF-8")
  rows[, found := as.logical(found)][]
}

#' Reads everything.
#'
#' @param results results folder: what the analysis wrote, and cells/; `analysis` folder of the analysis; `runs` see read_all_shipped().
#' @return list: summary, impossible_waits (see waits_beyond_latency(); the summary is without them), slices, comparisons,
#'   cpu_groups, moved, capacity, load_curves, predicted_curves, mixes, overloads (see read_overloads()), heaps (see read_heaps()),
#'   thread_start (see parts_of_thread_start()), controls,
#'   findings (see told_findings()), occupancy (see read_occupancy()), other_runs (shipped runs with other cells),
#'   thread_memory (NULL where it was not measured), causes and traced (see the analysis), cells (list of read_cell(), in the order of the summary), results (the folder).
read_results <- function(results, analysis, runs = list()) {
  path <- function(name) file.path(results, name)
  use_modes(path("modes.csv"))
  counted <- read_summary(path("summary.csv"))
  summary <- without_impossible_waits(counted)
  list(
    results = results, summary = summary, impossible_waits = waits_beyond_latency(counted),
    slices = read_slices(path("slices.csv")),
    comparisons = read_comparisons(path("comparisons.csv")),
    cpu_groups = read_cpu_groups(path("cpu-groups.csv")),
    moved = read_moved(results),
    capacity = read_capacity(path("capacity.csv")),
    load_curves = read_load_curves(path("sweeps.csv")),
    predicted_curves = read_predicted_curves(path("predicted-sweeps.csv")), mixes = read_mixes(path("mixes.csv")),
    overloads = read_overloads(results), heaps = read_heaps(results), thread_start = read_thread_start(path("thread-start.csv")),
    occupancy = read_occupancy(path("occupancy.csv")), other_runs = Filter(function(run) !any(run$summary$session %in% summary$session), runs),
    controls = read_found_controls(path("controls.csv")),
    findings = told_findings(read_comparisons(path("findings.csv")), read_findings(file.path(analysis, "guide.yaml"))),
    # A run may leave it out.
    thread_memory = if (file.exists(path("primitives/thread-memory.csv"))) read_thread_memory(path("primitives/thread-memory.csv")),
    causes = read_causes(file.path(analysis, "causes.yaml")), traced = read_traced(path("causes.csv")),
    cells = read_cells(path(file.path("cells", cell_path(summary), "cell.json")))
  )
}
