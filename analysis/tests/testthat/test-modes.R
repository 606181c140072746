test_that("what a mode is follows from modes.csv, and one that is not there is a family of its own", {
  ids <- c("mine", "platform-hikari-50", "platform-hikari", "fixed-pool-as-published", "pool-a-a")
  facts <- mode_facts(factor(ids))
  expect_equal(facts$mode, ids)
  expect_equal(facts$family, c("mine", "platform-hikari", "platform-hikari", "fixed-pool", "pool"))
  expect_equal(facts$size, c(NA, 50, NA, NA, NA))
  expect_equal(facts$kind[4], "pool")
  expect_equal(is_variant(ids), c(FALSE, FALSE, FALSE, TRUE, TRUE))
  expect_equal(base_of(ids), c(ids[1:3], "fixed-pool", "pool"))
  expect_equal(published_forms("fixed-pool"), "fixed-pool-as-published")
  expect_equal(nrow(mode_facts(character())), 0)
  expect_equal(length(is_control(character())), 0)
})

test_that("a mode that is not known comes last", {
  expect_equal(mode_levels(c("mine", "event-loop", "thread-per-request-a-a", "thread-per-request")), c(
    "thread-per-request", "thread-per-request-a-a", "event-loop", "mine"
  ))
})

test_that("a mode of two studies stands at its place in either", {
  before <- modes_in_use$table
  on.exit(modes_in_use$table <- before)
  ids <- c("platform", "twice", "semaphore", "tomcat-200", "twice")
  take_modes(data.table(
    study = rep(c("kinds", "sign-up"), c(3, 2)), mode = ids, variant = "", of = "", family = ids, size = "",
    kind = ""
  ))
  expect_equal(mode_levels(ids[4:5]), ids[4:5])
  expect_equal(mode_levels(rev(ids[1:3])), ids[1:3])
})
