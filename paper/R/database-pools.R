# The section on databases: threads in the server, connections before it, and both together.

#' Modes of MariaDB whose clients keep their connections: its ways of using threads.
modes_that_keep <- function(all) {
  keep <- Filter(function(cell) {
    cell$cell$tool == "sysbench" && identical(cell$configuration$engine$id, "mariadb") &&
      is.null(cell$configuration$mode$client)
  }, all$cells)
  intersect(main_modes(all$summary), from_cells(keep, function(cell) cell$cell$mode, ""))
}

# ---- What a connection costs -----------------------------------------------------------------

#' Loads of one tier that make a connection for every k transactions, MariaDB.
#'
#' @return data.table: mode, per_transaction (connections a transaction; 0 for kept ones), per_s.
reconnecting_cells <- function(all, at) {
  every <- vapply(all$cells, function(cell) {
    number(c(cell$configuration$mode$client$reconnect_every, 0)[1])
  }, 0)
  engine <- vapply(all$cells, function(cell) words(cell$configuration$engine$id), "")
  cells <- copy(all$summary)[, `:=`(every = every, engine = engine)]
  measured <- cells$tool == "sysbench" & cells$tier == at & cells$engine %in% "mariadb" & poolable(cells)
  # Those that keep their connections, but are otherwise alike.
  kept <- base_of(cells$mode) %in% cells$versus[measured & every > 0]
  wanted <- measured & (every > 0 | kept)
  cells[wanted, .(mode, per_transaction = fifelse(every == 0, 0, 1 / every), per_s = throughput_per_s)]
}

sentence_connection_cost <- function(cost, at) {
  if (is.null(cost)) {
    return("Too few kinds of reconnecting were measured to show what a connection costs.")
  }
  sprintf(
    paste(
      "At %s, with the server's CPU used up, a transaction takes %s ms of it and making a connection %s ms more, by a",
      "straight line over connections per transaction that explains %s of what differs."
    ),
    as_code(at), with_interval(cost$work_ms, cost$work_ms_low, cost$work_ms_high),
    with_interval(cost$connect_ms, cost$connect_ms_low, cost$connect_ms_high), percent(cost$r_squared)
  )
}

#' What keeping connections should bring at other tiers by that cost, and what it brought.
#'
#' @return data.table of text, a row per tier with as many clients: Tier, Transaction (ms), Predicted,
#'   Measured.
table_predicted_gain <- function(all, cost, tiers) {
  rows <- rbindlist(lapply(tiers, function(at) {
    cells <- reconnecting_cells(all, at)
    kept <- cells[per_transaction == 0]$per_s
    each_time <- cells[per_transaction == 1]$per_s
    if (is.null(cost) || length(kept) == 0 || length(each_time) == 0) return(NULL)
    work_ms <- 1000 / exp(mean(log(kept)))
    data.table(
      Tier = at, "Transaction (ms)" = format_number(work_ms),
      "Predicted: 1 + T_connect / T_work" = format_number(1 + cost$connect_ms / work_ms),
      "Measured" = format_number(exp(mean(log(kept)) - mean(log(each_time))))
    )
  }))
  rows
}

#' The tier at which most ways of making connections were measured.
tier_of_reconnecting <- function(all) {
  tiers <- tier_levels(all$summary)
  ways <- vapply(tiers, function(at) uniqueN(reconnecting_cells(all, at)$per_transaction), 0L)
  tiers[which.max(ways)]
}

#' What the pooler brings, or costs, where clients keep their connections.
sentence_kept_pooler <- function(all) {
  setups <- unique(rbindlist(lapply(all$cells, function(cell) {
    data.table(mode = cell$cell$mode, engine = words(cell$configuration$engine$id), keeps = is.null(cell$configuration$mode$client))
  })))
  kept <- setups[keeps == TRUE]
  rows <- all$comparisons[statistic == "throughput_per_s" & !is.na(estimate) & mode %in% kept$mode & versus %in% kept$mode]
  engine_of <- function(modes) kept$engine[match(modes, kept$mode)]
  rows <- rows[engine_of(mode) %in% "pgbouncer" & engine_of(versus) %in% "postgresql"]
  if (nrow(rows) == 0) return("")
  sprintf(
    "Where they keep their connections, PgBouncer made throughput %s (%s).", span(rows$estimate, " times"),
    enumerate(paste(as_code(rows$tier), effect_with_interval(rows)))
  )
}

