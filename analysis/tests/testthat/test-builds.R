# A session of two builds. `new` and `old` are values by statistic, which vary a little from round to round.
write_session <- function(...) {
  results <- new_folder()
  file.copy(file.path(once(paste(deparse(list(...)), collapse = ""), make_session(...)), "cells"), results, recursive = TRUE)
  results
}
make_session <- function(new = list(), old = list(), rounds = 20, starts = 4, spread = 0.02, of_starts = 0, failed = 0) {
  results <- new_folder()
  side <- function(mode, baseline, changes, up) {
    values <- modifyList(list(throughput_per_s = 100, cpu_us_per_request = 1000, latency_p50_ms = 10, latency_p99_ms = 20, rss_mib = 90), changes)
    start <- rep(seq_len(starts), each = ceiling(rounds / starts))[seq_len(rounds)]
    wave <- (1 + up * spread * rep_len(c(-1, 1, 0.5, -0.5), rounds)) * (1 + up * of_starts * rep_len(c(1, -1), starts)[start])
    counted <- list(requests_recorded = 1000, responses_2xx = 1000 - if (mode == "new") failed else 0, rounds = rounds, start = start)
    limits <- list(throughput_per_s = 5, latency_p50_ms = 5, latency_p99_ms = 25, cpu_us_per_request = 5)
    path <- write_cell(
      file.path(results, "cells"), mode = mode, baseline = baseline, tool = "wrk2", histogram_ms = 1:4, session = list(id = "here 1"),
      slices = do.call(known_slices, c(lapply(values, `*`, wave), counted)), load = list(throughput_per_s = values$throughput_per_s, error_share = 0),
      configuration = list(slices = list(until = list(budget_s = 100, slower_percent = limits)))
    )
    p99 <- rep(values$latency_p99_ms * wave, each = 2)
    fwrite(data.table(slice = rep(seq_len(rounds), each = 2), value_ms = p99 * c(0.5, 1), count = c(980, 20)), file.path(dirname(path), "latencies.csv.gz"))
  }
  side("old", NULL, old, -1)
  side("new", "old", new, 1)
  results
}
of_new <- "demo/new/low/wrk2/rep-1"
judged <- function(...) judge_builds(write_session(...), of_new)
verdicts <- function(judged) setNames(judged$table$verdict, judged$table$statistic)
cell_of <- function(results, mode) file.path(results, "cells/demo", mode, "low/wrk2/rep-1")
edit_cell <- function(results, mode, ...) edit_record(file.path(cell_of(results, mode), "cell.json"), ...)

# Verdicts where the slices of the new build are others.
judged_with <- function(change) {
  results <- write_session()
  edit_rows(file.path(cell_of(results, "new"), "slices.csv"), change)
  judge_builds(results, of_new)
}

test_that("two equal builds are not slower than each other", {
  found <- judged()
  expect_equal(found$verdict, "not slower")
  expect_equal(unname(verdicts(found)), c(rep("not slower", 4), "", "not slower"))
  expect_true(all(found$table[statistic != failed_requests, low < 1 & high > 1]))
})

test_that("builds that differ from start to start are not called slower, and have the budget that would decide it", {
  expect_open <- function(cpu_us, said) {
    found <- judged(new = list(cpu_us_per_request = cpu_us), of_starts = 0.05)
    expect_equal(found$verdict, "undecided")
    expect_match(found$remarks, said, all = FALSE)
  }
  expect_open(1060, "^new: CPU time per request: 6 starts like these 4 do not decide it, whose interval has [0-9.]+ % to each side")
  expect_open(1300, "CPU time per request: 6 starts that differ like these 4 would decide it: budget_s: 150[.]$")
  # Three starts 7 % apart, a ratio of 1.28 and a limit of 1.1.
  expect_equal(starts_needed(0.247, qt(0.995, 2) * 0.07 / sqrt(3), 3, log(1.1)), 5)
  expect_equal(starts_needed(0.1, qt(0.995, 2) * 0.07 / sqrt(3), 3, log(1.1)), NA_integer_)
})

