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
  modes <- paste0("platform-hikari-", c(5, 10, 20, 50, 100, 200))
  expect_equal(anyDuplicated(mode_colours(modes)), 0)
  expect_equal(uniqueN(mode_styles(modes)$shape), 1)
  expect_equal(mode_levels(rev(c("virtual-hikari-5", modes))), c(modes, "virtual-hikari-5"))
  # A number in the id of a mode that is known by itself is no size.
  expect_equal(mode_colours(c("platform-50", "fixed-pool")), c("platform-50" = "#0072B2", "fixed-pool" = "#0072B2"))
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
  expect_equal(unlist(counts[source == "jvm" & group == "worker", .(peak, mean, running)]), c(peak = 6, mean = 5, running = 2))
  expect_equal(counts[source == "kernel"]$running, 0)
  expect_equal(counts[group == "others", .N], 1)
  # A profiled slice that a rule excludes is not counted.
  fwrite(known_slices()[kind == "profiled", kept := "false"], file.path(dirname(path), "slices.csv"))
  expect_equal(nrow(read_states(path)), 0)
})

test_that("tiers stand in the order of their load", {
  cells <- data.table(study = "demo", tier = c("a", "b", "c"), path = "/", loop = c("open", "open", "closed"), requests_offered = c(9, 9, NA), users = 5, offered_per_s = c(30, 10, NA))
  expect_equal(tier_levels(cells), c("c", "b", "a"))
})

test_that("values that are not valid are marked and not pooled", {
  expect_equal(over_repetitions(c(1, 2, 90), c(TRUE, TRUE, FALSE)), "1.5 (1–2)")
  expect_equal(over_repetitions(c(1, 2), c(FALSE, FALSE)), "1–2 †")
  expect_equal(over_repetitions(c(NA_real_, NA), c(TRUE, FALSE)), no_figure)
  expect_equal(over_repetitions(c(5, Inf), c(TRUE, TRUE)), "not reached (5–not reached)")
})

test_that("cells that are not valid are counted, by their reasons", {
  cells <- data.table(outcome = "completed", valid = rep(c(TRUE, FALSE), c(20, 4)), latency_valid = rep(c(TRUE, FALSE), c(20, 4)), failed_checks = "")
  cells[valid == FALSE, failed_checks := rep(c("body_bytes", "writes_kept"), 2)]
  expect_equal(sentence_validity(cells), "Of 24 cells, 20 are valid and 4 are not (`body_bytes` 2, `writes_kept` 2).")
  # A rule on latency, or a server's failure, makes no cell invalid.
  cells[valid == FALSE, `:=`(valid = TRUE, failed_checks = rep(c("settled", "settled;little"), 2))]
  cells[1:2, outcome := c("server_died", "beyond_limits")]
  expect_equal(sentence_validity(cells), paste(
    "Of 24 cells, 23 are valid and 1 is not. 1 load lies beyond the limits of this machine.",
    "Of 4 valid cells the latency does not count (`settled` 4, `little` 2, some for several reasons); all else does.",
    "In 1 cell the server failed, which is a result (`server_died` 1)."
  ))
})

test_that("curves can be drawn, and the knee stands where the capacity is", {
  set.seed(5)
  root <- new_folder()
  cells <- read_cells(unlist(lapply(1:3, function(n) {
    c(
      write_curve(root, drawn_loads(1000, 1000), repetition = n, mode = "fixed-pool"),
      write_curve(root, drawn_loads(2000, 2000), repetition = n, mode = "event-loop"),
      write_curve(root, loads_with(c(10, 11, 12)), repetition = n, mode = "thread-per-request")
    )
  })))
  steps <- pool_steps(cells)
  capacity <- pool_capacity(capacities_of(cells))
  expect_drawn_curve <- function(...) expect_s3_class(patchwork::patchworkGrob(figure_load_curve(...)), "gtable")
  expect_drawn_curve(steps, capacity)
  panel <- capacity_panel(with_modes(capacity, capacity$mode), c(50, 4000), list())
  expect_setequal(round(10^ggplot_build(panel + scale_x_log10())$data[[4]]$x), round(capacity$capacity_per_s))
  expect_drawn_curve(pool_steps(cells[1]), pool_capacity(capacities_of(cells[1])))
  # A mode without a capacity is in no panel.
  expect_drawn_curve(steps, capacity[1, capacity_per_s := NA])
})
