# Shipped runs: each holds what a complete default run of one machine found, small enough to be committed. It lies in
# analysis/runs/<date>-<machine>/: a CSV per table, and run.json. Other runs are compared with it (reproduce.R).

run_tables <- c("summary", "comparisons", "capacity")
# Two machines are of one kind if these agree. The kernel is among them: virtual machines call different processors the
# same, and hypervisors and mitigations come with the kernel.
# The version is family, model and stepping; runs before 27 November do not say it, so it tells them from no other.
# The last three are named only where there is such a limit: of older runs none had one.
machine_kind <- c("cpu_model", "cpu_version", "cpus", "architecture", "kernel", "cpus_usable", "cpu_quota", "data_in_memory")

#' @export
refuse <- function(...) stop("no run to ship: ", ..., call. = FALSE)

#' The commit of the code, if nothing is changed in it.
#'
#' @param root the checkout; `written` paths that shipping writes, which may differ from the commit.
#' @export
committed_code <- function(root, written = character()) {
  git <- function(...) suppressWarnings(system2("git", c("-C", shQuote(root), ...), stdout = TRUE, stderr = FALSE))
  commit <- git("rev-parse", "HEAD")
  if (length(commit) != 1 || !is.null(attr(commit, "status"))) refuse(root, " is no checkout of git")
  changed <- git("status", "--porcelain", "--", ".", sprintf("':(exclude)%s'", written))
  if (length(changed) > 0) {
    refuse("code is not committed (", enumerated(trimws(substring(changed, 3))), "); commit it and run again")
  }
  commit
}

#' The commit that measured all cells.
#'
#' @param cells list of read_cell(); `summary` their table, which must name the same.
measured_commit <- function(cells, summary) {
  commits <- unique(vapply(cells, function(cell) words(cell$provenance$commit), ""))
  if (length(commits) > 1) refuse("its cells were measured by ", length(commits), " commits (", enumerated(commits), ")")
  if (grepl("+changed", commits, fixed = TRUE)) refuse("its cells were measured by code that was not committed (", commits, ")")
  if (!identical(unique(summary$commit), commits)) refuse("its tables are not of the commit that measured its cells (", commits, ")")
  commits
}

# The first few of many names.
#' @export
enumerated <- function(names, most = 3) {
  paste0(paste(head(names, most), collapse = ", "), if (length(names) > most) paste(" and", length(names) - most, "more"))
}

# A run is whole if every cell is there, and its tables are younger than its cells.
check_whole <- function(results, paths, repetitions) {
  missing <- name_of_cell(paths[!file.exists(paths)])
  if (length(missing) > 0) {
    later <- !grepl("/rep-1$", missing)
    what <- if (all(later)) sprintf("the run has fewer repetitions than the %d of the default run", repetitions) else "the run is incomplete"
    refuse(what, ": ", length(missing), " of ", length(paths), " cells are missing (", enumerated(missing), ")")
  }
  needed <- file.path(results, c(paste0(run_tables, ".csv"), "report.html", "report.pdf"))
  old <- !file.exists(needed) | file.mtime(needed) < max(file.mtime(paths))
  if (any(old)) refuse(enumerated(basename(needed[old])), " is missing or older than a cell; run snakemake --cores 4 first")
}

names_of_cells <- function(rows) rows[, file.path(study, mode, tier, tool, paste0("rep-", repetition))]

# Refuses tables without one of the cells; returns the cells that they have beside them, of an extra. Curves have a table of their own.
check_tables <- function(tables, paths) {
  place <- c(cell_place, "repetition")
  cells <- rbind(tables$summary[, ..place], tables$capacity[, ..place])
  wanted <- name_of_cell(paths)
  found <- names_of_cells(cells)
  lacking <- setdiff(wanted, found)
  if (length(lacking) > 0) {
    refuse("the tables lack cells of config.yaml (", enumerated(lacking), "): they were made with another configuration")
  }
  setdiff(found, wanted)
}

# A heap that is too small for the load decides what it is not meant to decide.
check_collector <- function(summary) {
  found <- fully_collected(summary)
  if (length(found) > 0) refuse("the whole heap was collected within windows of ", length(found), " cells (", enumerated(found), "): their heap is too small")
}

