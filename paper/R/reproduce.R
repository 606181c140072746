# The report's section on this run against the shipped one that config.yaml names. `ranges` see elsewhere().

machine_text <- function(machine) sprintf("%s with %s", machine$cpu_model, count_of(as.numeric(machine$cpus), "CPU"))

#' Sentences on this run compared with the shipped one.
#'
#' @param shipped see read_shipped(), or NULL; `run` see run_of_report(); `changes` see reproduce_run(); `summary` of the report.
sentence_of_reproduction <- function(shipped, run, changes, summary) {
  if (is.null(shipped)) return("This report is compared with no other run.")
  from <- sprintf(
    "The shipped run `%s` was measured on %s (commit `%s`).", shipped$name, machine_text(shipped$facts$machine),
    substr(shipped$facts$commit, 1, 7)
  )
  if (any(summary$session %in% shipped$summary$session) && is.null(run)) {
    return(paste(from, "This report is made of its cells, so there is nothing to compare."))
  }
  if (is.null(run)) return(paste(from, "This report has no cell of a kind that it has."))
  off <- differing_facts(shipped$facts$machine, run$machine)
  paragraph(
    from,
    if (length(off) == 0) "This run is from the same kind of machine." else
      sprintf(
        "This run is from another kind of machine: %s, kernel %s. It differs in %s.", machine_text(run$machine),
        run$machine$kernel, enumerate(gsub("_", " ", off))
      ),
    if (nrow(changes) == 0) "The two have no comparison in common." else
      sprintf("Of %s that both have, %s.", count_of(nrow(changes), "comparison"), verdicts_in_words(changes))
  )
}

#' How a change is judged; empty where there is none.
explanation_of_reproduction <- function(changes) {
  if (nrow(changes) == 0) return("")
  sprintf(
    paste(
      "Each comparison becomes a change: the ratio measured here divided by the shipped one; for shares it is their difference.",
      "It is *reproduced* if two one-sided tests at 5 %% [@schuirmann1987] place it within a factor of %s [@fda2001], or within %s",
      "percentage points. It *differs* if a t test at 5 %% places it beyond; otherwise it is *open*. The error of a change is Welch's",
      "[@welch1947]. One session is taken to be as noisy as those of the other run; its interval is one of",
      "prediction [@hahn1991]. P-values are adjusted over all comparisons of a metric [@benjamini1995]. In a closed loop mean and median",
      "latency restate the throughput, as CPU time does at the CPU's limit, and are not judged."
    ),
    format_number(exp(reproduction_margins$ratio)), format_number(100 * reproduction_margins$difference)
  )
}

# So many that differ are named.
named_differences <- 4

#' How this machine and this run compare with the shipped one, for the first page; empty where they have nothing in common.
sentence_of_this_machine <- function(shipped, run, changes) {
  rows <- if (NROW(changes) > 0) changes[baseline != ""]
  if (is.null(shipped) || is.null(run) || NROW(rows) == 0) return("")
  times <- cpu_time_against(shipped, run)
  differing <- rows[verdict == verdicts_of_reproduction[2]]
  differ <- head(differing[order(-fifelse(effect == "ratio", abs(log(pmax(change, 1e-9))), abs(change)))], named_differences)
  named <- differ[, sprintf("%s of %s against %s at %s (%s there, %s here)", title_of(statistic), as_code(mode), as_code(baseline), as_code(tier), signif(there, 2), signif(here, 2))]
  paragraph(
    sprintf(
      "This machine and that of `%s`: %sof %s, %s (@sec-travel).", shipped$name,
      if (is.finite(times)) sprintf("a request takes %s times the CPU time here, and ", format_number(signif(times, 2))) else "", count_of(nrow(rows), "comparison"), verdicts_in_words(rows)
    ),
    if (nrow(differ) > 0) sprintf("%s: %s.", if (nrow(differing) > nrow(differ)) "Those that differ most" else "Different", paste(named, collapse = "; "))
  )
}

# Counts of verdicts: "30 are reproduced, 1 differs, and 6 are open".
verdicts_in_words <- function(changes) {
  counts <- table(factor(changes$verdict, verdicts_of_reproduction))
  differ <- if (counts[[2]] == 1) "differs" else "differ"
  sprintf("%s reproduced, %d %s, and %s open", is_or_are(counts[[1]]), counts[[2]], differ, is_or_are(counts[[3]]))
}

# ---- Findings over runs ------------------------------------------------------------------------

