# Findings. guide.yaml names what is compared and when a finding holds; the texts say it in words: a block of a text, from
# `<!-- if ID -->` to `<!-- end -->`, is printed where that finding holds, with values of its pairs, as in `r thread$from`. After the ID may stand
# others that must hold too, or, behind a tilde, be refuted, or, behind an exclamation mark, must not.

# The first page has these at most, in the order of guide.yaml.
on_first_page <- 8

#' The findings with what this run says of them.
#'
#' @param decided see decide_findings(); `findings` see read_findings(); `alternatives` see decide_alternatives(); `pgbouncer` name and version.
#' @return list by id: the findings, each with rows (a row per pair), alternatives (a row per rival) and holds: yes, no, open (not decided, or a value is missing), unmeasured.
told_findings <- function(decided, findings, alternatives = NULL, pgbouncer = "PgBouncer") {
  told <- lapply(findings, function(finding) {
    wanted <- finding$id
    finding$rows <- decided[finding == wanted]
    finding$alternatives <- if (!is.null(alternatives)) alternatives[finding == wanted]
    finding$pgbouncer <- pgbouncer
    complete <- !anyNA(finding$rows$baseline_value) && !anyNA(finding$rows$mode_value)
    holds <- c(finding$rows$holds, "unmeasured")[1]
    finding$holds <- if (holds == "yes" && !complete) "open" else holds
    finding
  })
  setNames(told, vapply(findings, `[[`, "", "id"))
}

# ---- Values in words -----------------------------------------------------------------------------

# Two significant digits, a third below 1.1: there the difference would be lost.
ratio_digits <- function(ratio) format_number(signif(ratio, ifelse(ratio < 1.1, 3, 2)))

# The range of a comparison on another host, see elsewhere(), in the direction of its ratio; NULL without one.
range_elsewhere <- function(row, ranges) {
  if (NROW(ranges) == 0) return(NULL)
  # Without a join, which would sort the table.
  same <- Reduce(`&`, lapply(comparison_keys, function(key) ranges[[key]] == row[[key]]))
  ends <- unlist(ranges[which(same)[1], .(low_elsewhere, high_elsewhere)], use.names = FALSE)
  if (anyNA(ends)) return(NULL)
  if (isTRUE(row$estimate < 1)) rev(1 / ends) else ends
}

#' A ratio in prose: never below 1, the sentence says in which direction. In brackets its interval here and the range on another host; a mark if it
#' is of one session.
#'
#' @param row a row of the comparisons; `ranges` see elsewhere().
#' @return text, as "9.2 × [8.3, 10]", "9.2 × [8.3, 10; elsewhere 8, 11]" or "at least 2 ×".
times_of <- function(row, ranges = NULL) {
  if (is.na(row$estimate)) return(if (nzchar(row$reason)) why_missing(row$reason) else no_figure)
  ends <- printed_ends(row)
  if (ends$bound == "none") return(not_measured_well)
  ratio <- c(row$estimate, ends$low, ends$high)
  bound <- ends$bound
  if (row$estimate < 1) {
    ratio <- 1 / ratio[c(1, 3, 2)]
    bound <- c(at_least = "at_most", at_most = "at_least")[bound]
  }
  if (bound %in% "at_least") return(sprintf("at least %s ×", ratio_digits(max(ratio[2], 1, na.rm = TRUE))))
  if (bound %in% "at_most") return(sprintf("at most %s ×", ratio_digits(fcoalesce(ratio[3], ratio[1]))))
  paste0(
    ratio_digits(ratio[1]), " ×", bracket_of(ratio, range_elsewhere(row, ranges)), if (row$pairs == 1) one_session_mark
  )
}

bracket_of <- function(ratio, elsewhere) {
  parts <- c(
    if (!anyNA(ratio)) paste(ratio_digits(ratio[2:3]), collapse = ", "),
    if (!is.null(elsewhere)) paste("elsewhere", paste(ratio_digits(elsewhere), collapse = ", "))
  )
  if (length(parts) > 0) sprintf(" [%s]", paste(parts, collapse = "; "))
}

#' The bound that theory sets a ratio: "10 × = 500 users ÷ 50 admitted".
#'
#' @param row see decide_findings(), of a pair that is `bounded`.
bound_text_of <- function(row) {
  sides <- unlist(most_in_flight(row))
  if (anyNA(sides)) return(no_figure)
  ends <- sprintf("%s %s", format_number(sides), ifelse(sides == row$users, "users", "admitted"))
  sprintf("%s × = %s", format_number(row$bound_ratio), paste(ends[order(-sides)], collapse = " ÷ "))
}

