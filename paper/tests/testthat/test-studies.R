group_rows <- function(mode, tier, samples, valid = TRUE) {
  data.table(study = "demo", mode = mode, tier = tier, tool = "wrk2", outcome = "completed", valid = valid, group = "write", samples = samples)
}

test_that("bars are drawn where two modes have a hundred samples, without modes that have fewer", {
  groups <- rbind(
    group_rows("thread", c("low", "high"), c(150, 120)), group_rows("pool", c("low", "high"), c(99, 100)), group_rows("loop", "high", 5000, FALSE)
  )
  at <- function(groups) sampled_place(list(cpu_groups = groups), "wrk2", c("thread", "pool", "loop"))
  expect_equal(at(groups)[c("tier", "tool")], list(tier = "high", tool = "wrk2"))
  expect_setequal(at(groups)$modes, c("thread", "pool"))
  expect_null(at(groups[tier == "low"]))
  expect_null(at(groups[0]))
})

step_cells <- function(per_s, outcome = "completed", mode = "virtual") {
  data.table(
    mode = mode, tier = "step", connections = 1000, offered_per_s = 1000, throughput_per_s = per_s, outcome = outcome,
    gc_pause_ms = 700, duration_s = 1
  )
}

test_that("a server that answers nothing is a step with 0, and the collector is named", {
  cells <- answered_of(list(summary = rbind(step_cells(NA, "hung"), step_cells(0), step_cells(5, "beyond_limits"))), "step", "virtual")
  expect_equal(cells$answered, c(0, 0))
  expect_equal(
    sentence_of_collapse(cells),
    "Requests are lost: with 1,000 connections `virtual` answers 0 of 1,000 requests/s (median of 2 sessions; the collector stops it for 70 % of the time)."
  )
  expect_match(sentence_of_collapse(answered_of(list(summary = step_cells(990)), "step", "virtual")), "^Every mode answers")
  expect_s3_class(ggplot2::ggplotGrob(figure_answered(cells)), "gtable")
})

test_that("a mean latency that covers few of the users is warned of, and no other", {
  users <- function(under_way) {
    list(summary = data.table(
      mode = "one", loop = "closed", outcome = "completed", users = 100, users_alive = NA_real_, under_way = under_way, answers_per_s = 1
    ))
  }
  expect_equal(
    sentence_of_the_unanswered(users(2), "one"),
    "Beware the mean latency, 2 s with `one`: by Little's law it covers 2 of 100 users. The others were still waiting when the load ended."
  )
  expect_equal(sentence_of_the_unanswered(users(95), "one"), "")
})

line_of <- function(...) {
  rows <- data.table(
    study = "demo", mode = c("pool-50", "virtual", "virtual"), tier = c("users-500", "users-50", "users-500"), tool = "jmeter", users = c(500, 50, 500),
    admitted = c(50, NA, NA), wait_ms = 250, bound_per_s = c(200, 200, 2000), bound_by = "users", mva_per_s = NA_real_, measured_per_s = c(198, 199, 1500)
  )
  changes <- list(...)
  for (column in names(changes)) set(rows, j = column, value = changes[[column]])
  rows
}

test_that("throughput lies on the line of min(users, admitted), and the sentence names where it leaves it", {
  points <- line_points(line_of(), c("users-50", "users-500"))
  expect_equal(points$inside, c(50, 50, 500))
  expect_equal(
    sentence_of_line(points),
    "Throughput is min(users, admitted) ÷ 250 ms: 2 of 3 values reach 90 % of that; the least is 75 % of it, with 500 requests on `virtual` (1,500/s)."
  )
  law <- ggplot2::ggplot_build(figure_line(points))$data[[1]]
  expect_equal(10^law$y, c(200, 2000))
  # A rate that was not measured, and other tiers and tools, are no points.
  expect_equal(nrow(line_points(line_of(measured_per_s = c(NA, 1, 2)), "users-500")), 1)
  expect_equal(nrow(line_points(line_of(tool = "wrk2"), "users-500")), 0)
  expect_s3_class(ggplot2::ggplotGrob(figure_line(points[0])), "gtable")
  expect_equal(tell_lines(data.table(), points[0], points[0]), "")
  expect_match(tell_lines(data.table(), points, points[0]), "^Throughput is .* \\(@fig-virtual-threads-users\\)$")
})

