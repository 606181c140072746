# The section on kinds of threads: what is due to the kind, and what to how many are let in.

# ---- Kind of thread, and how many are let in -------------------------------------------------

#' Modes by kind of thread and by how many requests they let in.
#'
#' @return data.table: mode, kind (platform, virtual), inside (requests served at once; Inf for no
#'   limit), jdk (NA for that of the set-up).
read_kinds <- function(all, tier, modes) {
  wanted <- tier
  rbindlist(lapply(modes, function(name) {
    cell <- Find(function(cell) cell$cell$mode == name && cell$cell$tier %in% wanted, all$cells)
    setup <- read_setup(cell)
    data.table(
      mode = name, kind = if (grepl("virtual", setup$handling)) "virtual threads" else "platform threads",
      inside = setup$most_inside, jdk = number(cell$configuration$mode$jdk)
    )
  }))
}

inside_text <- function(inside) {
  ifelse(is.finite(inside), paste(format_number(inside), "let in"), "no limit")
}

#' Kinds of threads against how many are let in: what each mode does at one tier, and its ratio to
#' the baseline.
#'
#' @param kinds see read_kinds().
#' @return ggplot.
figure_kinds <- function(all, kinds, tier, tool, statistic) {
  wanted <- list(tier = tier, tool = tool, statistic = statistic)
  cells <- all$summary[poolable(all$summary)][tier == wanted$tier & tool == wanted$tool & mode %in% kinds$mode]
  cells <- cells[is.finite(get(statistic)) & get(statistic) > 0]
  if (nrow(cells) == 0) return(nothing_to_draw("no valid cell"))
  tiles <- cells[, geometric(get(wanted$statistic)), by = mode][kinds, on = "mode", nomatch = NULL]
  ratios <- all$comparisons[tier == wanted$tier & tool == wanted$tool & statistic == wanted$statistic]
  ratios[, ratio := ifelse(is.na(estimate), NA, effect_with_interval(ratios))]
  tiles <- ratios[, .(mode, versus, ratio)][tiles, on = "mode"]
  tiles[, `:=`(
    column = factor(ifelse(inside == min(inside), "few let in", "many let in"), c("few let in", "many let in")),
    kind = factor(kind, c("virtual threads", "platform threads")),
    text = sprintf(
      "%s (%s)\n%s %s\n%s", mode, inside_text(inside), with_interval(middle, low, high), unit_of_statistic(wanted$statistic),
      ifelse(is.na(versus), "the baseline", ifelse(is.na(ratio), "no ratio", paste("×", ratio)))
    )
  )]
  ggplot(tiles, aes(column, kind)) +
    geom_tile(aes(fill = mode), colour = ink, linewidth = 0.3, width = 0.96, height = 0.92) +
    geom_text(aes(label = text), size = 2.7, colour = ink, lineheight = 1.05) +
    scale_fill_manual(values = setNames(lighter(mode_colours(tiles$mode), 0.7), unique(tiles$mode))) +
    labs(title = title_of(statistic), x = NULL, y = NULL) +
    theme_artifact() +
    theme(
      legend.position = "none", panel.grid.major = element_blank(), panel.border = element_blank(),
      axis.text.y = element_text(angle = 90, hjust = 0.5), plot.title = element_text(size = 8.5, face = "bold")
    )
}

#' Both together: throughput and mean latency.
figure_both_kinds <- function(all, kinds, tier, tool) {
  figure_kinds(all, kinds, tier, tool, "throughput_per_s") +
    figure_kinds(all, kinds, tier, tool, "latency_mean_ms") + plot_layout(ncol = 1)
}

