causes_of <- function() list(start = demo_cause(title = "Starting threads"), size = modifyList(dose_cause(), list(title = "How many")))

results_of <- function(traced = rbind(traced_of(), traced_of(dose_summary(), dose_cause())), summary = demo_summary()) {
  list(
    causes = causes_of(), traced = traced, summary = without_impossible_waits(summary),
    impossible_waits = waits_beyond_latency(summary), results = new_folder()
  )
}

test_that("a swap is printed with its sides, the share that goes and what was counted", {
  told <- tell_cause_of(results_of(), "start")
  expect_match(told, "*Starting threads.* Starting costs. The CPU time per request is 200 µs with a thread each and 100 µs with a pool.", fixed = TRUE)
  expect_match(told, "Connections are kept: then it is 100 µs and 100 µs, and 100 [96, 104] % of the effect goes.", fixed = TRUE)
  expect_match(told, "Counted, threads started (per request): 1 and 0.002 before, 0.001 and 0.001 after.", fixed = TRUE)
  expect_equal(tell_cause_of(results_of(traced_of()[0]), "start"), "*Starting threads*: not measured here.")
  absent <- results_of(traced_of(demo_summary()[tier == "fresh"]))
  expect_match(tell_cause_of(absent, "start"), "^\\*Starting threads\\*: not measured here \\(no cells of threads at kept, no cells of pool at kept\\)\\.$")
})

test_that("a dose is printed with its response, the law and the slope", {
  told <- tell_cause_of(results_of(), "size")
  expect_match(told, "From 5 to 50 connections, throughput rises from 242 to 2,424 requests/s, 97 % of what Little's law allows.", fixed = TRUE)
  expect_match(told, "Throughput is proportional to them where the slope of the logarithms is 1; it is 1 [1, 1].", fixed = TRUE)
})

test_that("a difference whose values stand with the dose is not said twice", {
  cause <- demo_cause(title = "Starting threads")
  sides <- unlist(cause$difference[c("mode", "baseline")])
  cause$doses <- list(of = "threads", modes = lapply(seq_along(sides), function(at) list(dose = at, mode = sides[[at]])))
  dose <- traced_of(dose_summary(), dose_cause())[kind == "dose"][, id := "start"]
  told <- tell_cause(cause, rbind(traced_of(), dose))
  expect_no_match(told, "The CPU time per request is", fixed = TRUE)
  expect_match(told, "Connections are kept: then CPU time per request is 100 µs with a thread each and 100 µs with a pool, and", fixed = TRUE)
})

test_that("the share that goes with a cause's first swap stands in a sentence", {
  expect_match(sentence_of_first_share(results_of(), "start", "the cost"), "^Connections are kept gives 100 \\[96, 104\\] % of the cost.$")
  expect_equal(sentence_of_first_share(results_of(traced_of()[0]), "start", "the cost"), "")
})

test_that("there is one table, without verdicts", {
  table <- table_causes(results_of())
  expect_equal(table$Cause, c("Starting threads", "How many"))
  expect_match(table$Before[1], "^2 \\[.*\\] ×$")
  expect_match(table[["Share that goes (%)"]][1], "^100 \\[96, 104\\]$")
  expect_equal(table$Counted, c("threads started (per request): 1 and 0.002 before, 0.001 and 0.001 after", no_figure))
  expect_no_match(paste(unlist(table), collapse = " "), "shown|traced|proven")
})

test_that("one session is marked, and what cannot be is listed and not printed", {
  traced <- traced_of()[, `:=`(over = "rounds", units = 2)]
  expect_match(table_causes(results_of(traced))[["Share that goes (%)"]], one_session_mark)
  absent <- results_of(traced_of(demo_summary()[tier == "fresh"]))
  expect_equal(nrow(table_causes(absent)), 0)
  expect_match(sentences_not_computed(absent), "without a cell of a side: Starting threads; How many.", fixed = TRUE)
  wrong <- demo_summary()[mode == "pool" & tier == "fresh" & repetition == 2, `:=`(pool_wait_mean_ms = 119, latency_mean_ms = 110)]
  all <- results_of(summary = wrong)
  expect_match(sentences_not_computed(all), "`pool` at `fresh`, repetition 2 (119 ms of 110 ms)", fixed = TRUE)
  expect_true(all(is.na(all$summary$pool_wait_mean_ms)))
  expect_null(sentences_not_computed(results_of()))
})

test_that("what moved is printed without the compiler and only with samples enough", {
  all <- results_of()
  all$moved <- moved_rows(all$causes, no_groups())
  expect_equal(nrow(table_moved(all)), 0)
  all$moved <- moved_rows(all$causes, rbind(groups_of("threads", 150, c(300, 100, 0)), groups_of("pool", 0, c(0, 100, 0))))
  expect_equal(table_moved(all)[, c(Cause, Group)], c("Starting threads", "thread start"))
  expect_equal(difference_graphs(all), "Without 100 samples on both sides: Starting threads.")
  dir.create(file.path(all$results, "differences"))
  writeLines("<p title=\"a\">&</p>", file.path(all$results, "differences", "start.html"))
  packed <- sub(".*data-page=\"([^\"]*)\".*", "\\1", difference_graphs(all))
  expect_equal(rawToChar(memDecompress(jsonlite::base64_dec(packed), "gzip")), "<p title=\"a\">&</p>\n")
})
