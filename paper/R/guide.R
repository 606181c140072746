# The decision guide: for an engineer's situation, which mode wins, by how much, and from which load
# on. `guide` is what compare_guide() decided.

not_decided <- "not decided"

times_text <- function(rows) enumerate(paste(as_code(rows$mode), effect_with_interval(rows)))

#' One situation and statistic: which mode wins, by how much, and what became of the others.
#'
#' @param rows rows of the guide: at least one.
#' @return list of Markdown: best, by (ratio to the baseline), others (a clause; may be empty).
guide_winner <- function(rows) {
  versus <- as_code(rows$versus[1])
  of <- function(...) rows[standing %in% c(...)]
  named <- enumerate(as_code(rows[best == 1]$mode), " or ")
  told <- function(words, some) if (nrow(some) > 0) paste0(words, ": ", times_text(some))
  undecided <- told(not_decided, of("open"))
  same <- told("the same", of("same"))
  worse <- told("worse", of("worse"))
  failing <- if (nrow(of("out")) > 0) paste0("does not keep up: ", enumerate(as_code(of("out")$mode)))
  if (nrow(of("alone")) > 0) return(list(best = named, by = paste(versus, "does not keep up"), others = ""))
  wins <- of("better")
  if (nrow(wins) > 0) {
    return(list(
      best = named, by = effect_with_interval(wins[1]),
      others = enumerate(c(told("better as well", wins[-1]), same, undecided, failing), "; ")
    ))
  }
  if (all(rows$standing == "none")) {
    return(list(best = "not comparable", by = no_figure, others = enumerate(unique(rows$reason), "; ")))
  }
  best <- if (!is.null(undecided)) not_decided else if (!is.null(same)) "no difference" else versus
  list(best = best, by = no_figure, others = enumerate(c(same, undecided, worse, failing), "; "))
}

guide_winners <- function(rows) lapply(split(rows[use == "metric"], by = "statistic"), guide_winner)

#' The guide's table: a row per situation, and one for each further metric that is decided.
#'
#' @return data.table of Markdown: Situation, Baseline, Metric, Best, Ratio (to the baseline).
table_guide <- function(guide) {
  rbindlist(lapply(split(guide, by = "situation"), function(rows) {
    winners <- guide_winners(rows)
    is_open <- vapply(winners, `[[`, "", "best") == not_decided
    winners <- winners[!is_open | seq_along(winners) == 1]
    rest <- rep("", length(winners) - 1)
    data.table(
      Situation = c(rows$situation[1], rest), Baseline = c(as_code(rows$versus[1]), rest),
      Metric = title_of(names(winners)), Best = vapply(winners, `[[`, "", "best"),
      Ratio = vapply(winners, `[[`, "", "by")
    )
  }))
}

#' Of each situation what the table has no room for: the other modes, from which load on they pay,
#' what the best costs, and what to mind.
sentences_guide <- function(guide) {
  told <- vapply(split(guide, by = "situation"), function(rows) {
    others <- vapply(guide_winners(rows), `[[`, "", "others")
    others <- sprintf("%s: %s.", capitalised(title_of(names(others))), others)[nzchar(others)]
    more <- paragraph(others, sentence_from(rows[use == "from"]), sentence_price(rows[use == "price"]), rows$mind[1])
    if (nzchar(more)) sprintf("**%s.** %s", rows$situation[1], more) else ""
  }, "")
  unname(told[nzchar(told)])
}

sentence_from <- function(rows) {
  if (nrow(rows) == 0) return("")
  told <- rows[mode != "", .(modes = enumerate(as_code(mode))), by = from_per_s]
  clauses <- told[, sprintf("%s from %s a second on", modes, format_number(from_per_s))]
  sprintf("99th percentile shorter: %s.", if (length(clauses) > 0) enumerate(clauses, "; ") else "at no load measured")
}

sentence_price <- function(rows) {
  if (nrow(rows) == 0) return("")
  sprintf("The price of %s: %s.", as_code(rows$mode[1]), enumerate(sprintf(
    "%s times the %s", effect_with_interval(rows), title_of(rows$statistic)
  )))
}
