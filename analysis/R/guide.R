# The decision guide: for an engineer's situation, which mode wins and by how much. The comparisons decide;
# guide.yaml says what is compared.

#' Reads the situations.
#'
#' @param path path of guide.yaml, which says what stands in it.
#' @export
read_guide <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  yaml::read_yaml(path)$situations
}

#' Reads the findings, see guide.yaml.
#' @export
read_findings <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  yaml::read_yaml(path)$findings
}

#' The outcome of each finding.
#'
#' @param findings see read_findings(); `comparisons` see read_comparisons(); `summary` see read_summary(), with
#'   capacities (see with_capacities()).
#' @return data.table, a row per pair of a finding: finding (its id), pair (its name), outcome (see standing()), chosen
#'   (which of `told` fits; NA for none), baseline_value and mode_value (see shared_values()), bound_ratio (what theory
#'   allows; NA for none), the columns of the comparisons. A finding of which a pair was not measured has no rows.
#' @export
decide_findings <- function(findings, comparisons, summary) {
  rows <- lapply(findings, function(finding) {
    pairs <- rbindlist(lapply(finding$pairs, function(pair) {
      wanted <- c(finding["study"], pair[c("mode", "tier", "tool", "statistic")])
      row <- comparisons[wanted, on = names(wanted), nomatch = NULL]
      cbind(row, bound_ratio = rep(bound_ratio(pair$bound), nrow(row)), shared_values(summary, row))
    }), idcol = "pair")
    if (!setequal(pairs$pair, names(finding$pairs)) || anyDuplicated(pairs$pair) > 0) return(NULL)
    outcomes <- setNames(standing(pairs), pairs$pair)
    fits <- function(told) all(vapply(names(told$when), function(name) outcomes[[name]] %in% told$when[[name]], NA))
    pairs[, outcome := unname(outcomes)]
    data.table(finding = finding$id, pairs, chosen = Position(fits, finding$told))
  })
  none <- copy(comparisons[0])[, c("finding", "pair", "outcome") := character()]
  none[, c("baseline_value", "mode_value", "bound_ratio") := numeric()][, chosen := integer()]
  rbindlist(c(list(none), rows), use.names = TRUE, fill = TRUE)
}

#' The ratio that theory allows: what the mode admits over what the baseline admits. NA without a bound.
#' @export
bound_ratio <- function(bound) if (is.null(bound)) NA_real_ else bound[[1]] / bound[[2]]

#' The values of both sides of a comparison, over the sessions in which both are valid: geometric means.
#'
#' Medians over all valid sessions of a side would be of other sessions than the ratio.
#'
#' @return data.table, a row per row: baseline_value, mode_value; NA where no session has both.
shared_values <- function(summary, rows) {
  none <- data.table(baseline_value = numeric(), mode_value = numeric())
  mean_of <- function(values) if (length(values) == 0) NA_real_ else exp(mean(log(values)))
  rbindlist(c(list(none), lapply(seq_len(nrow(rows)), function(index) {
    shared_sessions(summary, rows[index])[, .(baseline_value = mean_of(baseline), mode_value = mean_of(mode))]
  })))
}

#' The values of both sides of a comparison in the sessions in which both are valid: session, baseline, mode.
#' @export
shared_sessions <- function(summary, row) {
  of_side <- function(name) {
    wanted <- list(study = row$study, tier = row$tier, tool = row$tool, mode = name)
    cells <- summary[wanted, on = names(wanted), nomatch = NULL]
    cells[poolable(cells), .(session, value = get(row$statistic))][is.finite(value)]
  }
  setnames(merge(of_side(row$baseline), of_side(row$mode), by = "session"), c("session", "baseline", "mode"))
}

#' How a mode does against the baseline in one comparison.
#'
#' @param rows rows of the comparisons.
#' @return character vector: better, worse, same, open (not decided); `alone` where the baseline, and `out`
#'   where the mode, has no valid cell because it failed requests or, in an open loop, fell behind; `none`
#'   where nothing can be compared.
#' @export
standing <- function(rows) {
  # More requests were waiting than there are connections.
  lost <- grepl("share_2xx", rows$reason) | (rows$tool == "wrk2" & grepl("little", rows$reason))
  failed <- function(side) rows[[paste0(side, "_valid")]] == 0 & rows[[paste0(side, "_invalid")]] > 0
  fcase(
    rows$verdict == "equivalent", "same",
    rows$verdict %in% c("higher", "lower"), ifelse(rows$verdict == rows$better, "better", "worse"),
    rows$verdict %in% c("undecided", "bounded", "one session"), "open",
    lost & failed("baseline") & rows$mode_valid > 0, "alone",
    lost & failed("mode") & rows$baseline_valid > 0, "out",
    default = "none"
  )
}

# The name of a situation's baseline.
baseline_of <- function(situation) {
  if (is.null(situation$baseline_tier)) situation$baseline else paste(situation$baseline, "at", situation$baseline_tier)
}

