decided <- function(...) {
  row <- data.table(
    finding = "one", pair = "a", outcome = "better", expected = "better", holds = "yes", study = "demo", tier = "high", tool = "wrk2", mode = "pool",
    baseline = "thread", statistic = "cpu_us_per_request", unit = "µs", effect = "ratio", estimate = 0.5, low = 0.45, high = 0.55,
    bound = "", reason = "", pairs = 3, sessions = 3, baseline_value = 104.4, mode_value = 52.2,
    fcr_low = NA_real_, fcr_high = NA_real_, users = 500, wait_ms = 100, cpu_ms = 2, rate_per_s = 337, long_ms = 50, long_share = 0.01, objective_ms = 2000,
    times_capacity = 3, mode_admitted = NA_real_, baseline_admitted = 50, mode_carriers = 16, mode_heap_mib = 512, bound_ratio = 10
  )
  changes <- list(...)
  for (column in names(changes)) set(row, j = column, value = changes[[column]])
  row[]
}
finding <- list(
  id = "one", topic = "a pool", title = "A pool is cheaper", cpus = "no", study = "demo", pairs = list(a = list(bounded = TRUE))
)
told_of <- function(..., findings = list(finding)) told_findings(decided(...), findings)
text <- c("before", "<!-- if one -->", "**`r title`.** `r a$from` become `r a$to`: `r a$times` of `r a$bound`.", "<!-- end -->", "after")

test_that("a block is printed with its values where its finding holds, and in no other case", {
  expect_equal(with_findings(text, told_of()), c(
    "before", "**A pool is cheaper.** 104 µs become 52.2 µs: 2 × [1.8, 2.2] of 10 × = 500 users ÷ 50 admitted.", "after"
  ))
  for (holds in c("no", "open")) expect_equal(with_findings(text, told_of(holds = holds)), c("before", "after"))
  expect_equal(with_findings(text, told_of(finding = "two")), c("before", "after"))
  # A value that is missing is none to print.
  expect_equal(told_of(mode_value = NA_real_)$one$holds, "open")
  expect_equal(with_findings(c(text, text), told_of())[4:6], with_findings(text, told_of()))
})

test_that("a block that names what is not there is an error", {
  expect_error(with_findings(sub("one", "three", text), told_of()), "no finding of guide.yaml is called three")
  expect_error(with_findings(sub("a\\$to", "b$to", text), told_of()), "b$to` is no value of the finding A pool is cheaper", fixed = TRUE)
  expect_error(with_findings(text[-4], told_of()), "a block has no end")
  expect_error(with_findings(rev(text), told_of()), "a block has no end")
})

test_that("a block may need other findings, or the absence of one", {
  of <- function(holds) told_of(holds = holds, outcome = holds, findings = list(finding, modifyList(finding, list(id = "two"))))
  wants <- function(condition, holds) length(with_findings(c(sprintf("<!-- if %s -->", condition), "it", "<!-- end -->"), of(holds)))
  # The second has no rows, so it does not hold.
  expect_equal(c(wants("one", "yes"), wants("one two", "yes"), wants("one !two", "yes"), wants("one !two", "open")), c(1, 0, 1, 0))
  # A tilde asks for one that is refuted.
  expect_equal(c(wants("~one", "no"), wants("~one", "open"), wants("~one", "yes"), wants("~one !two", "no")), c(1, 0, 0, 1))
  expect_equal(c(wants("one !~two", "yes"), wants("~one !~one", "no")), c(1, 0))
  expect_error(wants("one !three", "yes"), "no finding of guide.yaml is called three")
})

test_that("a finding that does not hold has a sentence where its first block would stand, and no row of a table", {
  of <- function(text, ...) with_findings(text, told_of(...), untold = TRUE)
  absent <- list(holds = "unmeasured", outcome = "none", estimate = NA_real_, reason = "no cell of the mode")
  said <- "*A pool*: not measured here."
  expect_equal(do.call(of, c(list(c(text, text)), absent)), c("before", said, "after", "before", "after"))
  expect_equal(do.call(of, c(list(sub("^[*]", "| *", text)), absent)), c("before", "after"))
  expect_equal(of(text), with_findings(text, told_of()))
  expect_match(of(text, holds = "no", outcome = "worse")[2], "^\\*A pool\\*: \\*\\*otherwise in this run\\*\\* \\(CPU time per request: 104 µs with `thread`")
})

