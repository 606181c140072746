# What the section of every study is made of: tables of what was asked, figures' texts, sentences
# over many tiers. `all` is the result of of_study().

kebab <- function(name) gsub("_", "-", name)

#' The modes of a study, from the configuration in its cells; what is the same for all, or nothing, is
#' left out.
table_modes_asked <- function(all) {
  one <- function(name) {
    cell <- Find(function(cell) cell$cell$mode == name, all$cells)
    configuration <- cell$configuration
    mode <- configuration$mode
    data.table(
      Mode = name, Baseline = words(cell$labels$mode$versus),
      Class = words(c(mode$class, configuration$study$server$class)[1]),
      Command = if (is.null(mode$command)) NA_character_ else paste(mode$command, collapse = " "),
      JDK = if (is.null(mode$jdk)) NA_character_ else paste(mode$jdk),
      Backend = words(configuration$backend$id), Options = options_text(mode$options),
      Database = words(configuration$engine$id), Client = options_text(mode$client)
    )
  }
  table <- rbindlist(lapply(mode_levels(all$summary$mode), one))
  same <- vapply(table[, .(Class, JDK, Backend)], function(column) nrow(table) > 1 && uniqueN(column) == 1, NA)
  empty <- vapply(table, function(column) all(is.na(column)), NA)
  dropped <- union(names(same)[same], setdiff(names(empty)[empty], "Baseline"))
  table[, setdiff(names(table), dropped), with = FALSE]
}

options_text <- function(options) {
  if (length(options) == 0) return(NA_character_)
  values <- vapply(options, function(value) {
    if (is.logical(value)) tolower(value) else paste(value)
  }, "")
  paste(kebab(names(options)), values, collapse = ", ")
}

#' The tiers of a study and what each tool asks in them; a tool that asks nowhere is left out.
table_tiers <- function(tiers) {
  closed <- tiers[, ifelse(is.na(threads), NA_character_, paste0(
    format_number(threads), " users",
    ifelse(!is.na(lasts_s), paste0(" for ", lasts_s, " s"), ifelse(loops > 1, paste(" ×", loops), "")),
    ifelse(at_once, ", all at once", ifelse(is.na(ramp_up_s), "", paste(", ramp-up", ramp_up_s, "s")))
  ))]
  open <- tiers[, ifelse(is.na(rate_per_s), NA_character_, paste0(
    ifelse(burst, "one request each, all at once", paste0(format_number(rate_per_s), "/s for ", duration_s, " s")), ", ",
    format_number(connections), " connections"
  ))]
  closed <- fcoalesce(closed, tiers[, ifelse(
    is.na(clients), NA_character_, paste0(format_number(clients), " client", ifelse(clients == 1, "", "s"))
  )])
  table <- data.table(
    Tier = tiers$tier, "Load" = tiers$title, Path = tiers$path, "Closed loop" = closed,
    "Open loop" = open
  )
  table[, vapply(table, function(column) !all(is.na(column)), NA), with = FALSE]
}

tier_list <- function(tiers) enumerate(as_code(tiers))

# ---- Figures' texts --------------------------------------------------------------------------

#' Alternative text of a figure by mode and tier: at each tier the modes with the smallest and the
#' largest median over valid repetitions.
#'
#' @param column column of the summary; `what` in words.
alt_extremes <- function(all, tool, tiers, modes, column, what = title_of(column)) {
  unit <- unit_of_statistic(column)
  wanted <- list(tool = tool, tiers = tiers, modes = modes)
  cells <- all$summary[poolable(all$summary)][
    tool %in% wanted$tool & tier %in% wanted$tiers & mode %in% wanted$modes
  ]
  medians <- cells[!is.na(get(column)), .(middle = median(get(column))), by = .(tier, mode)]
  one <- function(name) {
    rows <- medians[tier == name][order(middle)]
    if (nrow(rows) == 0) return(NULL)
    if (nrow(rows) == 1) return(sprintf("%s: %s %s %s", name, rows$mode, format_number(rows$middle), unit))
    sprintf(
      "%s: from %s %s with %s to %s %s with %s", name, format_number(rows$middle[1]), unit,
      rows$mode[1], format_number(rows$middle[nrow(rows)]), unit, rows$mode[nrow(rows)]
    )
  }
  told <- unlist(lapply(tiers, one))
  if (length(told) == 0) return(paste0(capitalised(what), "; no valid cell."))
  paste0(capitalised(what), ", median over valid repetitions. ", paste(told, collapse = "; "), ".")
}