# The comparisons with a situation's baseline at some tiers, variants left out.
guide_rows <- function(comparisons, situation, tiers, tool, statistic) {
  wanted <- list(situation$study, baseline_of(situation), tiers, tool, statistic)
  rows <- comparisons[
    study == wanted[[1]] & baseline == wanted[[2]] & tier %in% wanted[[3]] & tool == wanted[[4]] &
      statistic == wanted[[5]] & !is_variant(mode)
  ]
  if (!is.null(situation$modes)) rows <- rows[mode %in% situation$modes]
  # The best first.
  rows <- rows[order(ifelse(better == "higher", -estimate, estimate))]
  rows[, standing := standing(rows)][]
}

#' Intervals that hold for all rows together, by Bonferroni: the best of several was chosen after its
#' ratio was seen, so its own interval would flatter it.
#'
#' @param rows ratios with low, high and df, NA where there is one session.
#' @return the same rows, low and high wider.
holding_together <- function(rows) {
  level <- (1 - confidence) / 2
  wider <- rows[, fcoalesce(qt(level / .N, df) / qt(level, df), 1)]
  copy(rows)[, `:=`(low = estimate * (low / estimate)^wider, high = estimate * (high / estimate)^wider)][]
}

# Modes that their own comparison with the best, in the same sessions, does not distinguish from it.
as_good_as_best <- function(summary, slices, wins) {
  all <- list(summary = summary, slices = slices)
  best <- wins[1]
  tied <- vapply(wins$mode[-1], function(name) {
    other <- ratio_between(all, best$study, best$tier, best$tool, name, best$mode, best$statistic)
    !isTRUE(other$low > 1 || other$high < 1)
  }, NA)
  c(best$mode, wins$mode[-1][tied])
}

# Which modes are to be named: those that alone keep up, else the winner and those as good.
with_best <- function(rows, summary, slices) {
  alone <- rows[standing == "alone"]$mode
  wins <- rows[standing == "better"]
  named <- if (length(alone) > 0) alone else if (nrow(wins) > 0) as_good_as_best(summary, slices, wins)
  rows[, best := as.integer(mode %in% named)][]
}

# The modes in each statistic of a situation, the best first.
guide_metrics <- function(situation, summary, slices, comparisons) {
  rows <- lapply(situation$statistics, function(id) {
    tool <- if (id == "capacity_per_s") sweep_tool else situation$tool
    guide_rows(comparisons, situation, situation$tier, tool, id)
  })
  # A mode that is worse in what matters most is no advice, however little it takes; unless it is asked about.
  serving <- c(situation$modes, rows[[1]][standing %in% c("better", "same", "open", "alone")]$mode)
  rows[-1] <- lapply(rows[-1], function(table) table[mode %in% serving])
  rbindlist(lapply(Filter(nrow, rows), function(table) with_best(holding_together(table), summary, slices)))
}

#' Compares modes with the baseline at another tier, for the situations that say so.
#'
#' @param guide,summary,slices see compare_guide().
#' @return see compare_modes(); NULL where nothing of it was measured.
compare_tiers <- function(guide, summary, slices) {
  across <- Filter(function(situation) !is.null(situation$baseline_tier), guide)
  if (length(across) == 0) return(NULL)
  asked <- rbindlist(lapply(across, function(situation) {
    as.data.table(c(
      situation[c("study", "tier", "tool")],
      list(mode = unlist(situation$modes), baseline = baseline_of(situation), base = situation$baseline, base_tier = situation$baseline_tier)
    ))
  }))
  measured <- unique(summary[, .(study, tier, tool, mode)])
  places <- unique(asked)[measured, on = c("study", "tier", "tool", "mode"), nomatch = NULL][, id := .I]
  if (nrow(places) == 0) return(NULL)
  terms <- rbind(
    places[, .(id, study, mode, tier, tool, sign = 1)],
    places[, .(id, study, mode = base, tier = base_tier, tool, sign = -1)]
  )
  statistics <- compared_statistics[statistic %in% unlist(lapply(across, `[[`, "statistics"))]
  compare_places(summary, slices, places[, .(id, study, tier, tool, mode, baseline)], terms, statistics)
}

#' The guide, situation by situation.
#'
#' @param guide see read_guide(); `summary` see read_summary(); `slices` see read_slices(); `comparisons` see
#'   read_comparisons().
#' @return data.table: situation and practice (words), the columns of compare_modes(), standing (see there), best (1
#'   where the mode is to be named). A situation of which nothing was measured has no rows.
compare_guide <- function(guide, summary, slices, comparisons) {
  comparisons <- rbind(comparisons, compare_tiers(guide, summary, slices), fill = TRUE)
  rows <- lapply(guide, function(situation) {
    metrics <- guide_metrics(situation, summary, slices, comparisons)
    if (nrow(metrics) == 0) return(NULL)
    metrics[, `:=`(situation = situation$title, practice = c(situation$practice, "")[1])]
  })
  none <- copy(comparisons[0])[, c("situation", "practice", "standing") := character()][, best := integer()]
  rbindlist(c(list(none), rows), use.names = TRUE, fill = TRUE)
}