#' What a pool of connections brings, and what the database's own pool of threads: one figure for both; NULL where no
#' mode was compared.
#'
#' @param tiers_asked tiers of sysbench; `kept` modes whose clients keep their connections; `tiers` see read_tiers().
answer_of_pools <- function(all, tiers_asked, kept, tiers) {
  rows <- all$comparisons[
    tool == "sysbench" & tier %in% tiers_asked & statistic == "throughput_per_s" & !is.na(estimate) & versus %in% kept & !is_variant(mode)
  ]
  if (nrow(rows) == 0) return(NULL)
  rows <- rows[order(match(tier, tiers$tier))]
  rows[, `:=`(
    load = tiers$title[match(tier, tiers$tier)],
    panel = ifelse(mode %in% kept, "pool of threads", "new connections")
  )]
  rows[, what := factor(paste0(load, ": ", mode), rev(unique(paste0(load, ": ", mode))))]
  answer(
    function() figure_of_pools(rows), 1.1 + 0.2 * nrow(rows),
    paste(
      "Transactions a second as a ratio to a thread for each connection with connections that are kept, with 95 % intervals, on a",
      "log scale: of clients that make new connections, and of the database's own pool of threads. Full points are decided, hollow",
      "ones are not; the band is the margin of equivalence."
    ),
    spoken(c("Ratios of throughput.", rows[, sprintf("%s: %s.", what, effect_with_interval(rows))]))
  )
}

figure_of_pools <- function(rows) {
  decided <- rows$verdict %in% c("higher", "lower", "equivalent")
  colours <- mode_colours(rows$mode)
  rows[, label := format_number(estimate)]
  ggplot(rows, aes(estimate, what, colour = mode)) +
    around_one(equivalence$ratio) +
    geom_linerange(aes(xmin = low, xmax = high), linewidth = 0.6, na.rm = TRUE) +
    geom_point(shape = 21, fill = ifelse(decided, colours[rows$mode], "white"), size = 2.2) +
    geom_text(aes(x = fcoalesce(high, estimate), label = paste0("  ", label)), hjust = 0, size = 2.7, colour = ink) +
    facet_grid(panel ~ ., scales = "free_y", space = "free_y", labeller = label_wrap_gen(14)) +
    scale_x_log10(labels = plain_number, breaks = scales::breaks_log(8), expand = expansion(c(0.04, 0.12))) +
    scale_colour_manual(values = colours) +
    labs(x = "ratio of throughput (log scale)", y = NULL) +
    theme_artifact() +
    theme(legend.position = "none", strip.text.y = element_text(angle = -90))
}

caption_gain <- function(at) {
  sprintf(
    paste(
      "What keeping connections brings over making one for every transaction: predicted by @eq-connect from the",
      "connection's cost at `%s` and the time of a transaction at each tier, and measured. With one client the CPU is",
      "not used up, and what is saved is waiting as well."
    ), at
  )
}

#' Connections and threads that were made, by mode and tier, from the database's own counters.
table_made <- function(all) {
  rows <- rbindlist(lapply(all$cells, function(cell) {
    counters <- cell$server$counters
    lasted_s <- number(cell$load$duration_s)
    made <- number(c(counters$Connections, counters$sessions)[1])
    if (is.na(made) || cell$cell$tool != "sysbench" || !isTRUE(cell$validity$valid)) return(NULL)
    data.table(
      tier = cell$cell$tier, mode = cell$cell$mode, connects = made / lasted_s,
      threads = number(c(counters$Threads_created, counters$sessions)[1]) / lasted_s,
      peak = number(cell$server$peak_threads),
      wait_ms = number(counters$pooler_total_wait_time) / 1000 / number(counters$pooler_total_xact_count)
    )
  }))
  if (nrow(rows) == 0) return(data.table())
  told <- rows[, lapply(.SD, median), by = .(tier, mode)]
  told <- told[order(match(tier, tier_levels(all$summary)), match(mode, mode_levels(mode)))]
  told[, .(
    Tier = tier, Mode = mode, "Connections made (1/s)" = format_number(connects),
    "Threads or processes made (1/s)" = format_number(threads), "At once, peak" = format_number(peak),
    "Wait in the pooler, mean (ms)" = format_number(wait_ms)
  )]
}

# ---- Both pools ------------------------------------------------------------------------------

# Where one kind of threads, or one number of workers, was tried with every size of both pools.
grid_place <- function(rows) paste0(rows$mode, " at ", rows$tier)