test_that("a deadlock is said by JDK, and what goes on by its throughput", {
  cell_of <- function(mode, jdk) list(cell = list(mode = mode), configuration = list(mode = list(jdk = jdk)))
  all <- list(
    summary = data.table(
      mode = c("old", "new"), tier = "lock-shared", tool = "jmeter", outcome = c("hung", "completed"), throughput_per_s = c(NA, 987), users = 50
    ), cells = list(cell_of("old", 21), cell_of("new", 25))
  )
  expect_equal(
    sentence_of_deadlock(all, "lock-shared"),
    paste(
      "Where half of 50 users hold one lock and half wait for it in `synchronized`, on JDK 21 the server answers nothing any more (outcome `hung`) and",
      "on JDK 25 they serve 987 requests/s."
    )
  )
  expect_equal(sentence_of_deadlock(all, "other"), "")
})

test_that("modes are compared by the order of service where nothing but that differs", {
  root <- new_folder()
  cell_of <- function(mode, kind, options, ms = 1:40, tier = "cpu") {
    path <- write_cell(
      root, mode = mode, tier = tier, elapsed_ms = ms, slices = known_slices(rounds = 1, requests_recorded = 100 * length(ms), responses_2xx = 100 * length(ms)),
      configuration = list(mode = list(id = mode, kind = kind, options = options), tool = list(id = "jmeter", users = 50))
    )
    fwrite(data.table(slice = 1, value_ms = ms, count = 100), file.path(dirname(path), "latencies.csv.gz"))
    read_cell(path)
  }
  cells <- list(
    cell_of("threads", "pool", list(threads = 50)), cell_of("fair", "pool", list(threads = 50, permits = 2)), cell_of("virtual", "virtual", list(virtual = TRUE)),
    # More threads, a semaphore before virtual threads, and a tier without any semaphore.
    cell_of("more", "pool", list(threads = 500)), cell_of("limited", "virtual", list(virtual = TRUE, permits = 2)),
    cell_of("threads", "pool", list(threads = 50), tier = "other")
  )
  found <- orders_of(list(cells = cells))
  expect_equal(unique(found[, .(tier, mode, service)]), data.table(
    tier = "cpu", mode = c("fair", "threads", "virtual"),
    service = c("platform threads behind a fair semaphore", "platform threads", "virtual threads")
  ), ignore_attr = TRUE)
  expect_equal(found[mode == "fair"]$share, (1:40) / 40)
  expect_s3_class(ggplot2::ggplotGrob(figure_orders(found)), "gtable")
  expect_match(sentence_of_orders(found), "^p99 by the order of service. .*: 40 ms with platform threads behind a fair semaphore, .* and 40 ms with virtual threads.$")
  expect_equal(sentence_of_orders(copy(found)[, requests := 999]), "")
  expect_equal(nrow(orders_of(list(cells = cells[-2]))), 0)
  # Sizes of a pool of connections are panels of their own.
  pools <- lapply(c(5, 10), function(pool) {
    list(cell_of(paste0("a-", pool), "pool", list(threads = 9, pool = pool)), cell_of(paste0("b-", pool), "pool", list(threads = 9, pool = pool, permits = pool)))
  })
  panels <- unique(orders_of(list(cells = unlist(pools, recursive = FALSE)))$panel)
  expect_match(panels, ", (5|10) connections$")
  expect_length(panels, 2)
})

