both <- c("fixed-pool", "event-loop")
overload_tables <- function(shares = c(1, 2, 3)) {
  loads <- CJ(mode = both, highest_share = shares)[, `:=`(
    tier = paste0("beyond-", highest_share), steps = paste0(highest_share, "x2"), duration_s = 2, answered_after_s = ifelse(mode == "event-loop" & highest_share == 3, NA, 0.1),
    full_collections_after = 5, due = 200 * highest_share, predicted_in_time = 0.5, most_in_time = 1,
    in_time = ifelse(mode == "fixed-pool", 190 * highest_share, ifelse(highest_share < 3, 190, 0))
  )]
  up_and_down <- data.table(mode = both, tier = "recovery", steps = "0.5x2 1.5x2 0.5x2", highest_share = 1.5, duration_s = 6, answered_after_s = 0.1, due = 500, in_time = 400)
  all <- rbind(loads, up_and_down, fill = TRUE)[, `:=`(study = "demo", path = "/page", capacity_per_s = 100)]
  seconds <- CJ(mode = both, second = 0:5)[, `:=`(
    study = "demo", tier = "recovery", share = rep(c(0.5, 0.5, 1.5, 1.5, 0.5, 0.5), 2), p99_ms = c(rep(Inf, 6), 20, 20, 900, 1900, 400, 20)
  )]
  recoveries <- data.table(study = "demo", mode = both, tier = "recovery", back_s = c(1, Inf))
  heap <- data.table(study = "demo", mode = "event-loop", tier = "recovery", kib_per_request = 101.2)
  list(loads = rbind(no_overloads(), all, fill = TRUE), seconds = seconds, recoveries = recoveries, heap = heap)
}

test_that("answers in time are by offered load, without the loads that go up and down", {
  rows <- goodput_of(overload_tables()$loads)
  expect_equal(rows[, .(mode = as.character(mode), highest_share, in_time)][order(mode, highest_share)], data.table(
    mode = rep(c("event-loop", "fixed-pool"), each = 3), highest_share = rep(1:3, 2), in_time = c(0.95, 0.95 / 2, 0, 0.95, 0.95, 0.95)
  ))
  drawn <- as.data.table(ggplot2::ggplot_build(figure_overload(overload_tables()$loads))$data[[1]])
  # A panel for each load, the worst mode below.
  expect_equal(drawn[order(PANEL, y), as.numeric(x)], c(95, 95, 47.5, 95, 0, 95))
  # A burst is of no capacity.
  bursts <- overload_tables()$loads[, capacity_of := "rate_per_s"]
  expect_equal(nrow(goodput_of(bursts)), 0)
})

test_that("loads without a value are none of the figure, and no error", {
  tables <- overload_tables()
  expect_equal(nrow(goodput_of(tables$loads[1, due := 0])), 5)
  expect_equal(sentence_of_recovery(tables$recoveries, tables$seconds[0]), "")
  expect_equal(nrow(heap_held(tables$heap[, kib_per_request := NA_real_])), 0)
})

test_that("sentences name the share, the seconds and the heap of each mode", {
  text <- tell_overload(overload_tables(c(2, 3)))
  expect_match(text, "^At 2 times .*, 95 % .* with `fixed-pool` and 47.5 % with `event-loop`\\.")
  expect_said(
    text, "with `fixed-pool` and none with `event-loop`.",
    "with `event-loop` through 5 full collections of the heap.",
    "2 times its earlier value: within 1 s with `fixed-pool` and not within 2 s with `event-loop`.",
    "holds at most: 101 with `event-loop`.", "512 MiB holds at most 5,200 of them"
  )
})

test_that("predictions that failed are said, each by its condition", {
  tables <- overload_tables()
  expect_equal(failed_recovery(tables$recoveries, tables$seconds), "")
  for (table in tables[c("loads", "recoveries")]) table[, mode := sub("event-loop", "virtual-2g", mode)]
  tables$loads[mode == "fixed-pool", predicted_in_time := 0.95]
  expect_match(failed_goodput(tables$loads), ": 50 % and 95 % with [^;]* at 1 times the capacity; 50 % and 0 % with [^;]* at 3 times")
  expect_match(failed_recovery(tables$recoveries, tables$seconds), "with virtual threads [(]2 GiB[)] it is not in 2 s.$")
  finding <- list(rows = data.table(
    pair = c("cost", "most"), statistic = c("cpu_us_per_request", "throughput_per_s"), baseline_value = c(128, 10365), mode_value = c(129, 13568), high = c(1.05, NA), pairs = 1
  ))
  expect_match(failed_carriers(finding, FALSE), "128 µs become 129 µs. They .* 13,568/s in place of 10,365/s, in one session; its cause is not shown.$")
  expect_match(failed_carriers(finding, TRUE), "in one session [(]wake-ups, @sec-order[)].$")
  finding$rows[, `:=`(high = c(1.4, NA), mode_value = c(150, 9000))]
  for (right in list(finding, list())) expect_equal(failed_carriers(right, FALSE), "")
})
