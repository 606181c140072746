step_cells <- function(per_s, outcome = "completed", mode = "virtual") {
  data.table(study = "sign-up", mode = mode, tier = "connections-10000", tool = "wrk2", offered_per_s = 1000, throughput_per_s = per_s, outcome = outcome)
}

test_that("a server that answers nothing answers 0 % of a burst", {
  burst <- burst_of(rbind(step_cells(NA, "hung"), step_cells(0), step_cells(5, "beyond_limits"), step_cells(c(810, 790), mode = "pool")))
  expect_equal(burst[order(mode)]$answered, c(0.8, 0))
  expect_match(sentence_of_burst(burst), "^Where 1,000 sign-ups are due .*, .*80 % with `pool`.* are answered.$")
})

test_that("a mean latency that covers few of the users is warned of, and no other", {
  users <- function(under_way, mode = "one") {
    data.table(study = "blocking-remote", mode = mode, loop = "closed", outcome = "completed", users = 100, users_alive = NA_real_, under_way = under_way, answers_per_s = 1)
  }
  warning <- sentence_of_survivors(rbind(users(2), users(40, "other")))
  expect_equal(numbers_in(warning), c(2, 2, 100))
  expect_said(warning, "`one`")
  expect_equal(sentence_of_survivors(users(95)), "")
})

test_that("the memory of a thread is without what a JVM has anyway", {
  memory <- data.table(kind = c("platform", "platform", "virtual"), threads = c(50, 1000, 1000), rss_bytes = c(1e9, 20480000, 1), heap_bytes = c(1, 1, 2048000))
  expect_match(sentence_of_parked_threads(memory), "holds 20 KiB of resident memory.* holds 2 KiB of heap")
  for (some in list(memory[1], NULL)) expect_equal(sentence_of_parked_threads(some), "")
})

test_that("the users of known loads stand in words, and a run without them has no figure", {
  occupancy <- data.table(
    study = "virtual-threads", mode = c("platform-50", "virtual", "else"), tier = "sleep-500", tool = "jmeter", users = 500, waiting = c(48, 470, 1), connection = 0,
    cpu = c(2, 30, 1), not_admitted = c(450, 0, 1), throughput_per_s = c(480, 4700, 1)
  )
  standing <- users_standing(occupancy)
  expect_equal(standing$words, c("50 threads", "virtual threads"))
  expect_equal(numbers_in(sentence_of_standing(standing)), c(500, 100, 450, 50, 480, 470, 4700))
  # All parts of a bar are 100 %.
  built <- ggplot2::ggplot_build(figure_standing(standing))
  expect_equal(max(built$data[[2]]$xmax), 100)
  # Its load heads each group, and the modes follow in their order.
  expect_equal(rev(built$layout$panel_params[[1]]$y$get_limits()), c(unique(standing$load), standing$words))
  # A run is shipped without one, too.
  expect_drawn(figure_standing(standing[0]))
})

line_of <- function(...) {
  altered(data.table(
    study = "virtual-threads", mode = c("pool-50", "virtual", "virtual"), tier = c("users-500", "users-50", "users-500"), tool = "jmeter", users = c(500, 50, 500),
    admitted = c(50, NA, NA), wait_ms = 250, bound_per_s = c(200, 200, 2000), bound_by = "users", mva_per_s = NA_real_, measured_per_s = c(198, 199, 1500)
  ), ...)
}

test_that("throughput lies on the line of min(users, admitted), and the sentence names where it leaves it", {
  points <- points_of_lines(line_of(), list())
  expect_equal(points$inside, c(50, 50, 500))
  expect_equal(unique(points$panel), "250 ms of waiting, 50 to 500 users")
  # No kind is known of these modes.
  expect_equal(numbers_in(sentence_of_law(points)), c(2, 3, 90, 75, 500, 1500))
  expect_said(sentence_of_law(points), "500 requests on platform threads")
  law <- ggplot2::ggplot_build(figure_law(points))$data[[1]]
  expect_equal(10^law$y, c(200, 2000))
  # A rate that was not measured, and other tiers and tools, are no points.
  expect_equal(nrow(points_of_lines(line_of(measured_per_s = c(NA, 1, 2)), list())), 2)
  # Another study has a tier of the same name.
  for (other in list(line_of(tool = "wrk2"), line_of(study = "blocking-remote"))) expect_equal(nrow(points_of_lines(other, list())), 0)
})