# The load of a pair and the limits of its sides, in words, each with its unit.
facts_in_words <- function(row) {
  of <- function(name, unit = "", times = 1) {
    value <- row[[name]]
    if (is.null(value) || is.na(value)) no_figure else paste0(format_number(times * value), unit)
  }
  carriers <- of("mode_carriers")
  list(
    users = of("users"), wait = of("wait_ms", " ms"), cpu = of("cpu_ms", " ms"), rate = of("rate_per_s", "/s"), long = of("long_ms", " ms"),
    share = of("long_share", " %", 100), objective = of("objective_ms", " s", 1 / 1000),
    multiple = of("times_capacity"), at_best = of("unanswered_at_best", " %", 100), admitted = of("mode_admitted"), admitted_from = of("baseline_admitted"), heap = of("mode_heap_mib", " MiB"), carriers = carriers,
    option = sprintf("`-Djdk.virtualThreadScheduler.parallelism=%s`", carriers)
  )
}

#' How much more or less the mode has, as "2 % less".
change_in_words <- function(row) {
  if (is.na(row$mode_value) || is.na(row$baseline_value)) return(no_figure)
  change <- row$mode_value / row$baseline_value - 1
  sprintf("%s %s", percent(signif(abs(change), 1)), if (change < 0) "less" else "more")
}

#' Values of a finding's pairs for a text.
#'
#' @return list: title; pgbouncer (name and version); by the names of the pairs: from and to (the values of the baseline and of the mode, with unit), times (their ratio), change (in percent), limit (empty, or that both
#'   used up their CPU), bound, and those of facts_in_words().
values_for_text <- function(finding, ranges = NULL) {
  of_pair <- function(row) {
    bounded <- isTRUE(finding$pairs[[row$pair]]$bounded)
    c(facts_in_words(row), list(
      from = value_in_words(row$baseline_value, row$statistic), to = value_in_words(row$mode_value, row$statistic), times = times_of(row, ranges),
      change = change_in_words(row), limit = limit_text(row),
      bound = if (bounded) bound_text_of(row)
    ))
  }
  c(list(title = finding$title, pgbouncer = finding$pgbouncer), lapply(split(finding$rows, by = "pair"), of_pair))
}

value_in_words <- function(value, statistic) {
  if (about_statistics(statistic)$effect == "difference") percent(value) else value_of(value, unit_of_statistic(statistic))
}

# ---- Rivals --------------------------------------------------------------------------------------

#' The rivals of a finding with what became of each, for the page: a list in HTML that opens with a click; empty without one.
rivals_in_words <- function(alternatives) {
  if (NROW(alternatives) == 0) return("")
  items <- alternatives[, sprintf("<li>%s? %s, by %s.</li>", escape_html(rival), escape_html(outcome_of_rivals(alternatives)), escape_html(swap))]
  sprintf("<details class=\"rivals\"><summary>%s</summary><ul>%s</ul></details>", count_of_rivals(alternatives), paste(items, collapse = ""))
}

count_of_rivals <- function(alternatives) {
  counts <- table(factor(sub(" (undecided )?by run .*", "", alternatives$state), rival_states))
  told <- sprintf("%s %s", counts, names(counts))[counts > 0]
  sprintf("What else could explain it: %s", enumerate(told))
}

#' The outcome of each rival: "excluded (p99: 1,204 ms, with the swap 720 ms)".
outcome_of_rivals <- function(alternatives) {
  of_row <- function(at) {
    row <- alternatives[at]
    state <- if (row$state == "left" && row$outcome == "open") "left: not decided" else row$state
    if (is.na(row$mode_value) || is.na(row$baseline_value)) return(if (row$reason %in% c("", no_cell_reason)) state else sprintf("%s (%s)", state, reason_in_words(row$reason)))
    sprintf("%s (%s %s, with the swap %s)", state, title_of(row$statistic), value_in_words(row$baseline_value, row$statistic), value_in_words(row$mode_value, row$statistic))
  }
  vapply(seq_len(nrow(alternatives)), of_row, "")
}

no_cell_reason <- "no cell of the mode"

#' The rivals of all findings that this run or another decided or measured.
#'
#' @return data.table of text: Finding, Rival, Swap, Outcome.
table_rivals <- function(alternatives, findings) {
  if (!is_readable(alternatives)) return(data.table())
  rows <- alternatives[state != "not measured"]
  if (nrow(rows) == 0) return(data.table())
  titles <- vapply(findings[rows$finding], `[[`, "", "title")
  rows[, .(Finding = ifelse(duplicated(finding), "", gsub("`", "", titles)), Rival = rival, Swap = gsub("`", "", swap), Outcome = outcome_of_rivals(rows))]
}

