# The report's first and last words: how much was measured, and what limits it.

#' How much was measured, on what, by which commit.
sentence_scope <- function(all) {
  summary <- all$summary
  counted <- enumerate(c(count_of(nrow(summary), "cell"), if (nrow(all$capacity) > 0) count_of(nrow(all$capacity), "load curve")))
  if (nrow(summary) == 0) return(sprintf("The report rests on %s.", counted))
  paragraph(sprintf(
    "The report rests on %s from %s: %s and %s at %s in %s, with %s each, on %s with %s and %s. %s",
    counted, count_of(uniqueN(c(summary$session, all$capacity$session)), "session"), count_of(uniqueN(summary$mode), "mode"),
    count_of(uniqueN(summary$tool), "load generator"), count_of(uniqueN(summary[, .(study, tier)]), "tier"),
    if (uniqueN(summary$study) == 1) "1 study" else paste(uniqueN(summary$study), "studies"),
    repetitions_text(summary[, .N, by = .(study, mode, tier, tool)]$N),
    distinct(provenance_of(all$cells, "machine", "cpu_model")), cpus_text(all$cells),
    distinct(provenance_of(all$cells, "versions", "jdk")), sentence_commit(all$cells)
  ), sentence_mixed(all$cells))
}

# The most CPUs that a machine of the cells has.
cpus_text <- function(cells) {
  cpus <- from_cells(cells, function(cell) number(cell$provenance$machine$cpus), NA_real_)
  if (all(is.na(cpus))) "an unknown number of CPUs" else count_of(max(cpus, na.rm = TRUE), "CPU")
}

#' The parts that are new against earlier comparisons, as far as this run shows them.
sentence_of_contribution <- function(all) {
  holds <- function(id) finding_holds(all$findings[[id]])
  causes <- all$traced[is_measured(all$traced) & kind %in% c("dose", "swap"), .N, keyby = kind]
  parts <- c(
    if (holds("limit")) "both kinds of thread at the same limit",
    if (holds("who-waits")) "the order of service as a cause of tails at equal throughput",
    if (holds("wake-ups")) "wake-ups as a cost of virtual threads",
    if (nrow(causes) > 0) sprintf("each cause is varied or removed (%s)", enumerate(causes[, count_of(N, kind)]))
  )
  if (length(parts) == 0) return("")
  if (length(parts) > 1) parts <- sprintf("(%d) %s", seq_along(parts), parts)
  sprintf("New: %s.", paste(parts, collapse = "; "))
}

repetitions_text <- function(counts) {
  if (uniqueN(counts) == 1) return(count_of(counts[1], "repetition"))
  paste(span(counts), "repetitions")
}

#' The commit whose code measured the cells, as the cells record it.
sentence_commit <- function(cells) {
  commits <- provenance_of(cells, "commit")
  known <- unique(substr(commits[!is.na(commits)], 1, 12))
  absent <- sum(is.na(commits))
  paragraph(
    if (length(known) > 0) sprintf("Commit%s of the cells: %s.", if (length(known) > 1) "s" else "", enumerate(as_code(known))),
    if (length(known) == 0) "Commit not recorded in the cells." else if (absent > 0)
      sprintf("Commit not recorded in %s.", count_of(absent, "cell"))
  )
}

# ---- Threats to validity ---------------------------------------------------------------------

threat_machine <- function(all) {
  virtual <- provenance_of(all$cells, "machine", "virtualised")
  machines <- length(unique(provenance_of(all$cells, "machine", "cpu_model")))
  sprintf(
    "**%s with %s%s.** The server ran on CPU %s and the generator on CPU %s. With few CPUs the costs of scheduling show, and gains from parallel work do not. Directions may hold elsewhere, sizes need not.",
    if (machines == 1) "One machine" else paste(machines, "kinds of machine"), cpus_text(all$cells),
    if (any(virtual %in% "TRUE")) ", a virtual one that neighbors may disturb" else "",
    distinct(provenance_of(all$cells, "server_cpus")), distinct(provenance_of(all$cells, "generator_cpus"))
  )
}

threat_repetitions <- function(all) {
  counts <- all$summary[, .N, by = .(study, mode, tier, tool)]$N
  replaced <- replaced_cells(all$results)
  paragraph(
    sprintf(
      "**Repetitions.** Each cell has %s. Raising `repetitions` in config.yaml measures only the new sessions. Verdicts suppose that a run is judged once: one that grows until it is decided has more than 5 %% false positives.",
      repetitions_text(counts)
    ),
    if (replaced > 0) sprintf("%s measured again; the first measurement is in `results/replaced/`.", count_of(replaced, "cell", "was", "were"))
  )
}
