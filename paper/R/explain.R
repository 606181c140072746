# Why a mode wins or loses against its baseline: what its CPU time goes to, its threads, its
# switches, its queue. Every value is the cells'; a sentence without its values is left out.

activities <- c(
  "accept" = "accepting connections", "thread start" = "starting and ending threads",
  "park and unpark" = "parking, waking and scheduling threads",
  "read and parse" = "reading and parsing requests", "handler" = "the handler",
  "write" = "writing answers", "connection close" = "closing connections",
  "framework" = "Tomcat's and Spring's own work", "remote or database" = "calling the remote or the database",
  "logging" = "writing logs", "measuring" = "what the server measures of itself", "GC" = "garbage collection",
  "JIT" = "compiling", "kernel other" = "other kernel work", "JVM other" = "other work of the JVM",
  "not sampled" = "work that the profiler did not see"
)

# Medians of a mode's valid cells at one tier and tool.
median_of <- function(all, mode, tier, tool, column) {
  wanted <- list(mode = mode, tier = tier, tool = tool)
  cells <- all$summary[poolable(all$summary)]
  median(cells[mode == wanted$mode & tier == wanted$tier & tool == wanted$tool][[column]], na.rm = TRUE)
}

#' Where a pair is best explained: both valid and profiled, and most samples.
#'
#' @return list of tier and tool; NULL where there is no such place.
best_evidence <- function(all, mode, versus) {
  pair <- c(mode, versus)
  sampled <- all$cpu_groups[mode %in% pair & valid & outcome == "completed" & !is.na(cpu_us_per_request)]
  places <- sampled[, .(both = uniqueN(mode), samples = sum(samples)), by = .(tier, tool)]
  places <- places[both == 2 & samples > 0][order(-samples)]
  if (nrow(places) == 0) NULL else as.list(places[1, .(tier, tool)])
}

#' CPU time per request of both sides by group, at one place: see moved_rows().
group_difference <- function(all, mode, versus, place) {
  wanted <- c(list(cause = "", mode = mode, versus = versus), place)
  all$moved[wanted, on = names(wanted), nomatch = NULL]
}

signed_us <- function(us) paste0(ifelse(us < 0, "−", "+"), format_number(abs(us)), " µs")

#' The CPU time of a mode against its baseline, and the groups of stacks that make the difference.
sentence_cpu_cause <- function(all, mode, versus, place) {
  groups <- group_difference(all, mode, versus, place)
  total_us <- c(sum(groups$mode_us), sum(groups$versus_us))
  verdict <- pick_comparison(
    all$comparisons, all$study, mode, place$tier, place$tool, "cpu_us_per_request"
  )$verdict
  caution <- switch(verdict,
    lower = , higher = "",
    equivalent = ", a difference within the margin of equivalence",
    ", a difference that the repetitions do not decide"
  )
  sprintf(
    "At %s in the %s, a request cost the server %s µs of CPU time with %s and %s µs with %s%s. %s",
    as_code(place$tier), loop_names[[place$tool]], format_number(total_us[1]), as_code(mode),
    format_number(total_us[2]), as_code(versus), caution, sentence_moved(groups)
  )
}

#' The groups that differ beyond their intervals, at most three, and what these rest on.
sentence_moved <- function(groups) {
  clear <- head(groups[beyond == TRUE], 3)
  noise <- noise_of_groups(groups$sessions)
  if (nrow(clear) == 0) return(sprintf("No group of stacks differs beyond its interval (%s).", noise))
  names_of <- ifelse(clear$group %in% names(activities), activities[clear$group], clear$group)
  told <- sprintf("%s (%s ± %s)", names_of, signed_us(clear$more_us), format_number(clear$reach_us))
  sprintf("What moved most, beyond its interval: %s (%s).", enumerate(told), noise)
}

#' Threads of a mode against its baseline, and the context switches of the machine while each was loaded.
sentence_threads <- function(all, mode, versus, place) {
  figure <- function(name, column) format_number(median_of(all, name, place$tier, place$tool, column))
  sprintf(
    "There %s had %s threads at the peak (%s before the load), and the machine made %s context switches a request, the generator's included; %s had %s (%s), with %s.",
    as_code(mode), figure(mode, "threads_peak"), figure(mode, "threads_idle"),
    figure(mode, "machine_context_switches_per_request"), as_code(versus), figure(versus, "threads_peak"),
    figure(versus, "threads_idle"), figure(versus, "machine_context_switches_per_request")
  )
}