#' How much of what virtual threads change is due to letting more in.
#'
#' On the logarithm ratios add up: from few platform threads to many, and from there to virtual ones.
sentence_kinds <- function(all, kinds, tier, tool, statistic = "throughput_per_s") {
  wanted <- list(tier = tier, tool = tool, statistic = statistic)
  few <- min(kinds$inside)
  rows <- all$comparisons[tier == wanted$tier & tool == wanted$tool & statistic == wanted$statistic]
  rows <- kinds[rows, on = "mode", nomatch = NULL]
  one <- function(of_kind, many) rows[kind == of_kind & (inside > few) == many]
  said <- function(row, words) {
    if (nrow(row) != 1) return("")
    sprintf(words, as_code(row$mode), if (is.na(row$estimate)) {
      paste0("cannot be compared: ", row$reason)
    } else {
      effect_with_interval(row)
    })
  }
  more <- one("platform threads", TRUE)
  both <- one("virtual threads", TRUE)
  about <- title_of(statistic)
  told <- Filter(nzchar, c(
    said(more, "more platform threads (%s): %s"), said(one("virtual threads", FALSE), "virtual threads, as few let in (%s): %s"),
    said(both, "virtual threads and no limit (%s): %s")
  ))
  if (length(told) == 0) return(sprintf("At %s no mode has a baseline.", as_code(tier)))
  paragraph(
    sprintf("%s against few platform threads at %s, %s: %s.", capitalised(about), as_code(tier), loop_names[[tool]], enumerate(told, "; ")),
    sentence_let_in(more, both)
  )
}

# The part of the difference that letting more in makes. A difference within the margin has no parts, nor
# has a bound.
sentence_let_in <- function(more, both) {
  if (nrow(more) != 1 || nrow(both) != 1 || any(c(more$bound, both$bound) != "")) return("")
  share <- log(more$estimate) / log(both$estimate)
  if (!isTRUE(share > 0 && abs(log(both$estimate)) > equivalence$ratio)) return("")
  sprintf(
    "So letting more in makes %s of the whole difference (as logarithms), whatever kind of thread does it.",
    if (share < 1) percent(share) else "all"
  )
}

# ---- What Tomcat does with more than its threads ---------------------------------------------

#' Whether requests failed where more came at once than the source says a pool can take.
#'
#' @param published see read_published().
sentence_rejection <- function(all, published, tiers) {
  bounded <- published[figure == "concurrent_before_errors"]
  most <- bounded$value
  cells <- all$summary[mode %in% bounded$mode & tier %in% tiers & loop == "closed" & users > most]
  if (nrow(cells) == 0) return(sprintf("More than %s users at once were not offered in this run.", format_number(most)))
  sprintf(
    "Here %s users asked at once, and %s of the requests failed, in %s.", span(cells$users),
    percent(max(cells$error_share)), count_of(nrow(cells), "cell")
  )
}

# ---- Real queries ----------------------------------------------------------------------------

#' Cells behind a pool, with its size; the mode is the family of its sizes.
#'
#' @param option the size as modes state it: of connections, or of Tomcat's threads.
by_pool_size <- function(all, tiers, option = "spring.datasource.hikari.maximum-pool-size") {
  sizes <- vapply(all$cells, function(cell) number(cell$configuration$mode$options[[option]]), 0)
  cells <- copy(all$summary)[, pool_size := sizes][tier %in% tiers & !is.na(pool_size)]
  cells[, mode := mode_facts(mode)$family][]
}

#' For each family the pool size with the highest throughput, and the smallest that comes
#' within the margin of it.
#'
#' @param cells see by_pool_size(); `of` what the pool holds.
sentences_best_pool <- function(cells, of = "connections") {
  pooled <- cells[poolable(cells) & throughput_per_s > 0, geometric(throughput_per_s), by = .(tier, mode, pool_size)]
  vapply(split(pooled, by = c("tier", "mode")), function(rows) {
    best <- rows[which.max(middle)]
    enough <- rows[middle >= best$middle * exp(-equivalence$ratio), min(pool_size)]
    sprintf(
      "%s at %s: highest with %s %s, %s answers a second; %s", as_code(best$mode), as_code(best$tier),
      format_number(best$pool_size), of, with_interval(best$middle, best$low, best$high),
      if (enough == best$pool_size) {
        "no smaller pool comes within 5 % of it."
      } else {
        sprintf("%s come within 5 %% of it.", format_number(enough))
      }
    )
  }, "")
}

