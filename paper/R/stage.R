# The first screen of the HTML: a title whose numbers are those of all shipped runs, and the data of the figure that moves (stage.js).

# The comparisons of the title, each of virtual threads with a pool of 50, and what their ratio is of.
title_pairs <- fread(
  "mode;                 tier;      tool;   statistic;        words
   virtual-semaphore-50; sleep-500; jmeter; throughput_per_s; behind a semaphore of 50, for 500 users
   virtual;              sleep-500; jmeter; throughput_per_s; with no limit, for the same users
   virtual;              sleep-100; sweep;  capacity_per_s;   with no limit, for as many users as come",
  sep = ";", strip.white = TRUE
)

#' The ratios of the title, by run.
#'
#' @param runs list of shipped runs, see read_all_shipped().
#' @return data.table, a row per row of title_pairs that all have: words, runs, middle (median), least, most; no rows where one has none.
ratios_of_title <- function(runs) {
  found <- rbindlist(lapply(runs, function(run) {
    run$comparisons[study == "virtual-threads" & baseline == "platform-50"][title_pairs, on = setdiff(names(title_pairs), "words"), .(words, estimate)]
  }))
  if (nrow(found) == 0) return(data.table())
  found <- found[!is.na(estimate), .(runs = .N, middle = median(estimate), least = min(estimate), most = max(estimate)), by = words]
  if (nrow(found) < nrow(title_pairs)) found[0] else found[match(title_pairs$words, words)]
}

title_of_stage <- function(ratios) {
  if (nrow(ratios) == 0) return("How fast virtual threads are depends on what you admit")
  sprintf("Virtual threads are %s as fast: it depends on what you admit", enumerate(paste(ratio_digits(ratios$middle), "×"), " or "))
}

# `can_cite` whether the card of the finding behind it is on the page.
sentence_of_stage <- function(ratios, objective_ms, can_cite = FALSE) {
  if (nrow(ratios) == 0) return("")
  ends <- mapply(function(least, most) paste(unique(ratio_digits(c(least, most))), collapse = " to "), ratios$least, ratios$most)
  sprintf(
    "Throughput compared with a pool of 50 threads, requests that wait 100 ms: %s, p99 at most %s ms. Medians and ranges of %s on one CPU.%s",
    enumerate(ratios[, sprintf("%s × %s (%s)", ratio_digits(middle), words, ends)]),
    format_number(objective_ms), count_of(max(ratios$runs), "shipped run"), if (can_cite) " [Cite this](#cite-limit)." else ""
  )
}

objective_of_title <- function(runs) {
  median(unlist(lapply(runs, function(run) as.numeric(run$capacity[study == "virtual-threads" & tier == "sleep-100"]$objective_ms))))
}

# The loads of the figure that can be set, by what they admit.
stage_tiers <- c("sleep-500", "query-wait")

#' The loads of the figure that moves.
#'
#' @param standing see users_standing(); `bounds` see read_bounds(), whose `admitted` is none where a mode admits all users.
#' @return list, an entry a load: words, users, held_ms, settings (words, admitted, virtual, per_s, places).
stage_loads <- function(standing, bounds) {
  known <- bounds[tool == "jmeter", .(study, tier, mode, admitted, wait_ms)]
  rows <- known[standing[tier %in% stage_tiers], on = c("study", "tier", "mode"), nomatch = NULL][is.finite(wait_ms)]
  rows[, admitted := pmin(users, fcoalesce(as.numeric(admitted), Inf))]
  setting <- function(row) {
    list(words = row$words, admitted = row$admitted, virtual = startsWith(row$mode, "virtual"), per_s = row$throughput_per_s, places = as.list(row[, standing_places$place, with = FALSE]))
  }
  lapply(split(rows, by = "load"), function(load) {
    list(words = load$load[1], users = load$users[1], held_ms = load$wait_ms[1], settings = lapply(seq_len(nrow(load)), function(at) setting(load[at])))
  })
}

#' The figure that moves; its static one stands within, for pages without scripts.
stage_html <- function(loads, figure) {
  if (length(loads) == 0) return(figure)
  data <- jsonlite::toJSON(unname(loads), auto_unbox = TRUE, digits = NA)
  paste0(
    raw_html(sprintf("<div id=\"stage\" data-loads=\"%s\">", escape_html(data))), figure, raw_html(c("</div>", "<script src=\"stage.js\"></script>"))
  )
}
