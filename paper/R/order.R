# Who waits: latencies as distributions, by the order in which requests are served. `found` see orders_of().

#' Whether requests are served in the order in which they come: platform threads, the same behind a fair semaphore, virtual threads.
#'
#' @param configuration of a cell.
#' @return text; NA for a mode that is none of these.
order_of_service <- function(configuration) {
  mode <- configuration$mode
  limited <- !is.null(mode$options$permits)
  behind <- if (identical(mode$options[["fair-permits"]], FALSE)) " behind an unfair semaphore" else " behind a fair semaphore"
  if (identical(mode$kind, "pool")) return(paste0("platform threads", if (limited) behind))
  if (identical(mode$kind, "virtual") && !limited) "virtual threads" else NA_character_
}

services_colours <- c(
  "platform threads" = "#0072B2", "platform threads behind a fair semaphore" = "#D55E00", "platform threads behind an unfair semaphore" = "#E69F00", "virtual threads" = "#009E73"
)

#' The distributions of a study's modes at closed loops where requests were admitted by a fair semaphore.
#'
#' @return data.table: tier, mode, panel (the tier's title, where the mode says it the connections, and one turn), service (see order_of_service()),
#'   turn_ms (in which each user is served once: users over throughput behind the semaphore), value_ms, share (see distributions()); no rows
#'   without such a tier.
orders_of <- function(all) {
  cells <- Filter(function(cell) cell$cell$tool == "jmeter" && !is_variant(cell$cell$mode), all$cells)
  setups <- rbindlist(lapply(cells, function(cell) {
    options <- cell$configuration$mode$options
    data.table(
      at = cell$cell$tier, mode = cell$cell$mode, service = order_of_service(cell$configuration),
      threads = number(options$threads), pool = number(options$pool), server = words(cell$configuration$study$server$id), title = cell$labels$tier$title
    )
  }))
  if (nrow(setups) == 0) return(setups)
  setups <- unique(setups[!is.na(service)])
  # A semaphore changes the order alone where as many threads stand on its other side.
  fair <- unique(setups[grepl("semaphore", service), .(at, threads, pool, server)])
  like <- setups[fair, on = c("at", "pool", "server"), nomatch = NULL][is.na(threads) | threads == i.threads]
  like[, panel := ifelse(is.na(pool), title, sprintf("%s, %s connections", title, format_number(pool)))]
  turns <- turns_of(all$summary)[like[grepl("semaphore", service), .(tier = at, mode, panel)], on = c("tier", "mode"), nomatch = NULL]
  like[turns, turn_ms := i.turn_ms, on = "panel"]
  found <- distributions(Filter(function(cell) cell$cell$mode %in% like$mode && cell$cell$tier %in% like$at, cells))
  merge(unique(like[, .(tier = at, mode, service, panel, pool, turn_ms)]), found, by = c("tier", "mode"), sort = FALSE)[order(tier, pool, mode, value_ms)]
}

# By Little's law a turn is the mean latency.
turns_of <- function(summary) {
  summary[tool == "jmeter" & is.finite(users) & is.finite(throughput_per_s), .(turn_ms = 1000 * median(users / throughput_per_s)), by = .(tier, mode)]
}

#' Percentiles on a logarithmic axis against latency in turns, a panel a load: the tail is as long as the axis lets it be seen.
figure_orders <- function(found) {
  percentiles <- c(p0 = 0, p50 = 0.5, p90 = 0.9, p99 = 0.99, "p99.9" = 0.999)
  found <- copy(found)[is.finite(turn_ms)]
  found[, panel := sprintf("%s: one turn = %s ms", panel, format_number(signif(turn_ms, 2)))]
  found[, `:=`(service = factor(service, names(services_colours)), panel = factor(panel, unique(panel)))]
  ggplot(found[share <= 0.999], aes(value_ms / turn_ms, -log10(1 - share), colour = service, linetype = service)) +
    geom_step(linewidth = 0.6) +
    geom_vline(xintercept = 1, colour = faint, linewidth = 0.3) +
    facet_wrap(~panel, scales = "free_x", nrow = ceiling(uniqueN(found$panel) / 4), labeller = label_wrap_gen(24)) +
    scale_x_continuous(labels = plain_number, limits = c(0, NA)) +
    scale_y_continuous(breaks = -log10(1 - percentiles), labels = names(percentiles), limits = c(0, 3)) +
    scale_colour_manual(values = services_colours, drop = FALSE) +
    scale_linetype_manual(values = setNames(c("solid", "42", "12", "solid"), names(services_colours)), drop = FALSE) +
    # In one row the legend is wider than the page.
    guides(colour = guide_legend(nrow = 2), linetype = guide_legend(nrow = 2)) +
    labs(x = "latency (turns, in which each user is served once)", y = "percentile of the requests") +
    theme_artifact()
}

