# ---- Made-up tables

# A summary with a cell per repetition: values of one statistic by mode.
cells_with <- function(wanted, ..., tier = "low", failed = "", outcome = "completed") {
  modes <- list(...)
  rows <- with_cell_columns(rbindlist(lapply(names(modes), function(name) {
    data.table(
      study = "demo", mode = name, baseline = if (name == "pool") "thread" else NA_character_, tier = tier, tool = "wrk2",
      repetition = seq_along(modes[[name]]), outcome = outcome, valid = failed == "", latency_valid = failed == "", failed_checks = failed, value = modes[[name]]
    )
  })))
  set(rows, j = wanted, value = rows$value)[, value := NULL][]
}
served <- function(..., tier = "low", failed = "") cells_with("throughput_per_s", ..., tier = tier, failed = failed)

compared_as <- function(low, estimate, high, ...) comparison_rows(estimate = estimate, low = low, high = high, mode_value = estimate, baseline_value = 1, ...)

tables_of <- function(summary = served(pool = 1, thread = 1), comparisons = compared_as(1, 1, 1)[0], extras = read_claim_extras("")) {
  list(summary = summary, measured = as_measured(summary), comparisons = comparisons, extras = extras)
}

claim_of <- function(rule, ..., place = list()) {
  usual <- list(study = "demo", mode = "pool", tiers = "low", tool = "wrk2", statistic = "throughput_per_s")
  c(list(
    id = "one", source = "0-threads", where = "table", claim = "It is so.", published = "2 times", treatment = "same",
    differs = "nothing", decided_by = list(modifyList(usual, place)), rule = rule, because = "Because."
  ), list(...))
}

judge_one <- function(tables, rule, ...) judge_claims(list(claim_of(rule, ...)), tables)
against_thread <- list(baseline = "thread")
judge_ratio <- function(rule, low, estimate, high, ..., pairs = 3) judge_one(tables_of(comparisons = compared_as(low, estimate, high, pairs = pairs)), rule, place = against_thread, ...)
verdict_of_ratio <- function(...) judge_ratio(...)$verdict
judge_cells <- function(rule, values, ...) judge_one(tables_of(served(pool = values)), rule, ...)
verdict_of_cells <- function(...) judge_cells(...)$verdict

# ---- Rules

test_that("each kind of rule holds on one side, is refuted on the other, and is open between", {
  cases <- list(
    list(rule = list(above = 1.05), inside = c(1.2, 1.5), outside = c(0.9, 1.05)),
    list(rule = list(below = 0.9), inside = c(0.5, 0.8), outside = c(0.9, 1.1)),
    list(rule = list(at_least = 1), inside = c(1, 1.5), outside = c(0.5, 0.99)),
    list(rule = list(at_most = 1), inside = c(0.5, 1), outside = c(1.01, 1.5)),
    list(rule = list(within = c(0.8, 1.25)), inside = c(0.8, 1.25), outside = c(1.3, 1.5)),
    list(rule = list(within = c(0.8, 1.25)), inside = c(0.8, 1.25), outside = c(0.5, 0.79))
  )
  for (case in cases) {
    of_ends <- function(ends) verdict_of_ratio(case$rule, ends[1], sqrt(prod(ends)), ends[2])
    expect_equal(c(of_ends(case$inside), of_ends(case$outside), of_ends(c(0.1, 10))), c("holds", "does not hold", "not decided"), info = names(case$rule))
    # A value is judged cell by cell: all must hold, and one refutes it.
    of_cells <- function(...) verdict_of_cells(case$rule, c(...))
    expect_equal(c(of_cells(case$inside), of_cells(case$inside, case$outside[2])), c("holds", "does not hold"), info = names(case$rule))
  }
})

test_that("one instance shows what can be, and one cell shows nothing universal", {
  any_of <- function(values) verdict_of_cells(list(at_least = 0.9), values, over = "any")
  expect_equal(c(any_of(c(0, 0, 1)), any_of(c(0, 0, 0.8))), c("holds", "does not hold"))
  expect_equal(judge_cells(list(at_least = 0.9), 1)[, c(verdict, reason)], c("not decided", one_session_shows))
  # A ratio of one session has an interval, which decides.
  expect_equal(judge_ratio(list(above = 1), 2, 3, 4, pairs = 1)[, c(verdict, sessions)], c("holds", "1"))
})

