with_rivals <- Filter(function(finding) length(finding$alternatives) > 0, read_findings(file.path(analysis_folder, "guide.yaml")))

# Comparisons of all rivals, each with this outcome.
compared_rivals <- function(outcome, findings = with_rivals) {
  rows <- read_rivals(findings)[, `:=`(baseline = "base", effect = "ratio", better = "lower", bound = "", reason = "", df = 10, mode_value = 1, baseline_value = 1)]
  rows[statistic == "throughput_per_s", better := "higher"][statistic == "error_share", effect := "difference"]
  toward <- c(better = 1, worse = -1, same = 0, open = 0)[[outcome]] * ifelse(rows$better == "higher", 1, -1)
  rows[, estimate := as.numeric(effect == "ratio") + 0.5 * toward][, `:=`(low = estimate - 0.1, high = estimate + 0.1, fixed = 0)]
  rows[, `:=`(p_value = fifelse(toward != 0, 1e-9, 0.5), equivalence_p_value = if (outcome == "same") 1e-9 else 0.5)][]
}
better <- compared_rivals("better")
same <- compared_rivals("same")
open <- compared_rivals("open")
decided_with <- function(rows, ...) decide_alternatives(with_rivals, rows, list(...))

test_that("a rival is excluded by the outcomes that it cannot have, and a turned pair leaves it", {
  for (outcome in c("better", "worse", "same")) {
    decided <- decided_with(compared_rivals(outcome))
    expect_equal(unique(decided$outcome), outcome)
    excludes <- vapply(strsplit(decided$excluded_by, " ", fixed = TRUE), function(words) outcome %in% words, NA)
    expect_equal(decided$state, ifelse(excludes, "excluded", "left"))
  }
  # Each is excluded by some outcome and left by its opposite: the pair decides.
  states <- lapply(list(better, compared_rivals("worse"), same), function(rows) decided_with(rows)$state)
  expect_true(all(do.call(mapply, c(list(function(...) setequal(c("excluded", "left"), c(...))), states))))
  expect_equal(unique(decided_with(open)$state), "left")
})

test_that("a rival without a cell is not measured, and another run may exclude what this one does not", {
  expect_equal(unique(decided_with(better[0])$state), "not measured")
  there <- decided_with(better[0], "2026-01-01-cpu" = better, second = better)
  excluded <- grepl("better", there$excluded_by)
  expect_equal(there$state, paste(ifelse(excluded, "excluded", "left"), "by run 2026-01-01-cpu (2 of 2)"))
  # The values are those of the run that is named.
  expect_true(all(is.finite(there$estimate)))
  expect_equal(decided_with(with_columns(open, mode_value = 7, baseline_value = 7), other = better)$mode_value, ifelse(excluded, 1, 7))
  # One that excludes it goes before, and one that decides before one that does not.
  both <- decided_with(better[0], first = same, "2026-01-01-cpu" = better)
  by_same <- grepl("same", there$excluded_by[excluded])
  expect_equal(both$state[excluded], sprintf("excluded by run %s (%d of 2)", ifelse(by_same, "first", "2026-01-01-cpu"), ifelse(by_same, 2, 1)))
  expect_equal(unique(decided_with(better[0], other = open)$state), "left undecided by run other (1 of 1)")
  later <- decided_with(better[0], other = open, "2026-01-01-cpu" = better)
  expect_equal(later$state, sub("(2 of 2)", "(1 of 2)", there$state, fixed = TRUE))
  # A run that decides otherwise is not outvoted.
  worse <- compared_rivals("worse")
  expect_equal(decided_with(worse, other = better)$state, decided_with(worse)$state)
  expect_equal(read_back(there, read_alternatives)[, .(rival, state)], there[, .(rival, state)])
  expect_equal(nrow(read_alternatives(tempfile())), 0)
})

test_that("rivals are a family of their own", {
  findings <- list(list(id = "one", study = "demo", alternatives = lapply(c("a", "b"), function(mode) {
    list(rival = mode, swap = "it", pair = list(mode = mode, tier = "high", tool = "wrk2", statistic = "throughput_per_s"), excluded_by = "better")
  })))
  rows <- compared_rivals("better", findings)[, p_value := c(0.02, 0.04)]
  # Primaries beside them change nothing, whatever their number.
  others <- copy(rows)[rep(1:2, 20)][, `:=`(mode = paste0("primary-", .I), p_value = 0.04, primary = TRUE, verdict = "higher")]
  decided <- decide_alternatives(findings, rbind(rows, others, fill = TRUE))
  expect_columns(decided, p_adjusted = c(0.04, 0.04), state = "excluded")
  expect_equal(decide_alternatives(findings, rows[, p_value := 0.04])$state, c("left", "left"))
})