height_of_orders <- function(found) 1.05 + 1.5 * ceiling(uniqueN(found$panel) / 4)

#' The p99 of logins on an event loop, where it is a bound: latency had not settled when the load ended. Empty where it is none.
sentence_of_long_logins <- function(comparisons) {
  row <- comparisons[study == "stacks" & tier == "login" & tool == "jmeter" & mode == "webflux" & baseline == "mvc-tomcat-virtual" & statistic == "latency_p99_ms"]
  row <- row[bound == "at_least" & is.finite(mode_value) & is.finite(baseline_value)]
  if (nrow(row) == 0) return("")
  sprintf(
    "On WebFlux the p99 of these logins is at least %s, on Spring MVC with virtual threads it is %s (%s): latency had not settled when the load ended.",
    value_of(row$mode_value, row$unit), value_of(row$baseline_value, row$unit), times_of(row)
  )
}

#' How many requests behind a pool of connections were overtaken: each time one loses its turn, it waits for a whole one more. Those that
#' take at least one and a half turns took two.
#'
#' @return a sentence on the smallest pool; empty without one.
sentence_of_turns <- function(found) {
  rows <- if (nrow(found) > 0) found[is.finite(turn_ms) & is.finite(pool)]
  if (NROW(rows) == 0) return("")
  rows <- rows[pool == min(pool)]
  slower <- function(turns) rows[, .(share = 1 - max(0, share[value_ms < turns * turn_ms[1]])), by = service]
  counted <- slower(1.5)[slower(2.5), on = "service", .(service, twice = share, thrice = i.share)]
  in_words <- counted[, sprintf("%s of the requests%s on %s", fifelse(twice < 0.001, "none", percent(signif(twice, 2))), fifelse(thrice >= 0.001, sprintf(", %s three,", percent(signif(thrice, 2))), ""), service)]
  sprintf("A turn behind %s connections is %s ms; two turns or more take %s.", format_number(rows$pool[1]), format_number(signif(rows$turn_ms[1], 2)), enumerate(in_words))
}

#' The 99.9th percentiles of short requests next to long ones; empty where the finding on carriers does not hold, or no side has 10,000 requests.
sentence_of_p99_9 <- function(all) {
  finding <- all$findings[["carriers"]]
  if (!finding_holds(finding)) return("")
  default <- finding$rows[pair == "default"]
  tail <- finding$rows[pair == "tail"]
  sides <- c(default$baseline, default$mode, tail$mode)
  in_words <- c(
    paste(format_number(default$baseline_admitted), "platform threads"), "virtual threads by default",
    paste(format_number(tail$mode_carriers), "carriers")
  )
  cells <- all$summary[default[, .(study, tier, tool)], on = c("study", "tier", "tool"), nomatch = NULL][latency_valid == TRUE]
  p99_9_ms <- vapply(sides, function(side) median(cells[mode == side]$latency_p99_9_ms, na.rm = TRUE), 0)
  known <- is.finite(p99_9_ms)
  told <- enumerate(sprintf("%s with %s", value_of(signif(p99_9_ms[known], 3), "ms"), in_words[known]))
  if (nzchar(told)) sprintf("Their p99.9 is %s.", told) else ""
}

#' The price of SCHED_BATCH below the limit: p99 at the same rate; empty where it has no ratio.
sentence_of_batch_below <- function(comparisons) {
  row <- comparisons[study == "virtual-threads" & mode == "virtual-batch" & tier == "neighbor-waits" & tool == "wrk2" & statistic == "latency_p99_ms" & reason == ""]
  if (nrow(row) != 1 || !is.finite(row$mode_value)) return("")
  sprintf("p99 there is %s in place of %s.", value_of(row$mode_value, row$unit), value_of(row$baseline_value, row$unit))
}