#' The rivals that are left, and how many this run did not measure.
sentence_of_rivals <- function(alternatives, findings) {
  if (!is_readable(alternatives) || nrow(alternatives) == 0) return("")
  rows <- alternatives[startsWith(state, "left")]
  rows[, words := paste0(rival, fifelse(outcome == "open" | startsWith(state, "left undecided"), "", " (*as it would have it*)"))]
  left <- rows[, .(words = sprintf("“%s”: %s.", findings[[finding]]$title, paste(words, collapse = "; "))), by = finding]$words
  absent <- alternatives[state == "not measured", .N]
  paragraph(
    sprintf("Each finding of the first page names its best rival explanations, %s in all, each with a swap that would come out otherwise if it were right.", format_number(nrow(alternatives))),
    if (length(left) > 0) paste(c(sprintf("Left are %s, undecided where nothing else is said.", format_number(nrow(rows))), left), collapse = " "),
    if (absent > 0) sprintf("This run does not measure %s: `--config extras='[rivals, heaps]'` does.", if (absent == 1) "one" else format_number(absent))
  )
}

# ---- Findings that do not hold ----------------------------------------------------------------------------

# The pairs of a finding with what was measured of each: "p99: 30 ms with `a`, 31 ms with `b`".
pairs_in_words <- function(rows) {
  rows[, sprintf(
    "%s: %s with %s, %s with %s", title_of(statistic), mapply(value_in_words, baseline_value, statistic), as_code(baseline),
    mapply(value_in_words, mode_value, statistic), as_code(mode)
  )]
}

# Reasons in place of values, each once, with the modes that have it: "`a` and `b`: no session has values of both sides".
reasons_in_words <- function(rows) {
  told <- rows[, .(modes = enumerated(unique(as_code(mode)), 2)), by = .(reason = fifelse(reason == "", "a value is missing", reason))]
  told[, sprintf("%s: %s", modes, plain(reason_in_words(reason)))]
}

# The pairs that were measured of a finding that lacks the cells of others.
measured_part <- function(finding) finding$rows[is.finite(estimate) & is.finite(baseline_value) & is.finite(mode_value)]

is_absent <- function(finding) finding$holds == "unmeasured" && nrow(measured_part(finding)) == 0

#' The values with which a finding is refuted, not decided, or measured in part, or the reasons why it has none; empty where none was measured.
why_untold <- function(finding) {
  rows <- finding$rows
  if (nrow(rows) == 0) return("no row of it in `findings.csv`")
  if (finding$holds == "unmeasured") return(enumerate(pairs_in_words(measured_part(finding)), "; "))
  if (finding$holds == "no") return(enumerate(pairs_in_words(rows[is_refuted(outcome, expected)]), "; "))
  lacking <- rows[is.na(estimate) | is.na(baseline_value) | is.na(mode_value)]
  told <- if (nrow(lacking) > 0) reasons_in_words(lacking) else pairs_in_words(rows[expected != ""])
  paste(c(head(told, 2), if (length(told) > 2) sprintf("and %d more", length(told) - 2)), collapse = "; ")
}

untold_words <- c(no = "**otherwise in this run**", open = "not decided here", unmeasured = "not measured here")

#' The sentence that stands in the place of a finding that does not hold.
sentence_untold <- function(finding) {
  why <- why_untold(finding)
  words <- if (finding$holds == "unmeasured" && !is_absent(finding)) "measured in part" else untold_words[[finding$holds]]
  sprintf("*%s*: %s%s.", capitalised(finding$topic), words, if (nzchar(why)) sprintf(" (%s)", why) else "")
}

# ---- Code in texts ---------------------------------------------------------------------------------

#' Puts values into a text: each `r code` becomes what the code says.
#'
#' @param values list that the code sees. Stops at code that is no value of it.
with_values <- function(text, values) {
  places <- gregexpr("`r [^`]+`", text)
  regmatches(text, places) <- lapply(regmatches(text, places), vapply, value_of_code, "", values = values, USE.NAMES = FALSE)
  text
}

value_of_code <- function(inline, values) {
  code <- substr(inline, 4, nchar(inline) - 1)
  value <- tryCatch(eval(parse(text = code), values, baseenv()), error = function(error) NULL)
  if (length(value) != 1) stop(sprintf("`%s` is no value of the finding %s", code, values$title), call. = FALSE)
  as.character(value)
}

# ---- Texts with blocks ---------------------------------------------------------------------------

block_start <- "^<!-- if (~?[a-z0-9-]+( !?~?[a-z0-9-]+)*) -->$"
block_end <- "^<!-- end -->$"