# These give every thread a clock of its own, which starts again with each thread.
engines_by_thread <- c("perf_events", "ctimer")

#' How much of the difference lies in what the profiler could not see; nothing where that is little.
sentence_unseen <- function(all, mode_id, versus, place) {
  groups <- group_difference(all, mode_id, versus, place)
  unseen <- groups[group == unseen_group]
  if (nrow(unseen) == 0) return("")
  shares <- c(unseen$mode_us / sum(groups$mode_us), unseen$versus_us / sum(groups$versus_us))
  if (max(shares, na.rm = TRUE) < 0.1) return("")
  engines <- unique(all$summary[mode %in% c(mode_id, versus) & !is.na(profiler_engine)]$profiler_engine)
  sprintf(
    "The profiler saw %s of the CPU time of %s and %s of that of %s%s.", percent(1 - shares[1]),
    as_code(mode_id), percent(1 - shares[2]), as_code(versus),
    if (any(engines %in% engines_by_thread)) "; a thread that ends before its first sample is never seen" else ""
  )
}

#' Why a mode differs from its baseline, in one paragraph.
explain_pair <- function(all, mode, versus) {
  place <- best_evidence(all, mode, versus)
  if (is.null(place)) {
    return(sprintf(
      "%s and %s have no tier at which both are valid and were sampled, so the profiles say nothing on them.",
      as_code(mode), as_code(versus)
    ))
  }
  paragraph(
    sentence_cpu_cause(all, mode, versus, place), sentence_unseen(all, mode, versus, place),
    sentence_threads(all, mode, versus, place)
  )
}

# ---- The bound of a pool ---------------------------------------------------------------------

#' Modes with a bound on how many requests they serve at once, at tiers where a request sleeps: what
#' Little's law allows and what was measured.
#'
#' @return data.table: mode, tier, tool, inside (requests served at once), sleep_ms, bound_per_s,
#'   offered_per_s, measured_per_s (median over all repetitions, those with rejections too), error_share.
pool_bounds <- function(all) {
  setups <- rbindlist(lapply(all$cells, function(cell) {
    setup <- read_setup(cell)
    as.data.table(c(setup[c("mode", "tier", "tool")], inside = setup$most_inside, sleep_ms = 1000 * setup$wait_s))
  }))
  setups <- unique(setups[is.finite(inside) & sleep_ms > 0])
  if (nrow(setups) == 0) return(data.table())
  bounds <- all$summary[outcome != "beyond_limits"][setups, on = c("mode", "tier", "tool"), nomatch = NULL][, .(
    inside = inside[1], sleep_ms = sleep_ms[1], bound_per_s = 1000 * inside[1] / sleep_ms[1],
    offered_per_s = offered_per_s[1], measured_per_s = median(throughput_per_s),
    error_share = median(error_share)
  ), by = .(mode, tier, tool)]
  bounds[order(match(mode, mode_levels(mode)), match(tier, tier_levels(all$summary)))]
}

# Beyond a twentieth above, the pool was not what bounded it, and that would be news.
within_bound <- function(bounds) bounds$measured_per_s <= 1.05 * bounds$bound_per_s

#' In how many places the bound holds, and where it does not.
sentence_bounds <- function(bounds) {
  kept <- within_bound(bounds)
  above <- bounds[!kept, sprintf("%s at %s (%s/s, bound %s/s)", as_code(mode), as_code(tier), format_number(measured_per_s), format_number(bound_per_s))]
  sprintf(
    "In %d of %d places the measured throughput is within its bound%s.", sum(kept), nrow(bounds),
    if (length(above) > 0) paste("; **above** it are", enumerate(above)) else ""
  )
}

show_bounds <- function(bounds) {
  show_table(bounds[, .(
    Mode = mode, Tier = tier, Loop = sub(" loop", "", loop_names[tool]), "At once" = inside, "Sleep (s)" = sleep_ms / 1000,
    "Bound (1/s)" = bound_per_s, "Offered (1/s)" = offered_per_s, "Measured (1/s)" = measured_per_s,
    "Failed (%)" = 100 * error_share
  )], code = c("Mode", "Tier"))
}

caption_bounds <- paste(
  "What Little's law allows (@eq-bound), from how many requests a mode serves at once and how long each sleeps, and what was measured: medians",
  "over all repetitions that ran, those with failed requests too."
)

