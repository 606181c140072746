starts <- data.table(
  study = "demo", tier = "saturated", tool = "jmeter", rate_per_s = 2400, part = c("pool", "hand-over", "start", "collector", "rest", "thread"),
  us = c(250, -5, 50, 7, 108, 410)
)

test_that("each part begins where the one before it ends, and the sides begin at 0", {
  rows <- waterfall_rows(parts_of_start(starts))
  expect_equal(rows$from, c(0, 250, 245, 295, 302, 0))
  expect_equal(rows$to, c(250, 245, 295, 302, 410, 410))
  expect_equal(rows$kind, c("side", "less", "more", "more", "more", "side"))
  expect_s3_class(ggplot2::ggplotGrob(figure_waterfall(parts_of_start(starts), "µs")), "gtable")
  expect_s3_class(ggplot2::ggplotGrob(figure_waterfall(data.table(), "µs")), "gtable")
})

test_that("the start of threads is reported in parts, and what would split the rest", {
  alone <- primitive_rows("platform-thread-start" = 50)
  text <- sentence_of_starts(starts, alone)
  expect_match(text, "At 2,400 requests/s that compute for 200 µs, a new thread for each request takes 160 µs more than a pool: 50 to start and end an empty thread, less 5 for", fixed = TRUE)
  expect_match(text, "7 for pauses of the collector, and a rest of 108 (68 %) that no part explains. Started in a row, without requests, an empty thread takes 50 µs.", fixed = TRUE)
  expect_match(text, "`depth=full` measures how much", fixed = TRUE)
  with_buffers <- rbind(starts, copy(starts[1])[, `:=`(part = "buffers", us = 40)])
  text <- sentence_of_starts(with_buffers, alone[0])
  expect_match(text, ", 40 for allocation buffers of 64 KiB in place of 4, and a rest", fixed = TRUE)
  expect_no_match(text, "depth=full|in a row")
  expect_equal(sentence_of_starts(starts[0], alone), "")
})

connection_steps <- function(process = c(40, 30, 50), password = c(90, 80, 100), pooled = c(90, 70, 110)) {
  after <- rbind(c(20, 15, 25), process, password, c(150, 140, 160), pooled)
  data.table(
    kind = c("step", "step", "step", "whole", "pair"), part = c("pooled", "process", "password", "whole", "password-pooled"),
    does = c("TCP", "a process", "SCRAM", "together", "SCRAM, pooled"), over = "sessions", after = after[, 1], after_low = after[, 2], after_high = after[, 3],
    before_baseline = c(NA, NA, 90, 30, 50), before_mode = c(NA, NA, 180, 180, 140)
  )
}

test_that("a connection is divided into steps, and an order that matters is said", {
  steps <- connection_steps()
  expect_equal(parts_of_connection(steps)$value, c(30, 20, 40, 90, 180))
  expect_equal(tail(waterfall_rows(parts_of_connection(steps))$to, 2), c(180, 180))
  text <- sentence_of_connection(steps)
  expect_match(text, "takes 30 ms on connections that stay open and 180 ms with a new one for each", fixed = TRUE)
  expect_match(text, "TCP: +20 [+15, +25] ms; a process: +40 [+30, +50] ms; SCRAM: +90 [+80, +100] ms.", fixed = TRUE)
  expect_no_match(text, "order of the steps")
  expect_match(sentence_of_connection(connection_steps(pooled = c(30, 20, 40))), "To PgBouncer, SCRAM takes +30 [+20, +40] ms: the parts depend", fixed = TRUE)
  expect_no_match(sentence_of_connection(steps[part != "password-pooled"]), "PgBouncer")
  expect_equal(sentence_of_connection(steps[0]), "")
  expect_equal(nrow(parts_of_connection(steps[0])), 0)
})

test_that("costs by rate have a line for each series with several rates", {
  primitives <- rbind(at_rates("tomcat-request" = c(400, 100), "pool-beside-request" = c(9, 8)), primitive_rows("request-on-one-thread" = 60))
  cells <- data.table(
    mode = "fixed-pool", tier = c("low", "high", "extreme-kept"), tool = "wrk2", outcome = "completed", valid = TRUE, latency_valid = TRUE,
    cpu_us_per_request = c(70, 30, 5), offered_per_s = c(499, 4999, 9973)
  )
  rows <- costs_by_rate(primitives, cells)
  expect_equal(rows[, .(series, rate_per_s, cpu_us)], data.table(
    series = rep(c("Tomcat and Spring (primitive)", "fixed-pool"), each = 2), rate_per_s = c(100, 10000, 499, 4999), cpu_us = c(400, 100, 70, 30)
  ))
  expect_s3_class(ggplot2::ggplotGrob(figure_costs(rows)), "gtable")
  expect_s3_class(ggplot2::ggplotGrob(figure_costs(rows[series != "fixed-pool"])), "gtable")
  expect_equal(nrow(costs_by_rate(primitives[0], cells[0])), 0)
  expect_s3_class(ggplot2::ggplotGrob(figure_costs(rows[0])), "gtable")
})