#' How tall a figure with facets must be.
facets_in <- function(panels, columns = 2, each = 1.65, rest = 1.1) {
  rest + each * ceiling(panels / columns)
}

# ---- Sentences over tiers --------------------------------------------------------------------

verdict_words <- c(
  lower = "lower", higher = "higher", equivalent = "the same within the margin",
  undecided = "not decided", bounded = "bounded, but not decided",
  "one session" = "measured in one session, so not decided", "not comparable" = "not comparable"
)

#' One statistic of a mode against its baseline, over tiers.
#'
#' @param rows rows of the comparisons that differ in tier alone, in the order of load.
#' @return one clause without a full stop: the verdicts, their tiers, the span of ratios; bounds by
#'   themselves.
clause_over_tiers <- function(rows) {
  about <- about_statistics(rows$statistic[1])
  parts <- vapply(intersect(names(verdict_words), rows$verdict), function(kind) {
    some <- rows[verdict == kind]
    paste0(verdict_words[[kind]], " at ", tier_list(some$tier), sizes_text(some, about$effect))
  }, "")
  paste(about$title, enumerate(parts, "; "))
}

# The sizes of effects in brackets: the span of those that are known, then the bounds, one by one.
sizes_text <- function(rows, effect) {
  scale <- if (effect == "ratio") 1 else 100
  unit <- if (effect == "ratio") "times" else "percentage points"
  known <- rows[!is.na(estimate) & bound == ""]
  bounded <- rows[!is.na(estimate) & bound != ""]
  told <- c(
    if (nrow(known) > 0) span(scale * known$estimate),
    if (nrow(bounded) > 0) effect_with_interval(bounded, scale)
  )
  if (length(told) == 0) return("")
  sprintf(" (%s%s %s)", if (effect == "ratio") "" else "by ", enumerate(told), unit)
}

#' Each mode against its baseline: a sentence a mode, with one clause per statistic.
#'
#' @param statistics ids of compared statistics.
#' @return character vector; empty where there is nothing to compare.
sentences_over_tiers <- function(all, tool, modes, statistics, tiers = NULL) {
  by_load <- tier_levels(all$summary)
  wanted <- list(tool = tool, tiers = if (is.null(tiers)) by_load else tiers)
  pairs <- all$comparisons[tool == wanted$tool & tier %in% wanted$tiers & statistic %in% statistics]
  unlist(lapply(intersect(modes, pairs$mode), function(name) {
    rows <- pairs[mode == name][order(match(tier, by_load))]
    clauses <- vapply(statistics, function(id) clause_over_tiers(rows[statistic == id]), "")
    sprintf("%s against %s: %s.", as_code(name), as_code(rows$versus[1]), paste(clauses, collapse = ". "))
  }))
}

#' Which mode answered fastest, and which slowest, at each tier.
sentence_extremes <- function(all, tool, tiers, modes, column = "latency_p99_ms") {
  wanted <- list(tool = tool, tiers = tiers, modes = modes)
  cells <- all$summary[poolable(all$summary)][
    tool == wanted$tool & tier %in% wanted$tiers & mode %in% wanted$modes & !is.na(get(column))
  ]
  medians <- cells[, .(middle = median(get(column))), by = .(tier, mode)]
  ends <- medians[, .SD[c(which.min(middle), which.max(middle))], by = tier]
  if (nrow(ends) == 0) return(sprintf("No cell of the %s is valid at these tiers.", loop_names[[tool]]))
  lowest <- ends[, .(mode = mode[1]), by = tier][order(match(tier, tiers))]
  lowest <- lowest[, .(text = sprintf("%s at %s", as_code(mode), tier_list(tier))), by = mode]
  fastest <- sprintf(
    "By the medians over valid repetitions, the lowest %s was that of %s", title_of(column),
    enumerate(unique(lowest$text), "; ")
  )
  widest <- ends[, .(low = middle[1], high = middle[2], mode = mode[2]), by = tier]
  widest <- widest[which.max(high - low)]
  if (widest$low == widest$high) return(paste0(fastest, "."))
  sprintf(
    "%s; the modes were furthest apart at %s, with %s to %s %s (the latter %s).", fastest,
    as_code(widest$tier), format_number(widest$low), format_number(widest$high), unit_of_statistic(column), as_code(widest$mode)
  )
}