test_that("each statistic makes a build slower beyond a limit of its own, in one direction, and memory does not", {
  slower <- function(...) {
    found <- judged(...)
    expect_equal(found$verdict, if ("slower" %in% verdicts(found)) "slower" else "not slower")
    found$table[verdict == "slower", statistic]
  }
  worse <- list(throughput_per_s = 90, latency_p50_ms = 11, latency_p99_ms = 40, cpu_us_per_request = 1100)
  expect_equal(slower(new = worse), names(worse))
  expect_equal(slower(old = worse), character())
  # 10 % are within the limit of p99, and one statistic is enough.
  expect_equal(slower(new = list(latency_p99_ms = 22, latency_p50_ms = 11)), "latency_p50_ms")
  memory <- judged(new = list(rss_mib = 180))
  expect_equal(memory$verdict, "not slower")
  expect_true(memory$table[statistic == "rss_mib", low > 1.9 & high < 2.1])
})

test_that("the median is compared at one speed of the CPU, which one build's rounds did not have", {
  slow <- rep_len(c(1, 1.08, 0.94, 1, 0.97), 20)
  found <- judged(new = list(latency_p50_ms = 11 * slow, probe_us = 70 * slow), old = list(probe_us = 70), spread = 0)$table[statistic == "latency_p50_ms"]
  expect_equal(unlist(found[, .(ratio, low, high)], use.names = FALSE), rep(1.1, 3), tolerance = 1e-3)
  raw <- judged(new = list(latency_p50_ms = 11 * slow), spread = 0)$table[statistic == "latency_p50_ms"]
  expect_gt(raw$high / raw$low, 1.05)
})

test_that("one request in a thousand that fails is found by its exact interval", {
  one <- judged(failed = 1)
  expect_equal(one$verdict, "slower")
  found <- one$table[statistic == failed_requests]
  exact <- binom.test(20, 20000, conf.level = 0.99)$conf.int
  expect_equal(found[, c(old, new, low, high)], c(0, 0.1, 100 * as.numeric(exact)))
  expect_equal(sentence_of_variant(one$table), "new: at your rate failed requests rise from 0 to 0.1 %.")
  expect_equal(verdict_of_failures(c(0, 1), c(20000, 20000))$verdict, "not slower")
  # All slices of both were spoiled.
  expect_equal(verdict_of_failures(c(0, 0), c(0, 0))$verdict, "undecided")
  few <- verdict_of_failures(c(0, 0), c(800, 800))
  expect_equal(c(few$verdict, few$reason), c("undecided", "0 of 800 requests failed, so that up to 0.66 % may fail"))
})

test_that("a difference at its limit, or rounds that vary, leave it undecided, and one statistic that is slower decides", {
  expect_equal(judged(new = list(cpu_us_per_request = 1050), of_starts = 0.01)$verdict, "undecided")
  noisy <- judged(spread = 0.2, of_starts = 0.1)
  expect_equal(noisy$verdict, "undecided")
  expect_match(lines_of_builds(noisy)[1], "^UNDECIDED: .*throughput")
  expect_no_match(lines_of_builds(noisy)[1], "99th")
  found <- judged(new = list(cpu_us_per_request = 1200, latency_p99_ms = 25), of_starts = 0.01)
  expect_equal(c(verdicts(found)[["latency_p99_ms"]], found$verdict), c("undecided", "slower"))
})

test_that("CPU times at throughputs that are far apart are shown, and the throughputs decide", {
  found <- judged(new = list(throughput_per_s = 200, cpu_us_per_request = 1500))
  expect_equal(found$verdict, "not slower")
  expect_equal(found$table[statistic == "cpu_us_per_request", c(round(old), round(new), verdict)], c("1000", "1500", ""))
  expect_match(lines_of_builds(found), "CPU time per request: throughputs differ by more than 20 %", all = FALSE)
  # Half of the rate explains twice the CPU time, and no more.
  cpu_of <- function(cpu_us) verdicts(judged(new = list(throughput_per_s = 50, cpu_us_per_request = cpu_us)))[["cpu_us_per_request"]]
  expect_equal(c(cpu_of(1900), cpu_of(2300)), c("", "slower"))
})

