# Two modes at two tiers, both tools, three repetitions; the pool is twice as fast.
demo_cells <- function(folder) {
  grid <- CJ(mode = c("fixed-pool", "thread-per-request"), tier = c("low", "mid"),
    tool = c("jmeter", "wrk2"), repetition = 1:3)
  vapply(seq_len(nrow(grid)), function(index) {
    one <- grid[index]
    pool <- one$mode == "fixed-pool"
    values <- if (pool) 20:119 else 2 * 20:119
    path <- write_cell(
      folder, mode = one$mode, tier = one$tier, tool = one$tool, repetition = one$repetition,
      baseline = if (pool) "thread-per-request", elapsed_ms = if (one$tool == "jmeter") values,
      histogram_ms = if (one$tool == "wrk2") values,
      load = list(
        requests_offered = if (one$tier == "low") 100 else 200, start_epoch_s = 10, end_epoch_s = 12,
        offered_per_s = if (one$tool == "wrk2") 50, throughput_per_s = if (pool) 50 else 25
      )
    )
    stacks <- file.path(dirname(path), "profile.collapsed")
    writeLines("java/net/ServerSocket.accept_[1] 100", stacks)
    path
  }, "")
}

root <- new_folder()
paths <- demo_cells(file.path(root, "cells"))
summary <- summarise_cells(paths)
test_that("a mode keeps its look whatever stands beside it", {
  alone <- mode_styles("fixed-pool")
  among <- mode_styles(c("event-loop", "tomcat-200", "fixed-pool", "fixed-pool-as-published"))
  expect_equal(among[mode == "fixed-pool"], alone, ignore_attr = TRUE)
  expect_equal(mode_colours("tomcat-200")[["tomcat-200"]], among[mode == "tomcat-200", colour])
  published <- among[mode == "fixed-pool-as-published"]
  expect_false(published$colour == alone$colour || published$shape == alone$shape)
  modes <- c("thread-per-request", "fixed-pool", "virtual-thread-per-request", "event-loop")
  expect_equal(anyDuplicated(mode_colours(c(modes, paste0(modes, "-as-published")))), 0)
})

test_that("sizes of a family have its hue, and shades of their own", {
  sizes <- c(5, 10, 20, 50, 100, 200)
  modes <- paste0("platform-hikari-", sizes)
  expect_equal(anyDuplicated(mode_colours(modes)), 0)
  expect_equal(uniqueN(mode_styles(modes)$shape), 1)
  expect_equal(mode_levels(rev(c("virtual-hikari-5", modes))), c(modes, "virtual-hikari-5"))
  # A number in the id of a mode that is known by itself is no size.
  expect_equal(
    mode_colours(c("platform-50", "fixed-pool")), c("platform-50" = "#0072B2", "fixed-pool" = "#0072B2")
  )
})

test_that("threads are counted by group, and a state that no thread is in counts 0", {
  path <- write_cell(
    new_folder(), elapsed_ms = 1:3, profile = list(start_epoch_s = 26, end_epoch_s = 28)
  )
  expect_equal(nrow(read_states(path)), 0)
  writeLines(c(
    "time_s,source,group,state,threads", "25,jvm,worker,RUNNABLE,99", "26.5,jvm,worker,RUNNABLE,4",
    "26.5,jvm,http-nio-poller,RUNNABLE,1", "27,jvm,worker,WAITING,6", "27.5,kernel,worker,S,6", "27.9,ker"
  ), file.path(dirname(path), "thread-states.csv"))
  states <- read_states(path)
  expect_equal(states[source == "jvm" & group == "worker" & state == "RUNNABLE", threads], c(4, 0))
  counts <- count_threads(states)
  expect_equal(unlist(counts[source == "jvm" & group == "worker", .(peak, mean, running)]),
    c(peak = 6, mean = 5, running = 2)
  )
  expect_equal(counts[source == "kernel"]$running, 0)
  expect_equal(counts[group == "others", .N], 1)
  # A profiled slice that a rule excludes is not counted.
  fwrite(known_slices()[kind == "profiled", kept := "false"], file.path(dirname(path), "slices.csv"))
  expect_equal(nrow(read_states(path)), 0)
})