test_that("the kind of thread is that of the configuration, whatever a mode is called", {
  cell_of <- function(mode, kind, jdk = NULL, ...) {
    list(cell = list(study = "virtual-threads", mode = mode), configuration = list(mode = list(kind = kind, jdk = jdk, options = list(...))))
  }
  cells <- list(
    cell_of("virtual", "virtual", 21, lock = "synchronized"), cell_of("newer", "virtual", 25, lock = "synchronized"),
    cell_of("permits", "virtual", permits = 50), cell_of("pool-50", "pool", 21, lock = "synchronized")
  )
  expect_equal(kinds_of_cells(cells), c(
    virtual = "virtual threads, pinned", newer = "virtual threads", permits = "virtual threads, a semaphore", "pool-50" = "platform threads"
  ))
  expect_equal(unique(points_of_lines(line_of(), cells)[mode == "virtual"]$kind), "virtual threads, pinned")
})

test_that("a deadlock is said by JDK, and what goes on by its throughput", {
  cell_of <- function(mode, jdk) list(cell = list(mode = mode), configuration = list(mode = list(jdk = jdk)))
  all <- list(
    summary = data.table(
      mode = c("old", "new"), tier = "lock-shared", tool = "jmeter", outcome = c("hung", "completed"), throughput_per_s = c(NA, 987), users = 50
    ), cells = list(cell_of("old", 21), cell_of("new", 25))
  )
  expect_equal(numbers_in(sentence_of_deadlock(all, "lock-shared")), c(50, 21, 25, 987))
  expect_match(sentence_of_deadlock(all, "lock-shared"), "JDK 21 .*`hung`.*JDK 25")
  expect_equal(sentence_of_deadlock(all, "other"), "")
})

test_that("modes are compared by the order of service where nothing but that differs", {
  root <- new_folder()
  cell_of <- function(mode, kind = "pool", tier = "cpu", ...) {
    path <- write_cell(
      root, mode = mode, tier = tier, elapsed_ms = 1:40, slices = known_slices(rounds = 1, requests_recorded = 4000, responses_2xx = 4000),
      configuration = list(mode = list(id = mode, kind = kind, options = list(...)), tool = list(id = "jmeter", users = 50))
    )
    fwrite(data.table(slice = 1, value_ms = 1:40, count = 100), file.path(dirname(path), "latencies.csv.gz"))
    read_cell(path)
  }
  cells <- list(
    cell_of("threads", threads = 50), cell_of("fair", threads = 50, permits = 2), cell_of("virtual", "virtual", virtual = TRUE),
    # More threads, a semaphore before virtual threads, and a tier without any semaphore.
    cell_of("more", threads = 500), cell_of("limited", "virtual", virtual = TRUE, permits = 2), cell_of("threads", threads = 50, tier = "other")
  )
  summary <- data.table(tool = "jmeter", tier = "cpu", mode = c("fair", "threads"), users = 50, throughput_per_s = c(500, 400))
  found <- orders_of(list(cells = cells, summary = summary))
  # A turn is that behind the semaphore, for all of the panel.
  expect_equal(unique(found$turn_ms), 100)
  expect_equal(unique(found[, .(tier, mode, service)]), data.table(
    tier = "cpu", mode = c("fair", "threads", "virtual"),
    service = c("platform threads behind a fair semaphore", "platform threads", "virtual threads")
  ), ignore_attr = TRUE)
  expect_equal(found[mode == "fair"]$share, (1:40) / 40)
  # All of the legend is under the panels.
  grob <- ggplot2::ggplotGrob(figure_orders(found))
  legend <- grob$grobs[[grep("^guide-box(-bottom)?$", grob$layout$name)]]
  expect_lt(grid::convertWidth(sum(legend$widths[-c(1, length(legend$widths))]), "in", valueOnly = TRUE), 6)
  expect_equal(nrow(orders_of(list(cells = cells[-2], summary = summary))), 0)
})

test_that("requests that were overtaken are counted by their turns", {
  of <- function(service, values, shares) data.table(service, pool = 10, turn_ms = 400, value_ms = values, share = shares)
  rows <- rbind(of("platform threads", c(400, 599, 800, 1200), c(0.8, 0.85, 0.99, 1)), of("virtual threads", c(400, 800), c(0.98, 1)), of("platform threads behind a fair semaphore", 430, 1))
  told <- sentence_of_turns(rows)
  expect_equal(numbers_in(told), c(10, 400, 15, 1, 2))
  expect_match(told, "15 % .* 1 % three, on platform .* 2 % .* on virtual .* none .* behind a fair semaphore[.]$")
  expect_equal(sentence_of_turns(rbind(rows, copy(rows)[, `:=`(pool = 50, value_ms = 9999)])), told)
})

