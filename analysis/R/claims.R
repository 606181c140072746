# Verdicts on what the sources claim. claims.yaml says what decides each claim: the cells or the
# primitive, the statistic and the rule; nothing here knows any claim.
#
# A claim is confirmed when the whole 95 % interval lies where its rule says, contradicted when all
# of it lies elsewhere, and not decided in between. Ratios and their intervals are those of effects.R;
# of a single value the interval is that of sessions.

library(data.table)

claim_verdicts <- c("confirmed", "contradicted", "not decided", "not testable here")

# Checks that may fail and leave the statistic true, because they speak of another: the waiting that
# Little's law misses is missing from latency, not from throughput; neither it nor a generator that
# sends late changes what a request costs the server; a server that refuses, dies or answers wrongly is
# what `error_share` and `survived` tell of; and it has its threads and memory whatever it answers.
checks_of_the_server <- c(
  "completed", "same_answer_after", "share_2xx", "body_bytes", "treatment", "little", "settled"
)
checks_beside_the_point <- list(
  throughput_per_s = "little", throughput_all_per_s = "little",
  cpu_us_per_request = c("little", "generator_healthy"), cpus_in_use = c("little", "generator_healthy"),
  threads_peak = c("share_2xx", "little", "settled"), threads_added = c("share_2xx", "little", "settled"),
  rss_mib = c("share_2xx", "little", "settled"),
  error_share = checks_of_the_server, survived = checks_of_the_server, refused_share = checks_of_the_server,
  # In which state threads wait does not depend on how long requests wait for them.
  runnable_share = c("little", "settled", "generator_healthy"), carriers_per_cpu = c("little", "settled", "generator_healthy"),
  workers_peak = c("little", "settled", "generator_healthy")
)

# ---- Reading ---------------------------------------------------------------------------------

#' Reads the claims, with those that the published tables make.
#'
#' @param path path of claims.yaml, which claims.schema.json describes; published/ lies beside it.
#' @return list of claims. Stops where an id is there twice.
read_claims <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  ledger <- yaml::read_yaml(path, merge.precedence = "override")
  tables <- lapply(ledger$tables, claims_of_table, file.path(dirname(path), "published"))
  claims <- c(unlist(tables, recursive = FALSE), ledger$claims)
  ids <- vapply(claims, `[[`, "", "id")
  if (anyDuplicated(ids)) fail_reading(path, ids[anyDuplicated(ids)], " is there twice")
  claims
}

# The figures of a published table: the end of the claim's id, its words, and how its rule is made:
# a latency, what the load fixes where it comes at a rate, a share of failed requests.
table_figures <- fread(
  "figure,             end,        rule,    words
   latency_mean_ms,    mean,       latency, mean response %s ms
   latency_p50_ms,     median,     latency, median response %s ms
   latency_p90_ms,     p90,        latency, 90 % of responses within %s ms
   latency_p95_ms,     p95,        latency, 95 % of responses within %s ms
   latency_p99_ms,     p99,        latency, 99 % of responses within %s ms
   latency_min_ms,     min,        latency, shortest response %s ms
   latency_max_ms,     max,        latency, longest response %s ms
   error_percent,      errors,     share,   %s % of the requests failed
   throughput_per_s,   throughput, load,    %s requests a second
   received_kib_per_s, received,   load,    %s KB/s received
   sent_kib_per_s,     sent,       load,    %s KB/s sent"
)

