# The reference: what a complete default run of one machine found, small enough to be shipped. A run
# elsewhere is compared with it (reproduce.R).

library(data.table)

# The tables that are kept; those without which there is no reference come first.
reference_tables <- c("summary", "comparisons", "claims", "causes", "capacity")
reference_needs <- c("summary", "comparisons")
# Of a number in a table that is kept.
reference_digits <- 6
# What makes two machines the same kind. Cells of another kind are compared by what travels. The kernel, for
# virtual machines call different processors the same, and hypervisors and mitigations come with it.
machine_kind <- c("cpu_model", "cpus", "architecture", "kernel")

refuse <- function(...) stop("no reference: ", ..., call. = FALSE)

#' The commit of the code, if nothing is changed in it.
#'
#' @param root the checkout.
#' @param written paths that the reference itself writes: they may differ from the commit.
committed_code <- function(root, written = "analysis/reference") {
  git <- function(...) suppressWarnings(system2("git", c("-C", shQuote(root), ...), stdout = TRUE, stderr = FALSE))
  commit <- git("rev-parse", "HEAD")
  if (length(commit) != 1 || !is.null(attr(commit, "status"))) refuse(root, " is no checkout of git")
  changed <- git("status", "--porcelain", "--", ".", sprintf("':(exclude)%s'", written))
  if (length(changed) > 0) {
    refuse("code is not committed (", enumerated(trimws(substring(changed, 3))), "); commit it and run again")
  }
  commit
}

# The first few of many names.
enumerated <- function(names, most = 3) {
  paste0(paste(head(names, most), collapse = ", "), if (length(names) > most) paste(" and", length(names) - most, "more"))
}

# A run is whole if every cell is there, and its tables are younger than its cells.
check_whole <- function(results, paths, repetitions) {
  missing <- sub(".*/cells/(.*)/cell[.]json$", "\\1", paths[!file.exists(paths)])
  if (length(missing) > 0) {
    later <- !grepl("/rep-1$", missing)
    what <- if (all(later)) sprintf("the run has fewer repetitions than the %d of the default run", repetitions) else "the run is incomplete"
    refuse(what, ": ", length(missing), " of ", length(paths), " cells are missing (", enumerated(missing), ")")
  }
  needed <- c(file.path(results, paste0(reference_needs, ".csv")), file.path(results, c("report.html", "report.pdf", "supplement.pdf")))
  old <- !file.exists(needed) | file.mtime(needed) < max(file.mtime(paths))
  if (any(old)) refuse(enumerated(basename(needed[old])), " is missing or older than a cell; run snakemake --cores 4 first")
}

# Curves have a table of their own.
check_tables <- function(results, paths) {
  keys <- c("study", "mode", "tier", "tool", "repetition")
  curves <- file.path(results, "capacity.csv")
  summary <- rbind(
    read_summary(file.path(results, "summary.csv"))[, keys, with = FALSE],
    if (file.exists(curves)) read_capacity(curves)[, keys, with = FALSE]
  )
  wanted <- sub(".*/cells/(.*)/cell[.]json$", "\\1", paths)
  found <- with(summary, file.path(study, mode, tier, tool, paste0("rep-", repetition)))
  lacking <- setdiff(wanted, found)
  if (length(lacking) > 0) {
    refuse("the tables lack cells of config.yaml (", enumerated(lacking), "): they were made with another configuration")
  }
}

#' Condenses a complete run.
#'
#' @param results folder of the run, with its tables and report; `paths` cell.json files of all cells of
#'   the default configuration.
#' @param out folder that is written: a CSV per table and reference.json.
#' @param analysis folder of PROTOCOL.md.
#' @param repetitions those of the default configuration.
#' @param commit that of the code, see committed_code().
condense_run <- function(results, paths, out, analysis, repetitions, commit) {
  check_whole(results, paths, repetitions)
  check_tables(results, paths)
  facts <- facts_of_run(read_cells(paths), read_protocol(file.path(analysis, "PROTOCOL.md")))
  unlink(file.path(out, c("*.csv", "reference.json")))
  for (name in reference_tables) {
    path <- file.path(results, paste0(name, ".csv"))
    if (file.exists(path)) write_table(shortened_numbers(path), file.path(out, basename(path)))
  }
  # Last: a folder without it holds no reference.
  writeLines(
    toJSON(c(list(commit = commit, repetitions = repetitions), facts), auto_unbox = TRUE, pretty = TRUE, digits = NA, null = "null"),
    file.path(out, "reference.json")
  )
}

# As text, so that nothing but long decimals changes: a version stays what it is.
shortened_numbers <- function(path) {
  table <- fread(path, colClasses = "character", na.strings = "", encoding = "UTF-8")
  for (column in names(table)) {
    values <- table[[column]]
    long <- grep("^-?[0-9]+[.][0-9]+(e-?[0-9]+)?$", values)
    long <- long[nchar(values[long]) > reference_digits + 2]
    set(table, long, column, as.character(signif(as.numeric(values[long]), reference_digits)))
  }
  table
}

# Machine and limits are the same for all cells; versions differ where modes name a JDK.
facts_of_run <- function(cells, protocol) {
  machines <- unique(lapply(cells, function(cell) cell$provenance$machine))
  if (length(machines) > 1) refuse("its cells come from ", length(machines), " machines")
  at <- function(which) vapply(cells, function(cell) cell$provenance[[which]], "")
  rules <- unique(protocol$rules)
  session_s <- seconds_of_sessions(cells)
  list(
    started = min(at("started")), ended = max(at("ended")), cells = length(cells), sessions = length(session_s),
    rules = setNames(lapply(rules, rules_version, protocol = protocol), rules),
    machine = machines[[1]], limits = cells[[1]]$provenance$limits, versions = versions_of(cells),
    session_s = as.list(round(session_s, 1))
  )
}

# By path. A session that was interrupted has no phases: it lasted to the end of its last cell, and another
# measured what was missing. A cell that was measured again alone has a session of its own, and a short one.
seconds_of_sessions <- function(cells) {
  rows <- rbindlist(lapply(cells, function(cell) {
    list(
      path = session_path(cell), id = cell$session$id, whole_s = number(cell$session$phases$wall_s),
      started_s = epoch_s(cell$provenance$started), ended_s = epoch_s(cell$provenance$ended)
    )
  }))
  each <- rows[, .(whole_s = max(whole_s), until_s = max(ended_s) - min(started_s)), by = .(path, id)]
  by_path <- each[, .(seconds = max(0, whole_s, na.rm = TRUE) + sum(until_s[is.na(whole_s)])), by = path]
  setNames(by_path$seconds, by_path$path)
}

session_path <- function(cell) sprintf("%s/%s/rep-%d", cell$cell$study, cell$session$group, as.integer(cell$cell$repetition))

versions_of <- function(cells) {
  values <- unlist(lapply(cells, function(cell) cell$provenance$versions))
  lapply(split(unname(values), names(values)), unique)
}

#' Reads a reference.
#'
#' @param folder analysis/reference.
#' @return list: facts (of reference.json), summary, comparisons; NULL where there is no reference.
read_reference <- function(folder) {
  path <- file.path(folder, "reference.json")
  if (!file.exists(path)) return(NULL)
  list(
    facts = fromJSON(path, simplifyVector = TRUE),
    summary = read_summary(file.path(folder, "summary.csv")),
    comparisons = read_comparisons(file.path(folder, "comparisons.csv"))
  )
}

no_reference <- "There is no reference in analysis/reference, so there is nothing to compare with. A checkout with one ships it; `snakemake --cores 4 reference` makes one of a complete default run."