test_that("what is not told stands in a line, and what is refuted with its values", {
  findings <- list(finding, modifyList(finding, list(id = "two", topic = "a loop")))
  expect_equal(sentences_untold(told_of(findings = findings)), "*A loop*: not measured here (no row of it in `findings.csv`).")
  values <- "CPU time per request: 104 µs with `thread`, 52.2 µs with `pool`"
  expect_equal(sentences_untold(told_of(holds = "open", outcome = "open")), sprintf("*A pool*: not decided here (%s).", values))
  expect_equal(sentences_untold(told_of(holds = "no", outcome = "worse")), sprintf("*A pool*: **otherwise in this run** (%s).", values))
  apart <- told_of(holds = "open", outcome = "none", estimate = NA_real_, reason = "no session has values of both sides")
  expect_equal(sentences_untold(apart), "*A pool*: not decided here (`pool`: no session has values of both sides).")
  expect_equal(sentences_untold(told_of(mode_value = NA_real_)), "*A pool*: not decided here (`pool`: a value is missing).")
  lacking <- decided(pair = "b", holds = "unmeasured", outcome = "none", estimate = NA_real_, reason = "no cell of the mode")
  part <- told_findings(rbind(decided(holds = "unmeasured"), lacking), list(finding))
  expect_equal(list_of_untold(part), sprintf("This run does not show (@sec-quality):\n\n- *A pool*: measured in part (%s).", values))
  # Those that are refuted come first.
  both <- told_of(holds = "no", outcome = "worse", findings = rev(findings))
  expect_match(sentences_untold(both), "^\\*A (pool\\*: \\*\\*otherwise|loop\\*: not measured)")
  expect_match(list_of_untold(both), "^This run does not show [^\n]*:\n\n- \\*A pool[^\n]*\n\nThis run did not measure: \\*a loop\\*[.]$")
  expect_equal(list_of_untold(both["two"]), "This run did not measure: *a loop*.")
  expect_equal(list_of_untold(told_of()), "")
})

test_that("a ratio in prose is never below 1, and a bound keeps its side", {
  expect_equal(times_of(decided()), "2 × [1.8, 2.2]")
  expect_equal(times_of(decided(estimate = 9.169, low = 8.25, high = 10.19)), "9.2 × [8.2, 10]")
  expect_equal(times_of(decided(estimate = 1.027, low = 1.003, high = 1.05)), "1.03 × [1, 1.05]")
  expect_equal(times_of(decided(bound = "at_most")), "at least 1.8 ×")
  expect_equal(times_of(decided(estimate = 4, low = 3, high = Inf, bound = "at_least")), "at least 3 ×")
  expect_equal(times_of(decided(fcr_low = 0.4, fcr_high = 0.625)), "2 × [1.6, 2.5]")
  expect_equal(times_of(decided(fcr_low = 0.2, fcr_high = 0.9)), "at least 1.1 ×")
  expect_equal(times_of(decided(low = 0.1, high = 1.1)), "not measured well enough")
  expect_equal(times_of(decided(pairs = 1)), paste0("2 × [1.8, 2.2]", one_session_mark))
  expect_equal(times_of(decided(estimate = NA_real_, reason = not_measured_well)), "not measured well enough")
  expect_equal(value_of(4582, "1/s"), "4,582/s")
  expect_equal(value_in_words(0.985, "error_share"), "98.5 %")
})

ranges <- function(low, high) decided()[, c(comparison_keys), with = FALSE][, `:=`(low_elsewhere = low, high_elsewhere = high)]

test_that("a ratio has its interval here and the range on another host, in the direction of the sentence", {
  expect_equal(times_of(decided(), ranges(0.4, 0.625)), "2 × [1.8, 2.2; elsewhere 1.6, 2.5]")
  expect_equal(times_of(decided(estimate = 2, low = 1.8, high = 2.2), ranges(1.5, 3)), "2 × [1.8, 2.2; elsewhere 1.5, 3]")
  expect_equal(times_of(decided(), ranges(0.4, 0.625)[, mode := "another"]), "2 × [1.8, 2.2]")
  expect_equal(times_of(decided(), NULL), "2 × [1.8, 2.2]")
  expect_match(sentence_of_brackets("2 × [1.8, 2.2; elsewhere 1.6, 2.5]"), "\\*\\*this host\\*\\*.*\\*Elsewhere\\*: 95 % of other hosts, with one CPU for the server.$")
  expect_match(sentence_of_brackets(paste0("2 × [1.8, 2.2]", one_session_mark)), "reported. ‡: by one session.$")
  expect_equal(c(sentence_of_brackets("nothing"), sentence_of_sides("nothing")), c("", ""))
  expect_match(sentence_of_sides(times_of(decided())), "rounds that both sides have")
})