#' The claims that a published table makes, one per figure.
#'
#' @param table one of `tables` of claims.yaml.
#' @param folder of the published figures.
#' @return list of claims.
claims_of_table <- function(table, folder) {
  printed <- read_published(file.path(folder, paste0(table$cells$study, ".csv")))
  ours <- base_of(table$cells$mode)
  printed <- printed[tier == table$cells$tiers & mode == ours]
  rows <- printed[table_figures, on = "figure", nomatch = NULL]
  common <- table[setdiff(names(table), c("id", "of", "fixed_by_load"))]
  lapply(seq_len(nrow(rows)), function(index) {
    row <- rows[index]
    rule <- rule_of_figure(row$rule, row$value, table$fixed_by_load)
    claim <- modifyList(common, list(
      id = paste0(table$id, "-", row$end), kind = "figure",
      claim = paste0(table$of, ": ", sub("%s", format(row$value, big.mark = ","), row$words, fixed = TRUE), "."),
      published = row$value / if (row$rule == "share") 100 else 1, rule = rule
    ))
    if (!is.null(rule$untestable)) return(claim[names(claim) != "cells"])
    # What it takes is said of the figures that the load fixes, where it fixes some.
    if (!is.null(table$fixed_by_load)) claim$takes <- NULL
    c(claim, statistic = if (row$rule == "share") "error_share" else source_figures[figure == row$figure]$column)
  })
}

# A figure of the source's own machine: within a factor of 2. Of 2 ms and less, which a tool that
# rounds to 1 ms cannot tell from 0, the upper end alone. 0.00 % is below 0.005 %.
rule_of_figure <- function(kind, value, fixed_by_load) {
  if (kind == "share" && value == 0) return(list(at_most = 0.00005))
  if (kind == "share") return(list(near = value / 100, within = 2))
  if (kind == "load" && !is.null(fixed_by_load)) return(list(untestable = fixed_by_load))
  if (kind == "latency" && value <= 2) list(at_most = 2 * max(value, 0.5)) else list(near = value, within = 2)
}

#' Checks that claims name what there is.
#'
#' @param claims see read_claims().
#' @param grid what the experiment asks for, a row each: study, mode, tier, tool. Of a study that it leaves
#'   out nothing is checked, as nothing of it is measured.
#' @param statistics names that a claim may use: the summary's columns.
#' @param chains see read_causes().
#' @return claims. Stops with the key of every name that is not known, and where a chain is of another
#'   study or tool than the claim.
check_claims <- function(claims, grid, statistics, chains) {
  faults <- unlist(lapply(claims, function(claim) {
    c(
      unknown(claim, "statistic", claim$statistic, statistics_for(claim, statistics)),
      unknown(claim, "evidence", claim$evidence, c(statistics, derived_statistics)),
      unknown(claim, "chain", claim$chain, names(chains)),
      elsewhere(claim, chains[[c(claim$chain, "none")[1]]]),
      unknown_cells(claim, grid[study %in% claim$cells$study])
    )
  }))
  if (length(faults) > 0) stop(paste0("claims.yaml: ", faults, collapse = "\n"), call. = FALSE)
  claims
}

unknown <- function(claim, key, names, allowed) {
  wrong <- setdiff(names, allowed)
  sprintf("%s.%s = \"%s\"; allowed: %s", claim$id, key, wrong, paste(allowed, collapse = ", "))
}

statistics_for <- function(claim, statistics) {
  if (!is.null(claim$primitive)) return(primitive_statistics)
  # The steps of a curve have rates of their own: over all of them nothing else has a value.
  if (identical(claim$cells$tool, curve_tool)) "capacity_per_s" else c(setdiff(statistics, "capacity_per_s"), derived_statistics)
}

elsewhere <- function(claim, chain) {
  if (is.null(chain) || is.null(claim$cells)) return(NULL)
  tested <- c(chain$study, chain$difference$tool)
  sprintf("%s.chain = %s; it is tested in %s", claim$id, claim$chain, paste(tested, collapse = ", "))[
    !identical(tested, c(claim$cells$study, claim$cells$tool))
  ]
}

unknown_cells <- function(claim, grid) {
  if (nrow(grid) == 0) return(NULL)
  asked <- claim$cells
  faults <- c(
    unknown(claim, "cells.mode", asked$mode, unique(grid$mode)),
    unknown(claim, "cells.versus", asked[["versus"]], unique(grid$mode)),
    unknown(claim, "cells.tiers", asked$tiers, unique(grid$tier)),
    unknown(claim, "cells.versus_tier", asked[["versus_tier"]], unique(grid$tier))
  )
  if (length(faults) > 0) return(faults)
  terms <- rbindlist(lapply(asked$tiers, function(tier) terms_of(asked, tier)))
  missing <- terms[!grid, on = c("study", "mode", "tier", "tool")]
  sprintf("%s.cells = %s; the experiment has no such cell", claim$id, unique(term_names(missing)))
}