#' How many requests a pool can hold, and what that allows it to refuse of a burst.
sentences_room <- function(all, tiers) {
  bursts <- tiers[at_once == TRUE, .(tier, threads)]
  unlist(lapply(mode_levels(all$summary$mode), function(name) {
    cell <- Find(function(cell) cell$cell$mode == name, all$cells)
    options <- cell$configuration$mode$options
    held <- option_of(options, "max-threads")
    queued <- option_of(options, "queue-capacity")
    cells <- merge(all$summary[mode == name & tool == "jmeter"], bursts, by = "tier")
    if (is.null(held) || is.null(queued) || nrow(cells) == 0) return(NULL)
    room <- held + queued
    refused <- cells[, .(share = median(error_share), most = max(0, 1 - room / threads[1])), by = tier]
    refused <- refused[order(match(tier, bursts$tier))]
    sprintf(
      "%s has room for %s requests, %s with a thread and %s in the queue. Of a burst, the share that failed, and the share that finds no room if nothing is answered meanwhile: %s.",
      as_code(name), format_number(room), format_number(held),
      format_number(queued), enumerate(sprintf(
        "%s %s of %s", as_code(refused$tier), percent(refused$share), percent(refused$most)
      ))
    )
  }))
}

# ---- The listen queue ------------------------------------------------------------------------

#' Modes whose listen queue overflowed in some cell.
sentences_overflows <- function(all) {
  by_load <- tier_levels(all$summary)
  full <- all$summary[listen_overflows > 0]
  unlist(lapply(mode_levels(full$mode), function(name) {
    cells <- full[mode == name]
    sprintf(
      "%s: it overflowed in %s, at %s; %s connections each time.", as_code(name), count_of(nrow(cells), "cell"),
      tier_list(by_load[by_load %in% cells$tier]), span(cells$listen_overflows)
    )
  }))
}

# ---- The published traps ---------------------------------------------------------------------

percent_span <- function(shares) if (length(shares) == 0) NA_character_ else span(100 * shares)

#' Each as-published mode beside its corrected twin, a row a tier and tool.
table_traps <- function(all) {
  rows <- lapply(published_modes(all$summary), function(name) {
    twin <- base_of(name)
    places <- unique(all$summary[mode == name, .(tier, tool)])
    places <- places[order(tool, match(tier, tier_levels(all$summary)))]
    rbindlist(lapply(seq_len(nrow(places)), function(index) {
      place <- places[index]
      one <- function(which) all$summary[mode == which & tier == place$tier & tool == place$tool]
      theirs <- one(name)
      ours <- one(twin)
      data.table(
        Mode = twin, Tier = place$tier, Loop = sub(" loop", "", loop_names[[place$tool]]),
        "Alive after" = paste(sum(theirs$outcome == "completed"), "of", nrow(theirs)),
        "corrected: alive" = paste(sum(ours$outcome == "completed"), "of", nrow(ours)),
        "Errors (%)" = percent_span(theirs$error_share), "corrected: errors" = percent_span(ours$error_share),
        "Overflows" = if (nrow(theirs) == 0) NA_character_ else span(theirs$listen_overflows),
        "corrected: overflows" = if (nrow(ours) == 0) NA_character_ else span(ours$listen_overflows)
      )
    }))
  })
  rbindlist(rows)
}

#' What the traps did to a published mode.
sentences_traps <- function(all) {
  by_load <- tier_levels(all$summary)
  unlist(lapply(published_modes(all$summary), function(name) {
    cells <- all$summary[mode == name]
    twin <- all$summary[mode == base_of(name)]
    ended <- cells[outcome != "completed"]
    kinds <- function(cells) {
      found <- unique(sub("=.*", "", unlist(strsplit(cells$errors, ";"))))
      if (length(found) == 0) "none" else enumerate(as_code(found))
    }
    paragraph(
      if (nrow(ended) == 0) {
        sprintf("%s answered after the load in all of its %s.", as_code(name), count_of(nrow(cells), "cell"))
      } else {
        sprintf(
          "%s no longer answered after the load in %d of its %s (%s), at %s.", as_code(name), nrow(ended),
          count_of(nrow(cells), "cell"), enumerate(as_code(unique(ended$outcome))),
          tier_list(by_load[by_load %in% ended$tier])
        )
      },
      sprintf(
        "The corrected mode did so in %d of %d. Kinds of errors: %s as published, %s corrected.",
        nrow(twin[outcome == "completed"]), nrow(twin), kinds(cells), kinds(twin)
      )
    )
  }))
}

