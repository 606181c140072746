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
      versus = if (pool) "thread-per-request", elapsed_ms = if (one$tool == "jmeter") values,
      histogram_ms = if (one$tool == "wrk2") values,
      load = list(
        requests_asked = if (one$tier == "low") 100 else 200, start_epoch_s = 10, end_epoch_s = 12,
        offered_per_s = if (one$tool == "wrk2") 50, throughput_per_s = if (pool) 50 else 25
      )
    )
    # The first two slices; between full samples there are clocks alone.
    fwrite(data.table(
      time_s = c(9, 10, 10.2, 10.4, 14, 14.2, 14.4), slice = c(NA, 1, 1, 1, 2, 2, 2),
      server_cpu_s = c(0, 1, NA, 1.2, 5, NA, 5.2), server_rss_bytes = c(2^30, 2^30, NA, 2^30, 2^30, NA, 2^30),
      server_threads = c(20, 20, NA, 20, 20, NA, 20)
    ), file.path(dirname(path), "telemetry.csv"))
    stacks <- file.path(dirname(path), "profile.collapsed")
    writeLines("java/net/ServerSocket.accept_[1] 100", stacks)
    path
  }, "")
}

root <- new_folder()
paths <- demo_cells(file.path(root, "cells"))
summary <- summarise_cells(paths)
slices <- slices_of_cells(paths)
comparisons <- compare_modes(summary, slices)
rules <- read_stack_groups(file.path(analysis_folder, "stack-groups.csv"))
cpu_groups <- group_cpu(paths, rules)
# What a figure draws, built as for a device.
drawn_layer <- function(figure, layer = 1) ggplot_build(figure)$data[[layer]]

test_that("every figure can be drawn", {
  figures <- list(
    figure_latency(summary, "demo", "jmeter"), figure_latency(summary, "demo", "wrk2"),
    figure_throughput(summary, "demo"), figure_errors(summary, "demo"),
    figure_resources(read_resources(cell_paths(root, "demo", "low", "wrk2", 1))),
    figure_cpu_groups(cpu_groups, summary, "demo", "jmeter"),
    figure_spectrum(read_spectra(cell_paths(root, "demo", "low", "wrk2"))),
    figure_spectrum(read_spectra(cell_paths(root, "demo", "low", "jmeter"))),
    figure_ratios(comparisons, summary, "throughput_per_s", "demo", "jmeter")
  )
  for (figure in figures) {
    out <- tempfile(fileext = ".svg")
    ggsave(out, figure, width = 7, height = 4, device = svglite::svglite)
    expect_gt(file.size(out), 2000)
  }
})

test_that("a run of one session, or of which nothing is valid, still has its figures", {
  draw_all <- function(summary) {
    comparisons <- compare_modes(summary, slices)
    cpu_groups <- copy(cpu_groups)[, valid := summary$valid[1]]
    figures <- list(
      figure_latency(summary, "demo", "jmeter"), figure_throughput(summary, "demo"),
      figure_errors(summary, "demo"), figure_cpu_groups(cpu_groups, summary, "demo", "wrk2"),
      figure_spectrum(read_spectra(character())), figure_resources(read_resources(character())),
      figure_ratios(comparisons, summary, "latency_p99_ms", "demo", "jmeter")
    )
    for (figure in figures) expect_s3_class(ggplotGrob(figure), "gtable")
  }
  draw_all(summary[repetition == 1])
  draw_all(copy(summary)[, valid := FALSE])
  draw_all(summary[tool == "jmeter"])
})

test_that("figures draw the figures of the cells", {
  ratios <- figure_ratios(comparisons, summary, "throughput_per_s", "demo", "jmeter")
  expect_equal(drawn_layer(ratios, 4)$x, log10(c(2, 2)))
  resources <- read_resources(cell_paths(root, "demo", "low", "wrk2", 1))
  # Slices of half a second, put end to end.
  expect_equal(sort(unique(resources$time_s)), c(0, 0.4, 0.5, 0.9))
  expect_equal(resources[figure == "CPUs in use" & !is.na(value), value], rep(0.5, 4))
  expect_equal(resources[figure == "memory (MiB)", unique(value)], 1024)
  bars <- drawn_layer(figure_cpu_groups(cpu_groups, summary, "demo", "jmeter"))
  expect_equal(max(bars$xmax), 100)
})