# ---- Rules -----------------------------------------------------------------------------------

#' Where a figure must lie for the claim to hold.
#'
#' @param rule `rule` of a claim.
#' @return list: low and high, and whether these ends themselves belong to it (`closed`).
region_of <- function(rule) {
  if (!is.null(rule$near)) {
    return(list(low = rule$near / rule$within, high = rule$near * rule$within, closed = TRUE))
  }
  list(
    low = c(rule$above, rule$at_least, -Inf)[1], high = c(rule$below, rule$at_most, Inf)[1],
    closed = is.null(rule$above) && is.null(rule$below)
  )
}

#' The region in words.
rule_text <- function(rule) {
  region <- region_of(rule)
  ends <- format_number(c(region$low, region$high))
  if (all(is.finite(c(region$low, region$high)))) return(paste(ends, collapse = " to "))
  words <- if (region$closed) c("at least", "at most") else c("above", "below")
  if (is.finite(region$low)) paste(words[1], ends[1]) else paste(words[2], ends[2])
}

#' The verdict on an interval.
#'
#' @param low,high ends of the interval; NA where there is none.
#' @param region see region_of().
verdict_in <- function(low, high, region) {
  if (is.na(low) || is.na(high)) return("not decided")
  if (region$closed) {
    inside <- low >= region$low && high <= region$high
    outside <- high < region$low || low > region$high
  } else {
    # The open end of a bound is no closer to that of a rule than infinitely far.
    inside <- (low > region$low || region$low == -Inf) && (high < region$high || region$high == Inf)
    outside <- high <= region$low || low >= region$high
  }
  if (inside) "confirmed" else if (outside) "contradicted" else "not decided"
}

# ---- Figures ---------------------------------------------------------------------------------

#' Which cells count for a statistic: the valid ones, and those that failed only in what the
#' statistic does not speak of, see checks_beside_the_point. A server that died did not survive, whatever
#' else its cell fails: none of its slices is kept, and its generator meets a closed door.
#'
#' @return logical vector, one per row.
counts_for <- function(cells, statistic) {
  if (statistic == "survived") cells <- copy(cells)[outcome == "server_died", failed_checks := "completed"]
  allowed <- checks_beside_the_point[[statistic]]
  kinds <- unique(cells$failed_checks)
  beside <- vapply(strsplit(kinds, ";"), function(failed) length(failed) > 0 && all(failed %in% allowed), NA)
  beside <- beside[match(cells$failed_checks, kinds)]
  poolable(cells) | (cells$outcome != "beyond_limits" & beside)
}

#' The cells that decide a claim at one tier: its figure is a product of powers of theirs.
#'
#' @param cells `cells` of a claim.
#' @param tier one of its tiers.
#' @return data.table: study, mode, tier, tool, sign: 1 for the mode itself, -1 for what it is
#'   divided by (`versus`, or itself at `versus_tier`), and both for a ratio of ratios.
terms_of <- function(cells, tier) {
  # Not by $, which takes versus_tier for versus where there is none.
  modes <- c(cells$mode, cells[["versus"]])
  terms <- data.table(
    study = cells$study, mode = modes, tier = tier, tool = cells$tool,
    sign = c(1, -1)[seq_along(modes)]
  )
  if (is.null(cells[["versus_tier"]])) return(terms)
  rbind(terms, copy(terms)[, `:=`(tier = cells[["versus_tier"]], sign = -sign)])
}

term_names <- function(terms) with(terms, file.path(study, mode, tier, tool))