#' How near the rule of thumb for the size of a pool comes to the highest throughput.
#'
#' @param cells see by_pool_size(), of one tier.
sentence_rule_of_thumb <- function(all, cells) {
  setup <- read_setup(Find(function(cell) cell$cell$tier %in% cells$tier, all$cells))
  if (setup$work_s == 0) return("")
  enough <- round(setup$cpus * (1 + setup$wait_s / setup$work_s))
  pooled <- cells[poolable(cells) & throughput_per_s > 0, geometric(throughput_per_s), by = pool_size]
  by_rule <- pooled[pool_size <= enough][order(-pool_size)][1]
  paragraph(
    sprintf(
      "As a rule of thumb a pool needs CPUs × (1 + waiting / computing) threads [@goetz2006, section 8.2]: %s here.", format_number(enough)
    ),
    if (isTRUE(by_rule$middle > 0)) sprintf(
      "With %s threads %s of the highest throughput is reached.", format_number(by_rule$pool_size), percent(by_rule$middle / max(pooled$middle))
    )
  )
}

#' Virtual against platform threads at each pool size.
sentence_kinds_by_pool <- function(all, tiers, statistic = "throughput_per_s") {
  wanted <- statistic
  rows <- all$comparisons[tier %in% tiers & statistic == wanted & !is.na(versus)]
  rows[, size := mode_facts(mode)$size]
  rows <- rows[size == mode_facts(versus)$size]
  unlist(lapply(intersect(tiers, rows$tier), function(at) {
    some <- rows[tier == at][order(size)]
    some <- copy(some)[, tier := paste(size, "connections")]
    sprintf("Virtual against platform threads at %s: %s.", as_code(at), gsub("`", "", clause_over_tiers(some)))
  }))
}

#' How long requests waited for a connection, as a share of their latency; medians over all repetitions
#' that completed.
sentence_pool_wait <- function(cells) {
  waits <- cells[outcome == "completed" & !is.na(pool_wait_mean_ms), .(
    wait_ms = median(pool_wait_mean_ms), latency_ms = median(latency_mean_ms)
  ), by = .(tier, mode, pool_size)]
  if (nrow(waits) == 0) return("No cell counted the waits for a connection.")
  waits[, share := wait_ms / latency_ms]
  most <- waits[which.max(share)]
  least <- waits[which.min(share)]
  told <- function(row) {
    sprintf(
      "%s ms of %s ms (%s) with %s and %s connections", format_number(row$wait_ms), format_number(row$latency_ms),
      percent(row$share), as_code(row$mode), format_number(row$pool_size)
    )
  }
  sprintf("Of its mean latency a request waited for a connection from %s to %s.", told(least), told(most))
}

# ---- Locks -----------------------------------------------------------------------------------

#' What holding a lock while waiting does, by kind of lock and JDK.
table_locks <- function(all, tiers) {
  cells <- all$summary[tier %in% tiers]
  rows <- lapply(mode_levels(cells$mode), function(name) {
    one <- cells[mode == name]
    setup <- read_setup(Find(function(cell) cell$cell$mode == name && cell$cell$tier %in% tiers, all$cells))
    figure <- function(values) over_repetitions(values, poolable(one))
    data.table(
      Mode = name, "Throughput (1/s)" = figure(one$throughput_per_s), "Mean (ms)" = figure(one$latency_mean_ms),
      "Pinned per request" = figure(one$pinned / one$counted_requests),
      "Pinned per request (ms)" = figure(one$pinned_ms / one$counted_requests),
      "Threads, peak" = figure(one$threads_peak),
      "Bound by carriers (1/s)" = if (is.finite(setup$most_inside)) format_number(setup$most_inside / setup$wait_s) else no_figure
    )
  })
  rbindlist(rows)
}

#' Each lock against the other, and each JDK against the other.
sentences_locks <- function(all, tiers) {
  sentences_over_tiers(all, "jmeter", modes_at(all, tiers), c("throughput_per_s", "latency_mean_ms"), tiers)
}

# ---- Memory ----------------------------------------------------------------------------------

#' What a waiting thread holds, where it was measured.
sentence_memory <- function(results) {
  path <- file.path(results, "primitives", "thread-memory.csv")
  if (!file.exists(path)) return("It was not measured in this run.")
  sentence_thread_memory(read_thread_memory(path))
}
