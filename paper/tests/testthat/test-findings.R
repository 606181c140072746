decided <- function(...) {
  altered(compared(
    finding = "one", pair = "a", outcome = "better", expected = "better", holds = "yes", statistic = "cpu_us_per_request", unit = "µs",
    estimate = 0.5, low = 0.45, high = 0.55, baseline_value = 104.4, mode_value = 52.2, users = 500, wait_ms = 100, cpu_ms = 2,
    rate_per_s = 337, long_ms = 50, long_share = 0.01, objective_ms = 2000, times_capacity = 3, mode_admitted = NA_real_,
    baseline_admitted = 50, mode_carriers = 16, mode_heap_mib = 512, bound_ratio = 10
  ), ...)
}
finding <- list(
  id = "one", topic = "a pool", title = "A pool is cheaper", cpus = "no", study = "demo", pairs = list(a = list(bounded = TRUE))
)
two <- modifyList(finding, list(id = "two", topic = "a loop"))
told_of <- function(..., findings = list(finding)) told_findings(decided(...), findings)
unmeasured <- list(holds = "unmeasured", outcome = "none", estimate = NA_real_, reason = "no cell of the mode")
text <- c("before", "<!-- if one -->", "**`r title`.** `r a$from` become `r a$to`: `r a$times` of `r a$bound`.", "<!-- end -->", "after")

test_that("a block is printed with its values where its finding holds, and in no other case", {
  expect_equal(with_findings(text, told_of()), c(
    "before", "**A pool is cheaper.** 104 µs become 52.2 µs: 2 × [1.8, 2.2] of 10 × = 500 users ÷ 50 admitted.", "after"
  ))
  for (held in list(told_of(holds = "no"), told_of(holds = "open"), told_of(finding = "two"))) expect_equal(with_findings(text, held), c("before", "after"))
  # A value that is missing is none to print.
  expect_equal(told_of(mode_value = NA_real_)$one$holds, "open")
  expect_equal(with_findings(c(text, text), told_of())[4:6], with_findings(text, told_of()))
})

test_that("a block that names what is not there is an error", {
  expect_error(with_findings(sub("one", "three", text), told_of()), "no finding of guide.yaml is called three")
  expect_error(with_findings(sub("a\\$to", "b$to", text), told_of()), "b$to` is no value of the finding A pool is cheaper", fixed = TRUE)
  for (broken in list(text[-4], rev(text))) expect_error(with_findings(broken, told_of()), "a block has no end")
})

test_that("a block may need other findings, or the absence of one", {
  # The second has no rows, so it does not hold.
  of <- function(holds) told_of(holds = holds, outcome = holds, findings = list(finding, two))
  wants <- function(condition, holds) length(with_findings(c(sprintf("<!-- if %s -->", condition), "it", "<!-- end -->"), of(holds)))
  expect_equal(c(wants("one", "yes"), wants("one two", "yes"), wants("one !two", "yes"), wants("one !two", "open")), c(1, 0, 1, 0))
  # A tilde asks for one that is refuted.
  expect_equal(c(wants("~one", "no"), wants("~one", "open"), wants("~one", "yes"), wants("~one !two", "no")), c(1, 0, 0, 1))
  expect_equal(c(wants("one !~two", "yes"), wants("~one !~one", "no")), c(1, 0))
  expect_error(wants("one !three", "yes"), "no finding of guide.yaml is called three")
})

