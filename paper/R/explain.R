# What a study's sections say of limits, queues, published traps and Little's law. Every value is the cells'.

# ---- Profiles --------------------------------------------------------------------------------

#' What stands with the bars of a study: what they exclude, and what the profiler cost there.
#'
#' @param all results of one study; `tool`, `tiers`, `modes` that are drawn.
note_on_profiles <- function(all, tool, tiers, modes) {
  wanted <- list(tool, tiers, modes)
  drawn <- all$cpu_groups[tool == wanted[[1]] & tier %in% wanted[[2]] & mode %in% wanted[[3]]]
  cost <- all$profiler_cost[study == all$study]
  paragraph(
    "Shares are of the samples, with 95 % intervals.", sentence_jit(drawn), if (nrow(cost) > 0) sentence_profiler_cost(cost)
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
