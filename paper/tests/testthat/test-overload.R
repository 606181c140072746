overload_tables <- function() {
  grid <- CJ(mode = c("fixed-pool", "event-loop"), highest_share = c(1, 3))
  loads <- grid[, .(
    study = "demo", mode, tier = paste0("beyond-", highest_share), path = "/page", steps = paste0(highest_share, "x2"), highest_share, duration_s = 2,
    capacity_per_s = 100, answered_after_s = ifelse(mode == "event-loop" & highest_share == 3, NA, 0.1), full_collections_after = 5, due = 200 * highest_share, in_time = ifelse(mode == "fixed-pool", 190 * highest_share, 190), predicted_in_time = 0.5, most_in_time = 1
  )]
  up_and_down <- data.table(study = "demo", mode = c("fixed-pool", "event-loop"), tier = "recovery", path = "/page", steps = "0.5x2 1.5x2 0.5x2", highest_share = 1.5, duration_s = 6, capacity_per_s = 100, answered_after_s = 0.1, due = 500, in_time = 400)
  seconds <- CJ(mode = c("fixed-pool", "event-loop"), second = 0:5)[, `:=`(
    study = "demo", tier = "recovery", share = rep(c(0.5, 0.5, 1.5, 1.5, 0.5, 0.5), 2), p99_ms = c(rep(Inf, 6), 20, 20, 900, 1900, 400, 20)
  )]
  recoveries <- data.table(study = "demo", mode = c("fixed-pool", "event-loop"), tier = "recovery", back_s = c(1, Inf))
  heap <- data.table(study = "demo", mode = "event-loop", tier = "recovery", kib_per_request = 101.2, base_mib = 38)
  list(loads = rbind(no_overloads(), loads, up_and_down, fill = TRUE), seconds = seconds, recoveries = recoveries, heap = heap)
}

test_that("answers in time are drawn against offered load, without the loads that go up and down", {
  rows <- goodput_of(overload_tables()$loads)
  expect_equal(rows[, .(mode = as.character(mode), highest_share, in_time)][order(mode, highest_share)], data.table(
    mode = rep(c("event-loop", "fixed-pool"), each = 2), highest_share = c(1, 3, 1, 3), in_time = c(0.95, 0.95 / 3, 0.95, 0.95)
  ))
  expect_s3_class(patchwork::patchworkGrob(figure_overload(overload_tables(), "/page")), "gtable")
})

test_that("a run without an overload has a figure that says so, and no sentence", {
  none <- lapply(overload_tables(), function(table) table[0])
  expect_equal(tell_overload(none, "/page"), "")
  expect_equal(tell_overload(overload_tables(), "/other"), "")
  expect_s3_class(patchwork::patchworkGrob(figure_overload(none, "/page")), "gtable")
})

test_that("sentences name the share, the seconds and the heap of each mode", {
  text <- tell_overload(overload_tables(), "/page")
  expect_match(text, "At 3 times the capacity, .* requests .*: 95 % with `fixed-pool` and 31.7 % with `event-loop`", all = FALSE)
  expect_match(text, "within 10 s: `event-loop` (full collections of the heap since then: 5).", fixed = TRUE)
  expect_match(text, "after 1 s with `fixed-pool` and not again with `event-loop`")
  expect_match(text, "101 KiB of heap with `event-loop` \\(base 38 MiB\\)")
  expect_match(text, "512 MiB holds at most 4,800 of them")
})