mix_rows <- function(mode, utilization, p99_ms, share = 0.01, tier = "mix") {
  data.table(
    study = "demo", mode = mode, tier = tier, tool = "wrk2", rate_per_s = 337, share = share, short_ms = 1, long_ms = 50, at_a_time = 1,
    stated_utilization = utilization, utilization = utilization, predicted_p50_ms = 1, predicted_p99_ms = 0.9 * p99_ms, predicted_long_p50_ms = 50,
    measured_p50_ms = 2, measured_p99_ms = p99_ms, measured_long_p50_ms = 53
  )
}

test_that("mixes are drawn, and told where their modes differ most", {
  mixes <- rbind(
    mix_rows("virtual", c(0.3, 0.5), c(58, 100), tier = c("low", "mid")), mix_rows("platform-50", c(0.3, 0.5), c(13, 15), tier = c("low", "mid")),
    mix_rows("virtual", 0.5, 300, share = 0.05, tier = "many")
  )
  mixes[tier == "mid" & mode == "virtual", measured_long_p50_ms := NA]
  expect_equal(sentence_of_mixes(mixes), paste(
    "At `mid`, with 50 % of the CPU in use, the slowest 1 % of the short requests take 15 ms with `platform-50` (median of the long ones",
    "53 ms) and 100 ms with `virtual`."
  ))
  drawn <- ggplot2::ggplot_build(figure_mixes(mixes))
  expect_equal(levels(drawn$layout$layout$panel), c("1 % take 50 ms, the others 1 ms", "5 % take 50 ms, the others 1 ms"))
  # Two lines, measured and predicted; and points of all.
  expect_equal(vapply(drawn$data, nrow, 0L), c(4L, 4L, 5L))
  none <- mixes[0]
  expect_equal(sentence_of_mixes(none), "")
  expect_s3_class(ggplot2::ggplotGrob(figure_mixes(none)), "gtable")
})

# CPU time of each mode of the steps, with a spread over sessions; `kib` that a request of each allocates.
all_with_steps <- function(us, kib = c(helidon = 1), spread = c(-1, 0, 1)) {
  cause <- read_causes(file.path(analysis_folder, "causes.yaml"))[["client-or-server"]]
  # Modes do not vary in step, or a difference would have no interval.
  spreads <- list(spread, spread[c(2, 3, 1)], spread[c(3, 1, 2)])
  of_mode <- function(mode, each, turn) {
    side_cells(mode, cause$tier, cpu_us_per_request = each + spreads[[1 + turn %% 3]], machine_context_switches_per_request = turn)
  }
  cells <- Map(of_mode, names(us), us, seq_along(us))
  summary <- rbindlist(cells)[, `:=`(study = cause$study, offered_per_s = 1999)]
  results <- new_folder()
  allocations <- CJ(
    study = cause$study, mode = names(kib), tier = cause$tier, tool = cause$tool, group = "handler", repetition = 1, error_bytes = 1, valid = TRUE
  )[, bytes_per_request := 1024 * kib[mode]]
  write_table(rbind(no_allocations(), allocations, fill = TRUE), file.path(results, "allocations.csv"))
  causes <- list("client-or-server" = cause)
  list(causes = causes, traced = trace_causes(causes, summary, no_slices()), summary = summary, results = results)
}

stacks_us <- c(
  "mvc-tomcat-virtual" = 150, "mvc-tomcat-virtual-reactor" = 180, "mvc-tomcat-200-reactor" = 181, "webflux-nio" = 120, webflux = 110,
  "mvc-tomcat-200" = 152, helidon = 100, "mvc-tomcat-virtual-jdk" = 210
)
steps_told <- function(..., kib = c(helidon = 1)) {
  changes <- c(...)
  tell_steps(steps_measured(all_with_steps(replace(stacks_us, names(changes), changes), kib), "client-or-server"))
}