test_that("tiers stand in the order of their load", {
  expect_equal(tier_levels(summary), c("low", "mid"))
})

test_that("values that are not valid are marked and not pooled", {
  expect_equal(over_repetitions(c(1, 2, 90), c(TRUE, TRUE, FALSE)), "1.5 (1–2)")
  expect_equal(over_repetitions(c(1, 2), c(FALSE, FALSE)), "1–2 †")
  expect_equal(over_repetitions(c(NA_real_, NA), c(TRUE, FALSE)), no_figure)
  expect_equal(over_repetitions(c(5, Inf), c(TRUE, TRUE)), "not reached (5–not reached)")
  broken <- copy(summary)[mode == "fixed-pool" & repetition == 1, `:=`(
    valid = FALSE, latency_valid = FALSE, failed_checks = rep(c("body_bytes", "writes_kept"), 2)
  )]
  expect_equal(
    sentence_validity(broken),
    "Of 24 cells, 20 are valid and 4 are not (`body_bytes` 2, `writes_kept` 2)."
  )
  # A rule on latency, or a server's failure, makes no cell invalid.
  broken[valid == FALSE, `:=`(valid = TRUE, latency_valid = FALSE, failed_checks = rep(c("settled", "settled;little"), 2))]
  broken[mode == "fixed-pool" & repetition == 2 & tier == "low" & tool == "wrk2", outcome := "server_died"]
  broken[mode == "fixed-pool" & repetition == 3 & tier == "low" & tool == "wrk2", outcome := "beyond_limits"]
  expect_equal(sentence_validity(broken), paste(
    "Of 24 cells, 23 are valid and 1 is not. 1 load lies beyond the limits of this machine.",
    "Of 4 valid cells the latency does not count (`settled` 4, `little` 2, some for several reasons); all else does. In 1 cell the server failed, which is a result (`server_died` 1)."
  ))
})

test_that("curves can be drawn, and the knee stands where the capacity is", {
  set.seed(5)
  root <- new_folder()
  cells <- read_cells(unlist(lapply(1:3, function(n) {
    limited <- mm1_loads(4000)[rate_per_s < 3000]
    c(
      write_curve(root, mm1_loads(1000), repetition = n, mode = "fixed-pool"),
      write_curve(root, mm1_loads(2000), repetition = n, mode = "event-loop"),
      write_curve(root, limited, repetition = n, mode = "thread-per-request")
    )
  })))
  steps <- pool_steps(cells)
  capacity <- pool_capacity(capacities_of(cells))
  figure <- figure_load_curve(steps, capacity, "Low")
  expect_s3_class(patchwork::patchworkGrob(figure), "gtable")
  panel <- capacity_panel(with_modes(capacity, capacity$mode), c(50, 4000), list())
  expect_setequal(round(10^ggplot_build(panel + scale_x_log10())$data[[4]]$x), round(capacity$capacity_per_s))
  one <- pool_capacity(capacities_of(cells[1]))
  expect_s3_class(patchwork::patchworkGrob(figure_load_curve(pool_steps(cells[1]), one)), "gtable")
  expect_s3_class(figure_load_curve(steps[0], capacity[0]), "ggplot")
  # A mode without a capacity is in no panel; a curve of none is no figure.
  some <- copy(capacity)[1, capacity_per_s := NA]
  expect_s3_class(patchwork::patchworkGrob(figure_load_curve(steps, some)), "gtable")
  expect_s3_class(figure_load_curve(steps, copy(capacity)[, capacity_per_s := NA]), "ggplot")
})

test_that("changes of several variants stand in one row a statistic", {
  rows <- data.table(
    variant = rep(c("a", "b"), each = 2), statistic = rep(c("throughput_per_s", "cpu_us_per_request"), 2), unit = "", verdict = "", reason = "",
    old = 1, new = 1, starts = 3, rounds = 9, ratio = 1.1, low = 1, high = 1.2, slower_percent = 10
  )
  built <- ggplot_build(figure_changes(rows))
  expect_length(unique(round(built$data[[3]]$y)), 2)
  expect_equal(nrow(built$data[[3]]), 4)
})
