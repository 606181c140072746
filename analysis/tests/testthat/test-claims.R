# A summary of modes at a tier: a row per figure, in the order of repetitions.
cells_with <- function(statistic, ..., tier = "low", tool = "wrk2", failed = "", outcome = "completed") {
  modes <- list(...)
  rbindlist(lapply(names(modes), function(name) {
    table <- data.table(
      study = "demo", mode = name, versus = if (name == "pool") "thread" else NA_character_,
      tier = tier, tool = tool, repetition = seq_along(modes[[name]]),
      outcome = outcome, outcome_reason = "too few ports", valid = failed == "", failed_checks = failed,
      figure = modes[[name]]
    )
    with_cell_columns(setnames(table, "figure", statistic))
  }))
}

claim_of <- function(rule, statistic = "throughput_per_s", versus = NULL, tiers = "low", ...) {
  cells <- c(list(study = "demo", mode = "pool", tiers = tiers, tool = "wrk2"), list(versus = versus)[!is.null(versus)])
  c(list(
    id = "one", source = "0-threads", kind = "figure", where = "table", claim = "It is so.",
    statistic = statistic, rule = rule, cause = "Because."
  ), list(cells = modifyList(cells, list(...))))
}

judge_one <- function(summary, rule, ...) judge_claims(list(claim_of(rule, ...)), summary, no_slices())
verdict_of <- function(summary, rule, ...) judge_one(summary, rule, ...)$verdict
pool <- function(...) cells_with("throughput_per_s", pool = c(...))

test_that("a figure near the published one is confirmed, far from it contradicted", {
  near <- list(near = 100, within = 1.25)
  row <- judge_one(pool(99, 100, 101), near)
  expect_equal(row$verdict, "confirmed")
  expect_equal(row$ours, (99 * 100 * 101)^(1 / 3))
  expect_equal(row[, c(published, repetitions)], c(100, 3))
  expect_equal(row[, c(unit, rule, cells)], c("1/s", "80 to 125", "demo/pool/low/wrk2"))
  # What a conclusion is near to is not a figure of the source's.
  conclusion <- modifyList(claim_of(near), list(kind = "conclusion"))
  expect_true(is.na(judge_claims(list(conclusion), pool(100, 100), no_slices())$published))
  expect_equal(verdict_of(pool(199, 200, 201), near), "contradicted")
  expect_equal(verdict_of(pool(39, 40, 41), near), "contradicted")
  expect_equal(verdict_of(pool(60, 100, 140), near), "not decided")
})

test_that("a bound confirms on its side alone, and itself belongs to at_least and at_most", {
  expect_equal(verdict_of(pool(51, 52, 53), list(above = 40)), "confirmed")
  expect_equal(verdict_of(pool(31, 32, 33), list(above = 40)), "contradicted")
  expect_equal(verdict_of(pool(38, 40, 42), list(above = 40)), "not decided")
  expect_equal(verdict_of(pool(31, 32, 33), list(below = 40)), "confirmed")
  expect_equal(verdict_of(pool(51, 52, 53), list(below = 40)), "contradicted")
  expect_equal(verdict_of(pool(38, 40, 42), list(below = 40)), "not decided")
  expect_equal(verdict_of(pool(40, 40, 40), list(above = 40)), "contradicted")
  expect_equal(verdict_of(pool(40, 40, 40), list(at_least = 40)), "confirmed")
  expect_equal(verdict_of(pool(40, 40, 40), list(at_most = 40)), "confirmed")
  expect_equal(verdict_of(pool(51, 52, 53), list(at_most = 40)), "contradicted")
  expect_equal(verdict_of(pool(31, 32, 33), list(at_least = 40)), "contradicted")
  expect_equal(verdict_of(pool(38, 40, 42), list(at_least = 40)), "not decided")
})

test_that("a ratio is taken within sessions", {
  # Sessions as different as can be, in which the ratio is always 2.
  summary <- cells_with("throughput_per_s", pool = c(20, 200, 2000), thread = c(10, 100, 1000))
  row <- judge_one(summary, list(near = 2, within = 1.05), versus = "thread")
  expect_equal(row[, .(verdict, ours, low, high, unit)], data.table(
    verdict = "confirmed", ours = 2, low = 2, high = 2, unit = "ratio"
  ))
  expect_equal(row$cells, "demo/pool/low/wrk2 : demo/thread/low/wrk2")
  expect_equal(verdict_of(summary, list(above = 2.5), versus = "thread"), "contradicted")
  noisy <- cells_with("throughput_per_s", pool = c(20, 30, 10), thread = c(10, 10, 10))
  expect_equal(verdict_of(noisy, list(above = 1), versus = "thread"), "not decided")
  expect_match(judge_one(
    cells_with("throughput_per_s", pool = c(0, 0), thread = c(1, 1)), list(above = 1), versus = "thread"
  )$reason, "0 has no ratio")
})

