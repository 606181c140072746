# A comparison of one side: `ratio` with the noise of a session's log ratio.
compared <- function(ratio, noise = 0.05, pairs = 3, df = 4, ...) {
  row <- data.table(
    study = "demo", tier = "low", tool = "jmeter", mode = "pool", versus = "thread", statistic = "throughput_per_s", unit = "1/s",
    effect = "ratio", estimate = ratio, low = ratio / 1.1, high = ratio * 1.1, verdict = "higher", bound = "", reason = "", pairs = pairs,
    spread = noise, within = noise / 2, noise = if (pairs > 1) noise else NA_real_, df = if (pairs > 1) df else NA_real_,
    rounding_low = 0, rounding_high = 0
  )
  changes <- list(...)
  for (column in names(changes)) set(row, j = column, value = changes[[column]])
  row[]
}

change_of <- function(there, here) {
  reproduce(sides_of_comparisons(there), sides_of_comparisons(here), comparison_keys)
}

test_that("a change is the ratio of both ratios, with Welch's interval", {
  row <- change_of(compared(4, noise = 0.06, df = 2), compared(5, noise = 0.03, df = 4))
  expect_equal(c(row$there, row$here, row$change), c(4, 5, 1.25))
  a <- 0.06^2 / 3
  b <- 0.03^2 / 3
  df <- (a + b)^2 / (a^2 / 2 + b^2 / 4)
  reach <- qt(0.975, df) * sqrt(a + b)
  expect_equal(c(row$change_low, row$change_high), 1.25 * exp(c(-reach, reach)))
  expect_equal(c(row$expected_low, row$expected_high), 4 * exp(c(-reach, reach)))
})

test_that("an expected range of many powers of ten is none", {
  row <- change_of(compared(4, noise = 0.05), compared(4, noise = 0.05))
  expect_match(change_table(row)$expected, "^3\\.[0-9]+ to 4\\.[0-9]+$")
  row[, `:=`(expected_low = 1e-9, expected_high = 1e9)]
  expect_equal(change_table(row)$expected, "not bounded")
  row[, `:=`(change_low = 1e-9, change_high = 1e9)]
  expect_equal(change_table(row)[["here / there"]], "1 [not bounded]")
  # One end is a bound.
  row[, `:=`(expected_low = 3, expected_high = Inf, change_low = 0, change_high = 2)]
  expect_equal(unlist(change_table(row)[, .(expected, `here / there`)], use.names = FALSE), c("3 to ∞", "1 [0, 2]"))
  row[, `:=`(expected_low = NA_real_, expected_high = NA_real_)]
  expect_equal(change_table(row)$expected, no_figure)
})

test_that("verdicts follow the margin and the test", {
  verdict <- function(...) change_of(compared(4, noise = 0.02), compared(...))$verdict
  expect_equal(verdict(4.2, noise = 0.02), "reproduced")
  expect_equal(verdict(6, noise = 0.02), "differs")
  expect_equal(verdict(4.2, noise = 0.6), "not decided")
  # A change that is there and surely small is no difference.
  expect_equal(verdict(4.4, noise = 0.001), "reproduced")
  # Small perhaps, and perhaps not.
  expect_equal(verdict(4.95, noise = 0.05), "differs")
})

test_that("one session has the noise of the other run, and at least that of its slices", {
  row <- change_of(compared(4, noise = 0.05), compared(4, pairs = 1, within = 0.01))
  reach <- qt(0.975, 4) * 0.05 * sqrt(1 / 3 + 1)
  expect_equal(c(row$expected_low, row$expected_high), 4 * exp(c(-reach, reach)))
  noisy <- change_of(compared(4, noise = 0.05), compared(4, pairs = 1, within = 0.3))
  expect_equal(noisy$change_high, exp(qt(0.975, 4) * sqrt(0.05^2 / 3 + 0.3^2)))
  # The other way round as well.
  expect_equal(change_of(compared(4, pairs = 1, within = 0.01), compared(4, noise = 0.05))$change_high, row$change_high)
  both <- change_of(compared(4, pairs = 1), compared(9, pairs = 1))
  expect_equal(c(both$verdict, both$reason), c("not decided", "one session on both sides"))
  expect_true(is.na(both$change_low))
})