#' Requests that failed, by mode: where, how many, in which way.
sentences_errors <- function(all, modes) {
  by_load <- tier_levels(all$summary)
  unlist(lapply(modes, function(name) {
    cells <- all$summary[mode == name & error_share > 0][order(match(tier, by_load))]
    if (nrow(cells) == 0) return(NULL)
    kinds <- unique(sub("=.*", "", unlist(strsplit(cells$errors, ";"))))
    where <- cells[, .(text = sprintf(
      "%s (%s, %s)", as_code(tier), loop_names[tool], span(100 * error_share, " %")
    )), by = .(tier, tool)]
    sprintf("%s: %s; as %s.", as_code(name), enumerate(unique(where$text)), enumerate(as_code(kinds)))
  }))
}

# ---- Profiles --------------------------------------------------------------------------------

#' The tiers of a tool at which most was sampled over all modes, at most `count`, of these `tiers`.
busiest_tiers <- function(all, tool, count, tiers = NULL) {
  wanted <- list(tool = tool, tiers = if (is.null(tiers)) tier_levels(all$summary) else tiers)
  sampled <- all$cpu_groups[
    tool == wanted$tool & tier %in% wanted$tiers & valid & outcome == "completed" &
      mode %in% main_modes(all$summary)
  ]
  totals <- sampled[, .(modes = uniqueN(mode), samples = sum(samples)), by = tier][order(-modes, -samples)]
  chosen <- head(totals[samples > 0]$tier, count)
  chosen[order(match(chosen, tier_levels(all$summary)))]
}

# Fewer samples of a mode do not say how its CPU time is split.
samples_at_least <- 10

#' The first of these tiers at which half of the modes have enough samples; NA without one.
first_sampled <- function(all, tool, tiers, modes) {
  wanted <- list(tool = tool, modes = modes)
  rows <- all$cpu_groups[tool == wanted$tool & valid & mode %in% wanted$modes, .(samples = sum(samples)), by = .(tier, mode)]
  enough <- rows[, .(usual = median(samples)), by = tier][usual >= samples_at_least]$tier
  c(intersect(tiers, enough), NA)[1]
}

#' How many modes were sampled at a tier.
modes_sampled <- function(all, tool, tier, modes) {
  wanted <- list(tool, tier, modes)
  rows <- all$cpu_groups[tool == wanted[[1]] & tier %in% wanted[[2]] & mode %in% wanted[[3]]]
  uniqueN(rows[valid & outcome == "completed" & !is.na(cpu_us_per_request)]$mode)
}

#' The cell of each mode whose flame graph is shown: at the tier where most modes were sampled,
#' else wherever the mode has one; the repetition with most samples.
#'
#' @return data.table: mode, tier, tool, repetition, samples, file; no rows without profiles.
choose_flame_graphs <- function(all, modes = NULL) {
  wanted <- if (is.null(modes)) unique(all$cpu_groups$mode) else modes
  sampled <- all$cpu_groups[mode %in% wanted, .(samples = sum(samples)), by = .(study, mode, tier, tool, repetition)]
  sampled[, file := file.path(all$results, "cells", cell_path(sampled), "flamegraph.html")]
  sampled <- sampled[samples > 0 & file.exists(file) & file.size(file) > 0]
  if (nrow(sampled) == 0) return(sampled)
  sampled[, `:=`(shared = uniqueN(mode), total = sum(samples)), by = .(tier, tool)]
  best <- sampled[order(-shared, -total, -samples), .SD[1], by = mode]
  best[order(match(mode, mode_levels(mode)))]
}

#' A page in a frame behind a summary: it brings scripts, which must not reach the page around it. It is packed,
#' because there are many; page.html unpacks it.
page_frame <- function(file, summary, title) {
  packed <- jsonlite::base64_enc(memCompress(readBin(file, "raw", file.size(file)), "gzip"))
  sprintf(
    "<details><summary>%s</summary>\n<iframe class=\"flame-graph\" title=\"%s\" sandbox=\"allow-scripts\" data-page=\"%s\"></iframe></details>",
    summary, title, gsub("\n", "", packed, fixed = TRUE)
  )
}

#' Raw HTML for Markdown.
raw_html <- function(lines) paste(c("", "``````````{=html}", lines, "``````````", ""), collapse = "\n")

#' All chosen flame graphs as raw HTML for Markdown.
flame_graphs <- function(chosen) {
  raw_html(vapply(seq_len(nrow(chosen)), function(index) {
    row <- chosen[index]
    where <- sprintf("%s at %s, %s, repetition %d: %s samples", row$mode, row$tier, loop_names[[row$tool]], row$repetition, format_number(row$samples))
    page_frame(row$file, where, paste("Flame graph of", row$mode))
  }, ""))
}

# ---- Open against closed loop ----------------------------------------------------------------