test_that("the steps between two stacks add up in the table, with what a request allocates", {
  rows <- steps_measured(all_with_steps(stacks_us, c("mvc-tomcat-virtual" = 22, webflux = 32)), "client-or-server")
  table <- table_steps(rows)
  expect_equal(table$Swap[1:5], c(
    "Reactor Netty's client in place of Apache's", "200 platform threads in place of virtual ones", "WebFlux on event loops in place of Spring MVC on Tomcat",
    "Epoll in place of Java's NIO", "Together"
  ))
  expect_equal(sum(rows[kind == "step"]$after), rows[kind == "whole"]$after)
  expect_true(all(startsWith(table[["Difference (µs)"]][c(1, 3, 5)], c("+30 [+2", "−61 [−6", "−40 [−4"))))
  expect_equal(table[["CPU time (µs)"]][5], "150 to 110")
  expect_equal(table[["Context switches"]][5], "1 to 5")
  expect_equal(table[["Allocated (KiB)"]][c(1, 5)], c(no_figure, "22 to 32"))
  expect_match(table[["Of the whole (%)"]][1], "^-75 \\[")
  expect_equal(table[["Of the whole (%)"]][6], no_figure)
})

test_that("the advice on the client is that of the values, and none where they decide nothing", {
  expect_match(steps_told(), "At 1,999 requests/s before a remote, a request takes 150 µs .* and 110 µs on WebFlux: −40 \\[")
  expect_match(steps_told(), "In practice:\\* keep Apache's client in Spring MVC: with Reactor Netty's, that of WebFlux, a request takes 180 µs in place of 150.")
  expect_match(steps_told(), "WebFlux saves by its server (−61 [", fixed = TRUE)
  expect_match(steps_told(), "The JDK's client takes more CPU time than Apache's on virtual threads (+60 [", fixed = TRUE)
  # The client saves: the advice turns round, and no server is said to save where it does not.
  turned <- steps_told("mvc-tomcat-virtual-reactor" = 115, "mvc-tomcat-200-reactor" = 111, "webflux-nio" = 111, "mvc-tomcat-virtual-jdk" = 130)
  expect_match(turned, "change the client before the stack: with Reactor Netty's, Spring MVC takes 115 µs a request in place of 150", fixed = TRUE)
  expect_no_match(turned, "by its server|keep Apache's")
  expect_match(turned, "The JDK's client takes less CPU time", fixed = TRUE)
  # The client changes nothing that can be told from none.
  open <- steps_told("mvc-tomcat-virtual-reactor" = 150.1, "mvc-tomcat-virtual-jdk" = 150.1)
  expect_match(open, "do not change Spring MVC's client for CPU time", fixed = TRUE)
  expect_no_match(open, "The JDK's client takes")
  expect_match(steps_told(webflux = 150), "WebFlux saves no CPU time that this run could tell from none", fixed = TRUE)
  expect_match(steps_told(webflux = 220, "webflux-nio" = 230), "WebFlux takes more, by its server", fixed = TRUE)
})

test_that("steps that depend on their order, and modes that allocate most and compute least, are named", {
  expect_match(steps_told(), "on platform threads: the order of the swaps changes little.", fixed = TRUE)
  expect_match(steps_told("mvc-tomcat-200" = 180), "on platform threads: the parts depend on the order of the swaps.", fixed = TRUE)
  kib <- c("mvc-tomcat-virtual" = 22, webflux = 32, helidon = 65, "mvc-tomcat-virtual-jdk" = 40)
  expect_match(steps_told(kib = kib), "the server that allocates most, 65 KiB a request, takes least, 100 µs (`helidon`).", fixed = TRUE)
  expect_no_match(steps_told(kib = replace(kib, "helidon", 30)), "Allocation")
})

test_that("steps of which a mode is missing are not told", {
  all <- all_with_steps(stacks_us[names(stacks_us) != "webflux-nio"])
  expect_equal(tell_steps(steps_measured(all, "client-or-server")), "")
  expect_equal(nrow(steps_measured(all, "another")), 0)
  all <- all_with_steps(stacks_us[names(stacks_us) != "mvc-tomcat-virtual-jdk"])
  expect_no_match(tell_steps(steps_measured(all, "client-or-server")), "JDK")
})
