printed <- read_published(list.files(file.path(analysis_folder, "published"), full.names = TRUE))
shipped <- read_summary(file.path(runs_folder, reference_run, "summary.csv"))

test_that("the values that the sources printed can be read, each once", {
  expect_false(anyNA(printed$value))
  expect_equal(anyDuplicated(printed, by = c("source", "tier", "mode", "figure")), 0)
  expect_error(read_published("none.csv"), "no such file")
})

test_that("every printed value stands beside ours, once, as published where that was measured", {
  table <- table_theirs(shipped, printed)
  means <- shipped[mode == "virtual" & tier == "sleep-500" & tool == "jmeter", range(latency_mean_ms)]
  ours <- as.numeric(strsplit(table[Load == "sleep-500" & Server == "virtual" & startsWith(Value, "Mean")]$Ours, "[^0-9.]+")[[1]])
  # One number where both ends are the same in print.
  expect_equal(range(ours), means, tolerance = 0.01)
  expect_equal(anyDuplicated(table, by = c("Study", "Load", "Server", "Value")), 0)
  expect_false("sleep-500" %in% table_theirs(shipped[tier != "sleep-500"], printed)$Load)
  # The server as published, where it was measured.
  low <- table[Study == "request-threads" & Load == "low" & Server == "fixed-pool" & startsWith(Value, "Errors")]
  expect_equal(low[, c(Theirs, Ours)], c("0", "0"))
})