test_that("a finding that does not hold has a sentence with what was measured, in its place and in the list", {
  values <- "CPU time per request: 104 µs with `thread`, 52.2 µs with `pool`"
  apart <- "no session has values of both sides"
  said <- c(
    sprintf("not decided here (%s)", values), sprintf("**otherwise in this run** (%s)", values), sprintf("not decided here (`pool`: %s)", apart),
    "not decided here (`pool`: a value is missing)", "not measured here"
  )
  cases <- list(
    list(holds = "open", outcome = "open"), list(holds = "no", outcome = "worse"),
    list(holds = "open", outcome = "none", estimate = NA_real_, reason = apart), list(mode_value = NA_real_), unmeasured
  )
  of <- function(text, case) with_findings(text, do.call(told_of, case), untold = TRUE)
  for (at in seq_along(cases)) {
    sentence <- sprintf("*A pool*: %s.", said[at])
    expect_equal(sentences_untold(do.call(told_of, cases[[at]])), sentence)
    # A sentence where the first block would stand, and no row of a table.
    expect_equal(of(c(text, text), cases[[at]]), c("before", sentence, "after", "before", "after"))
    expect_equal(of(sub("^[*]", "| *", text), cases[[at]]), c("before", "after"))
  }
  part <- told_findings(rbind(decided(holds = "unmeasured"), do.call(decided, c(pair = "b", unmeasured))), list(finding))
  expect_equal(list_of_untold(part), sprintf("This run does not show (@sec-quality):\n\n- *A pool*: measured in part (%s).", values))
  # Those that are refuted come first.
  both <- told_of(holds = "no", outcome = "worse", findings = list(two, finding))
  expect_match(sentences_untold(both), "^\\*A (pool\\*: \\*\\*otherwise|loop\\*: not measured)")
  expect_match(list_of_untold(both), "^This run does not show [^\n]*:\n\n- \\*A pool[^\n]*\n\nThis run did not measure: \\*a loop\\*[.]$")
  expect_equal(list_of_untold(told_of()), "")
})

ranges <- function(low, high) decided()[, c(comparison_keys), with = FALSE][, `:=`(low_elsewhere = low, high_elsewhere = high)]

test_that("a ratio in prose is never below 1, and a bound keeps its side", {
  of <- function(..., ranges = NULL) times_of(decided(...), ranges)
  expect_equal(of(), "2 × [1.8, 2.2]")
  expect_equal(of(estimate = 9.169, low = 8.25, high = 10.19), "9.2 × [8.2, 10]")
  expect_equal(of(estimate = 1.027, low = 1.003, high = 1.05), "1.03 × [1, 1.05]")
  expect_equal(of(bound = "at_most"), "at least 1.8 ×")
  expect_equal(of(estimate = 4, low = 3, high = Inf, bound = "at_least"), "at least 3 ×")
  expect_equal(of(low = 0.1, high = 1.1), "not measured well enough")
  one_session <- of(pairs = 1)
  expect_equal(one_session, paste0("2 × [1.8, 2.2]", one_session_mark))
  # The range on another host has the direction of the sentence.
  away <- of(ranges = ranges(0.4, 0.625))
  expect_equal(away, "2 × [1.8, 2.2; elsewhere 1.6, 2.5]")
  expect_equal(of(estimate = 2, low = 1.8, high = 2.2, ranges = ranges(1.5, 3)), "2 × [1.8, 2.2; elsewhere 1.5, 3]")
  expect_equal(of(ranges = ranges(0.4, 0.625)[, mode := "another"]), of())
  expect_match(sentence_of_brackets(away), "\\*\\*this host\\*\\*.*\\*Elsewhere\\*: 95 % of other hosts, with one CPU for the server.$")
  expect_match(sentence_of_brackets(one_session), "reported. ‡: by one session.$")
  expect_equal(c(value_of(4582, "1/s"), value_in_words(0.985, "error_share")), c("4,582/s", "98.5 %"))
})

test_that("findings stand with their ratio here, on another host, and with what it depends on", {
  expect_equal(unlist(table_travel(told_of(), ranges(0.4, 0.625))), c(
    Finding = "A pool is cheaper", Here = "2 × [1.8, 2.2]", "On another host" = "1.6 to 2.5", "Depends on CPUs" = "no"
  ))
  expect_equal(table_travel(told_of(), NULL)[["On another host"]], no_figure)
  expect_equal(nrow(table_travel(told_of(holds = "open"), NULL)), 0)
  # A queue is known by two numbers of CPUs that are near to it.
  queued <- lapply(told_of(), function(each) replace(each, "cpus", "queue"))
  by_mixes <- function(cpus, measured) {
    mixes <- data.table(mode = "virtual", cpus, measured_p99_ms = measured, predicted_p99_ms = c(89, 43)[cpus])
    table_travel(queued, NULL, mixes)[["Depends on CPUs"]]
  }
  expect_equal(by_mixes(1:2, c(100, 38)), "as a queue M/G/n (1 CPU and 2 CPUs measured)")
  expect_equal(c(by_mixes(1:2, c(100, 20)), by_mixes(1, 100), table_travel(queued, NULL)[["Depends on CPUs"]]), rep("unknown", 3))
})