test_that("findings stand with their ratio here, on another host, and with what it depends on", {
  expect_equal(unlist(table_travel(told_of(), ranges(0.4, 0.625))), c(
    Finding = "A pool is cheaper", Here = "2 × [1.8, 2.2]", "On another host" = "1.6 to 2.5", "Depends on CPUs" = "no"
  ))
  expect_equal(table_travel(told_of(), NULL)[["On another host"]], no_figure)
  expect_equal(nrow(table_travel(told_of(holds = "open"), NULL)), 0)
})

test_that("a queue is known by two numbers of CPUs that are near to it", {
  of <- function(cpus, measured) data.table(mode = "virtual", cpus, measured_p99_ms = measured, predicted_p99_ms = c(89, 43)[cpus])
  queued <- lapply(told_of(), function(each) replace(each, "cpus", by_queue))
  of_mixes <- function(mixes) table_travel(queued, NULL, mixes)[["Depends on CPUs"]]
  expect_equal(of_mixes(of(1:2, c(100, 38))), "as a queue M/G/n (1 CPU and 2 CPUs measured)")
  expect_equal(of_mixes(of(1:2, c(100, 20))), "unknown")
  expect_equal(of_mixes(of(1, 100)), "unknown")
  expect_equal(of_mixes(NULL), "unknown")
})

test_that("hosts are said to be as wide as their ranges", {
  range_of <- function(starts, factor) data.table(statistic = "throughput_per_s", starts, low_elsewhere = 1 / factor, high_elsewhere = factor, hosts = 3)
  left <- data.table(host = c("a", "b"), comparisons = 100, held = c(97, 95))
  said <- sentence_of_hosts(rbind(range_of("no", 1.07), range_of("yes", 2)), left)
  expect_match(said, "the 3 hosts .* ± 7 % .* ± 100 %")
  expect_match(said, "in 97 of 100 and 95 of 100 comparisons")
  expect_equal(sentence_of_hosts(NULL, NULL), "")
})

# ---- The texts themselves ------------------------------------------------------------------------

guide_file <- file.path(analysis_folder, "guide.yaml")
known <- read_findings(guide_file)
paper_folder <- test_path("..", "..")
sections <- list.files(paper_folder, "[.]qmd$", full.names = TRUE)

# All findings as if they held.
all_held <- local({
  of_pair <- function(finding, name) decided(finding = finding$id, pair = name, statistic = finding$pairs[[name]]$statistic)
  held <- told_findings(rbindlist(lapply(known, function(finding) rbindlist(lapply(names(finding$pairs), of_pair, finding = finding)))), known)
  function() held
})

test_that("every block of the paper is of a finding, with values that it has", {
  blocks <- 0
  for (file in sections) {
    lines <- readLines(file, encoding = "UTF-8")
    blocks <- blocks + length(grep(block_start, lines))
    told <- with_findings(lines, all_held())
    expect_false(any(grepl(block_start, told) | grepl(block_end, told)), label = file)
  }
  expect_gt(blocks, 35)
})

test_that("next to a ratio stand the values that it is a ratio of", {
  lacking <- function(lines) {
    ratios <- lapply(regmatches(lines, gregexpr("`r [a-z]+[$]times`", lines)), function(found) sub("times", "", sub("`$", "", found)))
    unlist(Map(function(line, names) Filter(function(name) !all(vapply(paste0(name, c("from", "to"), "`"), grepl, NA, line, fixed = TRUE)), names), lines, ratios), use.names = FALSE)
  }
  expect_length(lacking(unlist(lapply(sections, readLines, encoding = "UTF-8"))), 0)
  expect_equal(lacking("`r default$to` and `r tail$to` (`r tail$times`)"), "`r tail$")
})

