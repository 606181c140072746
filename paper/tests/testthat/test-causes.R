results_of <- function(traced = rbind(traced_of(), traced_of(dose_summary(), dose_cause())), summary = demo_summary()) {
  list(
    causes = list(start = demo_cause(), size = modifyList(dose_cause(), list(title = "How many"))), traced = traced, summary = without_impossible_waits(summary),
    impossible_waits = waits_beyond_latency(summary), results = new_folder()
  )
}
# Without the cells that keep connections.
without_kept <- function() results_of(traced_of(demo_summary()[tier == "fresh"]))

test_that("a swap is printed with its sides, the share that goes and what was counted", {
  expect_said(
    tell_cause_of(results_of(), "start"), "Starting costs. The CPU time per request is 200 µs with a thread each and 100 µs with a pool.",
    "Connections are kept: then it is 100 µs and 100 µs, and 100 [96, 104] % of the effect goes.",
    "Counted, threads started (per request): 1 and 0.002 before, 0.001 and 0.001 after."
  )
  expect_equal(tell_cause_of(results_of(traced_of()[0]), "start"), "*Starting threads*: not measured here.")
  expect_equal(tell_cause_of(without_kept(), "start"), "*Starting threads*: not measured here (no cells of threads at kept, no cells of pool at kept).")
})

test_that("a dose is printed with its response, the law and the slope", {
  expect_said(
    tell_cause_of(results_of(), "size"), "From 5 to 50 connections, throughput rises from 242 to 2,424 requests/s, 97 % of what Little's law allows.",
    "Throughput is proportional to them where the slope of the logarithms is 1; it is 1 [1, 1]."
  )
})

test_that("a difference whose values stand with the dose is not said twice", {
  cause <- demo_cause()
  sides <- unlist(cause$difference[c("mode", "baseline")])
  cause$doses <- list(of = "threads", modes = lapply(seq_along(sides), function(at) list(dose = at, mode = sides[[at]])))
  dose <- traced_of(dose_summary(), dose_cause())[kind == "dose"][, id := "start"]
  told <- tell_cause(cause, rbind(traced_of(), dose))
  expect_unsaid(told, "The CPU time per request is")
  expect_said(told, "Connections are kept: then CPU time per request is 100 µs with a thread each and 100 µs with a pool, and")
})

test_that("a table has a row a dose and a row a swap", {
  table <- table_causes(results_of())
  expect_equal(table$Cause, c("Starting threads", "How many"))
  expect_match(table$Before[1], "^2 \\[.*\\] ×$")
  expect_equal(table[["Share that goes (%)"]][1], "100 [96, 104]")
  expect_equal(table$Counted, c("threads started (per request): 1 and 0.002 before, 0.001 and 0.001 after", no_figure))
})

test_that("one session is marked, and what cannot be is listed and not printed", {
  traced <- traced_of()[, `:=`(over = "rounds", units = 2)]
  expect_match(table_causes(results_of(traced))[["Share that goes (%)"]], one_session_mark)
  expect_equal(nrow(table_causes(without_kept())), 0)
  expect_said(sentences_not_computed(without_kept()), "without a cell of a side: Starting threads; How many.")
  wrong <- demo_summary()[mode == "pool" & tier == "fresh" & repetition == 2, `:=`(pool_wait_mean_ms = 119, latency_mean_ms = 110)]
  all <- results_of(summary = wrong)
  expect_said(sentences_not_computed(all), "`pool` at `fresh`, repetition 2 (119 ms of 110 ms)")
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
  page <- "<p title=\"a\">&</p>"
  dir.create(file.path(all$results, "differences"))
  writeLines(page, file.path(all$results, "differences", "start.html"))
  packed <- sub(".*data-page=\"([^\"]*)\".*", "\\1", difference_graphs(all))
  expect_equal(rawToChar(memDecompress(jsonlite::base64_dec(packed), "gzip")), paste0(page, "\n"))
})