mix_rows <- function(mode, utilization, p99_ms, share = 0.01, tier = "mix") {
  data.table(
    study = "demo", mode = mode, tier = tier, tool = "wrk2", rate_per_s = 337, cpus = 1L, share = share, short_ms = 1, long_ms = 50, at_a_time = 1,
    stated_utilization = utilization, utilization = utilization, predicted_p50_ms = 1, predicted_p99_ms = 0.9 * p99_ms, predicted_long_p50_ms = 50,
    measured_p50_ms = 2, measured_p99_ms = p99_ms, measured_long_p50_ms = 53
  )
}
mixes <- rbind(
  mix_rows("virtual", c(0.3, 0.5), c(58, 100), tier = c("low", "mid")), mix_rows("platform-200", c(0.3, 0.5), c(13, 15), tier = c("low", "mid")),
  mix_rows("virtual", 0.5, 300, share = 0.05, tier = "many")
)
mixes[mode == "platform-200", at_a_time := 200]
mixes[tier == "mid" & mode == "virtual", measured_long_p50_ms := 60]

test_that("mixes are drawn, kinds of threads in colours and shapes of their own", {
  build <- function(...) ggplot2::ggplot_build(figure_mixes(mixes_drawn(rbind(mixes, ...))))
  drawn <- build()
  expect_equal(levels(drawn$layout$layout$panel), sprintf("%d %% take 50 ms, the others 1 ms,\n%d %% of 1 CPU in use", c(1, 1, 5), c(30, 50, 50)))
  # Predicted, measured, and the measured ones in figures.
  expect_equal(vapply(drawn$data, nrow, 0L), c(5L, 5L, 5L))
  expect_equal(sort(unique(10^drawn$data[[2]]$x)), c(1, 200))
  # Gray print has shapes.
  expect_equal(lengths(lapply(drawn$data[[2]][c("colour", "shape")], unique)), c(colour = 2L, shape = 2L))
  expect_equal(nrow(mixes_drawn(rbind(mixes, mix_rows("virtual-long-yields", 0.5, 80)))), 5)
  # Another collector's value would lie over the default's.
  expect_equal(vapply(build(mix_rows("virtual-g1", 0.5, 101, tier = "mid"))$data, nrow, 0L), c(6L, 6L, 5L))
})

test_that("mixes are reported where their modes differ most", {
  expect_equal(numbers_in(sentence_of_mixes(mixes)), c(50, 99, 15, 200, 100, 53, 200, 60))
  # A carrier for each CPU, at the same share of them: with two the long ones meet half as often.
  counts <- numbers_in(sentence_of_cpu_counts(rbind(mixes, copy(mixes[tier == "mid" & mode == "virtual"])[, `:=`(cpus = 2L, measured_p99_ms = 40)])))
  expect_true(all(diff(counts[2:6]) < 0))
  expect_equal(counts[7:11], c(1, 2, 4, 8, 16))
  expect_equal(tail(counts, 8), c(100, 1, 50, 90, 40, 2, 50, 90))
  # 337/s × (0.99 × 1 ms, 0.01 × 50 ms) and 0.01 of a CPU for what else a request takes.
  expect_equal(tail(numbers_in(sentence_of_carriers(mixes)), 3), c(33, 17, 7))
  for (tells in list(sentence_of_cpu_counts, sentence_of_carriers)) expect_equal(tells(mixes[mode != "virtual"]), "")
})

test_that("predictions of mixes and swaps that failed are reported", {
  expect_equal(failed_mixes(mixes), "")
  expect_match(failed_mixes(copy(mixes)[mode == "virtual" & tier == "mid", predicted_p99_ms := 200]), "measured: 200 and 100 ms with virtual threads at 50 % of the CPU.$")
  swaps <- compared(
    of = c("A", "B"), at_least = c(1.2, NA), at_most = c(NA, 0.1), effect = c("ratio", "difference"), estimate = c(1.19, 0.18),
    low = c(1, 0.12), high = c(1.4, 0.24), statistic = "error_share", refuted = TRUE
  )
  expect_equal(failed_swaps(swaps), "Predicted of swaps: A: at least 1.2, measured 1.19 [1, 1.4]; B: at most 10 points, measured 18 [12, 24].")
  expect_equal(failed_swaps(swaps[, refuted := FALSE]), "")
})