test_that("a claim on several loads holds at each, and says which load decides", {
  summary <- rbind(served(pool = c(50, 50)), served(pool = c(30, 30), tier = "high"))
  at_both <- function(bound, tiers = c("low", "high")) judge_one(tables_of(summary), list(above = bound), place = list(tiers = tiers))
  expect_equal(at_both(20)$verdict, "holds")
  expect_equal(at_both(40)[, c(verdict, cells)], c("does not hold", "demo/pool/high/wrk2"))
  expect_equal(at_both(20, c("low", "other"))$verdict, not_in_this_run)
  expect_match(judge_one(tables_of(served(pool = 1, failed = "settled")), list(above = 1))$reason, "no valid cell of demo/pool/low")
})

test_that("the source's ratio has our size within a factor of 1.25 of our interval", {
  sized <- function(size) verdict_of_ratio(list(above = 1.05), 4, 5, 6, size = size)
  expect_equal(vapply(c(3.2, 7.5, 3.1, 7.6), sized, ""), rep(c("holds", "same direction, other size"), each = 2))
  # Where the direction is another, the size says nothing.
  expect_equal(verdict_of_ratio(list(above = 1.05), 0.4, 0.5, 0.6, size = 0.5), "does not hold")
})

test_that("a claim that is not comparable has no verdict, and shows our value", {
  claim <- claim_of(NULL, not_comparable = "another machine")
  row <- judge_claims(list(claim[!vapply(claim, is.null, NA)]), tables_of(served(pool = c(1, 3))))
  expect_equal(row[, c(verdict, ours)], c("not comparable", "throughput 1 to 3/s"))
})

# ---- Values

test_that("a ratio is that of the comparisons, either way round", {
  row <- judge_one(tables_of(comparisons = compared_as(0.2, 0.25, 0.5, mode = "thread", baseline = "pool")), list(above = 1.05), place = against_thread)
  expect_columns(row, verdict = "holds", low = 2, estimate = 4, high = 5)
})

test_that("a pair that is no row is compared by its sessions, and tiers with each other", {
  at <- function(tier, pool, thread) served(pool = rep(pool, 3), thread = rep(thread, 3), tier = tier)
  tables <- tables_of(rbind(at("low", 40, 10), at("high", 60, 30)))
  judge <- function(rule, ...) judge_one(tables, rule, place = list(...))
  pair <- judge(list(above = 1.05), baseline = "thread")
  expect_equal(pair$verdict, "holds")
  expect_match(pair$ours, "throughput 40/s against 10/s, 4 × [", fixed = TRUE)
  tiers <- judge(list(above = 1.05), tiers = "high", baseline_tier = "low")
  expect_columns(tiers, estimate = 1.5, cells = "demo/pool/high/wrk2 : demo/pool/low/wrk2")
  gains <- judge(list(below = 0.952), tiers = "high", baseline_tier = "low", baseline = "thread")
  expect_columns(gains, verdict = "holds", estimate = 0.5)
})

test_that("failures count every server that was loaded, all else those that completed", {
  fails <- function(statistic, values, ...) judge_one(tables_of(cells_with(statistic, pool = values, ...)), list(at_most = 0.01), place = list(statistic = statistic))
  died <- fails("error_share", c(0, 0, 1), outcome = "server_died")
  expect_equal(died[, c(verdict, ours)], c("does not hold", "share of failed requests 0 to 100 %"))
  expect_equal(fails("cpu_us_per_request", c(0, 0, 1), outcome = "server_died")$verdict, "not decided")
  expect_equal(fails("error_share", c(0, 1), outcome = "beyond_limits")$verdict, "not decided")
  # A record that cannot be trusted counts for nothing.
  expect_equal(fails("error_share", c(0, 0, 1), failed = "observed")$verdict, "not decided")
  pair <- cells_with("error_share", pool = c(0.02, 0.03), thread = c(0.4, 0.41))
  row <- judge_one(tables_of(pair), list(below = -0.01), place = list(statistic = "error_share", baseline = "thread", effect = "difference"))
  expect_equal(row[, c(verdict, ours)], c("holds", "share of failed requests 2.5 % against 40.5 %"))
})