test_that("a mode keeps its look whatever stands beside it", {
  alone <- mode_styles("fixed-pool")
  among <- mode_styles(c("event-loop", "tomcat-200", "fixed-pool", "fixed-pool-as-published"))
  expect_equal(among[mode == "fixed-pool"], alone, ignore_attr = TRUE)
  expect_equal(mode_colours("tomcat-200")[["tomcat-200"]], among[mode == "tomcat-200", colour])
  published <- among[mode == "fixed-pool-as-published"]
  expect_false(published$colour == alone$colour || published$shape == alone$shape)
  modes <- c("thread-per-request", "fixed-pool", "caller-runs-pool", "event-loop")
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

test_that("curves are drawn of what there is", {
  cells <- copy(summary)[tool == "wrk2"][, `:=`(load = ifelse(tier == "low", 10, 20), waits = 0)]
  panels <- c("throughput_per_s", "waits", "pool_wait_mean_ms")
  drawn <- figure_curves(cells, "load", panels, "load", counts = "waits", keeps_up = "throughput_per_s")
  expect_s3_class(patchwork::patchworkGrob(drawn), "gtable")
  expect_length(drawn$patches$plots, 1)
  expect_s3_class(figure_curves(cells, "load", "pool_wait_mean_ms", "load"), "ggplot")
  expect_s3_class(
    patchwork::patchworkGrob(figure_curves(copy(cells)[, valid := FALSE], "load", panels, "load")), "gtable"
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
  expect_s3_class(ggplotGrob(figure_thread_states(states)), "gtable")
  # A profiled slice that a rule excludes is not drawn.
  fwrite(fake_slices()[kind == "profiled", kept := "false"], file.path(dirname(path), "slices.csv"))
  expect_equal(nrow(read_states(path)), 0)
})

test_that("tiers stand in the order of their load", {
  expect_equal(tier_levels(summary), c("low", "mid"))
})

test_that("figures that are not valid are marked and not pooled", {
  expect_equal(over_repetitions(c(1, 2, 90), c(TRUE, TRUE, FALSE)), "1.5 (1–2)")
  expect_equal(over_repetitions(c(1, 2), c(FALSE, FALSE)), "1–2 †")
  expect_equal(over_repetitions(c(NA_real_, NA), c(TRUE, FALSE)), no_figure)
  broken <- copy(summary)[mode == "fixed-pool" & repetition == 1, `:=`(
    valid = FALSE, failed_checks = "share_2xx;body_bytes"
  )]
  expect_equal(table_modes(broken, "demo", "low", "jmeter")$Valid, c("3 of 3", "2 of 3"))
  expect_equal(table_validity(broken, "demo", "jmeter")$low, c("3/3", "2/3"))
  expect_equal(table_invalid(broken)[["Checks not passed"]][1], "share_2xx, body_bytes")
  expect_equal(
    sentence_validity(broken),
    paste(
      "Of 24 cells, 20 are valid and 4 are not.",
      "4 asked for more than the server, or this machine, withstands: `body_bytes` (4), `share_2xx` (4)."
    )
  )
  broken[!poolable(broken), failed_checks := c("slices_kept", "little;slices_kept", "settled", "compiled")]
  expect_match(sentence_validity(broken), "1 asked for more .*: `settled` \\(1\\)\\. 3 measured too little, .*: `slices_kept` \\(2\\)")
})

test_that("a comparison that there is not is an error", {
  row <- pick_comparison(comparisons, "demo", "fixed-pool", "low", "jmeter", "throughput_per_s")
  expect_equal(row[, c(mode, versus)], c("fixed-pool", "thread-per-request"))
  expect_error(pick_comparison(comparisons, "demo", "x", "low", "jmeter", "y"), "no comparison")
})