test_that("hosts are said to be as wide as their ranges", {
  range_of <- function(starts, factor) data.table(statistic = "throughput_per_s", starts, low_elsewhere = 1 / factor, high_elsewhere = factor, hosts = 3)
  left <- data.table(host = c("a", "b"), comparisons = 100, held = c(97, 95))
  said <- sentence_of_hosts(rbind(range_of("no", 1.07), range_of("yes", 2)), left)
  expect_match(said, "the 3 hosts .* ± 7 % .* ± 100 %.*in 97 of 100 and 95 of 100 comparisons")
})

# ---- The texts themselves

known <- read_findings(guide_file)
sections <- list.files(test_path("..", ".."), "[.]qmd$")
texts <- lapply(setNames(nm = sections), lines_of)
first_page <- texts[["findings.qmd"]]

# A table of all pairs: what a function makes of a finding and a pair's name.
of_all_pairs <- function(row_of) {
  rbindlist(lapply(known, function(finding) rbindlist(lapply(names(finding$pairs), row_of, finding = finding))))
}
# All findings as if they held.
all_held <- told_findings(of_all_pairs(function(name, finding) {
  decided(finding = finding$id, pair = name, statistic = finding$pairs[[name]]$statistic)
}), known)

test_that("every block of the paper is of a finding, with values that it has, and every finding has one", {
  for (file in sections) {
    told <- with_findings(texts[[file]], all_held)
    expect_false(any(grepl(block_start, told) | grepl(block_end, told)), label = file)
  }
  told <- unlist(lapply(texts, function(lines) text_blocks(lines, all_held)$finding))
  expect_gt(length(told), 35)
  expect_equal(setdiff(names(all_held), told), character(), label = "findings of analysis/guide.yaml without a block in paper/*.qmd")
})

# The same without those that do not hold.
without <- function(...) {
  for (id in c(...)) all_held[[id]]$holds <- "open"
  all_held
}

test_that("the first page has at most eight items, which are the first findings of guide.yaml in their order", {
  items <- first_items(first_page, all_held)
  expect_equal(
    names(items), head(vapply(known, `[[`, "", "id"), on_first_page),
    label = "items of paper/findings.qmd, which are those of the first eight in analysis/guide.yaml (others stand in their section's file)"
  )
  expect_equal(names(first_items(first_page, without("who-waits")))[4], "tail")
  # The README has the first five that hold.
  expect_equal(names(items_of_findings(first_page, without("carriers", "client"), list())), c("limit", "overload", "who-waits", "pooler", "wake-ups"))
})

place <- c("study", "tier", "tool", "mode")

# The comparisons of all pairs, without values.
named_pairs <- local({
  rows <- of_all_pairs(function(name, finding) {
    pair <- finding$pairs[[name]]
    data.table(study = finding$study, as.data.table(pair[c(place[-1], "statistic")]), wanted = c(unlist(pair$holds), "any")[1], may_be_worse = "worse" %in% pair$holds, id = paste(finding$id, name))
  })
  rows <- unique(rows[order(wanted == "any")], by = c(place, "statistic"))
  about <- about_statistics(rows$statistic)
  shipped <- unique(read_shipped(runs_folder, "2026-11-27-epyc-2")$comparisons[, c(place, "baseline"), with = FALSE], by = place)
  rows[, baseline := fcoalesce(shipped[rows, on = place]$baseline, fifelse(grepl("1280m", mode), "pool-200-1280m", "base"))]
  rows[, `:=`(unit = about$unit, effect = about$effect, better = about$better, bound = "", reason = "", pairs = 3, sessions = 3, fixed = 0, fcr_low = NA_real_, fcr_high = NA_real_)][]
})