test_that("a tier is compared with another, and a gain with that at another tier", {
  at <- function(tier, pool, thread) {
    cells_with("throughput_per_s", pool = rep(pool, 3), thread = rep(thread, 3), tier = tier)
  }
  summary <- rbind(at("low", 40, 10), at("high", 60, 30))
  tiers <- judge_one(summary, list(near = 1.5, within = 1.01), tiers = "high", versus_tier = "low")
  expect_equal(tiers[, .(verdict, ours)], data.table(verdict = "confirmed", ours = 1.5))
  expect_equal(tiers$cells, "demo/pool/high/wrk2 : demo/pool/low/wrk2")
  gains <- judge_one(summary, list(below = 1), tiers = "high", versus_tier = "low", versus = "thread")
  expect_equal(gains[, .(verdict, ours)], data.table(verdict = "confirmed", ours = 0.5))
})

test_that("shares are subtracted where the claim says so", {
  summary <- cells_with("error_share", pool = c(0.3, 0.31, 0.29), thread = c(0, 0, 0))
  claim <- c(claim_of(list(at_least = 0.01), "error_share", versus = "thread"), effect = "difference")
  row <- judge_claims(list(claim), summary, no_slices())
  expect_equal(row$verdict, "confirmed")
  expect_equal(row[, c(ours, unit)], c("0.3", "share"))
})

test_that("a claim on several tiers holds when it holds at each", {
  summary <- rbind(pool(50, 50, 50), cells_with("throughput_per_s", pool = c(30, 30, 30), tier = "high"))
  both <- c("low", "high")
  expect_equal(verdict_of(summary, list(above = 20), tiers = both), "confirmed")
  row <- judge_one(summary, list(above = 40), tiers = both)
  expect_equal(row[, c(verdict, cells)], c("contradicted", "demo/pool/high/wrk2"))
  expect_equal(verdict_of(summary, list(above = 20), tiers = c(both, "extreme")), "not testable here")
  expect_equal(verdict_of(summary, list(above = 40), tiers = c("extreme", both)), "contradicted")
})

test_that("what is not decided says how many repetitions it would take", {
  figures <- c(38, 42, 41)
  row <- judge_one(pool(figures), list(above = 38.5))
  expect_equal(row$verdict, "not decided")
  reach <- function(count) qt(0.975, count - 1) * sd(log(figures)) / sqrt(count)
  distance <- mean(log(figures)) - log(38.5)
  expect_lt(reach(row$repetitions_needed), distance)
  expect_gte(reach(row$repetitions_needed - 1), distance)
  one <- judge_one(pool(40), list(above = 38))
  expect_equal(one[, c(verdict, reason)], c("not decided", "one session decides nothing"))
  expect_equal(one$repetitions_needed, 2)
  expect_true(is.na(judge_one(pool(39, 40, 41), list(above = 39.9917))$repetitions_needed))
})

test_that("a claim on a comparison has the comparison's interval, moderated by its family", {
  set.seed(9)
  # A pair of modes at 30 tiers; all vary by a tenth, from session to session and within.
  tiers <- paste0("tier-", 1:30)
  cells <- CJ(tier = tiers, mode = c("pool", "thread"), repetition = 1:3)
  slices <- cells[, .(round = 1:4), by = .(tier, mode, repetition)]
  slices[, throughput_per_s := exp(rnorm(1, log(if (mode == "pool") 130 else 100), 0.05) + rnorm(4, 0, 0.1)), by = .(tier, mode, repetition)]
  demo <- function(table) {
    with_cell_columns(copy(table)[, `:=`(
      study = "demo", tool = "wrk2", versus = ifelse(mode == "pool", "thread", NA), outcome = "completed",
      outcome_reason = "", valid = TRUE, failed_checks = ""
    )])
  }
  summary <- demo(slices[, .(throughput_per_s = mean(throughput_per_s)), by = .(tier, mode, repetition)])
  slices <- demo(slices)[, `:=`(kind = "plain", kept = TRUE, beside = "")]
  compared <- compare_modes(summary, slices, compared_statistics[statistic == "throughput_per_s"])[tier == "tier-7"]
  expect_equal(compared$df, 2 + family_df_most)
  row <- judge_claims(list(claim_of(list(above = 1), versus = "thread", tiers = "tier-7")), summary, slices)
  expect_equal(row[, c(ours, low, high)], compared[, c(estimate, low, high)])
  reading <- ratio_between(list(summary = summary, slices = slices), "demo", "tier-7", "wrk2", "pool", "thread", "throughput_per_s")
  expect_equal(unlist(reading[c("estimate", "low", "high")]), unlist(compared[, .(estimate, low, high)]))
  # Two tiers are not measured in turns, and have no family.
  apart <- claim_of(list(above = 1), tiers = "tier-7", versus_tier = "tier-8")
  expect_equal(estimate_claim(summary, slices, apart, "tier-7")$df, 2)
})

test_that("a bound decides a claim on its side alone", {
  slow <- cells_with("throughput_per_s", pool = c(40, 41, 42), thread = c(10, 10, 10), failed = "")
  slow[mode == "pool", `:=`(valid = FALSE, failed_checks = "settled", bound_throughput = "at_least")]
  row <- judge_one(slow, list(above = 2), versus = "thread")
  expect_equal(row[, c(verdict, bound)], c("confirmed", "at_least"))
  expect_equal(verdict_of(slow, list(below = 2), versus = "thread"), "contradicted")
  expect_equal(judge_one(slow, list(near = 5, within = 1.25), versus = "thread")$reason, "its cells give a bound alone")
})

