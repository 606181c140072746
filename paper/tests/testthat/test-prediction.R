# A value of each class.
predicted <- data.table(
  study = "demo", mode = c("pool", "pool", "thread", "thread"), tier = c("low", "low", "low", "mid"),
  tool = "wrk2", figure = c("throughput_per_s", "latency_mean_ms", "latency_mean_ms", "cpu_us_per_request"),
  predicted = c(100, 10, 10, 50), low = c(90, 9, 9, 45), high = c(110, 11, 11, 55),
  measured = c(101, 10, 11.2, 200), measured_low = NA_real_, measured_high = NA_real_,
  residual = c(0.01, 0, 0.12, 3), model = c("offered rate", "queue", "queue", "primitives"),
  doubled = c(1, 2, 2, 2), depends = c(FALSE, TRUE, TRUE, TRUE),
  class = c("configured", "within 10 %", "within 15 %", "not predicted"),
  explanation = c("", "", "", "unexplained")
)

test_that("values that depend on primitives are counted apart from those that the configuration says", {
  said <- sentence_predicted(predicted)
  expect_match(said, "Of 3 values of valid cells whose prediction depends on a primitive, 1 (33.3 %) came within 10 % and 2 (66.7 %)", fixed = TRUE)
  expect_match(said, "Another 1 follow from the load's configuration alone")
  expect_match(sentence_predicted(predicted[0]), "No valid cell")
})

test_that("models are counted, and residuals listed from the farthest on", {
  models <- table_models(predicted)
  queue <- models[Model == "queue"]
  expect_equal(queue[, c(`Depend on primitives`, `Within 10 %`, `Within 15 %`, Configured)], c(2, 1, 2, 0))
  expect_equal(models[Model == "offered rate"]$Configured, 1)
  residuals <- table_residuals(predicted)
  expect_equal(residuals$`Off by`, "+300 %")
  expect_equal(residuals$Cell, "demo/thread/mid/wrk2")
})

test_that("the score is set beside that of false primitives, and fails where these do as well", {
  score <- data.table(
    primitives = c("as measured", "halved", "doubled", "shuffled", "shuffled"), draw = c(1, 1, 1, 1, 2),
    values = 10, within_10 = c(8, 1, 2, 3, 5), within_15 = c(9, 1, 2, 3, 5)
  )
  said <- sentence_score(score)
  expect_match(said, "predict 8 of 10 within 10 %; doubled 2, halved 1, and shuffled among each other 4")
  expect_match(said, "False primitives score worse.", fixed = TRUE)
  expect_match(sentence_score(copy(score)[primitives == "doubled", within_10 := 8]), "does not confirm the primitives")
  expect_equal(table_score(score)$`Within 10 %`[4], "4 (40 %)")
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

test_that("what is not predicted is named with its reason", {
  silent <- data.table(study = c("demo", "demo", "far"), mode = c("pool", "own", "own"), explanation = c("why", "why", "else"))
  said <- sentence_no_prediction(silent)
  expect_match(said, "why: `pool` and `own` in demo; else: `own` in far.", fixed = TRUE)
  expect_equal(sentence_no_prediction(silent[0]), "")
})
