# Effects by session, as effect_of() has them.
plain_effects <- function(effects, within = NA_real_) {
  list(effects = data.table(
    id = 1, session = paste0("session-", seq_along(effects)), repetition = seq_along(effects), effect = effects,
    within = within, least = 0, rounds = 3L, low = 0, high = 0, bound = 0, zero = FALSE
  ))
}

test_that("a chain of which every link holds is shown", {
  traced <- followed()
  expect_equal(traced$before$estimate, exp(mean(log(c(202 / 101, 198 / 99, 201 / 100)))))
  expect_equal(traced$before$verdict, "higher")
  expect_equal(counted_means(traced$counted), c(1, 0.002))
  expect_true(counter_shows(traced$counted[[1]]))
  step <- first_of(traced)
  expect_equal(step$verdict, "shown")
  expect_true(step$removed[2] > 0.8 && step$removed[3] < 1.2)
})

test_that("an effect that stays, or turns round, does not count as gone", {
  expect_equal(first_of(followed(demo_summary(kept_cpu = c(202, 198, 200))))$verdict, "not shown")
  turned <- first_of(followed(demo_summary(kept_cpu = c(51, 49, 50))))
  expect_equal(turned$verdict, "not shown")
  expect_match(turned$why, "the effect does not go away")
  expect_equal(first_of(followed(demo_summary(kept_cpu = c(60, 100, 220))))$verdict, "not decided")
})

test_that("what is left can be asked to be equivalent", {
  equivalent <- function(kept_cpu) first_of(followed(demo_summary(kept_cpu), demo_cause("equivalent")))$verdict
  expect_equal(equivalent(c(101, 100, 102)), "shown")
  # Of a doubling, a tenth is little and still no equivalence.
  expect_equal(equivalent(c(110, 110, 111)), "not shown")
})

test_that("a counter must be there with the effect and go with it", {
  steady <- demo_summary()[, threads_started := 1000]
  expect_match(first_of(followed(steady))$why, "the counters do not show the mechanism")
  stays <- demo_summary()[mode == "threads", threads_started := 1000]
  expect_equal(first_of(followed(stays))$verdict, "not shown")
  expect_match(first_of(followed(stays))$why, "the counters do not go back")
})

test_that("what was not measured is said, and is no failure", {
  absent <- first_of(followed(demo_summary()[tier == "fresh"]))
  expect_equal(absent$verdict, "not measured")
  expect_match(absent$why, "no cells of threads at kept")
  uncounted <- first_of(followed(demo_summary()[, threads_started := NULL]))
  expect_match(uncounted$why, "not counted: threads started per request")
  invalid <- demo_summary()[mode == "pool", `:=`(valid = FALSE, failed_checks = "share_2xx")]
  expect_match(first_of(followed(invalid))$why, "no valid cells of pool at fresh \\(share_2xx\\)")
  expect_equal(first_of(followed(demo_summary()[repetition == 1]))$verdict, "not decided")
})

test_that("failing is an effect by itself, over all cells that were run", {
  summary <- rbind(
    side_cells("published", valid = FALSE, error_share = c(0.98, 0.99, 1), listen_overflows = 900),
    side_cells("corrected", error_share = 0, listen_overflows = 0)
  )
  cause <- modifyList(demo_cause(), list(
    cells = "run", difference = list(mode = "published", versus = NULL, statistic = "error_share")
  ))
  cause$counters <- list(list(title = "overflows", figure = "listen_overflows"))
  cause$interventions[[1]]$changes <- list(mode = "corrected")
  traced <- followed(summary, cause)
  expect_equal(traced$before$estimate, 0.99)
  expect_equal(first_of(traced)$removed, c(1, 1, 1))
  expect_equal(first_of(traced)$verdict, "shown")
})

