# Verdicts on what the sources claim. claims.yaml says what decides each claim: the cells, the
# statistic and the rule; nothing here knows any claim.
#
# A claim is confirmed when the whole 95 % interval lies where its rule says, contradicted when all
# of it lies elsewhere, and not decided in between. Ratios and their intervals are those of effects.R;
# of a single value the interval is that of sessions.

library(data.table)

claim_verdicts <- c("confirmed", "contradicted", "not decided", "not testable here")

# Checks that may fail and leave the statistic true, because they speak of another: the waiting that
# Little's law misses is missing from latency, not from throughput; neither it nor a generator that
# sends late changes what a request costs the server; and a server that refuses, dies or answers
# wrongly is what `error_share` and `survived` tell of.
checks_of_the_server <- c(
  "completed", "same_answer_after", "share_2xx", "body_bytes", "treatment", "little", "settled"
)
checks_beside_the_point <- list(
  throughput_per_s = "little", throughput_all_per_s = "little",
  cpu_us_per_request = c("little", "generator_healthy"),
  error_share = checks_of_the_server, survived = checks_of_the_server
)

# ---- Reading ---------------------------------------------------------------------------------

#' Reads the claims.
#'
#' @param path path of claims.yaml, which claims.schema.json describes.
#' @return list of claims. Stops where an id is there twice.
read_claims <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  claims <- yaml::read_yaml(path)$claims
  ids <- vapply(claims, `[[`, "", "id")
  if (anyDuplicated(ids)) fail_reading(path, ids[anyDuplicated(ids)], " is there twice")
  claims
}

#' Checks that claims name what there is.
#'
#' @param claims see read_claims().
#' @param experiment the configuration, as read from config.yaml: its `studies`. Of a study that it
#'   leaves out nothing is checked, as nothing of it is measured.
#' @param statistics names that a claim may use: the summary's columns.
#' @param chains ids of causes.yaml.
#' @return claims. Stops with the key of every name that is not known.
check_claims <- function(claims, experiment, statistics, chains) {
  studies <- setNames(experiment$studies, ids_of(experiment$studies))
  faults <- unlist(lapply(claims, function(claim) {
    c(
      unknown(claim, "statistic", claim$statistic, c(statistics, derived_statistics)),
      unknown(claim, "evidence", claim$evidence, c(statistics, derived_statistics)),
      unknown(claim, "chain", claim$chain, chains),
      unknown_cells(claim, studies[[c(claim$cells$study, "none")[1]]])
    )
  }))
  if (length(faults) > 0) stop(paste0("claims.yaml: ", faults, collapse = "\n"), call. = FALSE)
  claims
}

ids_of <- function(things) vapply(things, `[[`, "", "id")

unknown <- function(claim, key, names, allowed) {
  wrong <- setdiff(names, allowed)
  sprintf("%s.%s = \"%s\"; allowed: %s", claim$id, key, wrong, paste(allowed, collapse = ", "))
}