test_that("a claim on what a server can take is decided by its curve, by a bound where there is one", {
  curve <- function(mode, per_s, bound = "") {
    capacities_of(list())[rep(NA_integer_, 3)][, `:=`(
      study = "demo", mode = ..mode, versus = if (..mode == "pool") "thread" else NA_character_, tier = "short", tool = "curve",
      repetition = 1:3, session = paste0("s", 1:3), outcome = "completed", valid = TRUE, must_fail = FALSE, failed_checks = "",
      capacity_per_s = per_s * c(0.99, 1, 1.01), bound_capacity = ..bound, why_bounded = "", requests = 100, error_share = 0
    )][]
  }
  judged <- function(..., rule = list(above = 1.05)) {
    claim <- claim_of(rule, "capacity_per_s", versus = "thread", tiers = "short", tool = "curve")
    judge_claims(list(claim), with_capacities(pool(1, 1, 1), rbind(...)), no_slices())
  }
  found <- judged(curve("pool", 300), curve("thread", 200))
  expect_equal(found[, .(verdict, ours, repetitions)], data.table(verdict = "confirmed", ours = 1.5, repetitions = 3L))
  expect_equal(judged(curve("pool", 150), curve("thread", 200))$verdict, "contradicted")
  # Above what the generator can drive.
  most <- judged(curve("pool", 300, "at_least"), curve("thread", 200))
  expect_equal(most[, c(verdict, bound)], c("confirmed", "at_least"))
  expect_equal(judged(curve("pool", 190, "at_least"), curve("thread", 200))$verdict, "not decided")
  expect_match(judged(curve("pool", 300))$reason, "demo/thread/short/curve was not measured")
})

test_that("what rounding hides no repetition decides", {
  coarse <- cells_with("latency_p50_ms", pool = c(1, 1, 1), tool = "jmeter")
  row <- judge_one(coarse, list(near = 1, within = 1.2), "latency_p50_ms", tool = "jmeter")
  expect_equal(row[, .(verdict, repetitions_needed)], data.table(verdict = "not decided", repetitions_needed = NA_real_))
  expect_equal(row$low, 0.5)
  zero <- cells_with("latency_p50_ms", pool = c(0, 0, 0), tool = "jmeter")
  expect_equal(verdict_of(zero, list(at_most = 1), "latency_p50_ms", tool = "jmeter"), "confirmed")
})

test_that("only valid cells count, and the reason names what failed", {
  broken <- cells_with("latency_p99_ms", pool = c(5, 5), failed = "generator_healthy")
  row <- judge_one(broken, list(at_most = 10), "latency_p99_ms")
  expect_equal(row$verdict, "not testable here")
  expect_equal(row$reason, "no valid cell of demo/pool/low/wrk2 (generator_healthy)")
  expect_true(is.na(row$ours))
  expect_equal(
    judge_one(pool(1, 2), list(above = 0), tiers = "mid")$reason,
    "demo/pool/mid/wrk2 was not measured in this run"
  )
  limits <- cells_with("error_share", pool = c(1, 1), outcome = "beyond_limits", failed = "completed")
  expect_equal(judge_one(limits, list(above = 0), "error_share")$reason, "no valid cell of demo/pool/low/wrk2 (too few ports)")
})

test_that("a failed check keeps out the statistics that it speaks of, and no others", {
  survivors <- cells_with("throughput_per_s", pool = c(1, 1, 1), failed = "little")
  survivors[, latency_mean_ms := 1000]
  expect_equal(verdict_of(survivors, list(at_most = 1)), "confirmed")
  expect_equal(verdict_of(survivors, list(at_most = 1000), "latency_mean_ms"), "not testable here")
  behind <- cells_with("cpu_us_per_request", pool = c(9, 10, 11), failed = "little;generator_healthy")
  expect_equal(verdict_of(behind, list(above = 5), "cpu_us_per_request"), "confirmed")
  disturbed <- cells_with("cpu_us_per_request", pool = c(9, 10, 11), failed = "machine_undisturbed")
  expect_equal(verdict_of(disturbed, list(above = 5), "cpu_us_per_request"), "not testable here")
  refusing <- cells_with("error_share", pool = c(0.4, 0.5, 0.45), failed = "share_2xx;little")
  expect_equal(verdict_of(refusing, list(at_least = 0.01), "error_share"), "confirmed")
  # It has its threads, and its memory, whether or not it answers.
  crowded <- cells_with("threads_peak", pool = c(500, 501, 502), failed = "share_2xx;little")
  expect_equal(verdict_of(crowded, list(near = 500, within = 1.1), "threads_peak"), "confirmed")
  hurried <- cells_with("error_share", pool = c(0.4, 0.5, 0.45), failed = "share_2xx;generator_healthy")
  expect_equal(verdict_of(hurried, list(at_least = 0.01), "error_share"), "not testable here")
})