#' The same tier under both loops: latency as users of each would see it.
#'
#' @return data.table of text, a row per tier and mode that is valid under both; none otherwise.
table_loops <- function(all, modes) {
  cells <- all$summary[poolable(all$summary) & mode %in% modes & !is.na(latency_p99_ms)]
  medians <- cells[, .(
    p99 = median(latency_p99_ms), blind = median(latency_uncorrected_p99_ms)
  ), by = .(tier, mode, tool)]
  both <- merge(
    medians[tool == "jmeter", .(tier, mode, closed = p99)],
    medians[tool == "wrk2", .(tier, mode, corrected = p99, blind)], by = c("tier", "mode")
  )
  both[order(match(tier, tier_levels(all$summary)), match(mode, mode_levels(mode)))]
}

sentence_omission <- function(loops) {
  hidden <- loops[blind > 0 & corrected > 0][, hides := corrected / blind]
  if (nrow(hidden) == 0) return("No tier has valid cells of a mode under both loops.")
  most <- hidden[which.max(hides)]
  if (most$hides < 1.05) {
    return(paste(
      "Nowhere did the correction for coordinated omission raise the 99th percentile by more than",
      "5 %: the servers kept the schedule."
    ))
  }
  sprintf(
    paste(
      "Without the correction for coordinated omission the open loop's 99th percentile would have",
      "been too low by a factor of up to %s (%s at %s: %s ms counted from when the request was due,",
      "%s ms from when it was sent); in %d of %d rows by more than 5 %%."
    ),
    format_number(most$hides), as_code(most$mode), as_code(most$tier), format_number(most$corrected),
    format_number(most$blind), nrow(hidden[hides > 1.05]), nrow(hidden)
  )
}

# ---- Comparisons -----------------------------------------------------------------------------

has_ratios <- function(all, tool, statistic) {
  wanted <- list(tool, statistic)
  nrow(all$comparisons[tool == wanted[[1]] & statistic == wanted[[2]] & !is.na(estimate)]) > 0
}

# A/A twins are in the section on how good the measurement is.
compared_modes <- function(all) {
  modes <- mode_levels(all$summary$mode)
  modes[!is_control(modes)]
}

#' Ratios, two tiers side by side; the baseline of each mode is in the table of modes.
show_ratios <- function(all, tool, statistic) {
  figure_ratios(all$comparisons, all$summary, statistic, all$study, tool, modes = compared_modes(all)) +
    facet_wrap(~tier, ncol = 2) +
    scale_y_discrete(labels = function(pairs) sub(" / .*", "", pairs))
}

height_of_ratios <- function(all, tool) {
  wanted <- tool
  rows <- all$comparisons[tool == wanted & mode %in% compared_modes(all)]
  facets_in(uniqueN(rows$tier), 2, 0.35 + 0.17 * uniqueN(rows$mode), 0.6)
}

alt_ratios <- function(all, tool, statistic) {
  told <- sentences_over_tiers(all, tool, compared_modes(all), statistic)
  paste("Ratios to the baseline with 95 % intervals.", gsub("`", "", paste(told, collapse = " ")))
}

# ---- Resources -------------------------------------------------------------------------------

#' Peaks of each mode from the start of the load on, in one sentence.
sentence_resources <- function(resources) {
  peaks <- resources_to_show(resources)[time_s >= 0, .(peak = max(value)), by = .(figure, mode)]
  told <- vapply(unique(as.character(peaks$figure)), function(name) {
    rows <- peaks[figure == name][order(peak)]
    if (nrow(rows) == 1) {
      return(sprintf("%s, at the peak: %s with %s", name, format_number(rows$peak), as_code(rows$mode)))
    }
    sprintf(
      "%s, at the peak: from %s with %s to %s with %s", name, format_number(rows$peak[1]),
      as_code(rows$mode[1]), format_number(rows$peak[nrow(rows)]), as_code(rows$mode[nrow(rows)])
    )
  }, "")
  paste0(capitalised(paste(told, collapse = "; ")), ".")
}

# ---- All figures -----------------------------------------------------------------------------

client_columns <- c(
  "throughput_per_s", "error_percent", "latency_p50_ms", "latency_p95_ms", "latency_p99_ms", "latency_p99_9_ms"
)
server_columns <- c(
  "cpu_us_per_request", "threads_peak", "rss_mib", "machine_context_switches_per_request", "gc_pause_ms"
)
# Of servers with a database behind them.
database_columns <- c("pool_wait_mean_ms", "backend_cpu_us_per_request")
# Of loads that may not all be let in.
queue_columns <- c("accept_queue_peak", "listen_overflows", "retransmits")

