# Comparisons of six rounds in other runs, whose rounds vary by what a place does and by what a run does.
rounds_of_others <- function(places, runs, df, varies) {
  rows <- CJ(place = paste("place", seq_len(places)), run = seq_len(runs))
  of_place <- exp(rnorm(places, log(0.05), 0.5))
  rows[, true := of_place[.GRP], by = place][, true := true * varies(.N)]
  rows[, .(place, true, spread = NA_real_, pairs = 1, within = true * sqrt(rchisq(.N, df) / df / 6), df_within = df, rounds = 6, least = 0)]
}
agree <- function(count) rep(1, count)
differ <- function(df) function(count) sqrt(df / rchisq(count, df))

test_that("runs that agree weigh much, those that differ little", {
  set.seed(5)
  worth <- function(varies) prior_of_rounds(rounds_of_others(60, 5, 4, varies))$prior_df[1]
  expect_gte(worth(agree), 15)
  expect_true(worth(differ(3)) >= 2 && worth(differ(3)) <= 5)
  expect_lte(worth(differ(0.5)), 1)
  # Nothing is known of comparisons that few runs have.
  expect_null(prior_of_rounds(rounds_of_others(60, 1, 4, agree)))
  expect_null(prior_of_rounds(NULL))
})

test_that("moderated intervals of a few blocks hold the truth, and are narrower than their own", {
  set.seed(6)
  ends <- rbindlist(lapply(1:40, function(run) {
    known <- rounds_of_others(40, 5, 3, differ(3))
    last <- seq(5, 200, 5)
    mine <- known[last][, `:=`(within = true * sqrt(rchisq(.N, 2) / 2 / 6), df_within = 2)]
    centre <- rnorm(40, 0, mine$true / sqrt(6))
    of <- function(rows) data.table(held = abs(centre) <= qt(0.975, rows$df_within) * rows$within, half = qt(0.975, rows$df_within) * rows$within / mine$true)
    moderated <- with_moderated_rounds(mine, known[-last])
    cbind(of(moderated), of(mine)[, .(own_held = held, own_half = half)])
  }))
  expect_true(mean(ends$held) >= 0.93 && mean(ends$held) <= 0.97)
  expect_true(mean(ends$own_held) >= 0.93 && mean(ends$own_held) <= 0.97)
  expect_lt(median(ends$half), 0.75 * median(ends$own_half))
})

test_that("an estimate of one block has the rounds of other runs, and one that no other run has its own", {
  set.seed(7)
  known <- rounds_of_others(20, 5, 4, differ(4))
  row <- known[1][, `:=`(within = NA_real_, df_within = 0)]
  prior <- prior_of_rounds(known)
  moderated <- with_moderated_rounds(row, known)
  expect_equal(moderated$within^2 * 6, prior[place == row$place]$prior)
  expect_equal(moderated$df_within, prior$prior_df[1])
  elsewhere <- known[1][, place := "nowhere else"]
  expect_equal(with_moderated_rounds(elsewhere, known)[, .(within, df_within)], elsewhere[, .(within, df_within = as.numeric(df_within))])
})

test_that("latencies are moderated, and nothing else", {
  set.seed(8)
  known <- rounds_of_others(30, 5, 4, differ(4))
  row <- known[1][, `:=`(centre = 0.1, bound = 0, within = within * 3, df_within = 1)]
  half <- function(id, known) judge_usable(copy(row), compared_statistics[statistic == id], known)[, high - centre]
  expect_lt(half("latency_p99_ms", known), 0.5 * half("latency_p99_ms", NULL))
  expect_equal(half("throughput_per_s", known), half("throughput_per_s", NULL))
})