# Why a term has nothing that counts or bounds; NULL where it has.
lack_of_term <- function(summary, term, statistic) {
  cells <- summary[term, on = c("study", "mode", "tier", "tool"), nomatch = NULL]
  if (nrow(cells) == 0) return(paste(term_names(term), "was not measured in this run"))
  if (any(counts_for(cells, statistic) | bound_of(cells, statistic) != 0)) return(NULL)
  why <- unique(cells[, fcase(
    outcome == "completed", gsub(";", ", ", failed_checks),
    outcome == "beyond_limits", outcome_reason,
    rep(TRUE, .N), outcome
  )])
  sprintf("no valid cell of %s (%s)", term_names(term), paste(why, collapse = "; "))
}

is_contrast <- function(claim) {
  !is.null(c(claim$cells[["versus"]], claim$cells[["versus_tier"]], claim$primitive[["versus"]]))
}
is_ratio <- function(claim) is_contrast(claim) && !identical(claim$effect, "difference")

#' The estimate of a claim's value with its interval, at one tier.
#'
#' Ratios are averaged as logarithms, and so are single values where none is 0. Whether servers
#' survived is a share of them, with Jeffreys' interval.
#'
#' @param summary see with_derived(); `slices` see read_slices().
#' @param claim the claim; `tier` one of its tiers.
#' @return see effect_between(), with low and high of two sessions and more alone decisive; logs: whether
#'   the value is on a logarithmic scale.
estimate_claim <- function(summary, slices, claim, tier) {
  statistic <- claim$statistic
  terms <- terms_of(claim$cells, tier)
  if (!statistic %in% names(summary)) return(no_effect(paste("no cell has", statistic)))
  lack <- unlist(lapply(seq_len(nrow(terms)), function(index) lack_of_term(summary, terms[index], statistic)))
  if (length(lack) > 0) return(no_effect(paste(lack, collapse = "; ")))
  between <- function(effect) {
    effect_between(summary, slices, terms, statistic, effect, function(cells) counts_for(cells, statistic))
  }
  if (statistic == "survived") return(c(survivors(between("difference")), logs = FALSE))
  if (is_contrast(claim)) return(c(between(c(claim$effect, "ratio")[1]), logs = is_ratio(claim)))
  found <- between("ratio")
  # A single value of 0, or one that may be 0, has an interval without logarithms.
  if (nzchar(found$reason)) c(between("difference"), logs = FALSE) else c(found, logs = TRUE)
}

survivors <- function(found) {
  if (nzchar(found$reason)) return(found)
  interval <- survival_interval(sum(found$effects$effect), found$pairs)
  modifyList(found, list(low = interval[1], high = interval[2]))
}

# Jeffreys' interval of a share. Where all or none survived it ends at 1 or 0, and all of its error is at
# the other end (Brown, Cai and DasGupta 2001). So three servers are enough for a rule of half of them.
survival_interval <- function(survived, count) {
  outside <- (1 - confidence) / if (survived %in% c(0, count)) 1 else 2
  c(
    if (survived == 0) 0 else qbeta(outside, survived + 0.5, count - survived + 0.5),
    if (survived == count) 1 else qbeta(1 - outside, survived + 0.5, count - survived + 0.5)
  )
}

#' How many repetitions would take the interval to one side of the bounds, if they went on as those
#' that were measured.
#'
#' @param estimate see estimate_claim().
#' @param region see region_of().
#' @param statistic the claim's statistic.
#' @return a whole number; 2 where there is one, as one decides nothing; NA where not even
#'   repetitions_at_most would do.
repetitions_until_decided <- function(estimate, region, statistic) {
  if (estimate$pairs < 2) return(2)
  more <- seq_len(repetitions_at_most)
  more <- more[more > estimate$pairs]
  if (statistic == "survived") {
    settles <- vapply(more, function(count) {
      interval <- survival_interval(round(estimate$estimate * count), count)
      verdict_in(interval[1], interval[2], region) != "not decided"
    }, NA)
  } else {
    bounds <- c(region$low, region$high)
    if (estimate$logs) bounds <- log(bounds[bounds > 0])
    distance <- min(abs(estimate$centre - bounds)) - max(estimate$rounding_low, estimate$rounding_high)
    df <- estimate$df + more - estimate$pairs
    settles <- half_interval(estimate$noise, df, more) < distance
  }
  more[settles][1]
}

