# The findings under other choices of the analysis, and the slices that its rules exclude from either side.

# ---- Variants of the analysis ---------------------------------------------------------------------

as_it_is <- "as it is"
without_host <- "^without host "

#' The findings under other rules.
#'
#' @param rows see read_sensitivity(); `findings` see told_findings(), `first` ids of those that are shown in any case.
#' @return data.table of text, a row per finding that is among the first or changes, in the order of the findings: Finding, As it is, and a
#'   column per variant; all hosts have one. What a variant leaves as it is says its verdict and its value.
table_sensitivity <- function(rows, findings, first = character()) {
  measured <- measured_variants(rows)
  if (nrow(measured) == 0) return(data.table())
  shown <- intersect(names(findings), union(intersect(first, measured$finding), changed_findings(measured)))
  variants <- grep(without_host, setdiff(unique(measured$variant), as_it_is), invert = TRUE, value = TRUE)
  rbindlist(lapply(shown, function(id) {
    own <- measured[finding == id]
    table <- data.table(Finding = gsub("`", "", findings[[id]]$title), "As it is" = verdict_and_value(own[variant == as_it_is]))
    table[, (capitalised(variants)) := as.list(verdict_and_value(own[match(variants, variant)]))]
    hosts <- own[grepl(without_host, variant)]
    if (any(grepl(without_host, measured$variant))) table[, "Without a host" := verdict_without_hosts(hosts)]
    table
  }))
}

measured_variants <- function(rows) rows[finding %in% rows[variant == as_it_is & holds != "unmeasured"]$finding]

changed_findings <- function(rows) rows[, .(changed = uniqueN(holds) > 1), by = finding][changed == TRUE]$finding

verdict_and_value <- function(rows) {
  value <- fifelse(is.na(rows$estimate), "", sprintf(" (%s)", format_number(signif(rows$estimate, fifelse(abs(log(abs(rows$estimate))) < log(1.1), 3, 2)))))
  ifelse(is.na(rows$holds), no_figure, paste0(rows$holds, value))
}

verdict_without_hosts <- function(hosts) {
  counts <- hosts[, .N, by = holds]
  if (nrow(counts) < 2) return(c(counts$holds, no_figure)[1])
  enumerate(counts[, sprintf("%s without %d", holds, N)], ", ")
}

#' How many findings say the same in all variants, and which variant changes most.
sentence_sensitivity <- function(rows) {
  measured <- measured_variants(rows)
  if (nrow(measured) == 0) return("")
  changed <- changed_findings(measured)
  count <- uniqueN(measured$finding)
  if (length(changed) == 0) return("Each measured finding has the same verdict in each variant of the analysis.")
  base <- measured[variant == as_it_is, .(finding, usual = holds)]
  others <- copy(measured[variant != as_it_is])[grepl(without_host, variant), variant := "without a host"]
  by_variant <- base[others, on = "finding"][holds != usual, .(count = uniqueN(finding)), by = variant]
  sprintf(
    "%d of %s have the same verdict in each variant of the analysis. The variant %s.", count - length(changed), count_of(count, "measured finding"),
    enumerate(by_variant[order(-count), sprintf("*%s* changes %s", variant, format_number(count))])
  )
}

# ---- Rules by side ----------------------------------------------------------------------------------

#' The slices and cells that rules exclude from modes and from baselines.
#'
#' @return data.table of text: Rule, Of, Of modes, Of baselines, On one side (comparisons that lose twice as many there, of all that lose any), Beyond
#'   chance (those of them that are unequal), p of all.
table_rules <- function(rows) {
  if (nrow(rows) == 0) return(data.table())
  share <- function(lost, of) sprintf("%s of %s (%s)", format_number(lost), format_number(of), percent(signif(lost / of, 2)))
  by_rule <- rows[study != "all", .(
    comparisons = .N, twice = sum(takes_twice(mode_lost / mode_count, baseline_lost / baseline_count)), found = sum(unequal)
  ), by = .(what, rule)]
  by_rule[rows[study == "all"], on = c("what", "rule")][, .(
    Rule = rule, Excludes = what, "Of modes" = share(mode_lost, mode_count), "Of baselines" = share(baseline_lost, baseline_count),
    "Twice as many on one side" = sprintf("%d of %d", twice, comparisons), "Beyond chance" = as.character(found),
    "p of all" = paste0(format_number(signif(p_value, 2)), ifelse(unequal, " *", ""))
  )]
}

#' Names the comparisons in which a rule takes more than twice as many from one side, and the rules that take unequally over all.
sentence_rules <- function(rows) {
  if (nrow(rows) == 0) return("")
  found <- rows[study != "all" & unequal]
  named <- if (nrow(found) == 0) "No rule takes more than twice as many from one side of a comparison, beyond chance." else sprintf(
    "In %s a rule takes more than twice as many from one side, beyond chance: %s.", count_of(nrow(found), "comparison"),
    enumerated(losses_in_words(found))
  )
  over_all <- vapply(split(rows[study == "all" & unequal], by = c("what", "rule")), function(all) {
    of_rule <- rows[study != "all"][all[, .(what, rule)], on = c("what", "rule")][order(-abs(mode_lost - baseline_lost))]
    sprintf(
      "Over all comparisons `%s` takes from one side of a round more often than a rule that is blind to the mode (p = %s, adjusted for all rules), most in %s.", all$rule,
      format_number(signif(all$p_adjusted, 2)), enumerated(losses_in_words(of_rule, FALSE))
    )
  }, "")
  paragraph("A rule that sees the machine alone excludes as much from either side of a comparison.", named, over_all)
}

# "`compiled` from `a` 7 of 10 and from `b` 1 of 10 at `login`".
losses_in_words <- function(rows, with_rule = TRUE) {
  rows[, sprintf(
    "%s`%s` (%d of %d) and `%s` (%d of %d) at `%s`", if (with_rule) sprintf("`%s` from ", rule) else "", mode, mode_lost, mode_count, baseline, baseline_lost, baseline_count, tier
  )]
}