test_that("whether a server survives is a share of its cells, with an interval of shares", {
  dead <- cells_with("error_share", pool = rep(1, 3), outcome = "server_died", failed = "completed;share_2xx")
  expect_equal(verdict_of(dead, list(at_least = 0.9), "survived"), "contradicted")
  alive <- function(count) cells_with("error_share", pool = rep(0, count))
  few <- judge_one(alive(3), list(at_least = 0.9), "survived")
  expect_equal(few$verdict, "not decided")
  expect_equal(verdict_of(alive(few$repetitions_needed), list(at_least = 0.9), "survived"), "confirmed")
  expect_equal(verdict_of(alive(few$repetitions_needed - 1), list(at_least = 0.9), "survived"), "not decided")
})

test_that("a server that died counts, whatever else its cell fails", {
  as_recorded <- "completed;same_answer_after;share_2xx;little;settled;treatment;generator_healthy;slices_kept"
  dead <- cells_with("error_share", pool = rep(1, 3), outcome = "server_died", failed = as_recorded)
  expect_equal(verdict_of(dead, list(at_least = 0.5), "survived"), "contradicted")
  idle <- cells_with("error_share", pool = rep(0, 3), failed = "generator_healthy;slices_kept")
  expect_equal(verdict_of(idle, list(at_least = 0.5), "survived"), "not testable here")
})

test_that("three servers are enough for a rule on survival, either way", {
  dead <- cells_with("error_share", pool = rep(1, 3), outcome = "server_died", failed = "completed;share_2xx")
  alive <- cells_with("error_share", pool = rep(0, 3))
  expect_equal(verdict_of(alive, list(at_least = 0.5), "survived"), "confirmed")
  expect_equal(verdict_of(dead, list(at_least = 0.5), "survived"), "contradicted")
  expect_equal(verdict_of(rbind(dead[1:2], alive[3]), list(at_least = 0.5), "survived"), "not decided")
})

test_that("refused connections are not those that fail otherwise", {
  cells <- cells_with("error_share", pool = rep(0.5, 3), failed = "share_2xx")[, requests := 100]
  fails <- function(errors) verdict_of(copy(cells)[, errors := ..errors], list(at_least = 0.01), "refused_share")
  expect_equal(fails("timeout=50"), "contradicted")
  expect_equal(fails("connect_refused=20;timeout=30"), "confirmed")
})

test_that("threads and queries are counted, not supposed", {
  cells <- pool(10, 10, 10)[, `:=`(threads_peak = 130, threads_idle = 28, queries = 1600, requests = 100)]
  expect_equal(judge_one(cells, list(above = 100), "threads_added")[, .(verdict, ours)], data.table(verdict = "confirmed", ours = 102))
  expect_equal(judge_one(cells, list(above = 1), "queries_per_s")$ours, 160)
  cells[, `:=`(cpu_us_per_request = 5000, duration_s = 2)]
  expect_equal(judge_one(cells, list(above = 0.1), "cpus_in_use")[, .(verdict, ours)], data.table(verdict = "confirmed", ours = 0.25))
})

test_that("files beside a cell tell thread states, carriers and combinations", {
  path <- write_cell(
    new_folder(), elapsed_ms = 1:4, provenance = list(server_cpus = 0:1),
    profile = list(start_epoch_s = 100, end_epoch_s = 102)
  )
  beside <- function(name, table) fwrite(table, file.path(dirname(path), name))
  beside("thread-states.csv", data.table(
    time_s = rep(c(101, 101.5), c(6, 2)), source = c("jvm", "jvm", "kernel", rep("jvm", 5)),
    group = c(rep("http-nio-exec", 3), "carrier", rep("worker", 4)),
    state = c("RUNNABLE", "WAITING", "S", "RUNNABLE", rep(c("RUNNABLE", "WAITING"), 2)),
    threads = c(3, 1, 4, 2, 6, 2, 3, 1)
  ))
  beside("combinations.csv", data.table(
    slice = 1, thread_pool_size = 1, connection_pool_size = 1:2, transactions = 9, per_s = c(100, 250), p99_ms = 1, fairness = 1
  ))
  row <- with_derived(summarise_cells(path), path)
  expect_equal(unlist(row[, ..file_statistics]), c(runnable_share = 0.75, carriers_per_cpu = 1, workers_peak = 8, combinations_spread = 2.5))
  expect_true(is.na(with_derived(summarise_cells(path))$runnable_share))
  unlink(file.path(dirname(path), "thread-states.csv"))
  expect_no_warning(row <- with_derived(summarise_cells(path), path))
  expect_equal(unlist(row[, ..file_statistics]), c(runnable_share = NA, carriers_per_cpu = NA, workers_peak = NA, combinations_spread = 2.5))
})

primitive_claim <- function(rule, statistic, ...) {
  c(claim_of(rule, statistic)[c("id", "source", "kind", "where", "claim", "statistic", "rule", "cause")], list(primitive = list(...)))
}