test_that("bounds decide in one direction, and none against each other", {
  at_least <- list(bound = "at_least")
  with_bound <- function(ratio, ...) compared(ratio, noise = 0.02, ...)
  expect_equal(change_of(with_bound(4), with_bound(8, bound = "at_least"))$verdict, "differs")
  higher <- change_of(with_bound(4), with_bound(4, bound = "at_least"))
  expect_equal(c(higher$verdict, higher$change_high), c("not decided", Inf))
  expect_equal(change_of(with_bound(8, bound = "at_least"), with_bound(4))$verdict, "differs")
  expect_equal(change_of(with_bound(4, bound = "at_least"), with_bound(9))$verdict, "not decided")
  expect_equal(change_of(with_bound(4, bound = "at_least"), with_bound(9, bound = "at_least"))$reason, "bounds on both sides")
})

test_that("what cannot be compared says why, and what the reference has not is left out", {
  there <- compared(4)
  row <- change_of(there, compared(NA_real_, reason = "no valid cells of the mode (little)", noise = NA_real_, pairs = 0))
  expect_equal(c(row$verdict, row$reason), c("not decided", "here: no valid cells of the mode (little)"))
  expect_equal(nrow(change_of(compared(NA_real_, reason = "hung"), compared(4))), 0)
  expect_equal(nrow(change_of(there, compared(4, tier = "high"))), 0)
})

test_that("what is the same in every session is reproduced without a test", {
  share <- function(value) {
    compared(value, noise = 0, statistic = "error_share", effect = "difference", spread = 0, verdict = "equivalent")
  }
  row <- change_of(share(0), share(0))
  expect_equal(row$verdict, "reproduced")
  expect_true(is.na(row$p_value))
  expect_equal(change_of(share(0), share(0.4))$verdict, "differs")
})

test_that("of runs that agree one in twenty seems to differ, of those at the margin one in twenty to agree", {
  set.seed(1)
  count <- 4000
  noise <- 0.08
  side <- function(sessions, centre) {
    effects <- matrix(rnorm(count * sessions, centre, noise), count)
    compared(
      exp(rowMeans(effects)), pairs = sessions, df = sessions - 1,
      noise = if (sessions > 1) apply(effects, 1, sd) else NA_real_, within = 0.01
    )[, tier := paste0("tier-", seq_len(count))]
  }
  for (sessions in c(1, 3)) {
    equal <- change_of(side(3, 1), side(sessions, 1))
    expect_lt(abs(mean(equal$p_value <= 0.05) - 0.05), 0.02)
    apart <- change_of(side(3, 1), side(sessions, 1 + reproduction_margins$ratio))
    expect_lt(mean(apart$equivalence_p_value <= 0.05), 0.06)
  }
})

# ---- Cells -------------------------------------------------------------------------------------

machine <- list(cpu_model = "A CPU", cpus = 2, architecture = "x86_64", kernel = "6.1", memory_bytes = 8e9)

# The cell.json files of a mode and its baseline, a session each repetition.
write_run <- function(results, repetitions = 3, at = "first", rates = c(200, 205, 195), facts = list()) {
  root <- file.path(results, "cells")
  unlist(lapply(seq_len(repetitions), function(n) {
    common <- list(
      root = root, repetition = n, tool = "wrk2", histogram_ms = c(1, 2, 3, 4),
      session = list(id = paste(at, n), phases = list(wall_s = 60 + n)),
      provenance = list(
        started = "2026-11-22T01:00:00.000+00:00", ended = "2026-11-22T02:00:00.000+00:00",
        machine = modifyList(machine, facts), limits = list(somaxconn = "4096"), versions = list(jdk = "25")
      ),
      configuration = list(tier = list(id = "low", path = "/work", sleep_ms = 100))
    )
    rate <- function(value) list(slices = fake_slices(throughput_per_s = value * c(0.99, 1, 1, 1.01)), load = list(throughput_per_s = value))
    c(
      do.call(write_cell, c(common, rate(rates[n]))),
      do.call(write_cell, c(common, rate(100), list(mode = "thread-per-request", versus = NULL)))
    )
  }))
}

# The tables of a run, and the reference that they make.
write_reference <- function(results = new_folder(), ...) {
  paths <- write_run(results, ...)
  summary <- summarise_cells(paths)
  write_table(summary, file.path(results, "summary.csv"))
  write_table(compare_modes(summary, slices_of_cells(paths)), file.path(results, "comparisons.csv"))
  for (report in c("report.html", "report.pdf", "supplement.pdf")) writeLines("a report", file.path(results, report))
  list(results = results, paths = paths)
}

condensed <- function(run, repetitions = 3, out = new_folder()) {
  condense_run(run$results, run$paths, out, analysis_folder, repetitions, commit = "0123456789")
  out
}

