for (file in list.files(file.path(analysis_folder, "..", "paper", "R"), full.names = TRUE)) {
  source(file, local = TRUE)
}

# Three cells: one as predicted, one off with a cause, one off without.
predicted <- data.table(
  study = "demo", mode = c("pool", "pool", "thread", "thread"), tier = c("low", "low", "low", "mid"),
  tool = "wrk2", figure = c("throughput_per_s", "latency_mean_ms", "latency_mean_ms", "cpu_us_per_request"),
  predicted = c(100, 10, 10, 50), low = c(90, 9, 9, 45), high = c(110, 11, 11, 55),
  measured = c(101, 10, 20, 200), measured_low = NA_real_, measured_high = NA_real_,
  residual = c(0.01, 0, 1, 3), model = c("offered rate", "queue", "queue", "primitives"),
  within_10_percent = c(TRUE, TRUE, FALSE, FALSE),
  explanation = c("", "", "garbage collection", "unexplained")
)

test_that("values and cells are counted, within 10 %, with a reason and without", {
  said <- sentence_predicted(predicted)
  expect_match(said, "Of 4 values predicted for valid cells, 2 came within 10 %")
  expect_match(said, "For 1 of the others a rule finds a reason in their own cells, for 1 it finds none")
  expect_match(said, "1 of 3 came within 10 % in every value, and 2 (66.7 %)", fixed = TRUE)
  expect_match(sentence_predicted(predicted[0]), "No valid cell")
})

test_that("models are counted, and residuals listed from the farthest on", {
  models <- table_models(predicted)
  queue <- models[Model == "queue"]
  expect_equal(queue[, c(Values, `Within 10 %`, `With a reason`, Without)], c(2, 1, 1, 0))
  residuals <- table_residuals(predicted)
  expect_equal(residuals$`Off by`, c("+300 %", "+100 %"))
  expect_equal(residuals$Cell[1], "demo/thread/mid/wrk2")
})

test_that("the figure has a panel for each study and kind of figure, or says that there is nothing", {
  built <- ggplot2::ggplot_build(figure_predictions(predicted))
  expect_equal(nrow(built$layout$layout), 3)
  expect_no_error(ggplot2::ggplot_build(figure_predictions(predicted[0])))
})

test_that("a thread's memory is shown per thread, of the most threads measured", {
  memory <- data.table(
    kind = c("platform", "platform", "virtual"), threads = c(10, 1000, 1000),
    rss_bytes = c(1e6, 1000 * 20 * 1024, 0), nmt_thread_reserved_bytes = c(1e7, 1000 * 2^20, 0),
    nmt_thread_committed_bytes = c(1e6, 1e6, 0), heap_bytes = c(0, 0, 1000 * 2 * 1024)
  )
  expect_match(sentence_thread_memory(memory), "holds 20 KiB .* a virtual one 2 KiB .* ratio of 10")
  expect_equal(sentence_thread_memory(memory[kind == "platform"]), "")
})

test_that("where a pool begins to win is said only if it saves anything", {
  crossovers <- pool_crossovers(known_primitives, cpus = 1, sizes = c(10, 20))
  expect_match(sentences_crossovers(crossovers)[1], "saves 22 \\[18.2, 25.8\\] µs of CPU time")
  expect_match(sentences_crossovers(crossovers)[3], "0.9 ms (10 threads) and 1.8 ms (20 threads)",
    fixed = TRUE
  )
  expect_match(sentences_crossovers(crossovers[, saving_us_low := -1]), "not decided")
})

test_that("curves that could not be fitted are counted with their reasons", {
  curves <- rbind(
    as.data.table(c(list(study = "demo", mode = "pool", tool = "wrk2", path = "/"), no_usl(2L, "few"))),
    as.data.table(c(list(study = "demo", mode = "loop", tool = "wrk2", path = "/"), no_usl(1L, "few")))
  )
  expect_equal(
    sentence_curves(curves),
    "Of 2 curves of a mode over its loads 0 could be fitted. The others: few (2)."
  )
  expect_equal(nrow(table_curves(curves)), 0)
})
