# A run of twenty cells in four sessions, ten plain slices each, and its comparisons; `reasons` of the first comparisons' throughput.
run_with <- function(others = 0.001, steal = 0.002, disturbed = 0, lost = 0, latencies = 0, server_steal = NULL) {
  cells <- CJ(study = "demo", mode = c("pool", "virtual"), tier = letters[1:10])[, `:=`(
    tool = "wrk2", repetition = 1, session = tier, outcome = "completed", valid = TRUE, latency_valid = TRUE, failed_checks = ""
  )]
  cells[seq_len(latencies), `:=`(latency_valid = FALSE, failed_checks = "rounds_kept")]
  slices <- cells[rep(seq_len(.N), each = 10)][, `:=`(kind = "plain", beside = "", others_cpu_share = others, steal_share = steal, reason = "")]
  if (!is.null(server_steal)) slices[, server_steal_share := server_steal]
  slices[, slice := seq_len(.N), by = .(mode, tier)][slice <= 10 * disturbed, reason := "undisturbed;compiled"]
  comparisons <- cells[mode == "virtual", .(study, tier, tool, mode, baseline = "pool", reason = "")]
  comparisons[seq_len(lost), reason := "1 of 8 rounds count on both sides (lost: undisturbed 7)"]
  comparisons <- rbind(comparisons[, statistic := "throughput_per_s"], copy(comparisons)[, statistic := "cpu_us_per_request"])
  list(summary = cells, slices = slices, comparisons = comparisons)
}
taken <- function(...) sentence_of_taken_cpu(run_with(...))

test_that("the first page says in a few words that nothing else took the CPU", {
  expect_equal(taken(), "Almost nothing else used the server's CPU.")
  # Older records do not know it.
  run <- run_with()
  run$slices[, c("others_cpu_share", "steal_share") := NULL]
  for (unknown in list(run, list())) expect_equal(sentence_of_taken_cpu(unknown), "")
})

test_that("the first page says who took how much of the CPU, and what is not measured for that", {
  others <- "**Other programs took 38 % of the server's CPU** (medians over slices)."
  elsewhere <- "Measure at another hour, or on another machine."
  expect_equal(taken(others = 0.381, disturbed = 1, lost = 6, latencies = 9), paste(
    others, "Not measured for that: throughputs and CPU times at the CPU's limit in",
    "6 of 10 comparisons and the latencies of 9 of 20 cells. End these programs, or measure at another hour."
  ))
  expect_said(taken(others = 0.381, steal = 0.031), "**Other programs took 38 % of the server's CPU and the hypervisor 3.1 %** ")
  expect_equal(taken(steal = 0.2, disturbed = 1, latencies = 20), paste(
    "**The hypervisor took 20 % of the CPU** (medians over slices). Not measured for that: the latencies of all 20 cells.", elsewhere
  ))
  # A shipped run is not measured again by who reads it.
  expect_equal(sentence_of_taken_cpu(run_with(others = 0.381), advise = FALSE), others)
  # The server's own CPUs, where a record has them.
  expect_said(taken(steal = 0.2, server_steal = 0.4), "took 40 % of the CPU")
  # Most slices are quiet.
  expect_match(taken(disturbed = 0.2), paste0("^\\*\\*In 20 % of the slices other programs or the hypervisor took more [^*]*\\*\\* ", elsewhere))
})

test_that("latencies are lost to others only where slices were disturbed", {
  expect_unsaid(taken(others = 0.3, latencies = 9), "latencies")
  run <- run_with(others = 0.3, disturbed = 1, latencies = 9)
  run$summary[, failed_checks := "settled"]
  expect_unsaid(sentence_of_taken_cpu(run), "latencies")
})

test_that("cells are not called valid without what does not count", {
  of <- function(...) with(run_with(...), sentence_validity(summary, comparisons))
  but <- "All 20 cells are valid, but not all of their values count. Of 9 valid cells the latency does not count (`rounds_kept` 9)"
  expect_equal(of(), "All 20 cells are valid.")
  expect_equal(of(latencies = 9), paste0(but, "; all else does."))
  expect_equal(of(latencies = 9, lost = 6), paste0(but, ". In 6 of 10 comparisons others took the CPU that throughput or CPU time is limited by, so these do not count."))
})