# ---- Verdicts --------------------------------------------------------------------------------

unit_of <- function(claim) {
  if (is.null(claim$statistic)) "" else if (is_ratio(claim)) "ratio" else unit_of_statistic(claim$statistic)
}

no_figures <- function() {
  list(
    ours = NA_real_, low = NA_real_, high = NA_real_, bound = "", repetitions = 0L,
    repetitions_needed = NA_real_
  )
}

why_not_decided <- function(estimate, needed, lost) {
  if (estimate$pairs < 2) return(paste0("one session decides nothing", lost))
  if (nzchar(estimate$bound)) return("its cells give a bound alone")
  if (is.na(needed)) return(paste("the interval holds a bound, and", repetitions_at_most, "repetitions would not free it"))
  "the interval holds a bound of the rule"
}

# How many sessions were measured and do not count, and why.
lost_sessions <- function(summary, terms, statistic) {
  cells <- summary[terms, on = c("study", "mode", "tier", "tool"), nomatch = NULL]
  lost <- cells[!counts_for(cells, statistic)]
  if (nrow(lost) == 0) return("")
  why <- lost[, unique(ifelse(outcome == "completed", gsub(";", ", ", failed_checks), outcome))]
  sprintf(" (%d of %d fell out: %s)", uniqueN(lost$repetition), uniqueN(cells$repetition), paste(why, collapse = "; "))
}

# The verdict at one tier.
judge_tier <- function(summary, slices, claim, tier) {
  cells <- paste(term_names(terms_of(claim$cells, tier)), collapse = " : ")
  estimate <- estimate_claim(summary, slices, claim, tier)
  if (nzchar(estimate$reason)) {
    return(c(list(verdict = "not testable here", reason = estimate$reason), no_figures(), cells = cells))
  }
  region <- region_of(claim$rule)
  decides <- estimate$pairs > 1 || claim$statistic == "survived"
  verdict <- if (decides) verdict_in(estimate$low, estimate$high, region) else "not decided"
  open <- verdict == "not decided"
  needed <- if (open && estimate$bound == "") repetitions_until_decided(estimate, region, claim$statistic) else NA_real_
  c(
    list(
      verdict = verdict, reason = if (open) why_not_decided(estimate, needed, lost_sessions(summary, terms_of(claim$cells, tier), claim$statistic)) else "",
      ours = estimate$estimate
    ),
    estimate[c("low", "high", "bound")],
    list(repetitions = estimate$pairs, repetitions_needed = needed, cells = cells)
  )
}

# Of several tiers at each of which a claim must hold, the one that decides: where it fails, else
# where it is open, else where nothing can be said.
deciding <- function(judged) {
  order <- c("contradicted", "not decided", "not testable here", "confirmed")
  judged[[which.min(match(vapply(judged, `[[`, "", "verdict"), order))]]
}

# Medians that go with the cause: of the mode, and of what it is compared with.
evidence_text <- function(summary, claim, tier) {
  terms <- terms_of(claim$cells, tier)
  told <- vapply(claim$evidence, function(name) {
    medians <- vapply(seq_len(nrow(terms)), function(index) {
      cells <- summary[terms[index], on = c("study", "mode", "tier", "tool"), nomatch = NULL]
      cells <- cells[outcome != "beyond_limits"]
      as.numeric(median(cells[[name]], na.rm = TRUE))
    }, 0)
    if (anyNA(medians)) return("")
    trimws(paste(title_of(name), paste(format_number(medians), collapse = " against "), unit_of_statistic(name)))
  }, "")
  paste(Filter(nzchar, told), collapse = ", ")
}

judge_primitive <- function(primitives, claim) {
  estimate <- estimate_primitive(primitives, claim)
  cells <- paste0("primitives/", unlist(claim$primitive[c("id", "versus")]), collapse = " : ")
  if (nzchar(estimate$reason)) {
    return(c(list(verdict = "not testable here", reason = estimate$reason), no_figures(), cells = cells))
  }
  verdict <- verdict_in(estimate$low, estimate$high, region_of(claim$rule))
  open <- if (estimate$pairs < 2) "one fork decides nothing" else "the interval holds a bound of the rule"
  c(
    list(verdict = verdict, reason = if (verdict == "not decided") open else "", ours = estimate$estimate),
    estimate[c("low", "high", "bound")],
    list(repetitions = estimate$pairs, repetitions_needed = NA_real_, cells = cells)
  )
}