# The files of a cell that the analysis and the report read. A load sweep's server says in its log whether it ran out of memory.
files_of_cells <- c(
  "cell.json", "slices.csv", "latencies.csv.gz", "combinations.csv", "overloads.csv", "seconds.csv", "heap.csv", "events.csv", "thread-states.csv",
  "profile.collapsed", "allocation.collapsed"
)
files_of_runs <- c("modes.csv", "grid.csv", "primitives/thread-memory.csv")
packed_mib_at_most <- 12
# Next to a run's tables.
#' @export
packed_cells <- "cells.tar.xz"

#' Packs files with nothing of the machine or the user that packs them: the same bytes for the same files.
#'
#' @param names below `folder`; `by` a program that compresses.
#' @export
pack_files <- function(folder, names, archive, by) {
  anonymous <- c("--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--mode=u=rw,go=r")
  words <- c("--create", "--directory", shQuote(folder), anonymous, "--use-compress-program", shQuote(by), "--file", shQuote(archive), "--verbatim-files-from", "--files-from=-")
  if (system2("tar", words, input = sort(names, method = "radix")) != 0) refuse(archive, " could not be written")
}

#' Packs the raw cells of a run, as `snakemake reanalyse --config run=NAME` reads them: the same bytes for the same cells.
#'
#' @param results folder of the run; `paths` of cell.json; `out` folder of the archive, cells.tar.xz.
#' @return its SHA-256.
pack_cells <- function(results, paths, out) {
  cells <- sub(paste0(results, "/"), "", dirname(paths), fixed = TRUE)
  sessions <- list.files(file.path(results, "sessions"), "^rep-[0-9]+[.]json$", recursive = TRUE)
  wanted <- c(outer(cells, files_of_cells, file.path), file.path(cells[is_sweep(paths)], "server.log.gz"), files_of_runs, file.path("sessions", sessions))
  archive <- file.path(out, packed_cells)
  pack_files(results, wanted[file.exists(file.path(results, wanted))], archive, "xz -9e -T1")
  if (file.size(archive) > packed_mib_at_most * 2^20) refuse("its cells take ", format_number(file.size(archive) / 2^20), " MiB, more than ", packed_mib_at_most)
  substr(system2("sha256sum", shQuote(archive), stdout = TRUE), 1, 64)
}

#' Condenses a complete run.
#'
#' @param results folder of the run, with its tables and report; `paths` cell.json files of all cells of
#'   the default configuration.
#' @param out folder that is written: a CSV per table, occupancy.csv, bands.csv, cells.tar.xz and run.json.
#' @param analysis folder of PROTOCOL.md and runs/; `repetitions` those of the default configuration.
#' @param commit that of the code that made the tables, see committed_code().
#' @return the facts in run.json.
#' @export
condense_run <- function(results, paths, out, analysis, repetitions, commit) {
  check_whole(results, paths, repetitions)
  tables <- read_run_tables(results)
  beside <- check_tables(tables, paths)
  check_collector(tables$summary)
  cells <- read_cells(paths)
  is_beside <- names_of_cells(tables$summary) %in% beside
  beside_paths <- file.path(rep(results, length(beside)), "cells", beside, "cell.json")
  beside <- read_cells(beside_paths)
  facts <- c(
    list(commit = measured_commit(cells, tables$summary[!is_beside]), analysed_by = commit, repetitions = repetitions),
    facts_of_run(cells, beside, read_protocol(file.path(analysis, "PROTOCOL.md")))
  )
  if (length(beside) > 0) facts$beside$commit <- measured_commit(beside, tables$summary[is_beside])
  for (file in paste0(run_tables, ".csv")) write_table(shortened_numbers(file.path(results, file)), file.path(out, file))
  write_table(read_occupancy(file.path(results, "occupancy.csv")), file.path(out, "occupancy.csv"))
  write_bands(tables$comparisons, with_hosts(read_all_shipped(file.path(analysis, "runs"))), out)
  facts$cells_sha256 <- pack_cells(results, c(paths, beside_paths), out)
  write_facts(facts, file.path(out, "run.json"))
  facts
}