#' How many servers the traps ended, beside those without them.
sentence_of_traps <- function(all) {
  ended <- function(modes) {
    cells <- all$summary[mode %in% modes]
    sprintf("%d of %s", sum(cells$outcome != "completed"), count_of(nrow(cells), "cell"))
  }
  traps <- published_modes(all$summary)
  if (length(traps) == 0) return("")
  sprintf(
    "As published, with the source's traps, %s ended with a server that no longer answered; without the traps %s did (@sec-%s-all).",
    ended(traps), ended(base_of(traps)), all$study
  )
}

# ---- The source's own figures ----------------------------------------------------------------

#' The source's ratios beside ours.
#'
#' @param all results of one study, with `directions`, see compare_directions().
#' @return data.table of text, a row per tier, mode and figure: Tier, Mode (with its baseline), Figure,
#'   The source, Ours, Verdict.
table_direction <- function(all) {
  by_load <- tier_levels(all$summary)
  rows <- all$directions[order(match(tier, by_load), match(mode, mode_levels(mode)))]
  rows[, .(
    Tier = tier, Mode = mode, Baseline = versus, Figure = title_of(statistic),
    "The source" = ifelse(is.finite(theirs), format_number(theirs), no_figure),
    "Ours, with 95 % interval" = trimws(paste(effect_with_interval(.SD), ifelse(forgiven > 0, not_valid_mark, ""))),
    Verdict = verdict_text(verdict, reason)
  ), .SDcols = names(rows)]
}

caption_direction <- function() {
  sprintf(
    paste(
      "The source's ratios of two modes, of one run each, and ours, over repetitions. A dash where the source printed 0;",
      "† where cells of ours fail no check but those that the source did not make (%s)."
    ), enumerate(as_code(unchecked_by_sources))
  )
}

#' In how many of the source's ratios ours points the same way.
sentence_direction <- function(directions) {
  if (nrow(directions) == 0) return("The source's ratios were not measured in this run.")
  counts <- table(factor(directions$direction, source_directions))
  decided <- sum(counts[c("same", "opposite")])
  if (decided == 0) {
    return("None of the differences that the source found is decided here, one way or the other.")
  }
  sprintf(
    "Of the source's %s, %s decided here: %d the same way, %d the other way.",
    count_of(decided + counts[["not decided"]], "difference"), is_or_are(decided), counts[["same"]], counts[["opposite"]]
  )
}

# ---- Little's law ----------------------------------------------------------------------------

#' Little's law for users of a closed loop: how many of them the answers account for.
#'
#' @return data.table, a row per mode and tier: users (who were there, on average), per_s, mean_ms,
#'   under_way (X·R), medians over all repetitions that ran, share (of the users), cut_off (requests
#'   that the end cut off).
table_little <- function(all, tiers, modes) {
  wanted <- list(tiers, modes)
  cells <- all$summary[tier %in% wanted[[1]] & mode %in% wanted[[2]] & loop == "closed" & outcome != "beyond_limits"]
  rows <- cells[, .(
    users = median(fcoalesce(users_alive, users)), per_s = median(answers_per_s), mean_ms = median(1000 * under_way / answers_per_s),
    under_way = median(under_way), cut_off = median(requests_cut_off)
  ), by = .(tier, mode)]
  rows[, share := under_way / users]
  rows[order(match(tier, tiers), match(mode, mode_levels(mode)))]
}

show_little <- function(rows) {
  show_table(rows[, .(
    Tier = tier, Mode = mode, Users = users, "X (1/s)" = per_s, "R (s)" = mean_ms / 1000,
    "X·R" = under_way, "of the users (%)" = 100 * share, "Cut off at the end" = cut_off
  )], code = c("Tier", "Mode"))
}

sentences_little <- function(rows) {
  sprintf(
    "%s at %s: X·R = %s/s × %s s = %s of %s users, %s.", as_code(rows$mode), as_code(rows$tier),
    format_number(rows$per_s), format_number(rows$mean_ms / 1000), format_number(rows$under_way),
    format_number(rows$users), ifelse(
      rows$share >= 0.8, "which closes", paste0(
        "which leaves ", percent(1 - rows$share), " of the users' waiting out of the latency; ",
        format_number(rows$cut_off), " of their requests were still unanswered at the end"
      )
    )
  )
}

#' Each pair explained.
explain_all <- function(all, pairs) {
  vapply(seq_len(nrow(pairs)), function(index) {
    explain_pair(all, pairs$mode[index], pairs$versus[index])
  }, "")
}