test_that("sides of two sessions, too few starts, and rounds that do not count are no comparison", {
  results <- write_session()
  edit_cell(results, "old", session = list(id = "another"))
  found <- judge_builds(results, of_new)
  expect_equal(c(found$verdict, found$why), c("invalid", "the variant that it is compared with was not measured in the same session"))
  few <- judged(rounds = 4, starts = 2)
  expect_equal(c(few$verdict, few$why), c("invalid", "starts that count: 2 of 3 needed; budget_s = 100 is too short for them"))
  expect_equal(judged_with(function(rows) rows[kind == "plain", `:=`(kept = "false", reason = "not_completed")])$verdict, "invalid")
})

test_that("rounds that were disturbed count for all but latency", {
  found <- judged_with(function(rows) rows[kind == "plain" & as.numeric(round) > 3, `:=`(kept = "false", reason = "undisturbed")])
  expect_equal(unname(verdicts(found)), c("not slower", "undecided", "undecided", "not slower", "", "not slower"))
  # The others decide, and a sentence says what is missing.
  expect_equal(found$verdict, "not slower")
  expect_match(lines_of_builds(found), "new: open: 99th percentile of latency: starts with a round that counts: 1 of 3 needed", all = FALSE)
})

test_that("a build that answers something else is named with both answers", {
  results <- write_session()
  of <- function(first, varies = FALSE) list(requests = list(list(request = "GET /a", status = 200, type = "", bytes = nchar(first), first = first, varies = varies)))
  edit_cell(results, "old", answers = of("order 17"))
  expect_warned <- function(answers, expected) {
    edit_cell(results, "new", answers = answers)
    expect_equal(grep("WARNING", lines_of_builds(judge_builds(results, of_new)), value = TRUE), expected)
  }
  expect_warned(of("order 17"), character())
  expect_warned(of("db down!"), "WARNING: the answers to GET /a differ: old: 200, 8 bytes \"order 17\"; new: 200, 8 bytes \"db down!\". A variant that does less is faster.")
  # One with a date in it differs from itself.
  expect_warned(of("db down!", varies = TRUE), character())
})

test_that("a build that died, broke a rule or failed requests is named", {
  why <- function(...) {
    results <- write_session()
    edit_cell(results, "new", ...)
    judge_builds(results, of_new)$why
  }
  expect_equal(why(outcome = "server_died", outcome_reason = "exit status 3"), "new: server_died: exit status 3")
  expect_match(why(load = list(error_share = 0.03, errors = list(http_5xx = 30, timeout = 0))), "^new: 3 % of its requests failed \\(http_5xx 30\\)$")
  check <- list(id = "accounting", concerns = "everything", rule = "every request is recorded", passed = FALSE, values = list(a = 1))
  expect_equal(why(validity = list(valid = FALSE, checks = list(check))), "new fails a rule: every request is recorded")
})

test_that("the verdict is written for a job and travels: words, JSON by its schema, JUnit, Bencher, Markdown and histograms", {
  results <- write_session(new = list(cpu_us_per_request = 1100))
  found <- judge_builds(results, of_new)
  # The names that own.sh has.
  file.rename(file.path(results, "cells/demo"), file.path(results, "cells/own"))
  for (mode in c("old", "new")) file.rename(file.path(results, "cells/own", mode, "low"), file.path(results, "cells/own", mode, "load"))
  write_builds(found, results)
  lines_in <- function(name) readLines(file.path(results, name))
  expect_equal(lines_in("status"), "1")
  expect_equal(read_builds(file.path(results, "builds.csv")), setindex(copy(found$table), NULL))
  expect_match(lines_in("verdict.txt")[1], "^SLOWER: .*: CPU time per request[.]$")
  expect_match(lines_in("verdict.txt"), "CPU time per request \\(µs\\) +1,000 +1,100 +[+]10[.]0 \\[[+][0-9.]+, [+][0-9.]+\\] +[+]5[.]0 +slower", all = FALSE)
  python <- function(script, ...) system2("python3", c("-c", shQuote(script), file.path(results, ...)), stdout = TRUE)
  check <- "import json, jsonschema, sys; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open('%s'))); print('valid')"
  expect_equal(python(sprintf(check, file.path(analysis_folder, "verdict.schema.json")), "verdict.json"), "valid")
  verdict <- jsonlite::read_json(file.path(results, "verdict.json"))
  expect_equal(c(verdict$verdict, verdict$status), c("slower", "1"))
  cpu <- jsonlite::read_json(file.path(results, "bencher.json"))$new$cpu_us_per_request
  expect_true(cpu$lower_value < cpu$value && cpu$value < cpu$upper_value)
  parse <- "import sys, xml.etree.ElementTree as tree; suite = tree.parse(sys.argv[1]).getroot(); print(suite.get('tests'), suite.get('failures'), *[case.get('name') for case in suite if case.find('failure') is not None])"
  expect_equal(python(parse, "junit.xml"), "5 1 CPU time per request")
  expect_lte(length(lines_in("summary.md")), 10)
  expect_match(lines_in("summary.md")[1], "^[*][*]SLOWER: .*CPU time per request")
  expect_match(lines_in("old.hgrm")[1], "Value +Percentile +TotalCount")
})