unknown_cells <- function(claim, study) {
  if (is.null(study)) return(NULL)
  modes <- setNames(study$modes, ids_of(study$modes))
  tiers <- setNames(study$tiers, ids_of(study$tiers))
  asked <- claim$cells
  faults <- c(
    unknown(claim, "cells.mode", asked$mode, names(modes)),
    unknown(claim, "cells.versus", asked[["versus"]], names(modes)),
    unknown(claim, "cells.tiers", asked$tiers, names(tiers)),
    unknown(claim, "cells.versus_tier", asked[["versus_tier"]], names(tiers))
  )
  if (length(faults) > 0) return(faults)
  terms <- rbindlist(lapply(asked$tiers, function(tier) terms_of(asked, tier)))
  measured <- mapply(function(mode, tier) {
    # A mode has all tiers, or those that it names: `low`, or `low/jmeter` for one tool alone.
    named <- unlist(modes[[mode]]$tiers)
    asked$tool %in% names(tiers[[tier]]) &&
      (is.null(named) || any(c(tier, paste0(tier, "/", asked$tool)) %in% named))
  }, terms$mode, terms$tier)
  sprintf("%s.cells = %s; the experiment has no such cell", claim$id, unique(term_names(terms[!measured])))
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

# What the summary has no column for.
derived_statistics <- "survived"

#' A statistic of every cell.
#'
#' @param cells rows of the summary.
#' @param statistic a column of the summary, or `survived`: 1 where the server answered after the
#'   load as before it, else 0.
#' @return numeric vector.
statistic_of <- function(cells, statistic) {
  if (statistic != "survived") return(as.numeric(cells[[statistic]]))
  as.numeric(cells$outcome == "completed" & !grepl("same_answer_after", cells$failed_checks))
}

#' Which cells count for a statistic: the valid ones, and those that failed only in what the
#' statistic does not speak of, see checks_beside_the_point.
#'
#' @return logical vector, one per row.
counts_for <- function(cells, statistic) {
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

is_contrast <- function(claim) !is.null(c(claim$cells[["versus"]], claim$cells[["versus_tier"]]))
is_ratio <- function(claim) is_contrast(claim) && !identical(claim$effect, "difference")

#' The estimate of a claim's value with its interval, at one tier.
#'
#' Ratios are averaged as logarithms, and so are single values where none is 0. Whether servers
#' survived is a share of them, with Wilson's interval.
#'
#' @param summary see read_summary(); `slices` see read_slices().
#' @param claim the claim; `tier` one of its tiers.
#' @return see effect_between(), with low and high of two sessions and more alone decisive; logs: whether
#'   the value is on a logarithmic scale.
estimate_claim <- function(summary, slices, claim, tier) {
  statistic <- claim$statistic
  terms <- terms_of(claim$cells, tier)
  lack <- unlist(lapply(seq_len(nrow(terms)), function(index) lack_of_term(summary, terms[index], statistic)))
  if (length(lack) > 0) return(no_effect(paste(lack, collapse = "; ")))
  summary <- with_derived(summary, statistic)
  between <- function(effect) {
    effect_between(summary, slices, terms, statistic, effect, function(cells) counts_for(cells, statistic))
  }
  if (statistic == "survived") return(c(survivors(between("difference")), logs = FALSE))
  if (is_contrast(claim)) return(c(between(c(claim$effect, "ratio")[1]), logs = is_ratio(claim)))
  found <- between("ratio")
  # A single value of 0, or one that may be 0, has an interval without logarithms.
  if (nzchar(found$reason)) c(between("difference"), logs = FALSE) else c(found, logs = TRUE)
}

with_derived <- function(summary, statistic) {
  if (statistic == "survived") copy(summary)[, survived := statistic_of(.SD, "survived")] else summary
}

survivors <- function(found) {
  if (nzchar(found$reason)) return(found)
  interval <- wilson_interval(sum(found$effects$effect), found$pairs)
  modifyList(found, list(low = interval[1], high = interval[2]))
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
      interval <- wilson_interval(round(estimate$estimate * count), count)
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

units_of_names <- c(
  per_s = "1/s", ms = "ms", us_per_request = "µs", mib = "MiB", share = "share", percent = "%"
)

unit_of_column <- function(name) {
  fits <- vapply(names(units_of_names), function(end) endsWith(name, paste0("_", end)), NA)
  c(units_of_names[fits], "")[[1]]
}

unit_of <- function(claim) {
  if (is.null(claim$statistic)) "" else if (is_ratio(claim)) "ratio" else unit_of_column(claim$statistic)
}

latency_words <- c(
  mean = "mean latency", sd = "standard deviation of latency", min = "shortest latency",
  max = "longest latency", p50 = "median latency", p90 = "90th percentile of latency",
  p95 = "95th percentile of latency", p99 = "99th percentile of latency"
)
other_words <- c(
  survived = "share of servers that answered to the last", under_way = "requests under way",
  throughput_all_per_s = "throughput, failed requests counted", received_kib_per_s = "KB/s received",
  sent_kib_per_s = "KB/s sent", listen_overflows = "overflows of the listen queue"
)

#' A statistic in words.
#'
#' @param id a column of the summary, or `survived`.
statistic_words <- function(id) {
  about <- compared_statistics[statistic == id]$title
  latency <- latency_words[sub("_ms$", "", sub("^latency_(all_)?", "", id))]
  known <- c(about, other_words[id], latency[startsWith(id, "latency_")])
  c(known[!is.na(known)], gsub("_", " ", id))[[1]]
}

no_figures <- function() {
  list(
    ours = NA_real_, low = NA_real_, high = NA_real_, bound = "", repetitions = 0L,
    repetitions_needed = NA_real_
  )
}

why_not_decided <- function(estimate, needed) {
  if (estimate$pairs < 2) return("one session decides nothing")
  if (nzchar(estimate$bound)) return("its cells give a bound alone")
  if (is.na(needed)) return(paste("the interval holds a bound, and", repetitions_at_most, "repetitions would not free it"))
  "the interval holds a bound of the rule"
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
      verdict = verdict, reason = if (open) why_not_decided(estimate, needed) else "",
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
      as.numeric(median(statistic_of(cells, name), na.rm = TRUE))
    }, 0)
    if (anyNA(medians)) return("")
    trimws(paste(statistic_words(name), paste(format_number(medians), collapse = " against "), unit_of_column(name)))
  }, "")
  paste(Filter(nzchar, told), collapse = ", ")
}