test_that("a server that dies is a share of cells, with the interval of few of them", {
  # Newcombe (1998), table II: 56/70 against 48/80, and 10/10 against 0/10.
  expect_equal(newcombe_interval(c(56, 48), c(70, 80)), c(0.0524, 0.3339), tolerance = 1e-3)
  expect_equal(newcombe_interval(c(10, 0), c(10, 10)), c(0.6075, 1), tolerance = 1e-3)
  cause <- modifyList(demo_cause("never"), list(
    cells = "run", difference = list(mode = "published", versus = NULL, statistic = "died")
  ))
  cause$counters <- list(list(title = "refused", figure = "errors_of(errors, 'connect_refused', 'reset')"))
  cause$interventions[[1]]$changes <- list(mode = "corrected")
  died <- side_cells("published", outcome = "server_died", valid = FALSE)
  died[, errors := "connect_refused=7;http_503=9;reset=1"]
  traced <- followed(rbind(died, side_cells("corrected")), cause)
  expect_equal(traced$before[c("estimate", "high")], list(estimate = 1, high = 1))
  expect_equal(traced$counted[[1]]$mode$mean, 8)
  expect_equal(first_of(traced)$verdict, "shown")
  one_left <- side_cells("corrected")[1, outcome := "server_died"]
  expect_equal(first_of(followed(rbind(died, one_left), cause))$verdict, "not shown")
})

test_that("the share removed has the interval that holds the truth in 95 % of cases", {
  set.seed(5)
  holds <- replicate(1000, {
    block <- rnorm(4, 0, 0.1)
    before <- plain_effects(1 + block + rnorm(4, 0, 0.1))
    after <- plain_effects(0.1 + block + rnorm(4, 0, 0.1))
    removed <- removed_share(before, after)
    removed[2] <= 0.9 && removed[3] >= 0.9
  })
  expect_equal(mean(holds, na.rm = TRUE), 0.95, tolerance = 0.02)
  # An effect that does not differ from 0 has no share that could be bounded.
  unclear <- plain_effects(c(-1, 1, 0.2))
  expect_true(anyNA(removed_share(unclear, unclear)))
})

test_that("the share removed has the noise that its family lends, as comparisons have it", {
  noisy <- plain_effects(c(0.7, 0.5, 0.9), within = 0.001)
  left <- plain_effects(c(0.02, -0.01, 0), within = 0.001)
  alone <- removed_share(noisy, left)
  # Ten comparisons that vary as their slices explain: three sessions need not speak for themselves.
  family <- rbindlist(lapply(1:10, function(id) pool_sessions(plain_effects(rep(1:3 / 30, 1), 0.001)$effects)[, id := ..id]))
  moderated <- removed_share(c(noisy, list(family = family)), left)
  expect_equal(moderated[1], alone[1])
  expect_lt(moderated[3] - moderated[2], alone[3] - alone[2])
})

test_that("the share removed allows for what a tool rounds", {
  rounded <- function(values, reach) {
    found <- plain_effects(values, within = 0.001)
    found$effects[, `:=`(low = reach, high = reach)]
    found
  }
  before <- c(0.7, 0.5, 0.9)
  after <- c(0.02, -0.01, 0)
  exact <- removed_share(rounded(before, 0), rounded(after, 0))
  expect_equal(exact, removed_share(plain_effects(before, within = 0.001), plain_effects(after, within = 0.001)))
  coarse <- removed_share(rounded(before, 0.05), rounded(after, 0.05))
  expect_equal(coarse[1], exact[1])
  # By 0.05 of the 0.7 that there were, and more: what there was may be less, too.
  expect_lt(coarse[2], exact[2] - 0.07)
  expect_gt(coarse[3], exact[3] + 0.07)
})

test_that("of a large effect a large rest is not gone, though four fifths of its logarithm are", {
  large <- demo_summary(kept_cpu = c(201, 199, 202))
  large[mode == "threads" & tier == "fresh", cpu_us_per_request := 100 * cpu_us_per_request]
  step <- first_of(followed(large))
  expect_true(step$removed[2] > 0.8 && step$removed[3] < 1.2)
  expect_equal(step$verdict, "not shown")
  expect_match(step$why, "the effect does not go away")
})

test_that("a counter that varies from session to session shows nothing by its median", {
  noisy <- demo_summary()[mode == "threads" & tier == "fresh", threads_started := c(1000, 1000, 3)]
  step <- first_of(followed(noisy))
  expect_equal(step$verdict, "not decided")
  expect_match(step$why, "whether the counters show the mechanism is open")
})

test_that("one session counts by its samples, and not at all without them", {
  free <- rbind(side_cells("mode", share = 0, samples = 30), side_cells("base", share = 1, samples = 30))
  side <- function(mode, counter) figure_on(free[repetition == 1], list(mode = mode, tier = "fresh", tool = "wrk2"), counter)
  counter <- list(figure = "share", of = "samples")
  counted <- list(more = "versus", mode = side("mode", counter), versus = side("base", counter))
  expect_true(counter_shows(counted))
  without <- list(figure = "share")
  expect_true(is.na(counter_shows(list(more = "versus", mode = side("mode", without), versus = side("base", without)))))
})

