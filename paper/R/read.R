# Reading what the report is made from: the analysis' tables and the cells.
#
# In this folder `all` is what read_results() reads, or of_study() leaves of it; `cells`, `summary`, `slices`, `comparisons`,
# `findings`, `alternatives` and `mixes` are its parts. figure_…() is a ggplot, sentence_…() and tell_…() are one string of
# Markdown. Where there is nothing to say a string is empty, and a table_…() has no row.

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
#' @return list, with what readable() makes of a table that cannot be read: summary, impossible_waits (see waits_beyond_latency(); the summary is without them), slices, comparisons,
#'   cpu_groups, moved, capacity, load_curves, mixes, overloads (see read_overloads()), heaps (see read_heaps()),
#'   controls,
#'   findings (see told_findings()), predictions (of swaps), occupancy (see read_occupancy()), elsewhere (see there), undecided (see lacking()),
#'   hosts_left_out (see there), other_runs (shipped runs with other cells),
#'   thread_memory (NULL where it was not measured), causes and traced (see the analysis), cells (list of read_cell(), in the order of the summary), citation (of CITATION.cff), signs (see signs_of()), results (the folder).
read_results <- function(results, analysis, runs = list()) {
  path <- function(name) file.path(results, name)
  read <- function(file, reader) readable(file, reader(path(file)))
  readable("modes.csv", use_modes(path("modes.csv")))
  counted <- read("summary.csv", read_summary)
  summary <- readable("summary.csv", without_impossible_waits(counted))
  memory <- "primitives/thread-memory.csv"
  all <- list(
    results = results, summary = summary, impossible_waits = readable("summary.csv", waits_beyond_latency(counted)),
    slices = read("slices.csv", read_slices),
    comparisons = read("comparisons.csv", read_comparisons),
    cpu_groups = read("cpu-groups.csv", read_cpu_groups),
    moved = readable("moved-groups.csv", read_moved(results)),
    capacity = read("capacity.csv", read_capacity),
    load_curves = read("sweeps.csv", read_load_curves),
    mixes = read("mixes.csv", read_mixes),
    overloads = readable("overloads.csv", read_overloads(results)), heaps = readable("heaps.csv", read_heaps(results)),
    occupancy = read("occupancy.csv", read_occupancy),
    elsewhere = read("elsewhere.csv", read_elsewhere), undecided = read("undecided.csv", read_lacking), hosts_left_out = read("hosts-left-out.csv", read_hosts_left_out),
    other_runs = readable("summary.csv", Filter(function(run) !any(run$summary$session %in% summary$session), runs)),
    controls = read("controls.csv", read_found_controls),
    findings = readable("findings.csv", told_findings(
      read_comparisons(path("findings.csv")), read_findings(file.path(analysis, "guide.yaml")), read_alternatives(path("alternatives.csv")), pgbouncer_of(path, summary)
    )),
    alternatives = read("alternatives.csv", read_alternatives), predictions = read("predictions.csv", read_comparisons),
    # A run may leave it out.
    thread_memory = if (file.exists(path(memory))) read(memory, read_thread_memory),
    causes = readable("causes.yaml", read_causes(file.path(analysis, "causes.yaml"))), traced = read("causes.csv", read_traced),
    cells = readable("cells", read_cells(path(file.path("cells", cell_path(summary), "cell.json")))), citation = read_citation(analysis)
  )
  c(all, list(signs = signs_of(all)))
}

# CITATION.cff stands next to the folder of the analysis.
read_citation <- function(analysis) {
  path <- file.path(analysis, "..", "CITATION.cff")
  if (file.exists(path)) yaml::read_yaml(path)
}

# Name and version of a program, as "PgBouncer 1.18.0 (Debian)".
named_version <- function(name, version) if (is.null(version)) name else paste(name, unlist(version)[1])

# The pooler that this run measured, by the record of one of its cells.
pgbouncer_of <- function(path, summary) {
  cells <- if (is_readable(summary)) path(file.path("cells", cell_path(summary[grepl("^pgbouncer", mode)][seq_len(min(1, .N))]), "cell.json"))
  named_version("PgBouncer", unlist(lapply(read_cells(Filter(file.exists, cells)), function(cell) cell$provenance$versions$pgbouncer)))
}