#' The findings that hold, here and on another host, and what they depend on.
#'
#' @return data.table of text: Finding, Here, On another host, Depends on CPUs. The ratio is that of the first pair.
table_travel <- function(findings, ranges, mixes = NULL) {
  held <- unname(Filter(finding_holds, findings))
  rbindlist(lapply(held, function(finding) {
    first <- names(finding$pairs)[1]
    row <- finding$rows[pair == first]
    away <- range_elsewhere(row, ranges)
    is_ratio <- row$effect == "ratio"
    data.table(
      Finding = gsub("`", "", finding$title), Here = if (is_ratio) times_of(row) else paste(value_in_words(row$baseline_value, row$statistic), "and", value_in_words(row$mode_value, row$statistic)),
      "On another host" = if (is_ratio && !is.null(away)) paste(ratio_digits(away), collapse = " to ") else no_figure,
      "Depends on CPUs" = dependence_on_cpus(finding, mixes)
    )
  }))
}

# A measured p99 is near to the queue of analysis/R/mixes.R within this factor.
queue_within <- 1.3

# The word of guide.yaml. A finding goes by the queue where each number of CPUs that was measured is near to it, and two were.
dependence_on_cpus <- function(finding, mixes) {
  if (finding$cpus != "queue") return(finding$cpus)
  rows <- if (NROW(mixes) > 0) default_mixes(mixes)
  if (uniqueN(rows$cpus) < 2 || rows[, any(abs(log(measured_p99_ms / predicted_p99_ms)) > log(queue_within))]) return("unknown")
  sprintf("as a queue M/G/n (%s measured)", enumerate(count_of(sort(unique(rows$cpus)), "CPU")))
}

#' How wide other hosts are, and whether one that is left out lies in the range of the others.
#'
#' @param ranges see elsewhere(); `left_out` see hosts_left_out().
sentence_of_hosts <- function(ranges, left_out) {
  if (NROW(ranges) == 0) return("")
  half <- function(which) median(ranges[statistic == "throughput_per_s" & starts == which, log(high_elsewhere / low_elsewhere) / 2])
  width <- function(which) format_number(signif(100 * expm1(half(which)), 2))
  paragraph(
    sprintf(
      "*On another host* is where 95 %% of other hosts lie, by the %d hosts that were measured: a throughput ratio lies within ± %s %% where requests start nothing, and within ± %s %% where each starts a process, a thread or a connection.",
      as.integer(max(ranges$hosts)), width("no"), width("yes")
    ),
    if (NROW(left_out) > 0) sprintf(
      "A host that is left out lies in the range of the others in %s comparisons.",
      enumerate(left_out[, sprintf("%d of %d", as.integer(held), as.integer(comparisons))])
    )
  )
}

#' The ratio of each finding in each shipped run, over that of this run.
#'
#' @param findings see told_findings(), of whose first pair it is; shares have none. `runs` see read_all_shipped().
#' @return data.table: finding (its title), run, host (the model of its CPU), change.
changes_by_run <- function(findings, runs) {
  rows <- lapply(unname(findings), function(finding) {
    row <- finding$rows[1]
    if (NROW(row) == 0 || !identical(as.character(row$effect), "ratio") || !is.finite(row$estimate)) return(NULL)
    rbindlist(lapply(runs, function(run) {
      there <- run$comparisons[row[, comparison_keys, with = FALSE], on = comparison_keys, nomatch = NULL][is.finite(estimate)]$estimate
      data.table(finding = gsub("`", "", finding$title), run = run$name, host = run$facts$machine$cpu_model, change = there / row$estimate)[is.finite(change)]
    }))
  })
  rbindlist(rows)
}

#' Ratios of ratios: findings by runs, with the margin within which they are reproduced.
figure_by_run <- function(changes) {
  rows <- copy(changes)[, finding := factor(finding, rev(unique(finding)))]
  hosts <- sort(unique(rows$host))
  ggplot(rows, aes(change, finding, colour = host, shape = host)) +
    geom_vline(xintercept = exp(c(-1, 0, 1) * reproduction_margins$ratio), colour = faint, linewidth = 0.3, linetype = c("42", "solid", "42")) +
    geom_point(size = 2, alpha = 0.8) +
    scale_x_log10(labels = plain_number, breaks = c(0.25, 0.5, 0.8, 1, 1.25, 2, 4)) +
    scale_y_discrete(labels = scales::label_wrap(44)) +
    scale_colour_manual(values = setNames(rep_len(okabe_ito, length(hosts)), hosts)) +
    scale_shape_manual(values = setNames(rep_len(point_shapes, length(hosts)), hosts)) +
    labs(x = "ratio of a shipped run over that of this run", y = NULL) +
    theme_artifact()
}

height_by_run <- function(changes) 0.8 + 0.26 * uniqueN(changes$finding)

alt_by_run <- function(changes) {
  if (nrow(changes) == 0) return("")
  told <- changes[, .(text = sprintf("%s: %s", finding[1], span(change))), by = finding]$text
  sprintf("Ratios of shipped runs over that of this run. %s.", paste(told, collapse = "; "))
}