test_that("every finding has a sentence", {
  told <- unlist(lapply(sections, function(file) text_blocks(readLines(file, encoding = "UTF-8"), all_held())$finding))
  expect_equal(setdiff(names(all_held()), told), character(), label = "findings of analysis/guide.yaml without a block in paper/*.qmd")
})

first_page <- readLines(file.path(paper_folder, "findings.qmd"), encoding = "UTF-8")

# The same without those that do not hold.
without <- function(...) {
  held <- all_held()
  for (id in c(...)) held[[id]]$holds <- "open"
  held
}

test_that("the first page has at most eight items, which are the first findings of guide.yaml in their order", {
  items <- first_items(first_page, all_held())
  expect_equal(
    names(items), head(vapply(known, `[[`, "", "id"), on_first_page),
    label = "items of paper/findings.qmd, which are those of the first eight in analysis/guide.yaml (others stand in their section's file)"
  )
  # Without a finding the texts of the others stay, each as it is.
  for (id in names(items)) {
    others <- setdiff(names(items), id)
    expect_equal(first_items(first_page, without(id))[others], items[others], label = id)
  }
  expect_equal(names(first_items(first_page, without("who-waits")))[4], "tail")
})

test_that("the README has five items, the first that hold", {
  items <- function(...) names(items_of_findings(first_page, without(...), list()))
  expect_equal(items(), c("limit", "carriers", "overload", "who-waits", "client"))
  expect_equal(items("carriers", "client"), c("limit", "overload", "who-waits", "pooler", "wake-ups"))
})

shipped_comparisons <- read_shipped(file.path(analysis_folder, "runs"), "2026-11-27-epyc-2")$comparisons

# The comparisons of all pairs, without values.
named_pairs <- local({
  row_of <- function(finding, name) {
    pair <- finding$pairs[[name]]
    data.table(study = finding$study, as.data.table(pair[c("tier", "tool", "mode", "statistic")]), wanted = c(unlist(pair$holds), "any")[1], may_be_worse = "worse" %in% pair$holds, id = paste(finding$id, name))
  }
  rows <- rbindlist(lapply(known, function(finding) rbindlist(lapply(names(finding$pairs), row_of, finding = finding))))
  rows <- unique(rows[order(wanted == "any")], by = c("study", "tier", "tool", "mode", "statistic"))
  about <- about_statistics(rows$statistic)
  known_baselines <- unique(shipped_comparisons[, .(study, tier, tool, mode, baseline)], by = c("study", "tier", "tool", "mode"))
  rows[, baseline := fcoalesce(known_baselines[rows, on = c("study", "tier", "tool", "mode")]$baseline, fifelse(grepl("1280m", mode), "pool-200-1280m", "base"))]
  rows[, `:=`(unit = about$unit, effect = about$effect, better = about$better, bound = "", reason = "", pairs = 3, sessions = 3, fixed = 0, fcr_low = NA_real_, fcr_high = NA_real_)][]
})

# Each as its finding needs it, or one turned: the sides' values are exchanged.
compared_pairs <- function(turned = NULL) {
  rows <- copy(named_pairs)
  rows[, up := fcase(!wanted %in% c("better", "worse"), 0, (wanted == "better") == (better == "higher"), 1, default = -1)]
  # A pair that must be the same is worse, or better where it may be worse; one that must differ, differs the other way.
  if (!is.null(turned)) rows[id == turned, up := ifelse(up == 0, ifelse((better == "higher") != may_be_worse, -1, 1), -up)]
  rows[, `:=`(baseline_value = fifelse(up == -1, 0.7321, 0.1234), mode_value = fcase(up == 1, 0.7321, up == 0, 0.1235, default = 0.1234))]
  rows[, estimate := fifelse(effect == "ratio", mode_value / baseline_value, mode_value - baseline_value)]
  rows[, `:=`(low = estimate - 0.01, high = estimate + 0.01, verdict = fcase(up == 1, "higher", up == -1, "lower", default = "same"))]
  rows[, `:=`(p_value = 0.001, equivalence_p_value = fifelse(up == 0, 0.001, 0.9), wanted = NULL, may_be_worse = NULL, up = NULL)][]
}

