rivals_file <- file.path(analysis_folder, "guide.yaml")
with_rivals <- Filter(function(finding) length(finding$alternatives) > 0, read_findings(rivals_file))

grepl_each <- function(word, texts) vapply(strsplit(texts, " ", fixed = TRUE), function(words) word %in% words, NA)

# Comparisons of all rivals, each with this outcome.
compared_rivals <- function(outcome, findings = with_rivals) {
  rows <- read_rivals(findings)[, `:=`(baseline = "base", effect = "ratio", better = "lower", bound = "", reason = "", df = 10, mode_value = 1, baseline_value = 1)]
  rows[statistic == "throughput_per_s", better := "higher"][statistic == "error_share", effect := "difference"]
  none <- as.numeric(rows$effect == "ratio")
  toward <- c(better = 1, worse = -1, same = 0, open = 0)[[outcome]] * ifelse(rows$better == "higher", 1, -1)
  rows[, `:=`(estimate = none + 0.5 * toward, low = none + 0.5 * toward - 0.1, high = none + 0.5 * toward + 0.1, fixed = 0)]
  rows[, `:=`(p_value = fifelse(toward != 0, 1e-9, 0.5), equivalence_p_value = if (outcome == "same") 1e-9 else 0.5)][]
}

test_that("a rival is excluded by the outcomes that it cannot have, and a turned pair leaves it", {
  for (outcome in c("better", "worse", "same")) {
    decided <- decide_alternatives(with_rivals, compared_rivals(outcome))
    expect_equal(unique(decided$outcome), outcome)
    expect_equal(decided$state, ifelse(grepl_each(outcome, decided$excluded_by), "excluded", "left"))
  }
  # Each is excluded by some outcome and left by its opposite: the pair decides.
  of <- function(outcome) decide_alternatives(with_rivals, compared_rivals(outcome))$state
  turned <- mapply(function(...) setequal(c("excluded", "left"), c(...)), of("better"), of("worse"), of("same"))
  expect_true(all(turned))
  expect_equal(unique(of("open")), "left")
})

test_that("a rival without a cell is not measured, and another run may exclude what this one does not", {
  none <- compared_rivals("better")[0]
  expect_equal(unique(decide_alternatives(with_rivals, none)$state), "not measured")
  there <- decide_alternatives(with_rivals, none, list("2026-01-01-cpu" = compared_rivals("better"), second = compared_rivals("better")))
  excluded <- grepl("better", there$excluded_by)
  expect_equal(there$state, paste(ifelse(excluded, "excluded", "left"), "by run 2026-01-01-cpu (2 of 2)"))
  # The values are those of the run that is named.
  expect_true(all(is.finite(there$estimate)))
  here <- copy(compared_rivals("open"))[, `:=`(mode_value = 7, baseline_value = 7)]
  own <- decide_alternatives(with_rivals, here, list(other = compared_rivals("better")))
  expect_equal(own$mode_value, ifelse(excluded, 1, 7))
  # One that excludes it goes before, and one that decides before one that does not.
  both <- decide_alternatives(with_rivals, none, list(first = compared_rivals("same"), "2026-01-01-cpu" = compared_rivals("better")))
  same <- grepl("same", there$excluded_by[excluded])
  expect_equal(both$state[excluded], sprintf("excluded by run %s (%d of 2)", ifelse(same, "first", "2026-01-01-cpu"), ifelse(same, 2, 1)))
  expect_equal(unique(decide_alternatives(with_rivals, none, list(other = compared_rivals("open")))$state), "left undecided by run other (1 of 1)")
  later <- decide_alternatives(with_rivals, none, list(other = compared_rivals("open"), "2026-01-01-cpu" = compared_rivals("better")))
  expect_equal(later$state, sub("(2 of 2)", "(1 of 2)", there$state, fixed = TRUE))
  # A run that decides otherwise is not outvoted.
  against <- decide_alternatives(with_rivals, compared_rivals("worse"), list(other = compared_rivals("better")))
  expect_equal(against$state, decide_alternatives(with_rivals, compared_rivals("worse"))$state)
  path <- tempfile()
  write_table(there, path)
  expect_equal(read_alternatives(path)[, .(rival, state)], there[, .(rival, state)])
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
  expect_equal(decided$p_adjusted, c(0.04, 0.04))
  expect_equal(decided$state, c("excluded", "excluded"))
  expect_equal(decide_alternatives(findings, rows[, p_value := 0.04])$state, c("left", "left"))
})

test_that("the experiment measures every rival", {
  grid <- fread(text = lines_of_grid("print(Grid(grid.config | {'extras': ['heaps', 'rivals']}).grid_table(), end='')"))
  asked <- read_rivals(with_rivals)
  expect_gt(nrow(asked), 20)
  expect_equal(asked[!grid, on = c("study", "tier", "tool", "mode"), file.path(study, mode, tier, tool)], character())
  expect_true(all(asked$statistic %in% compared_statistics$statistic))
})