# Each as its finding needs it, or one turned: the sides' values are exchanged.
compared_pairs <- function(turned = "") {
  rows <- copy(named_pairs)
  rows[, up := fcase(!wanted %in% c("better", "worse"), 0, (wanted == "better") == (better == "higher"), 1, default = -1)]
  # A pair that must be the same is worse, or better where it may be worse; one that must differ, differs the other way.
  rows[id == turned, up := ifelse(up == 0, ifelse((better == "higher") != may_be_worse, -1, 1), -up)]
  rows[, `:=`(baseline_value = fifelse(up == -1, 0.7321, 0.1234), mode_value = fcase(up == 1, 0.7321, up == 0, 0.1235, default = 0.1234))]
  rows[, estimate := fifelse(effect == "ratio", mode_value / baseline_value, mode_value - baseline_value)]
  rows[, `:=`(low = estimate - 0.01, high = estimate + 0.01, verdict = fcase(up == 1, "higher", up == -1, "lower", default = "same"))]
  rows[, `:=`(p_value = 0.001, equivalence_p_value = fifelse(up == 0, 0.001, 0.9), wanted = NULL, may_be_worse = NULL, up = NULL)][]
}
facts <- shipped_facts(guide_file)
told_by <- function(findings, comparisons, facts) told_findings(decide_findings(findings, comparisons, facts), findings)

test_that("each pair with a condition decides: turned, its finding has other words and the swapped numbers", {
  straight <- compared_pairs()
  held <- told_by(known, straight, facts)
  ids <- unlist(lapply(known, function(finding) paste(finding$id, names(Filter(function(pair) !is.null(pair$holds), finding$pairs)))))
  expect_gt(length(ids), 30)
  for (id in ids) {
    finding <- sub(" .*", "", id)
    name <- sub(".* ", "", id)
    row <- function(told) told[[finding]]$rows[pair == name]
    expect_equal(held[[finding]]$holds, "yes", label = id)
    of_pair <- straight[row(held), on = c(place, "statistic")]$id
    turned <- replace(held, finding, told_by(Filter(function(each) each$id == finding, known), compared_pairs(of_pair), facts))
    expect_equal(turned[[finding]]$holds, "no", label = id)
    words <- sentence_untold(turned[[finding]])
    expect_match(words, "otherwise in this run", label = id)
    for (value in row(turned)[, c(baseline_value, mode_value)]) expect_match(words, value_in_words(value, row(turned)$statistic), fixed = TRUE, label = id)
    # No block that needs the finding is printed any more.
    needs <- sprintf("^<!-- if (%1$s|.* %1$s) (.* )?-->$", finding)
    for (lines in Filter(function(lines) any(grepl(needs, lines)), texts)) expect_false(any(text_blocks(lines, turned)[grepl(needs, lines[start])]$holds), label = id)
  }
})

test_that("a sentence has the load of its cells", {
  of <- function(facts) first_items(first_page, told_by(known, compared_pairs(), facts))
  shipped <- of(facts)
  own <- facts
  own$loads <- copy(own$loads)[tier == "sleep-500", `:=`(users = 1234, wait_ms = 77)][tier == "overload-300", `:=`(objective_ms = 4321, times_capacity = 7)]
  changed <- of(own)
  expect_match(shipped[["limit"]], "^.*500 users wait 100 ms.* 10 × = 500 users ÷ 50 admitted")
  expect_match(changed[["limit"]], "1,234 users wait 77 ms.* 24[.]7 × = 1,234 users ÷ 50 admitted")
  expect_no_match(changed[["limit"]], "500 users|100 ms")
  expect_match(changed[["overload"]], "At 7 times .* within 4[.]32 s")
  # Nothing of a shipped load is missing.
  for (item in shipped) expect_unsaid(item, no_figure)
})