judge_claim <- function(summary, slices, claim) {
  if (!is.null(claim$rule$untestable)) {
    judged <- c(
      list(verdict = "not testable here", reason = claim$rule$untestable), no_figures(),
      list(cells = "")
    )
    evidence <- ""
  } else {
    judged <- deciding(lapply(claim$cells$tiers, function(tier) judge_tier(summary, slices, claim, tier)))
    evidence <- evidence_text(summary, claim, strsplit(judged$cells, "/")[[1]][3])
  }
  cause <- c(claim$cause, if (nzchar(evidence)) paste0("(", evidence, ")"))
  as.data.table(c(
    claim[c("id", "source", "kind", "where", "claim")], judged,
    list(
      rule = if (is.null(claim$statistic)) "" else rule_text(claim$rule),
      statistic = c(claim$statistic, "")[1],
      # What a conclusion is near to is our reading of its words, a number is the source's.
      published = c(claim$published, if (claim$kind == "number") claim$rule$near, NA)[1],
      unit = unit_of(claim), cause = paste(cause, collapse = " "), chain = c(claim$chain, "")[1]
    )
  ))
}

claim_columns <- c(
  "id", "source", "kind", "where", "claim", "verdict", "statistic", "ours", "low", "high",
  "bound", "published", "unit", "rule", "repetitions", "repetitions_needed", "reason", "cause", "chain", "cells"
)

#' A verdict on every claim.
#'
#' @param claims see check_claims().
#' @param summary see read_summary(); `slices` see read_slices().
#' @return data.table, a row per claim: id, source, kind (number, conclusion), where (in the
#'   source), claim, verdict (see claim_verdicts), statistic, ours (geometric mean over
#'   repetitions), low, high (95 %; of one session: within it), bound (at_least, at_most or empty), published, unit (`ratio` for ratios), rule (where the figure
#'   must lie), repetitions (sessions used), repetitions_needed (to decide what is not decided), reason (why
#'   not decided or not testable), cause, chain (of causes.yaml, that tests it), cells (`:` between
#'   those that are compared).
judge_claims <- function(claims, summary, slices) {
  rows <- rbindlist(lapply(claims, function(claim) judge_claim(summary, slices, claim)))
  rows[, repetitions_needed := as.numeric(repetitions_needed)]
  rows[, ..claim_columns]
}

#' Reads the verdicts that claims.R wrote.
#'
#' @param path path of results/claims.csv.
#' @return data.table, see judge_claims().
read_verdicts <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  table <- fread(path, colClasses = "character", na.strings = NULL, encoding = "UTF-8")
  require_columns(table, claim_columns, path)
  for (column in c("ours", "low", "high", "published", "repetitions", "repetitions_needed")) {
    set(table, j = column, value = suppressWarnings(as.numeric(table[[column]])))
  }
  table[]
}

#' Our value with its interval, as text.
ours_text <- function(verdicts) {
  effect_with_interval(verdicts[, .(
    estimate = ours, low, high, bound, verdict = ifelse(repetitions == 1, "one session", verdict)
  )])
}

#' How many claims of each source and kind have which verdict.
#'
#' @return data.table: source, kind, then a column per verdict.
count_verdicts <- function(verdicts) {
  counts <- verdicts[, .N, by = .(source, kind, verdict = factor(verdict, claim_verdicts))]
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
        is.na(ours), paste0(id, ": ", reason),
        rep(TRUE, .N), sprintf(
          "%s: %s %s, must be %s%s", id, statistic, ours_text(rows), rule, needed_text(rows)
        )
      )
    )]
    c("", name, told)
  })
  counts <- table(factor(verdicts$verdict, claim_verdicts))
  c(unlist(lines), "", sprintf("%d claims: %s", nrow(verdicts), paste(counts, names(counts), collapse = ", ")))
}

# What is not decided, and how it would be.
needed_text <- function(verdicts) {
  verdicts[, fcase(
    verdict != "not decided", "",
    is.na(repetitions_needed), paste0("; ", reason),
    rep(TRUE, .N), paste0("; ", format_number(repetitions_needed), " repetitions would decide it")
  )]
}
