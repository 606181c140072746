# The report's section on this run against the shipped one that config.yaml names.

# A page draws so many changes.
changes_drawn <- 12

#' Ratios that the figure shows: those that differ, then those that changed most.
changes_to_draw <- function(changes) {
  if (nrow(changes) == 0) return(changes)
  drawable <- changes[effect == "ratio" & is.finite(change) & change > 0]
  most_changed(drawable, changes_drawn)[order(statistic, study, mode, tier, tool)]
}

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
    if (nrow(changes) > 0) sentence_reproduced(changes) else "The two have no comparison in common."
  )
}

#' How a change is judged; empty where there is none.
explanation_of_reproduction <- function(changes) {
  if (nrow(changes) == 0) return("")
  sprintf(
    paste(
      "Each comparison becomes a change: the ratio measured here divided by the shipped one; for shares it is their difference.",
      "It is *reproduced* if two one-sided tests at 5 %% [@schuirmann1987] place it within a factor of %s [@fda2001], or within %s",
      "percentage points. It *differs* if a t test at 5 %% finds a change and none places it there; otherwise it is *not decided*.",
      "The error of a change is Welch's [@welch1947]. One session alone is taken to be as noisy as those of the other run, or as its own",
      "slices show if that is more; its interval is one of prediction [@hahn1991]. P-values are adjusted over all comparisons of a metric",
      "[@benjamini1995]."
    ),
    format_number(exp(reproduction_margins$ratio)), format_number(100 * reproduction_margins$difference)
  )
}

sentence_reproduced <- function(changes) {
  counts <- table(factor(changes$verdict, verdicts_of_reproduction))
  directed <- directed_changes(changes)
  paragraph(
    sprintf(
      "Of %s that both have, %d %s reproduced, %d %s, and %d %s not decided.", count_of(nrow(changes), "comparison"),
      counts[[1]], if (counts[[1]] == 1) "is" else "are", counts[[2]], if (counts[[2]] == 1) "differs" else "differ",
      counts[[3]], if (counts[[3]] == 1) "is" else "are"
    ),
    if (nrow(directed) > 0) sprintf(
      "Of %s that the shipped run reports, %s point the same way here.", count_of(nrow(directed), "difference"),
      format_number(sum(directed$same_way))
    )
  )
}

# Differences that the shipped run reports, and which way they point here.
directed_changes <- function(changes) {
  rows <- changes[verdict_there %in% c("higher", "lower") & is.finite(here)]
  none <- fifelse(rows$effect == "ratio", 1, 0)
  rows[, same_way := (there - none) * (here - none) > 0][]
}

table_reproduced <- function(changes) {
  directed <- directed_changes(changes)
  counts <- changes[, .(
    Reproduced = sum(verdict == "reproduced"), Differ = sum(verdict == "differs"), "Not decided" = sum(verdict == "not decided")
  ), by = .(Study = study)]
  same <- directed[, .(same = paste(sum(same_way), "of", .N)), by = .(Study = study)]
  counts[, "Same direction" := fcoalesce(same[counts, on = "Study"]$same, no_figure)][]
}

caption_of_reproduction <- function(drawn, changes) {
  if (nrow(drawn) == 0) return("")
  ratios <- changes[effect == "ratio", .N]
  paragraph(
    "Changes of ratios from the shipped run to this one with 95 % intervals; the band is the margin.",
    if (nrow(drawn) < ratios) sprintf(
      "Drawn are %d of %s: those that differ, then those that changed most. `compare.csv` of `snakemake compare` has all.",
      nrow(drawn), format_number(ratios)
    )
  )
}

alt_of_reproduction <- function(drawn) {
  if (nrow(drawn) == 0) return("")
  counts <- table(factor(drawn$verdict, verdicts_of_reproduction))
  farthest <- drawn[which.max(abs(log(change)))]
  sprintf(
    "Forest plot of %s: %s reproduced, %s different, %s not decided. The largest is a factor of %s, in %s of %s at %s.",
    count_of(nrow(drawn), "change"), counts[[1]], counts[[2]], counts[[3]], format_number(farthest$change),
    title_of(farthest$statistic), farthest$mode, farthest$tier
  )
}

verdict_looks <- data.table(
  verdict = verdicts_of_reproduction, colour = c("#009E73", "#D55E00", "#6E6E6E"), shape = c(21, 24, 1)
)

#' A forest plot: each change with its 95 % interval; the band is the margin. Intervals that leave the frame are
#' cut off.
#'
#' @param rows rows of reproduce_run() whose effect is a ratio.
#' @return ggplot.
figure_reproduction <- function(rows) {
  rows <- copy(rows)[is.finite(change) & change > 0]
  if (nrow(rows) == 0) return(nothing_to_draw("no ratio can be compared"))
  rows[, `:=`(
    title = title_of(statistic),
    name = paste0(mode, ifelse(baseline == "", " by itself", ""), ", ", tier, " (", tool, ")")
  )]
  rows[, name := factor(name, rev(unique(name)))]
  reach <- max(1.6, exp(1.2 * max(abs(log(rows$change)))))
  rows[, `:=`(change_low = pmax(change_low, 1 / reach), change_high = pmin(change_high, reach))]
  named <- function(column) setNames(verdict_looks[[column]], verdict_looks$verdict)
  ggplot(rows, aes(change, name, colour = verdict, fill = verdict, shape = verdict)) +
    around_one(reproduction_margins$ratio) +
    geom_linerange(aes(xmin = change_low, xmax = change_high), linewidth = 0.5, na.rm = TRUE) +
    geom_point(size = 2) +
    facet_grid(title ~ ., scales = "free_y", space = "free_y", labeller = label_wrap_gen(14)) +
    scale_x_log10(limits = c(1 / reach, reach), breaks = scales::breaks_log(6), labels = plain_number) +
    scale_colour_manual(values = named("colour"), breaks = verdicts_of_reproduction) +
    scale_fill_manual(values = named("colour"), breaks = verdicts_of_reproduction) +
    scale_shape_manual(values = named("shape"), breaks = verdicts_of_reproduction) +
    labs(x = "here divided by the shipped run (log scale)", y = NULL) +
    theme_artifact(8) +
    theme(strip.text.y = element_text(angle = 0))
}