write_facts <- function(facts, path) writeLines(jsonlite::toJSON(facts, auto_unbox = TRUE, pretty = TRUE, digits = NA, null = "null"), path)

#' The name of a run: the date of its end, and a word for its machine.
#' @export
name_of_run <- function(facts) {
  words <- regmatches(tolower(facts$machine$cpu_model), regexpr("xeon|epyc|ryzen|neoverse", tolower(facts$machine$cpu_model)))
  paste0(substr(facts$ended, 1, 10), "-", c(words, "cpu")[1])
}

# Machine and limits are the same for all cells; versions differ where modes name a JDK. Numbers of cells and sessions, and their time,
# are those of a default run; what was measured beside it has its own.
facts_of_run <- function(cells, beside, protocol) {
  all <- c(cells, beside)
  machines <- unique(lapply(all, function(cell) cell$provenance$machine))
  if (length(machines) > 1) refuse("its cells come from ", length(machines), " machines")
  at <- function(which) vapply(all, function(cell) cell$provenance[[which]], "")
  seconds <- function(cells) as.list(round(seconds_of_sessions(cells), 1))
  rules <- unique(protocol$rules)
  session_s <- seconds(cells)
  # Cells were judged by the version that measured them.
  validity <- max(vapply(all, function(cell) cell$validity$version, 0))
  versions <- unlist(lapply(all, function(cell) cell$provenance$versions))
  list(
    started = min(at("started")), ended = max(at("ended")), cells = length(cells), sessions = length(session_s),
    rules = replace(lapply(setNames(nm = rules), rules_version, protocol = protocol), "validity", validity),
    machine = machines[[1]], limits = cells[[1]]$provenance$limits, versions = lapply(split(unname(versions), names(versions)), unique),
    session_s = session_s, beside = list(cells = length(beside), session_s = if (length(beside) > 0) seconds(beside))
  )
}

# By path. A session that was interrupted has no time, and another measured what was missing.
seconds_of_sessions <- function(cells) {
  rows <- rbindlist(lapply(cells, function(cell) {
    path <- sprintf("%s/%s/rep-%d", cell$cell$study, cell$session$comparison, as.integer(cell$cell$repetition))
    list(path = path, seconds = number(cell$session$phases$wall_s))
  }))
  by_path <- rows[, .(seconds = max(0, seconds, na.rm = TRUE)), by = path]
  setNames(by_path$seconds, by_path$path)
}

read_run_tables <- function(folder) {
  list(
    summary = read_summary(file.path(folder, "summary.csv")), comparisons = read_comparisons(file.path(folder, "comparisons.csv")),
    capacity = read_capacity(file.path(folder, "capacity.csv"))
  )
}

#' The names of the shipped runs.
#'
#' @param folder analysis/runs.
names_of_runs <- function(folder) basename(dirname(Sys.glob(file.path(folder, "*", "run.json"))))

#' Reads a shipped run.
#'
#' @param folder analysis/runs; `name` one of its folders.
#' @return list: name, facts (of run.json), summary, comparisons, capacity. Stops at a name that is not there.
read_shipped <- function(folder, name) {
  known <- names_of_runs(folder)
  if (!name %in% known) stop("no shipped run is called ", name, "; there are: ", paste(known, collapse = ", "), call. = FALSE)
  of_run <- file.path(folder, name)
  facts <- jsonlite::fromJSON(file.path(of_run, "run.json"), simplifyVector = TRUE)
  c(list(name = name, facts = facts, occupancy = read_occupancy(file.path(of_run, "occupancy.csv"))), read_run_tables(of_run))
}

#' All shipped runs, the one of this name first, if any, and the latest next.
#' @export
read_all_shipped <- function(folder, name = NULL) {
  others <- lapply(setdiff(names_of_runs(folder), name), read_shipped, folder = folder)
  ended <- vapply(others, function(run) run$facts$ended, "")
  c(lapply(name, read_shipped, folder = folder), others[order(ended, decreasing = TRUE)])
}