judge_claim <- function(summary, slices, primitives, claim) {
  evidence <- ""
  if (!is.null(claim$rule$untestable)) {
    judged <- c(list(verdict = "not testable here", reason = claim$rule$untestable), no_figures(), cells = "")
  } else if (!is.null(claim$primitive)) {
    judged <- judge_primitive(primitives, claim)
  } else {
    judged <- deciding(lapply(claim$cells$tiers, function(tier) judge_tier(summary, slices, claim, tier)))
    evidence <- evidence_text(summary, claim, strsplit(judged$cells, "/")[[1]][3])
  }
  as.data.table(c(
    claim[c("id", "source", "kind", "where", "claim")], judged,
    list(
      rule = if (is.null(claim$statistic)) "" else rule_text(claim$rule),
      statistic = c(claim$statistic, "")[1],
      # What a conclusion is near to is our reading of its words, a figure is the source's.
      published = c(claim$published, if (claim$kind != "conclusion") claim$rule$near, NA)[1],
      unit = unit_of(claim), cause = cause_text(claim, judged$verdict, evidence), chain = c(claim$chain, "")[1],
      takes = takes_text(claim, judged, summary)
    )
  ))
}

#' The cause, of the verdict that it was written for alone.
#'
#' @param claim the claim: `cause` holds either way, `if_confirmed` and `if_contradicted` with that verdict.
#' @param evidence see evidence_text().
cause_text <- function(claim, verdict, evidence) {
  words <- c(claim$cause, claim[[paste0("if_", verdict)]], if (nzchar(evidence)) paste0("(", evidence, ")"))
  paste(words, collapse = " ")
}

#' What a verdict would take where there is none: the claim's `takes`, sessions and their minutes, or
#' the machine.
#'
#' @return a text; empty where the claim is decided.
takes_text <- function(claim, judged, summary) {
  if (judged$verdict %in% c("confirmed", "contradicted")) return("")
  if (!is.null(claim$takes)) return(claim$takes)
  if (!is.finite(judged$repetitions_needed)) return(machine_needed(judged))
  more <- judged$repetitions_needed - judged$repetitions
  minutes <- more * session_minutes(summary, judged$cells)
  paste0(
    count_of(more, "more valid session"),
    if (is.finite(minutes)) paste(", about", format_number(ceiling(minutes)), "min of load and warm-up")
  )
}

machine_needed <- function(judged) {
  fcase(
    startsWith(judged$cells, "primitives/"), "three repetitions of each primitive, which the default configuration has; 4 min",
    grepl("was not measured in this run", judged$reason), "a run of the default configuration, which measures it",
    grepl("generator_healthy", judged$reason), "a machine with more CPUs for the load generator",
    judged$verdict == "not decided", "more than 100 sessions here, or a machine with less noise",
    default = "a machine with more CPUs for the server, on which these checks pass"
  )
}

#' How long a session of a claim's first cells loads and warms up.
#'
#' @param summary see with_derived(); `cells` `cells` of a verdict.
#' @return minutes, mean over sessions; NA where nothing says so.
session_minutes <- function(summary, cells) {
  # No name of a column, such as path.
  wanted <- as.list(strsplit(strsplit(cells, " : ")[[1]][1], "/")[[1]])
  if (length(wanted) != 4 || !all(c("duration_s", "warm_up_s") %in% names(summary))) return(NA_real_)
  of_claim <- summary[wanted, on = c("study", "mode", "tier", "tool"), nomatch = NULL]
  seconds <- summary[session %in% of_claim$session, .(
    spent = sum(duration_s, na.rm = TRUE) + max(0, warm_up_s, na.rm = TRUE)
  ), by = .(session, mode)]
  sum(seconds$spent) / 60 / uniqueN(seconds$session)
}