test_that("rivals stand with what became of them", {
  rows <- decided(finding = "one", statistic = "latency_p99_ms", mode_value = 720, baseline_value = 1204)[rep(1, 5)]
  states <- c("excluded", "left", "not measured", "excluded by run old", "left undecided by run old")
  rows[, `:=`(rival = letters[1:5], swap = "a swap", excluded_by = "worse", state = states, outcome = c("worse", "open", "none", "none", "none"))]
  rows[3:5, `:=`(mode_value = NA_real_, baseline_value = NA_real_, reason = no_cell_reason)]
  values <- "(99th percentile of latency 1,204 ms, with the swap 720 ms)"
  expect_equal(outcome_of_rivals(rows), c(paste(c("excluded", "left: not decided"), values), states[3:5]))
  told <- told_findings(decided(), list(finding), rows)
  expect_equal(table_rivals(rows, told)$Rival, c("a", "b", "d", "e"))
  expect_match(sentence_of_rivals(rows, told), "5 in all.*Left are 2, .* “A pool is cheaper”: b; e[.] This run does not measure one")
  rows[2, outcome := "worse"]
  expect_said(sentence_of_rivals(rows, told), "b (*as it would have it*); e.")
  html <- rivals_in_words(rows)
  expect_said(html, "<summary>What else could explain it: 2 excluded, 2 left and 1 not measured</summary>")
  expect_equal(lengths(regmatches(html, gregexpr("<li>", html))), 5)
})

# The values from which the last two rows of the table of settings are made.
settings_of <- function(...) {
  pairs <- list(more = list(bounded = TRUE))
  held <- told_of(pair = "more", statistic = "throughput_per_s", mode_admitted = 50, baseline_admitted = 10, ..., findings = list(modifyList(finding, list(pairs = pairs))))
  list(
    findings = list("held-connections" = held$one), overloads = list(heap = data.table(study = "sign-up", mode = "virtual-512m", kib_per_request = 164)),
    thread_memory = data.table(kind = c("platform", "virtual"), threads = 1000, rss_bytes = 20480000, heap_bytes = 2048000)
  )
}
combined <- data.table(mode = "both-pools", tier = "grid-100", share = c(1, 0.95, 0.5))
more <- strsplit(rows_of_settings(settings_of(), combined), "\n", fixed = TRUE)[[1]]

test_that("the table of settings has ten rows at most", {
  # One of the rows on overload is printed, and names a limit on connections where one was shown to help.
  for (limited in c("yes", "open", "no")) {
    all_held[["overload-connections"]]$holds <- limited
    rows <- c(grep("^[|] ", with_findings(texts[["configure.qmd"]], all_held), value = TRUE), more)
    expect_lte(length(rows) - 1, 10)
    expect_length(grep("More requests than the server can answer", rows), 1)
    expect_equal(any(grepl("max-connections", rows)), limited == "yes")
    expect_true(all(lengths(strsplit(rows, "|", fixed = TRUE)) == 4))
  }
})

test_that("connections and memory have rows with the values that there are", {
  expect_said(more[1], "104/s with 10 connections, 52.2/s with 50; 2 of 3 combinations of sizes within 10 % of the best |")
  # 10,000 x 20 KiB and 10,000 x 2 KiB, in two digits.
  expect_said(more[2], "200 MiB as platform threads, 20 MiB of heap as virtual ones; a sign-up in flight holds up to 164 KiB of heap |")
  open <- settings_of(holds = "open")
  expect_said(rows_of_settings(open, combined), "| 2 of 3 combinations")
  open$overloads$heap <- open$overloads$heap[0]
  expect_unsaid(rows_of_settings(open, combined), "sign-up")
  open$thread_memory <- NULL
  expect_equal(rows_of_settings(open, combined[0]), "")
  blocks <- c("<!-- if held-connections -->", "| a | b | c |", "<!-- end -->")
  expect_equal(rows_of_settings(open, combined[0], blocks), "| None that this run decides | – | – |")
})

test_that("the shipped run refutes no finding but the prediction that failed, and its values keep their bounds", {
  told <- findings_of_shipped(read_shipped(runs_folder, reference_run), guide_file)
  holds <- vapply(told, `[[`, "", "holds")
  expect_equal(setdiff(names(holds)[holds == "no"], "overload-remedy"), character())
  rows <- rbindlist(lapply(told[holds == "yes"], `[[`, "rows"))
  # A window's count is a little more or less than its share of the rate.
  expect_true(rows[!is.na(bound_ratio), all(exp(abs(log(estimate))) <= 1.02 * bound_ratio)])
})