test_that("a primitive decides a claim, alone and by another", {
  folder <- new_folder()
  fwrite(primitive_rows("platform-thread-start" = 30, "virtual-thread-start" = 1), file.path(folder, "primitives.csv"))
  fwrite(data.table(
    kind = "virtual", threads = c(50, 500, 5000), rss_bytes = c(9e9, 0, 0), nmt_thread_reserved_bytes = 0,
    nmt_thread_committed_bytes = 0, heap_bytes = c(9e9, 1e6, 1e7)
  ), file.path(folder, "thread-memory.csv"))
  judged <- function(...) judge_claims(list(primitive_claim(...)), pool(1), no_slices(), read_claim_primitives(folder))
  start <- judged(list(below = 0.667), "cpu", id = "virtual-thread-start", versus = "platform-thread-start")
  expect_equal(start[, .(verdict, unit, ours)], data.table(verdict = "confirmed", unit = "ratio", ours = 1 / 30))
  # The errors of both, 11 % down and 9.5 % up, by the root of their squares.
  expect_equal(start$high, exp(sqrt(log(1.1)^2 + log(0.9)^2)) / 30)
  expect_equal(judged(list(below = 1024), "heap_bytes", id = "virtual-thread-waiting")[, .(verdict, ours, unit)], data.table(
    verdict = "contradicted", ours = 2000, unit = "bytes"
  ))
  both <- judge_claims(list(claim_of(list(above = 90)), primitive_claim(list(below = 1), "cpu", id = "fibre-start")), pool(1, 1, 1), no_slices())
  expect_equal(both$reason, c("", "the primitive fibre-start was not measured in this run"))
  missing <- judge_claims(list(primitive_claim(list(below = 1), "cpu", id = "fibre-start")), pool(1), no_slices())
  expect_equal(missing[, c(verdict, reason)], c("not testable here", "the primitive fibre-start was not measured in this run"))
})

test_that("a cause is printed with the verdict that it was written for, and with no other", {
  claim <- c(claim_of(list(above = 38)), list(if_confirmed = "So it had to be.", if_contradicted = "It could not."))
  cause <- function(...) judge_claims(list(claim), pool(...), no_slices())$cause
  expect_equal(cause(50, 51, 52), "Because. So it had to be.")
  expect_equal(cause(20, 21, 22), "Because. It could not.")
  expect_equal(cause(37, 38, 39), "Because.")
})

test_that("what has no verdict says which machine or how many minutes it would take", {
  takes <- function(summary, ...) judge_one(summary, list(above = 38), ...)$takes
  expect_equal(takes(pool(50, 51, 52)), "")
  expect_match(takes(pool(1), tiers = "mid"), "default configuration")
  timed <- pool(40)[, `:=`(duration_s = 60, warm_up_s = 30, path = "/work")]
  expect_equal(takes(timed), "1 more valid session, about 2 min of load and warm-up")
  expect_match(takes(cells_with("throughput_per_s", pool = 40, failed = "generator_healthy")), "CPUs for the load generator")
  claim <- c(claim_of(list(above = 38)), takes = "a day")
  expect_equal(judge_claims(list(claim), pool(40), no_slices())$takes, "a day")
})

test_that("of sessions that fell out a claim says how many and why", {
  lost <- pool(40, 41, 42)[repetition > 1, `:=`(valid = FALSE, failed_checks = "slices_kept")]
  expect_equal(judge_one(lost, list(above = 38))$reason, "one session decides nothing (2 of 3 fell out: slices_kept)")
  expect_equal(judge_one(pool(40), list(above = 38))$reason, "one session decides nothing")
})

test_that("claims that one measurement decides by one rule count once", {
  claims <- list(claim_of(list(above = 38)), modifyList(claim_of(list(above = 38)), list(id = "two")), modifyList(claim_of(list(above = 90)), list(id = "three")))
  counts <- count_verdicts(judge_claims(claims, pool(50, 51, 52), no_slices()))
  expect_equal(unlist(counts[, .(confirmed, contradicted)]), c(confirmed = 1, contradicted = 1))
})

test_that("a claim that nothing can test says why", {
  claim <- claim_of(list(untestable = "a matter of taste"))[c("id", "source", "kind", "where", "claim", "rule", "cause")]
  row <- judge_claims(list(c(claim, takes = "nothing")), pool(1), no_slices())
  expect_equal(row[, c(verdict, reason, cells, unit)], c("not testable here", "a matter of taste", "", ""))
})

test_that("medians go with the cause", {
  summary <- cells_with("throughput_per_s", pool = c(20, 20), thread = c(10, 10))
  summary[, threads_peak := ifelse(mode == "pool", 20, 500)]
  claim <- c(claim_of(list(above = 1), versus = "thread"), list(evidence = "threads_peak"))
  expect_equal(judge_claims(list(claim), summary, no_slices())$cause, "Because. (peak number of threads 20 against 500)")
})

# ---- The file of claims ----------------------------------------------------------------------

claims_file <- file.path(analysis_folder, "claims.yaml")
ids_of <- function(things) vapply(things, `[[`, "", "id")
experiment <- yaml::read_yaml(file.path(analysis_folder, "..", "config.yaml"), merge.precedence = "override")
known_statistics <- names(summarise_cells(write_cell(new_folder(), elapsed_ms = 1:20)))

