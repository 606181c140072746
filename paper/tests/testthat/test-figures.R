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
  expect_equal(unlist(counts[source == "jvm" & group == "worker", .(peak, running)]), c(peak = 6, running = 2))
  expect_equal(counts[source == "kernel"]$running, 0)
  expect_equal(counts[group == "others", .N], 1)
  # A profiled slice that a rule excludes is not counted.
  fwrite(known_slices()[kind == "profiled", kept := "false"], file.path(dirname(path), "slices.csv"))
  expect_equal(nrow(read_states(path)), 0)
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

test_that("curves are drawn, and the knee stands where the capacity is", {
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
  figure <- figure_load_curve(steps, capacity)
  expect_setequal(round(10^ggplot_build(figure)$data[[7]]$x), round(capacity[bound == ""]$capacity_per_s))
  # A mode without a capacity has its curve alone.
  figure <- figure_load_curve(steps, capacity[1, capacity_per_s := NA])
  expect_length(unique(ggplot_build(figure)$data[[4]]$group), 3)
  # Latency rises upwards where no median meets the objective, too.
  late <- copy(steps)[, `:=`(latency_p50_ms = 1000 * latency_p50_ms, latency_p99_ms = 1000 * latency_p99_ms)]
  expect_false(is.unsorted(figure_load_curve(late, capacity)$coordinates$limits$y))
})