test_that("each pair with a condition decides: turned, its finding has other words and the swapped numbers", {
  facts <- shipped_facts(guide_file)
  straight <- compared_pairs()
  told_by <- function(findings, comparisons) told_findings(decide_findings(findings, comparisons, facts), findings)
  held <- told_by(known, straight)
  texts <- lapply(sections, readLines, encoding = "UTF-8")
  ids <- unlist(lapply(known, function(finding) paste(finding$id, names(Filter(function(pair) !is.null(pair$holds), finding$pairs)))))
  expect_gt(length(ids), 30)
  for (id in ids) {
    finding <- sub(" .*", "", id)
    name <- sub(".* ", "", id)
    row <- function(told) told[[finding]]$rows[pair == name]
    expect_equal(held[[finding]]$holds, "yes", label = id)
    of_pair <- straight[row(held)[, .(study, tier, tool, mode, statistic)], on = c("study", "tier", "tool", "mode", "statistic")]$id
    turned <- replace(held, finding, told_by(Filter(function(each) each$id == finding, known), compared_pairs(of_pair)))
    expect_equal(turned[[finding]]$holds, "no", label = id)
    words <- sentence_untold(turned[[finding]])
    expect_match(words, "otherwise in this run", label = id)
    values <- c(row(turned)$baseline_value, row(turned)$mode_value)
    for (value in values) expect_match(words, value_in_words(value, row(turned)$statistic), fixed = TRUE, label = id)
    # No block that needs the finding is printed any more.
    needs <- sprintf("^<!-- if (%1$s|.* %1$s) (.* )?-->$", finding)
    for (lines in Filter(function(lines) any(grepl(needs, lines)), texts)) expect_false(any(text_blocks(lines, turned)[grepl(needs, lines[start])]$holds), label = id)
  }
})

test_that("a sentence has the load of its cells", {
  facts <- shipped_facts(guide_file)
  of <- function(facts) first_items(first_page, told_findings(decide_findings(known, compared_pairs(), facts), known))
  own <- copy(facts)
  own$loads <- copy(own$loads)[tier == "sleep-500", `:=`(users = 1234, wait_ms = 77)][tier == "overload-300", `:=`(objective_ms = 4321, times_capacity = 7)]
  shipped <- of(facts)
  changed <- of(own)
  expect_match(shipped[["limit"]], "^.*500 users wait 100 ms.* 10 × = 500 users ÷ 50 admitted")
  expect_match(changed[["limit"]], "1,234 users wait 77 ms.* 24[.]7 × = 1,234 users ÷ 50 admitted")
  expect_no_match(changed[["limit"]], "500 users|100 ms")
  expect_match(changed[["overload"]], "At 7 times .* within 4[.]32 s")
  # Nothing of a shipped load is missing.
  for (item in shipped) expect_no_match(item, no_figure, fixed = TRUE)
})

test_that("rivals stand with what became of them", {
  rows <- decided(finding = "one", statistic = "latency_p99_ms", mode_value = 720, baseline_value = 1204)[rep(1, 5)]
  states <- c("excluded", "left", "not measured", "excluded by run old", "left undecided by run old")
  rows[, `:=`(rival = letters[1:5], swap = "a swap", excluded_by = "worse", state = states, outcome = c("worse", "open", "none", "none", "none"))]
  rows[3:5, `:=`(mode_value = NA_real_, baseline_value = NA_real_, reason = no_cell_reason)]
  expect_equal(outcome_of_rivals(rows), c(
    "excluded (99th percentile of latency 1,204 ms, with the swap 720 ms)", "left: not decided (99th percentile of latency 1,204 ms, with the swap 720 ms)", "not measured", "excluded by run old",
    "left undecided by run old"
  ))
  told <- told_findings(decided(), list(finding), rows)
  expect_equal(table_rivals(rows, told)$Rival, c("a", "b", "d", "e"))
  expect_match(sentence_of_rivals(rows, told), "5 in all.*Left are 2, undecided where nothing else is said[.] “A pool is cheaper”: b; e[.] This run does not measure one")
  rows[2, outcome := "worse"]
  expect_match(sentence_of_rivals(rows, told), "b (*as it would have it*); e.", fixed = TRUE)
  html <- rivals_in_words(rows)
  expect_match(html, "<summary>What else could explain it: 2 excluded, 2 left and 1 not measured</summary>")
  expect_equal(lengths(regmatches(html, gregexpr("<li>", html))), 5)
  expect_equal(rivals_in_words(rows[0]), "")
})

