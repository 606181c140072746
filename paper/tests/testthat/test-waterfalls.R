test_that("each part begins where the one before it ends, and the sides begin at 0", {
  rows <- waterfall_rows(data.table(label = letters[1:4], value = c(250, -5, 65, 310)))
  expect_equal(rows$from, c(0, 250, 245, 0))
  expect_equal(rows$to, c(250, 245, 310, 310))
  expect_equal(rows$kind, c("side", "less", "more", "side"))
  expect_drawn(figure_waterfall(rows[, .(label, value)], "µs"))
})

connection_steps <- function(pooled = c(90, 70, 110)) {
  after <- rbind(c(20, 15, 25), c(40, 30, 50), c(90, 80, 100), c(150, 140, 160), pooled)
  data.table(
    kind = c("step", "step", "step", "whole", "pair"), part = c("pooled", "process", "password", "whole", "password-pooled"),
    does = c("TCP", "a process", "SCRAM", "together", "SCRAM, pooled"), over = "sessions", after = after[, 1], after_low = after[, 2], after_high = after[, 3],
    before_baseline = c(NA, NA, 90, 30, 50), before_mode = c(NA, NA, 180, 180, 140)
  )
}

test_that("a connection is divided into steps, and an order that matters is said", {
  steps <- connection_steps()
  expect_equal(parts_of_connection(steps)$value, c(30, 20, 40, 90, 180))
  text <- sentence_of_connection(steps)
  expect_said(
    text, " 30 ms on connections that stay open and 180 ms with ",
    "TCP: +20 [+15, +25] ms; a process: +40 [+30, +50] ms; SCRAM: +90 [+80, +100] ms."
  )
  expect_unsaid(text, "order of the steps")
  expect_said(sentence_of_connection(connection_steps(pooled = c(30, 20, 40))), "To PgBouncer, SCRAM takes +30 [+20, +40] ms: the parts depend")
  expect_unsaid(sentence_of_connection(steps[part != "password-pooled"]), "PgBouncer")
})