test_that("without counters a chain is at best removed, not traced", {
  cause <- modifyList(demo_cause(), list(counters = NULL))
  expect_equal(first_of(followed(cause = cause))$verdict, "removed, not traced")
  stays <- followed(demo_summary(kept_cpu = c(202, 198, 200)), cause)
  expect_equal(first_of(stays)$verdict, "not shown")
})

test_that("CPU time that moved between groups of stacks is shown with its noise", {
  groups <- rbind(groups_of("threads", 150, c(300, 100, 0)), groups_of("pool", 0, c(0, 100, 0)))
  moved_in <- function(groups) moved_rows(list(demo_cause()), demo_summary(), groups)[cause == "start" & group != unseen_group]
  moved <- moved_in(groups)
  expect_equal(moved$group, c("thread start", "write"))
  expect_equal(moved$more_us, c(150, 0))
  expect_equal(moved$more_share, c(0.75, -0.75))
  # One session: Poisson's error of 300 samples, for three groups at once.
  expect_equal(moved$reach_us[1], qnorm(1 - 0.05 / 6) * sqrt((200 / 400)^2 * 300 + 0.5^2))
  expect_equal(moved$sessions, c(1, 1))
  expect_equal(moved$beyond, c(TRUE, FALSE))
  expect_equal(nrow(moved_in(groups[mode == "pool"])), 0)
  cause <- modifyList(demo_cause(), list(counters = NULL))
  cause$counters <- list(list(title = "starting", group = "thread start"))
  counted <- count_on_both(cause$counters, demo_summary(), groups, cause$difference)
  expect_equal(counted_means(counted), c(150, 0))
  expect_true(counter_shows(counted[[1]]))
})

test_that("chains survive their tables", {
  traced <- list(one = followed(), two = followed(demo_summary()[tier == "fresh"]))
  # Chains of one table have ids of their own.
  traced$two$id <- "two"
  read <- written(traced)
  expect_equal(names(read), names(traced))
  expect_equal(read$one$before, traced$one$before[effect_parts])
  step <- first_of(read$one)
  for (part in c("does", "changes", "rule", "difference", "removed", "verdict", "why")) {
    expect_equal(step[[part]], first_of(traced$one)[[part]])
  }
  expect_equal(counted_means(read$one$counted), c(1, 0.002))
  expect_equal(first_of(read$two)$verdict, "not measured")
  expect_equal(first_of(read$two)$after$reason, first_of(traced$two)$after$reason)
  # Without counters there is nothing to read.
  expect_length(written(list(followed(cause = modifyList(demo_cause(), list(counters = NULL)))))[[1]]$counted, 0)
})

test_that("the chains of the report can be followed, and wrong ones are refused", {
  path <- file.path(analysis_folder, "causes.yaml")
  causes <- read_causes(path)
  expect_true("thread-start-extreme" %in% names(causes))
  expect_equal(profiled_sides(causes[["one-e-mail"]])$versus$mode, "tomcat-200")
  traced <- trace_causes(causes, demo_summary(), no_slices(), no_groups())
  verdicts <- unlist(lapply(traced, function(cause) vapply(cause$interventions, `[[`, "", "verdict")))
  expect_setequal(verdicts, "not measured")
  # The counter that was dropped after a run has a chain again.
  expect_equal(causes[["added-threads"]]$counters[[1]]$figure, "threads_peak - threads_idle")
  # What cannot be counted is not claimed to be.
  expect_null(causes$room$counters)

  wrong <- function(change) {
    out <- tempfile(fileext = ".yaml")
    yaml::write_yaml(list(causes = list(modifyList(unname(causes)[[1]], change))), out)
    read_causes(out)
  }
  expect_error(wrong(list(difference = list(statistic = "latency_p98_ms"))), "is not a statistic of causes")
  expect_error(wrong(list(difference = list(versus = NULL))), "a ratio needs a versus")
  restating <- causes[[1]]
  restating$counters[[1]]$figure <- "cpu_us_per_request / 2"
  expect_error(check_cause(restating, path), "restates the effect: cpu_us_per_request")
  expect_error(wrong(list(title = NULL)), "has no title")
  expect_error(wrong(list(cells = "all")), "cells: all")
})