# What jsonschema says of claims against claims.schema.json: a line per fault, none where it is valid.
schema_faults <- function(path) {
  script <- paste(
    "import json, sys, yaml, jsonschema",
    "schema, claims = json.load(open(sys.argv[1])), yaml.safe_load(open(sys.argv[2]))",
    "for fault in jsonschema.Draft202012Validator(schema).iter_errors(claims):",
    "    print('.'.join(map(str, fault.absolute_path)), fault.message[:200])",
    sep = "\n"
  )
  files <- shQuote(c(file.path(analysis_folder, "claims.schema.json"), path))
  said <- suppressWarnings(system2("python3", c("-c", shQuote(script), files), stdout = TRUE, stderr = TRUE))
  if (is.null(attr(said, "status"))) as.character(said) else stop(paste(said, collapse = "\n"))
}

test_that("the claims are valid by their schema and name what the experiment has", {
  expect_equal(schema_faults(claims_file), character())
  claims <- read_claims(claims_file)
  expect_gte(length(claims), 40)
  chains <- read_causes(file.path(analysis_folder, "causes.yaml"))
  expect_length(check_claims(claims, grid_asked(), known_statistics, chains), length(claims))
})

test_that("each claim without a verdict says which machine or how many minutes one would take", {
  # Of a run that has none of its cells.
  elsewhere <- with_cell_columns(summarise_cells(write_cell(new_folder(), tier = "elsewhere", elapsed_ms = 1:20)))
  rows <- judge_claims(read_claims(claims_file), elsewhere, no_slices())
  expect_equal(unique(rows$verdict), "not testable here")
  expect_match(rows$takes, "machine|[0-9] min|default configuration")
})

test_that("the schema refuses what no rule can read, and names it", {
  changed <- function(change) {
    path <- tempfile(fileext = ".yaml")
    lines <- readLines(claims_file)
    writeLines(sub("rule: {at_most: 500}", change, lines, fixed = TRUE), path)
    paste(schema_faults(path), collapse = " ")
  }
  expect_match(changed("rule: {at_most: 500, at_least: 1}"), "rule")
  expect_match(changed("rule: {around: 500}"), "around")
  expect_match(changed("rule: {near: 500}"), "rule")
  expect_match(changed("rule: {at_most: 500}\n    tolerance: 2"), "tolerance")
  expect_match(changed("rule: {untestable: taste}"), "does not allow")
})

test_that("names that are not known stop with their key", {
  known <- data.table(
    study = "demo", mode = c("pool", "thread", "loop", "fibre", "pool", "thread", "loop"),
    tier = rep(c("low", "top", "own"), c(3, 3, 1)), tool = "wrk2"
  )
  check <- function(..., chain = NULL) {
    chains <- list(
      room = list(study = "demo", difference = list(tool = "wrk2")),
      far = list(study = "demo", difference = list(tool = "jmeter"))
    )
    check_claims(list(c(claim_of(list(above = 1), ...), chain = chain)), known, "throughput_per_s", chains)
  }
  expect_length(check(versus = "thread"), 1)
  expect_error(check(mode = "pol"), 'one.cells.mode = "pol"; allowed: pool, thread, loop, fibre', fixed = TRUE)
  expect_error(check(versus = "fiber"), 'one.cells.versus = "fiber"', fixed = TRUE)
  expect_length(check(mode = "fibre", tiers = "top"), 1)
  expect_error(check(mode = "fibre"), "one.cells = demo/fibre/low/wrk2; the experiment has no such cell")
  expect_error(check(tiers = c("low", "hi")), 'one.cells.tiers = "hi"; allowed: low, top', fixed = TRUE)
  # A tier that names its modes has those and no others.
  expect_length(check(mode = "loop", tiers = "own"), 1)
  expect_error(check(tiers = "own"), "one.cells = demo/pool/own/wrk2; the experiment has no such cell")
  expect_error(check(versus_tier = "hi"), 'one.cells.versus_tier = "hi"', fixed = TRUE)
  expect_error(check(statistic = "speed"), 'one.statistic = "speed"; allowed: throughput_per_s', fixed = TRUE)
  expect_error(check(statistic = "capacity_per_s"), 'one.statistic = "capacity_per_s"', fixed = TRUE)
  expect_error(check(tool = "curve"), 'one.statistic = "throughput_per_s"; allowed: capacity_per_s', fixed = TRUE)
  expect_length(check(chain = "room"), 1)
  expect_length(check(versus = "loop"), 1)
  expect_error(check(versus = "loop", tiers = "top"), "one.cells = demo/loop/top/wrk2; the experiment has no such cell")
  expect_error(check(tool = "jmeter"), "one.cells = demo/pool/low/jmeter; the experiment has no such cell")
  expect_error(check(chain = "roof"), 'one.chain = "roof"; allowed: room, far', fixed = TRUE)
  expect_error(check(chain = "far"), "one.chain = far; it is tested in demo, jmeter", fixed = TRUE)
  # A study that is not part of the experiment is not measured, and not wrong.
  expect_length(check(study = "other", mode = "any"), 1)
})

test_that("an id that is there twice is refused", {
  path <- tempfile()
  writeLines(c("claims:", "  - {id: same}", "  - {id: same}"), path)
  expect_error(read_claims(path), "same is there twice")
})