test_that("memory of a thread and the worst of two pools' sizes come from their own tables", {
  memory <- data.table(kind = "platform", threads = c(10, 500, 1000), rss_bytes = c(1e6, 10e6, 22e6), heap_bytes = 1)
  row <- judge_one(
    tables_of(extras = memory_of_a_thread(memory)), list(below = 1e6),
    place = list(study = NULL, mode = NULL, tiers = NULL, tool = NULL, primitive = "platform-thread-waiting", statistic = "rss_bytes")
  )
  expect_columns(row, verdict = "holds", estimate = 21000, cells = "primitives/platform-thread-waiting")
  sizes <- data.table(study = "demo", mode = "pool", tier = "grid", middle = c(50, 100), low = c(40, 80), high = c(60, 125))
  expect_null(worst_combinations(sizes[0]))
  expect_columns(worst_combinations(sizes), estimate = 0.5, low = 0.32, high = 0.75)
})

test_that("a reason may depend on the verdict, and other statistics of the pair go with it", {
  comparisons <- rbind(compared_as(1, 1, 1.01), compared_as(0.6, 0.7, 0.8, statistic = "latency_p99_ms"))
  tables <- tables_of(served(pool = c(1, 1), thread = c(1, 1))[, latency_p99_ms := 1], comparisons)
  claim <- claim_of(list(within = c(0.9, 1.1)), place = against_thread)
  expect_equal(why_text(judge_claims(list(c(claim, also = "latency_p99_ms")), tables)), "Because. (99th percentile of latency 0.7 × [0.6, 0.8].)")
  claim$because <- list(holds = "It does.", does_not_hold = "It does not.")
  expect_equal(judge_claims(list(claim, replace(claim, c("id", "rule"), list("two", list(above = 2)))), tables)$because, c("It does.", "It does not."))
})

# ---- The file of claims

claims_file <- file.path(analysis_folder, "claims.yaml")
shipped <- read_claim_tables(file.path(analysis_folder, "runs", reference_run))

test_that("the claims name what the experiment has", {
  claims <- read_claims(claims_file)
  printed <- read_published(list.files(file.path(analysis_folder, "published"), full.names = TRUE))
  expect_setequal(vapply(claims, `[[`, "", "source"), grep("^[0-9]", printed$source, value = TRUE))
  expect_equal(anyDuplicated(vapply(claims, `[[`, "", "id")), 0)
  places <- unlist(lapply(claims, places_of), recursive = FALSE)
  of_cells <- Filter(function(place) is.null(place[["primitive"]]), places)
  terms <- rbindlist(lapply(of_cells, terms_of))
  expect_equal(terms[!grid_asked(), on = names(terms), term_names(.SD)], character())
  known <- c(names(shipped$summary), "worst_by_best", "rss_bytes", "heap_bytes")
  expect_setequal(setdiff(vapply(places, `[[`, "", "statistic"), known), character())
})

test_that("the claims are valid by their schema, which allows one rule", {
  rule <- "rule: {at_most: 525}"
  two_rules <- tempfile(fileext = ".yaml")
  writeLines(sub(rule, "rule: {at_most: 525, at_least: 1}", readLines(claims_file), fixed = TRUE), two_rules)
  faults <- schema_faults("claims", c(claims_file, two_rules))
  expect_true(all(mapply(grepl, c("^$", "rule"), faults)), info = faults)
})

test_that("a claim that cannot be judged has the reason, and the others their verdicts", {
  claims <- list(claim_of(list(above = 1), place = list(mode = NULL)), claim_of(list(above = 0.5)))
  take_problems()
  rows <- judge_claims(claims, tables_of(served(pool = c(1, 1))))
  expect_match(rows$reason[1], "could not be computed: ", fixed = TRUE)
  expect_equal(rows$verdict, c("not decided", "holds"))
  expect_length(take_problems()$message, 1)
})

# ---- The shipped run

test_that("a shipped run decides most claims, each with its value", {
  rows <- judge_claims(read_claims(claims_file), shipped)
  expect_true(all(rows$verdict %in% claim_verdicts))
  expect_gte(rows[verdict %in% c("holds", "does not hold", "same direction, other size"), .N], (nrow(rows) + 1) / 2)
  expect_equal(rows[!verdict %in% c("not decided", not_in_this_run) & ours == "", .N], 0)
  # 10,000 sign-ups that virtual threads did not answer refute that they serve every request.
  expect_equal(rows[id == "virtual-serves-all", c(verdict, cells)], c("does not hold", "sign-up/virtual/connections-10000/wrk2"))
})