test_that("a run is not compared with itself, and a repetition beside it is", {
  run <- write_reference()
  reference <- read_reference(condensed(run))
  expect_null(read_run(run$results, reference))
  expect_match(why_not_reproduced(reference, NULL), "Nothing to compare")
  # A cell that was measured again alone, its baseline in turns with it.
  again <- write_run(new_folder(), 1, "again", 260)
  kept <- file.path(run$results, "cells/demo/fixed-pool/low/wrk2/rep-101")
  dir.create(file.path(kept, "versus"), recursive = TRUE)
  file.copy(list.files(dirname(again[1]), full.names = TRUE), kept)
  file.copy(list.files(dirname(again[2]), full.names = TRUE), file.path(kept, "versus"))
  found <- read_run(run$results, reference)
  expect_equal(found$alone$mode, "fixed-pool")
  rows <- reproduce_run(reference, found)
  ratio <- rows[versus != "" & statistic == "throughput_per_s"]
  expect_equal(c(ratio$there, ratio$here), c((200 * 205 * 195)^(1 / 3) / 100, 2.6), tolerance = 1e-4)
  expect_equal(c(ratio$sessions_there, ratio$sessions_here), c(3, 1))
  # Threads are counted once a cell, so their ratio needs the record of the baseline.
  expect_equal(rows[versus != "" & statistic == "threads_peak", verdict], "reproduced")
  value <- rows[versus == "" & statistic == "throughput_per_s"]
  logs <- log(c(200, 205, 195))
  reach <- qt(0.975, 2) * sd(logs) * sqrt(1 / 3 + 1)
  expect_equal(c(value$expected_low, value$expected_high), exp(mean(logs) + c(-reach, reach)), tolerance = 1e-4)
  expect_equal(value$verdict, "differs")
  expect_equal(rows[statistic == "waiting_at_once", c(there, here)], c((200 * 205 * 195)^(1 / 3), 260) / 10, tolerance = 1e-4)
  expect_equal(rows[statistic == "completed", verdict], "reproduced")
})

test_that("to another machine travels no speed", {
  reference <- read_reference(condensed(write_reference()))
  rows_on <- function(...) {
    results <- new_folder()
    unlink(dirname(write_run(results, 1, "again", facts = list(...))[2]), recursive = TRUE)
    run <- read_run(results, reference)
    list(rows = reproduce_run(reference, run), run = run)
  }
  other <- rows_on(cpu_model = "Another CPU")
  what_travels <- c("error_share", "waiting_at_once", "completed")
  expect_setequal(other$rows$statistic, what_travels)
  expect_setequal(rows_on(kernel = "6.2")$rows$statistic, what_travels)
  # The size of its memory makes no other kind.
  expect_true("cpu_us_per_request" %in% rows_on(memory_bytes = 9e9)$rows$statistic)
  lines <- print_reproduction(other$rows, reference, other$run)
  expect_match(lines, "Another kind of machine", all = FALSE)
  expect_match(lines, "^3 values and ratios compared: ", all = FALSE)
})

test_that("a run of many comparisons fits on a screen", {
  reference <- read_reference(condensed(write_reference()))
  rows <- rbindlist(lapply(1:60, function(n) change_of(compared(4), compared(if (n == 7) 9 else 4, noise = 0.02))[, tier := paste0("tier-", n)]))
  lines <- print_reproduction(rows, reference, list(machine = machine))
  expect_lt(length(lines), 36)
  expect_match(lines, "tier-7/", all = FALSE)
  expect_match(tail(lines, 1), "60 values and ratios compared: 59 reproduced, 1 differs, 0 not decided", fixed = TRUE)
})

test_that("without a reference there is a sentence", {
  expect_null(read_reference(new_folder()))
  expect_match(why_not_reproduced(NULL, NULL), "There is no reference")
})

# ---- The reference -----------------------------------------------------------------------------

test_that("a reference holds the run's tables, its machine and the versions of rules", {
  run <- write_reference()
  folder <- condensed(run)
  reference <- read_reference(folder)
  expect_setequal(list.files(folder), c("summary.csv", "comparisons.csv", "reference.json"))
  expect_equal(reference$facts$machine$cpu_model, "A CPU")
  expect_equal(unlist(reference$facts[c("commit", "cells", "sessions")], use.names = FALSE), c("0123456789", 6, 3))
  expect_equal(reference$facts$rules$comparisons, rules_version(read_protocol(file.path(analysis_folder, "PROTOCOL.md")), "comparisons"))
  expect_equal(reference$facts$session_s[["demo/demo/rep-2"]], 62)
  # Numbers are shortened, and nothing else is.
  whole <- read_comparisons(file.path(run$results, "comparisons.csv"))
  expect_equal(reference$comparisons, whole, tolerance = 1e-5)
  expect_equal(reference$summary, read_summary(file.path(run$results, "summary.csv")), tolerance = 1e-5)
})