# The claims that state a figure of one mode: tier, mode, figure, stated.
stated_figures <- function(claims) {
  columns <- setNames(source_figures$figure, source_figures$column)
  rbindlist(lapply(Filter(function(claim) claim$kind != "conclusion" && !is.null(claim$cells), claims), function(claim) {
    if (is_contrast(claim)) return(NULL)
    share <- claim$statistic == "error_share"
    figure <- if (share) "error_percent" else c(columns[claim$statistic], claim$statistic)
    data.table(
      tier = claim$cells$tiers, mode = base_of(claim$cells$mode), figure = figure[!is.na(figure)][1],
      stated = c(claim$published, claim$rule$near)[1] * if (share) 100 else 1
    )
  }))
}

test_that("the numbers claimed are those of the sources' tables", {
  stated <- stated_figures(read_claims(claims_file))
  beside <- function(study) {
    published <- read_published(file.path(analysis_folder, "published", paste0(study, ".csv")))
    merge(published[, .(tier, mode, figure, value)], stated, by = c("tier", "mode", "figure"))
  }
  tables <- lapply(c("request-threads", "blocking-remote", "virtual-threads"), beside)
  for (table in tables) expect_equal(table$stated, table$value, tolerance = 1e-3)
  # Of the first source all but the number of requests and what the load fixes; of the others what the
  # rows have in common.
  expect_equal(vapply(tables, nrow, 0L), c(76L, 12L, 12L))
})

test_that("a table makes a claim of each of its figures", {
  table <- list(
    id = "low-thread", of = "500 requests", source = "0-threads", where = "table", cause = "Because.", takes = "a laptop",
    cells = list(study = "request-threads", mode = "thread-per-request-as-published", tiers = "low", tool = "jmeter")
  )
  made <- claims_of_table(table, file.path(analysis_folder, "published"))
  expect_equal(ids_of(made), paste0("low-thread-", table_figures$end))
  made <- setNames(made, table_figures$end)
  expect_equal(made$p99[c("claim", "rule")], list(claim = "500 requests: 99 % of responses within 24 ms.", rule = list(near = 24, within = 2)))
  # JMeter reads 0 ms for what takes less than 1 ms.
  expect_equal(made$median$rule, list(at_most = 2))
  expect_equal(made$min$rule, list(at_most = 1))
  expect_equal(made$errors$rule, list(at_most = 0.00005))
  fixed <- setNames(claims_of_table(c(table, fixed_by_load = "fixed"), file.path(analysis_folder, "published")), table_figures$end)
  expect_equal(fixed$throughput[c("rule", "takes")], list(rule = list(untestable = "fixed"), takes = "a laptop"))
  expect_null(fixed$throughput$cells)
  expect_null(fixed$mean$takes)
})

testable <- Filter(function(claim) !is.null(claim$cells), read_claims(claims_file))

# The verdict on a claim of which three sessions have the value, and what it is compared with 1,000.
verdict_at <- function(claim, value) {
  cells <- rbindlist(lapply(claim$cells$tiers, function(tier) {
    terms <- terms_of(claim$cells, tier)
    terms[, figure := c(value, rep(if (is_ratio(claim)) 1000 else 0, .N - 1))]
    terms[rep(seq_len(.N), each = 3)][, repetition := rep(1:3, .N / 3)]
  }), use.names = TRUE)
  cells <- unique(cells, by = c("mode", "tier", "repetition"))[, `:=`(
    versus = NA_character_, outcome = if (claim$statistic == "survived" && value == 0) "server_died" else "completed",
    outcome_reason = "", valid = TRUE, failed_checks = if (claim$statistic == "survived" && value == 0) "completed" else ""
  )]
  cells[, (claim$statistic) := figure]
  judge_claims(list(claim[setdiff(names(claim), "evidence")]), with_cell_columns(cells), no_slices())$verdict
}

test_that("every rule can confirm and contradict with three sessions", {
  stuck <- Filter(function(claim) {
    bounds <- unlist(claim$rule[c("near", "above", "below", "at_least", "at_most")])
    scale <- if (is_ratio(claim)) 1000 else 1
    values <- c(0, outer(scale * bounds, c(0.001, 0.3, 1, 3, 100)), scale, if (!is_ratio(claim) && is_contrast(claim)) c(-1, 1))
    # A share below 0 is a difference.
    values <- unique(if (claim$statistic == "survived") 0:1 else if (grepl("share$", claim$statistic)) pmin(values, 1) else values)
    verdicts <- vapply(values, function(value) verdict_at(claim, value), "")
    !all(c("confirmed", "contradicted") %in% verdicts)
  }, testable)
  expect_equal(ids_of(stuck), character())
})

test_that("no two rules on one figure expect the contrary", {
  # A source's text may contradict its table, so figures stand apart.
  conclusions <- Filter(function(claim) claim$kind == "conclusion", testable)
  key <- vapply(conclusions, function(claim) paste(deparse(claim[c("cells", "statistic", "effect")]), collapse = ""), "")
  apart <- function(one, other) {
    one <- region_of(one$rule)
    other <- region_of(other$rule)
    max(one$low, other$low) >= min(one$high, other$high)
  }
  against <- unlist(lapply(split(conclusions, key), function(claims) {
    pairs <- if (length(claims) > 1) combn(length(claims), 2, simplify = FALSE)
    vapply(Filter(function(pair) apart(claims[[pair[1]]], claims[[pair[2]]]), pairs), function(pair) paste(ids_of(claims[pair]), collapse = " "), "")
  }))
  expect_length(against, 0)
})