test_that("reasons have the names of rules in plain words", {
  few <- "2 of 8 rounds count on both sides (lost: undisturbed 5, compiled 1)"
  words <- "2 of 8 rounds count on both sides, and 3 are needed (5 slices lost to other programs or the hypervisor and 1 to the JIT compiler)"
  told <- c(
    "", "a value of 0 has no ratio", NA,
    # A check's name may be a word of a sentence.
    "connections that are kept, and 3 sent)"
  )
  expect_equal(reason_in_words(c(few, told)), c(words, told))
  expect_equal(reason_in_words("0 of 2 rounds count on both sides"), "0 of 2 rounds count on both sides, and 2 are needed")
  expect_equal(
    reason_in_words("no valid cell (rounds_kept, writes_kept;rounds_kept) of the mode"),
    "no valid cell (too few rounds count, answers and rows of writes differ and too few rounds count) of the mode"
  )
  expect_equal(why_missing(c(few, "another")), c(paste("not measured:", words), "another"))
  # It stands in tables and texts.
  row <- compared(estimate = NA_real_, low = NA_real_, high = NA_real_, reason = few, verdict = "not comparable")
  expect_equal(c(effect_with_interval(row), times_of(row), verdict_of(row)), rep(why_missing(few), 3))
  # Each rule of today has words, ...
  rules <- readLines(file.path(analysis_folder, "..", "workloads/record/validity.py"))
  rules <- rules[seq(grep("^RULES:", rules) + 1, length(rules))]
  checks <- sub("^    ([a-z_]+),$", "\\1", rules[seq_len(match("]", rules) - 1)])
  expect_gt(length(checks), 15)
  expect_setequal(setdiff(checks, names(c(check_words, rule_words))), character())
  # ... and too few rounds are known as such.
  expect_true(all(names(slice_rules) %in% names(rule_words)))
  expect_true(rounds_too_few(few))
})

test_that("CPU times at the CPU's limit are marked, and no others", {
  row <- compared(
    statistic = c("cpu_us_per_request", "cpu_us_per_request", "throughput_per_s"), cpu_limited = c(1, 0, 1),
    estimate = 1.44, low = 1.3, high = 1.6, mode = "a", baseline = "b", tool = "jmeter"
  )
  expect_equal(effect_with_interval(row), c("1.44 [1.3, 1.6], at the CPU's limit", "1.44 [1.3, 1.6]", "1.44 [1.3, 1.6]"))
  cpu_time <- "CPU time per request 1.44 × [1.3, 1.6]"
  verdict <- data.table(
    source = "2-mariadb-pools-sysbench", claim = "It is so.", published = "5 times", treatment = "same", differs = "nothing", verdict = "holds",
    statistic = c("cpu_us_per_request", "throughput_per_s", "throughput_per_s"), ours = c(cpu_time, "throughput 0.7 ×", "throughput 1 ×"),
    because = "", also = c("", paste0(cpu_time, "; peak number of threads 2 ×"), ""), reason = "",
    cells = sprintf("demo/a/%1$s/jmeter : demo/b/%1$s/jmeter", c("high", "high", "low"))
  )
  table <- table_claims(verdict, row[1])
  expect_equal(table$Here, paste0(verdict$ours, c(", at the CPU's limit", "", "")))
  expect_equal(table$Why[2], sprintf("(%s, at the CPU's limit; peak number of threads 2 ×.)", cpu_time))
  expect_equal(table_claims(verdict)$Here, verdict$ours)
})

test_that("the p99 of the event loop's logins is said where it is a bound", {
  row <- compared(
    study = "stacks", tier = "login", tool = "jmeter", mode = "webflux", baseline = "mvc-tomcat-virtual",
    statistic = "latency_p99_ms", unit = "ms", estimate = 2.87, low = 1.576, high = Inf, bound = "at_least", pairs = 1, sessions = 1, mode_value = 1831, baseline_value = 638
  )
  expect_said(sentence_of_long_logins(row), " at least 1,831 ms, on Spring MVC with virtual threads it is 638 ms (at least 1.6 ×): ")
  expect_equal(sentence_of_long_logins(row[, bound := ""]), "")
})