# The values from which the last two rows of the table of settings are made.
settings_of <- function(...) {
  pairs <- list(more = list(bounded = TRUE))
  held <- told_of(pair = "more", statistic = "throughput_per_s", mode_admitted = 50, baseline_admitted = 10, ..., findings = list(modifyList(finding, list(pairs = pairs))))
  list(
    findings = list("held-connections" = held$one), overloads = list(heap = data.table(mode = "virtual-512m", kib_per_request = 164)),
    thread_memory = data.table(kind = c("platform", "virtual"), threads = 1000, rss_bytes = 20480000, heap_bytes = 2048000)
  )
}
combined <- data.table(mode = "both-pools", tier = "grid-100", share = c(1, 0.95, 0.5))

test_that("the table of settings has ten rows at most", {
  lines <- readLines(file.path(paper_folder, "configure.qmd"), encoding = "UTF-8")
  more <- strsplit(rows_of_settings(settings_of(), combined), "\n", fixed = TRUE)[[1]]
  # One of the rows on overload is printed, and names a limit on connections where one was shown to help.
  for (limited in c("yes", "open", "no")) {
    held <- all_held()
    held[["overload-connections"]]$holds <- limited
    rows <- c(grep("^[|] ", with_findings(lines, held), value = TRUE), more)
    expect_lte(length(rows) - 1, 10)
    expect_equal(length(grep("More requests than the server can answer", rows)), 1, label = limited)
    expect_equal(any(grepl("max-connections", rows)), limited == "yes")
    expect_true(all(lengths(strsplit(rows, "|", fixed = TRUE)) == 4))
  }
})

test_that("connections and memory have rows with the values that there are", {
  rows <- strsplit(rows_of_settings(settings_of(), combined), "\n", fixed = TRUE)[[1]]
  expect_match(rows[1], "| with a call of a remote inside, 104/s with 10 connections, 52.2/s with 50; 2 of 3 combinations of sizes within 10 % of the best |", fixed = TRUE)
  # 10,000 x 20 KiB and 10,000 x 2 KiB, in two digits.
  expect_match(rows[2], "| parked, 200 MiB as platform threads, 20 MiB of heap as virtual ones; a sign-up in flight holds up to 164 KiB of heap |", fixed = TRUE)
  open <- settings_of(holds = "open")
  expect_match(rows_of_settings(open, combined), "| 2 of 3 combinations", fixed = TRUE)
  open$overloads$heap <- open$overloads$heap[0]
  expect_no_match(rows_of_settings(open, combined), "sign-up")
  open$thread_memory <- NULL
  expect_equal(rows_of_settings(open, combined[0]), "")
  blocks <- c("<!-- if held-connections -->", "| a | b | c |", "<!-- end -->")
  expect_equal(rows_of_settings(open, combined[0], blocks), "| None that this run decides | – | – |")
})

told_of_run <- function(run) findings_of_shipped(read_shipped(file.path(analysis_folder, "runs"), run), guide_file)

test_that("no shipped run refutes a finding, and its values agree with the ratios next to them and keep their bounds", {
  for (run in list.files(file.path(analysis_folder, "runs"))) {
    told <- told_of_run(run)
    holds <- vapply(told, `[[`, "", "holds")
    # But the prediction that failed.
    expect_equal(setdiff(names(holds)[holds == "no"], "overload-remedy"), character(), label = run)
    expect_gte(sum(holds == "yes"), 5)
    rows <- rbindlist(lapply(told[holds == "yes"], `[[`, "rows"))
    decided <- rows[outcome %in% c("better", "worse") & effect == "ratio"]
    expect_true(decided[, all(sign(log(mode_value / baseline_value)) == sign(log(estimate)))], label = run)
    # A window's count is a little more or less than its share of the rate.
    expect_true(rows[!is.na(bound_ratio), all(exp(abs(log(estimate))) <= 1.02 * bound_ratio)], label = run)
  }
})

test_that("no text says what the shipped cells refute", {
  # Helidon on virtual threads takes less CPU time than WebFlux; the tail differs where throughput does not; ten
  # connections serve less with the call before the transaction than 50 with it inside; no time-out was measured.
  refuted <- "than virtual threads|makes no difference|before the transaction, and|time-out of a call"
  texts <- unlist(lapply(sections, readLines, encoding = "UTF-8"))
  expect_equal(grep(refuted, texts, value = TRUE), character())
  expect_match("WebFlux takes less CPU time than virtual threads", refuted)
})