# Far more a second than the database can commit.
beyond_saturation <- c("source-10000", "connections-10000")

# The load at a claim's first tier.
load_of <- function(claim) {
  study <- experiment$studies[[claim$cells$study]]
  tier <- study$tiers[[claim$cells$tiers[1]]]
  c(tier[[claim$cells$tool]], list(sleep_ms = c(tier$sleep_ms, study$sleep_ms)[1]))
}

test_that("no ratio of throughputs is fixed by the load", {
  ratios <- Filter(function(claim) {
    grepl("^throughput|^queries", claim$statistic) && !is.null(claim$cells$versus) && !any(claim$cells$tiers %in% beyond_saturation)
  }, testable)
  fixed <- Filter(function(claim) claim$cells$tool == "wrk2" || !is.null(load_of(claim)$loops), ratios)
  expect_equal(ids_of(fixed), character())
})

# How many requests a mode lets in, as its options have it.
lets_in <- function(claim, id) {
  options <- experiment$studies[[claim$cells$study]]$modes[[id]]$options
  limits <- unlist(options[c(
    if (c(options$remote.client, "blocking")[1] == "blocking") "server.tomcat.threads.max",
    "spring.datasource.hikari.maximum-pool-size", "requests.permits"
  )])
  min(limits, load_of(claim)$users)
}

asks_for_more <- function(claim) {
  claim$statistic == "throughput_per_s" && claim$cells$tool == "jmeter" && is.null(claim$cells[["versus_tier"]]) &&
    !is.null(claim$cells[["versus"]]) && any(unlist(claim$rule[c("above", "at_least")]) >= 1)
}

test_that("a mode that must have more throughput than another is let to have it", {
  waiting <- Filter(function(claim) asks_for_more(claim) && !is.null(load_of(claim)$sleep_ms), testable)
  expect_gt(length(waiting), 0)
  stuck <- Filter(function(claim) {
    most <- vapply(c(claim$cells$mode, claim$cells$versus), function(id) lets_in(claim, id), 0)
    # Beyond some thousand a second the processors are the limit of both.
    most[1] <= most[2] && most[2] / load_of(claim)$sleep_ms * 1000 < 4000
  }, waiting)
  expect_equal(ids_of(stuck), character())
})

test_that("what is printed as published is a figure of the sources, or a ratio or difference of two", {
  published <- lapply(list.files(file.path(analysis_folder, "published"), full.names = TRUE), read_published)
  claims <- Filter(function(claim) !is.null(claim$published), read_claims(claims_file))
  unknown <- Filter(function(claim) {
    # A source may say it in its text alone.
    by_source <- Filter(function(table) any(endsWith(table$source, claim$source)), published)[[1]]
    values <- by_source[, c(value, value / 10, value / 100, 1024 * value), by = figure]
    derived <- values[, .(known = c(V1, outer(V1, V1, `/`), outer(V1, V1, `-`))), by = figure]$known
    !any(abs(derived - claim$published) <= 0.005 * abs(claim$published), na.rm = TRUE)
  }, claims)
  expect_equal(ids_of(unknown), character())
})

test_that("what the sources' runs show is not asserted where no data are", {
  text <- paste(unlist(lapply(read_claims(claims_file), `[`, c("cause", "if_confirmed", "if_contradicted", "claim"))), collapse = " ")
  for (asserted in c("14.9", "0.632", "227, 247", "10.03", "half the size", "no longer there", "found the thread free", "hundred seconds")) {
    expect_false(grepl(asserted, text, fixed = TRUE), info = asserted)
  }
})

# ---- Written, read, printed ------------------------------------------------------------------

test_that("verdicts survive their file and print with what they rest on", {
  claims <- list(
    claim_of(list(near = 100, within = 1.25)), modifyList(claim_of(list(above = 38)), list(id = "two")),
    modifyList(claim_of(list(above = 38), tiers = "mid"), list(id = "three"))
  )
  summary <- pool(99, 100, 101)
  path <- tempfile()
  write_table(judge_claims(claims, summary, no_slices()), path)
  verdicts <- read_verdicts(path)
  expect_equal(verdicts, judge_claims(claims, summary, no_slices()), ignore_attr = TRUE)
  lines <- print_claims(verdicts)
  expect_match(lines, "confirmed +It is so[.]\n +one: throughput_per_s 100 \\[97.5, 103\\], must be 80 to 125", all = FALSE)
  expect_match(lines, "three: demo/pool/mid/wrk2 was not measured in this run; it would take a run of the default configuration", all = FALSE)
  expect_equal(tail(lines, 1), "figures: 2 confirmed, 0 contradicted, 0 not decided, 1 not testable here")
  expect_equal(count_verdicts(verdicts)[["not testable here"]], 1)
})
