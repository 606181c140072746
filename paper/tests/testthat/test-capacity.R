test_that("a curve that memory ended is named, and no other", {
  capacity <- data.table(
    tier = "remote-1s", mode = rep(c("virtual-threads", "event-loop"), each = 3),
    out_of_memory = c(TRUE, FALSE, TRUE, FALSE, FALSE, FALSE)
  )
  expect_match(sentence_out_of_memory(capacity), "`virtual-threads` at `remote-1s` (in 2 of 3 sessions)", fixed = TRUE)
  expect_no_match(sentence_out_of_memory(capacity), "event-loop")
  expect_equal(sentence_out_of_memory(capacity[mode == "event-loop"]), "")
})