#' The blocks of a text.
#'
#' @return data.table, a row a block: start and end (lines of its comments), finding (the first of its condition, whose values it has), holds.
#'   Stops at a block of a finding that guide.yaml does not have, and at one that does not end.
text_blocks <- function(lines, findings) {
  starts <- grep(block_start, lines)
  ends <- grep(block_end, lines)
  if (length(starts) != length(ends) || any(ends < starts) || any(tail(starts, -1) < head(ends, -1))) stop("a block has no end", call. = FALSE)
  conditions <- strsplit(sub(block_start, "\\1", lines[starts]), " ", fixed = TRUE)
  data.table(
    start = starts, end = ends, finding = sub("^~", "", vapply(conditions, `[[`, "", 1)), holds = vapply(conditions, condition_holds, NA, findings = findings)
  )
}

# The blocks that are items of the first page.
blocks_of_items <- function(lines, findings) text_blocks(lines, findings)[startsWith(lines[start + 1], "1. ")]

# Each finding of a condition holds; one with a tilde is refuted; an exclamation mark before either negates it.
condition_holds <- function(condition, findings) {
  ids <- sub("^!?~?", "", condition)
  unknown <- setdiff(ids, names(findings))
  if (length(unknown) > 0) stop("no finding of guide.yaml is called ", unknown[1], call. = FALSE)
  states <- vapply(findings[ids], `[[`, "", "holds")
  all((states == ifelse(grepl("~", condition, fixed = TRUE), "no", "yes")) != startsWith(condition, "!"))
}

finding_holds <- function(finding) finding$holds %in% "yes"

#' A text with the blocks whose findings hold, and without all others.
#'
#' @param lines,findings see text_blocks(); `ranges` see times_of(); `untold` whether a sentence says of each other finding why it has
#'   no text, where its first block would stand.
with_findings <- function(lines, findings, ranges = NULL, untold = FALSE) {
  blocks <- text_blocks(lines, findings)
  # A table has rows of findings that hold alone.
  blocks[, untold := untold & !holds & !duplicated(finding) & !vapply(findings[finding], finding_holds, NA) & !startsWith(lines[start + 1], "|")]
  for (at in rev(seq_len(nrow(blocks)))) {
    block <- as.list(blocks[at])
    finding <- findings[[block$finding]]
    inside <- lines[seq_len(block$end - block$start - 1) + block$start]
    held <- if (block$holds && length(inside) > 0) with_values(inside, values_for_text(finding, ranges))
    lines <- c(lines[seq_len(block$start - 1)], held, if (block$untold) sentence_untold(finding), lines[-seq_len(block$end)])
  }
  lines
}

#' A file of the paper, with its blocks and knitted; one that fails says so under its heading.
#'
#' @param file name of a .qmd; `untold` see with_findings().
tell <- function(file, all, untold = TRUE) {
  lines <- readLines(file, encoding = "UTF-8")
  # A file of blocks alone may have no line left.
  told <- function() c(with_findings(lines, all$findings, all$elsewhere, untold), "")
  written(file, knitted(told(), new.env(parent = knitr::knit_global())), function(message) lost_section(lines, message))
}

# ---- Findings that are not printed --------------------------------------------------------------

#' The findings that this run refutes, does not decide, or did not measure, in this order; none where all hold.
sentences_untold <- function(findings) {
  absent <- Filter(Negate(finding_holds), unname(findings))
  absent <- absent[order(match(vapply(absent, `[[`, "", "holds"), names(untold_words)))]
  vapply(absent, sentence_untold, "")
}

#' The same for the first page: a list, and in one line what was not measured.
list_of_untold <- function(findings) {
  unmeasured <- vapply(findings, is_absent, NA)
  told <- sentences_untold(findings[!unmeasured])
  topics <- vapply(findings[unmeasured], `[[`, "", "topic")
  paste(c(
    if (length(told) > 0) paste0("This run does not show (@sec-quality):\n\n", bullets(told)),
    if (length(topics) > 0) sprintf("This run did not measure: %s.", paste(sprintf("*%s*", topics), collapse = "; "))
  ), collapse = "\n\n")
}

#' The meaning of the brackets, and of the mark where it stands.
sentence_of_brackets <- function(texts) {
  has <- function(pattern) any(grepl(pattern, texts))
  away <- has("\\[[^]]*elsewhere [^]]*\\]")
  here <- has("× \\[[^]e]*[];]")
  paragraph(
    if (here) "In brackets: the 95 % interval on **this host**, widened for the selection of what is reported.",
    if (away) "*Elsewhere*: 95 % of other hosts, with one CPU for the server.",
    if (has(one_session_mark)) sprintf("%s: by one session.", one_session_mark)
  )
}

# The rule by which a cell has more than one value.
sentence_of_sides <- "Values next to a ratio are of the rounds that both sides have, so those of a mode may differ from ratio to ratio."