#' All tiers of a tool in one table, see table_modes().
table_all_tiers <- function(all, tool, columns) {
  wanted <- tool
  tiers <- intersect(tier_levels(all$summary), all$summary[tool == wanted]$tier)
  rbindlist(lapply(tiers, function(name) {
    cbind(Tier = name, table_modes(all$summary, all$study, name, tool, columns)[, !"Valid"])
  }))
}

#' One figure of a tool over tiers: a row a mode, a column a tier, median over valid repetitions and
#' range; † marks the range where no repetition is valid.
table_over_tiers <- function(all, tool, tiers, modes, column) {
  wanted <- list(tool = tool, tiers = tiers, modes = modes)
  cells <- all$summary[
    tool == wanted$tool & tier %in% wanted$tiers & mode %in% wanted$modes & outcome != "beyond_limits"
  ]
  if (nrow(cells) == 0) return(data.table())
  cells[, figure := get(column)]
  told <- cells[, .(text = over_repetitions(figure, poolable(.SD))), by = .(mode, tier), .SDcols = c("valid", "outcome")]
  wide <- dcast(told, mode ~ factor(tier, intersect(tiers, tier)), value.var = "text", fill = no_figure)
  setnames(wide[order(match(mode, mode_levels(mode)))], "mode", "Mode")[]
}

#' The cells that are not valid, without what is the same for all of a study.
table_not_valid <- function(all) {
  table <- table_invalid(all$summary)
  table[, Cell := sub(paste0(all$study, "/"), "", Cell, fixed = TRUE)]
  table[, Bounds := bounds_text(all$summary[!poolable(all$summary)])][]
}

# What a cell that is not valid still bounds, in words.
bounds_text <- function(cells) {
  words <- c(at_least = "at least", at_most = "at most")
  told <- cells[, paste0(
    ifelse(bound_throughput == "", "", paste("throughput", words[bound_throughput])),
    ifelse(bound_throughput == "" | bound_latency == "", "", ", "),
    ifelse(bound_latency == "", "", paste("latency", words[bound_latency]))
  )]
  ifelse(told == "", no_figure, told)
}

#' A table of Markdown with its label and caption, where a chunk has more than one.
captioned_table <- function(label, caption, table, code = character()) {
  paste(c(sprintf("::: {#%s}", label), "", show_table(table, code), "", caption, ":::"), collapse = "\n")
}

#' The source's own table beside ours, a table a tier.
#'
#' @param label identifier of the tables, completed by the tier.
#' @return one string of Markdown.
source_tables <- function(all, published, tiers, label) {
  tables <- vapply(tiers, function(name) {
    caption <- sprintf(
      "Tier `%s`: the source beside ours, medians over valid repetitions with their range. † marks the range where no repetition is valid.",
      name
    )
    captioned_table(paste0(label, "-", name), caption, table_published(all$summary, published, all$study, name))
  }, "")
  paste(tables, collapse = "\n\n")
}

#' All figures of a study: what is valid, what users saw and what the server used, a table a tool
#' each, and the cells that are not valid.
#'
#' @param label of the study in identifiers.
#' @param server columns of the summary.
#' @return one string of Markdown.
all_figures <- function(all, label, server = server_columns) {
  kinds <- c(valid = "Valid cells of all cells", clients = "What users saw", server = "What the server used")
  of_tool <- function(tool) {
    table <- list(
      valid = table_validity(all$summary, all$study, tool),
      clients = table_all_tiers(all, tool, client_columns), server = table_all_tiers(all, tool, server)
    )
    vapply(names(kinds), function(kind) {
      pooling <- if (kind != "valid") {
        ": median over valid repetitions and range; † marks the range where no repetition is valid"
      }
      captioned_table(
        sprintf("tbl-%s-%s-%s", label, kind, gsub("[^a-z]+", "-", tool)),
        paste0(kinds[[kind]], ", ", loop_names[[tool]], pooling, "."), table[[kind]], c("Tier", "Mode")
      )
    }, "")
  }
  invalid <- if (any(!poolable(all$summary))) {
    captioned_table(paste0("tbl-", label, "-invalid"), paste(
      "Every cell that is not valid, why, and what it still bounds. To measure one again, delete its folder, or run",
      "`snakemake --cores 4 -f results/cells/<cell>/cell.json`."
    ), table_not_valid(all), "Cell")
  }
  tools <- intersect(names(loop_names), all$summary$tool)
  paste(c(unlist(lapply(tools, of_tool)), sentence_validity(all$summary), invalid), collapse = "\n\n")
}