claim_columns <- c(
  "id", "source", "kind", "where", "claim", "verdict", "statistic", "ours", "low", "high",
  "bound", "published", "unit", "rule", "repetitions", "repetitions_needed", "reason", "takes", "cause", "chain", "cells"
)

#' A verdict on every claim.
#'
#' @param claims see check_claims().
#' @param summary see read_summary(); `slices` see read_slices().
#' @param primitives see read_claim_primitives(); `paths` paths of the cell.json files, see with_derived().
#' @return data.table, a row per claim: id, source, kind (figure, ratio, conclusion), where (in the
#'   source), claim, verdict (see claim_verdicts), statistic, ours (geometric mean over
#'   repetitions), low, high (95 %; of one session: within it), bound (at_least, at_most or empty), published, unit (`ratio` for ratios), rule (where the figure
#'   must lie), repetitions (sessions used), repetitions_needed (to decide what is not decided), reason (why
#'   not decided or not testable), takes (what a verdict would take), cause, chain (of causes.yaml, that tests it), cells (`:` between
#'   those that are compared).
judge_claims <- function(claims, summary, slices, primitives = read_claim_primitives(""), paths = character()) {
  summary <- with_derived(summary, paths)
  rows <- rbindlist(lapply(claims, function(claim) judge_claim(summary, slices, primitives, claim)), use.names = TRUE)
  rows[, repetitions_needed := as.numeric(repetitions_needed)]
  rows[, ..claim_columns]
}

#' Reads the verdicts that claims.R wrote.
#'
#' @param path path of results/claims.csv.
#' @return data.table, see judge_claims().
read_verdicts <- function(path) {
  numbers <- c("ours", "low", "high", "published", "repetitions", "repetitions_needed")
  require_columns(read_table(path, numbers), claim_columns, path)
}

#' Our value with its interval, as text.
ours_text <- function(verdicts) {
  effect_with_interval(verdicts[, .(
    estimate = ours, low, high, bound, verdict = ifelse(repetitions == 1, "one session", verdict)
  )])
}

#' Claims that one measurement decides by one rule, once.
#'
#' @return verdicts without the others.
without_twins <- function(verdicts) {
  twins <- duplicated(verdicts[, .(kind, cells, statistic, unit, rule)])
  verdicts[!(twins & cells != "")]
}

#' How many claims of each source and kind have which verdict; twins count once.
#'
#' @return data.table: source, kind, then a column per verdict.
count_verdicts <- function(verdicts) {
  counts <- without_twins(verdicts)[, .N, by = .(source, kind, verdict = factor(verdict, claim_verdicts))]
  dcast(counts, source + kind ~ verdict, value.var = "N", fill = 0, drop = c(TRUE, FALSE))
}

#' The verdicts as lines for a terminal: by source, each claim with what it rests on.
#'
#' @param verdicts see read_verdicts().
#' @return character vector.
print_claims <- function(verdicts) {
  lines <- lapply(unique(verdicts$source), function(name) {
    rows <- verdicts[source == name]
    told <- rows[, sprintf(
      "%-17s %s\n%18s%s", verdict, claim, "", fcase(
        is.na(ours), paste0(id, ": ", reason, "; it would take ", takes),
        rep(TRUE, .N), sprintf(
          "%s: %s %s, must be %s%s", id, statistic, ours_text(rows), rule, needed_text(rows)
        )
      )
    )]
    c("", name, told)
  })
  counts <- without_twins(verdicts)[, .(
    line = sprintf("%ss: %s", kind, paste(table(factor(verdict, claim_verdicts)), claim_verdicts, collapse = ", "))
  ), by = kind]
  c(unlist(lines), "", counts$line)
}

# What is not decided, and how it would be.
needed_text <- function(verdicts) {
  verdicts[, fcase(
    verdict != "not decided", "",
    is.na(repetitions_needed), paste0("; ", reason),
    rep(TRUE, .N), paste0("; it would take ", takes)
  )]
}