test_that("a session that was interrupted and went on lasted as long as both parts", {
  run <- write_reference()
  edit <- function(path, id, ended, phases) {
    cell <- fromJSON(path, simplifyVector = FALSE)
    cell$session <- modifyList(cell$session, list(id = id))
    cell$session$phases <- phases
    cell$provenance$ended <- ended
    write_json(cell, path, auto_unbox = TRUE, digits = NA, null = "null")
  }
  none <- setNames(list(), character())
  edit(run$paths[1], "before", "2026-11-22T01:02:00.500+00:00", none)
  edit(run$paths[2], "after", "2026-11-22T02:00:00.000+00:00", list(wall_s = 30))
  # Interrupted, and not measured on.
  for (path in run$paths[3:4]) edit(path, "only", "2026-11-22T01:01:00.000+00:00", none)
  seconds <- seconds_of_sessions(read_cells(run$paths))
  expect_equal(seconds, setNames(c(150.5, 60, 63), paste0("demo/demo/rep-", 1:3)))
  for (path in run$paths) Sys.setFileTime(path, Sys.time() - 60)
  expect_equal(read_reference(condensed(run))$facts$session_s[["demo/demo/rep-1"]], 150.5)
})

test_that("long decimals are cut, and versions stay", {
  path <- tempfile(fileext = ".csv")
  writeLines(c("a,version,b", "0.123456789012,1.10.0,1.10", "-1.23456789e-7,25.0.1+9,"), path)
  expect_equal(shortened_numbers(path), data.table(a = c("0.123457", "-1.23457e-07"), version = c("1.10.0", "25.0.1+9"), b = c("1.10", NA)))
})

test_that("a run that is not whole is refused", {
  run <- write_reference()
  unlink(dirname(run$paths[1]), recursive = TRUE)
  expect_error(condensed(run), "the run is incomplete: 1 of 6 cells are missing (demo/fixed-pool/low/wrk2/rep-1)", fixed = TRUE)
  run <- write_reference(repetitions = 2)
  paths <- c(run$paths, sub("rep-2", "rep-3", run$paths[3:4]))
  expect_error(condensed(list(results = run$results, paths = paths)), "fewer repetitions than the 3 of the default run")
})

test_that("tables older than a cell, of fewer cells, or of two machines are refused", {
  run <- write_reference()
  Sys.setFileTime(file.path(run$results, "comparisons.csv"), Sys.time() - 3600)
  expect_error(condensed(run), "comparisons.csv is missing or older than a cell", fixed = TRUE)
  run <- write_reference()
  write_table(summarise_cells(run$paths[1:4]), file.path(run$results, "summary.csv"))
  expect_error(condensed(run), "the tables lack cells of config.yaml")
  run <- write_reference()
  other <- write_run(new_folder(), 1, facts = list(cpu_model = "Another CPU"))
  file.copy(other[1], run$paths[1], overwrite = TRUE)
  Sys.setFileTime(run$paths[1], Sys.time() - 3600)
  expect_error(condensed(run), "its cells come from 2 machines")
})

test_that("code that is not committed is refused, but for what the reference writes", {
  root <- new_folder()
  git <- function(...) system2("git", c("-C", root, ...), stdout = FALSE, stderr = FALSE)
  expect_error(committed_code(root), "is no checkout of git")
  git("init")
  dir.create(file.path(root, "analysis/reference"), recursive = TRUE)
  writeLines("x", file.path(root, "analysis/code.R"))
  git("add", "analysis/code.R")
  git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-m", "first")
  expect_match(committed_code(root), "^[0-9a-f]{40}$")
  writeLines("x", file.path(root, "analysis/reference/summary.csv"))
  writeLines("x", file.path(root, "README.md"))
  expect_match(committed_code(root, c("analysis/reference", "README.md")), "^[0-9a-f]{40}$")
  expect_error(committed_code(root), "README.md", fixed = TRUE)
  unlink(file.path(root, "README.md"))
  writeLines("y", file.path(root, "analysis/code.R"))
  expect_error(committed_code(root), "code is not committed (analysis/code.R)", fixed = TRUE)
})