test_that("without a comparison there is a status all the same, and an error for JUnit", {
  results <- new_folder()
  write_builds(list(verdict = "invalid", why = "new: hung: no <answer>", remarks = character(), table = no_builds()), results)
  expect_equal(readLines(file.path(results, "status")), "3")
  expect_equal(nrow(read_builds(file.path(results, "builds.csv"))), 0)
  lines <- readLines(file.path(results, "junit.xml"))
  expect_match(lines, "errors=\"1\"", all = FALSE)
  expect_match(lines, "new: hung: no &lt;answer&gt;", all = FALSE)
  expect_equal(unname(build_verdicts), c(0, 1, 2, 3))
})

test_that("the first variant against itself is the floor, and no part of the verdict", {
  results <- write_session()
  file.rename(file.path(write_session(new = list(cpu_us_per_request = 1300)), "cells/demo/new"), file.path(results, "cells/demo/new-again"))
  expect_floor <- function(pattern) {
    found <- judge_builds(results, c(of_new, "demo/new-again/low/wrk2/rep-1"))
    expect_equal(found$verdict, "not slower")
    expect_match(found$remarks, paste0("^A/A floor of this machine", pattern), all = FALSE)
  }
  expect_floor(".*CPU time per request [+]30.*do not trust the verdict")
  # One that had no time says why.
  edit_cell(results, "new-again", outcome = "not_ready", outcome_reason = "not loaded, as a start takes long for this budget")
  expect_floor(": .*a start takes long")
})

test_that("a sweep that fails requests is no second verdict of its variant", {
  results <- write_session()
  sweep <- file.path(results, "cells/demo/new/highest/sweep")
  dir.create(sweep, recursive = TRUE)
  file.copy(cell_of(write_session(failed = 30), "new"), sweep, recursive = TRUE)
  expect_equal(judge_builds(results, c(of_new, "demo/new/highest/sweep/rep-1")), judge_builds(results, of_new))
})

test_that("a variant has a sentence of its capacity, and of what changes at the rate", {
  row <- function(statistic, unit, old, new, reach, slower_percent = 5, verdict = "not slower") {
    data.table(
      variant = "virtual", statistic, unit, verdict, reason = "", old, new, starts = 6, rounds = 60, ratio = new / old,
      low = new / old / (1 + reach), high = new / old * (1 + reach), slower_percent
    )
  }
  cpu <- row("cpu_us_per_request", "µs", 100, 101, 0.02)
  capacity <- row("capacity_per_s", "1/s", 1000, 3100, NA, NA, "")
  expect_sentence <- function(one, other, expected) expect_equal(sentence_of_variant(rbind(one, other)), paste("virtual:", expected))
  expect_sentence(row("latency_p99_ms", "ms", 110, 9, 0.2), cpu, "at your rate 99th percentile of latency falls from 110 to 9 ms.")
  expect_sentence(cpu[0], cpu, "at your rate nothing changes.")
  expect_sentence(
    capacity, with_columns(cpu, verdict = "undecided"),
    "serves 3,100/s at the objective in place of 1,000/s, in one session without an interval; at your rate no change is shown (open: CPU time per request)."
  )
})

# ---- How right it is

verdict_of_starts <- function(logs, start, limit) {
  found <- mean_of_starts(logs, start)
  verdict_of_ends(found$centre + c(-1, 1) * found$reach, "lower", limit)
}