#' Heat maps of both sizes, a panel a mode and tier; framed are the combinations that cannot be distinguished from the best.
#'
#' @param sizes see read_sizes().
figure_grid <- function(sizes) {
  if (nrow(sizes) == 0) return(nothing_to_draw("no valid grid"))
  tiles <- copy(sizes)[, `:=`(
    threads = factor(thread_pool_size), connections = factor(connection_pool_size),
    place = factor(grid_place(sizes), unique(grid_place(sizes[order(mode, as.numeric(sub(".*-", "", tier)))]))),
    text = fifelse(
      is.na(low), format_number(middle), paste0(format_number(middle), "\n±", percent((high / middle) - 1))
    )
  )]
  ggplot(tiles, aes(connections, threads)) +
    geom_tile(aes(fill = share), colour = "white", linewidth = 0.5) +
    geom_tile(data = tiles[among_best == TRUE], fill = NA, colour = ink, linewidth = 0.7, width = 0.94, height = 0.94) +
    geom_text(aes(label = text, colour = share > 0.75), size = 2.3, lineheight = 0.95) +
    facet_wrap(~place, ncol = 1) +
    scale_fill_gradient(low = "#F2F2F2", high = okabe_ito[2], labels = percent, limits = c(NA, 1)) +
    scale_colour_manual(values = c("FALSE" = ink, "TRUE" = "white"), guide = "none") +
    labs(x = "connections in the client's pool", y = "thread_pool_size of the server", fill = NULL) +
    theme_artifact() +
    theme(panel.grid.major = element_blank())
}

combination_text <- function(rows) {
  paste(count_of(rows$thread_pool_size, "thread"), "with", count_of(rows$connection_pool_size, "connection"))
}

#' The best combination of each mode and tier, which others may be it, and where HikariCP's rule lies.
#'
#' @param cores of the database.
sentences_best_sizes <- function(sizes, cores) {
  vapply(split(sizes, by = c("mode", "tier")), function(rows) {
    best <- rows[which.max(middle)]
    first <- sprintf(
      "%s at %s: highest with %s, %s transactions a second.", as_code(best$mode), as_code(best$tier), combination_text(best),
      with_interval(best$middle, best$low, best$high)
    )
    paragraph(first, sentence_set(rows), sentence_rule(rows, hikari_rule(cores)))
  }, "")
}

sentence_set <- function(rows) {
  if (anyNA(rows$among_best)) return("Measured once, so it is not decided which others are as good.")
  good <- rows[among_best == TRUE]
  sprintf(
    paste(
      "%s of %d combinations, with %s of it or more, cannot be distinguished from it: connections from %s, threads from %s. The",
      "worst has %s of it; the noise of one value is a factor of %s."
    ),
    format_number(nrow(good)), nrow(rows), percent(min(good$share)), span(good$connection_pool_size),
    span(good$thread_pool_size), percent(min(rows$share)), format_number(rows$spread[1])
  )
}

# The rule's number was not measured itself: its neighbours were.
sentence_rule <- function(rows, rule) {
  measured <- sort(unique(rows$connection_pool_size))
  near <- unique(c(max(measured[measured <= rule]), min(measured[measured >= rule])))
  best <- rows[connection_pool_size %in% near][which.max(share)]
  sprintf(
    "HikariCP's rule asks for %d connections here; of the measured sizes nearest to that (%s), the better reaches %s of the best.",
    rule, enumerate(format_number(near)), percent(best$share)
  )
}

#' The laws that connections in use follow.
#'
#' @param laws see fit_combinations().
sentences_size_laws <- function(laws) {
  at <- laws[, sprintf("%s at %s", as_code(mode), as_code(tier))]
  laws[, ifelse(reason != "", sprintf("%s: %s.", at, reason), sprintf(
    "%s: one connection does %s a second, a share of %s of the work must queue, and throughput is highest %s.", at,
    with_interval(lambda, lambda_low, lambda_high), with_interval(sigma, sigma_low, sigma_high),
    ifelse(is.finite(peak_n), sprintf("with %s connections", format_number(peak_n)), "with as many as there are")
  ))]
}

#' How equally the workers were served: the least of Jain's index, and workers that got nothing.
sentence_fairness <- function(all) {
  cells <- Filter(function(cell) !is.null(cell$load$fairness) && isTRUE(cell$validity$valid), all$cells)
  if (length(cells) == 0) return("")
  fairness <- vapply(cells, function(cell) number(cell$load$fairness), 0)
  worst <- cells[[which.min(fairness)]]
  sprintf(
    "Jain's index of how equally the workers of a JVM were served was %s or more; the least at %s with %s, where up to %s of %s workers got nothing in a window.",
    format_number(min(fairness)), as_code(worst$cell$tier), as_code(worst$cell$mode),
    format_number(number(worst$load$workers_without)), format_number(number(worst$load$concurrency_offered))
  )
}