# The verdict as it comes while starts are measured; `slowness` see at_one_speed().
verdict_by_starts <- function(logs, start, slowness) {
  for (count in starts_at_least:starts_planned) {
    seen <- start <= count
    verdict <- verdict_of_starts(at_one_speed(logs[seen], slowness[seen]), start[seen], 5)
    if (verdict != "undecided") break
  }
  verdict
}

# Shares of the verdicts on one statistic of which more is slower: `spread` is the standard deviation of the log ratios of rounds,
# `of_starts` that of what a start adds to them, and `slowness` that of the CPU's speed, by which CPU times change, too.
shares <- function(ratio, spread = 0.03, of_starts = spread * sqrt(process_share), slowness = 0, runs = 300) {
  start <- rep(seq_len(starts_planned), each = 10)
  found <- vapply(seq_len(runs), function(run) {
    slow <- rnorm(length(start), 0, slowness)
    logs <- log(ratio) + rnorm(starts_planned, 0, of_starts)[start] + rnorm(length(start), 0, spread) + slow
    verdict_by_starts(logs, start, slow)
  }, "")
  table(factor(found, names(build_verdicts))) / runs
}

test_that("a build at its limit is called slower, or not slower, in 3 % of all comparisons at most", {
  set.seed(38)
  for (of_starts in c(0, 0.03)) expect_true(all(shares(1.05, of_starts = of_starts, runs = 500)[c("slower", "not slower")] <= 0.03))
})

test_that("10 % are found, and two equal builds are called so, also where the CPU's speed varies by 20 %, but not without its changes", {
  set.seed(39)
  expect_gte(shares(1.1)[["slower"]], 0.95)
  equal <- shares(1)
  expect_gte(equal[["not slower"]], 0.95)
  expect_equal(equal[["slower"]], 0)
  expect_gte(shares(1.1, slowness = 0.2)[["slower"]], 0.95)
  expect_gte(shares(1, slowness = 0.2)[["not slower"]], 0.95)
  expect_lte(shares(1.1, spread = 0.2, of_starts = 0.01)[["slower"]], 0.9)
})

test_that("speed explains CPU time by its slope at no change of speed", {
  slowness <- c(-0.4, 0, 0.1, 0.5, 0.3, 0.02)
  noise <- c(0.01, -0.02, 0.01, -0.01, 0.02, -0.01)
  logs <- log(1.1) + 0.9 * slowness
  expect_equal(mean(at_one_speed(logs, slowness)), log(1.1))
  fit <- summary(lm(logs + noise ~ slowness))$coefficients
  found <- at_one_speed(logs + noise, slowness)
  expect_equal(c(mean(found), sd(found) / sqrt(6)), unname(fit[1, 1:2]))
  expect_equal(at_one_speed(noise, replace(slowness, 2, NA)), noise)
  expect_equal(at_one_speed(noise, rep(0.1, 6)), noise)
})

test_that("a variant that slows the computation itself changes no CPU time", {
  # Spring Boot's 200 threads slowed it by 7 % at 200 requests/s: the regression at 0 said +28 % where both took 17 % more.
  slowness <- -0.07 + c(-0.04, 0.03, 0.01, -0.02, 0.05, -0.03)
  logs <- log(1.17) + 0.9 * slowness
  expect_equal(at_one_speed(logs, slowness), logs)
  expect_equal(mean(at_one_speed(logs, slowness - mean(slowness))), mean(logs))
})

test_that("it is the rule that ends the rounds", {
  cases <- fread(file.path(analysis_folder, "../workloads/tests/starts.csv"))
  for (case in split(cases, seq_len(nrow(cases)))) {
    starts <- lapply(strsplit(case$starts, "|", fixed = TRUE)[[1]], function(of) as.numeric(strsplit(of, ";", fixed = TRUE)[[1]]))
    start <- rep(seq_along(starts), lengths(starts))
    found <- mean_of_starts(unlist(starts), start)
    expect_equal(c(found$centre, found$reach), c(case$centre, case$reach), tolerance = 1e-6)
    expect_equal(verdict_of_starts(unlist(starts), start, 5), case$verdict)
  }
})
