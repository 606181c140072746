# CPU time of each mode of the steps, with a spread over sessions; `kib` that a request of each allocates.
all_with_steps <- function(us, kib = c("mvc-tomcat-200" = 1), spread = c(-1, 0, 1)) {
  cause <- read_causes(file.path(analysis_folder, "causes.yaml"))[["client-or-server"]]
  # Modes do not vary in step, or a difference would have no interval.
  spreads <- list(spread, spread[c(2, 3, 1)], spread[c(3, 1, 2)])
  of_mode <- function(mode, each, turn) {
    side_cells(mode, cause$tier, cpu_us_per_request = each + spreads[[1 + turn %% 3]], machine_context_switches_per_request = turn)
  }
  summary <- rbindlist(Map(of_mode, names(us), us, seq_along(us)))[, `:=`(study = cause$study, offered_per_s = 1999)]
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
steps_of_us <- function(us, ..., id = "client-or-server") steps_measured(all_with_steps(us, ...), id)
steps_told <- function(...) {
  changes <- c(...)
  tell_steps(steps_of_us(replace(stacks_us, names(changes), changes)))
}

told_plainly <- steps_told()

test_that("the steps between two stacks add up in the table, with what a request allocates", {
  rows <- steps_of_us(stacks_us, c("mvc-tomcat-virtual" = 22, webflux = 32))
  table <- table_steps(rows)
  expect_equal(table$Swap[1:5], c(
    "Reactor Netty's client in place of Apache's", "200 platform threads in place of virtual ones", "WebFlux on event loops in place of Spring MVC on Tomcat",
    "Epoll in place of Java's NIO", "Together"
  ))
  expect_equal(sum(rows[kind == "step"]$after), rows[kind == "whole"]$after)
  expect_true(all(startsWith(table[["Difference (µs)"]][c(1, 3, 5)], c("+30 [+2", "−61 [−6", "−40 [−4"))))
  expect_equal(table[5, c(`CPU time (µs)`, `Context switches`)], c("150 to 110", "1 to 5"))
  expect_equal(table[["Allocated (KiB)"]][c(1, 5)], c(no_figure, "22 to 32"))
  expect_match(table[["Of the whole (%)"]][1], "^−75 \\[")
  expect_equal(table[["Of the whole (%)"]][6], no_figure)
})

test_that("the advice on the client is that of the values, and none where they decide nothing", {
  expect_match(told_plainly, "At 1,999 requests/s .* 150 µs .* and 110 µs on WebFlux: −40 \\[")
  expect_said(
    told_plainly, "keep Apache's client in Spring MVC: ", "180 µs in place of 150.",
    "WebFlux saves by its server (−61 [", "The JDK's client takes more CPU time than Apache's on virtual threads (+60 ["
  )
  # The client saves, and no server is said to save where it does not.
  turned <- steps_told("mvc-tomcat-virtual-reactor" = 115, "mvc-tomcat-200-reactor" = 111, "webflux-nio" = 111, "mvc-tomcat-virtual-jdk" = 130)
  expect_said(turned, "The JDK's client takes less CPU time")
  expect_unsaid(turned, "by its server", "In practice")
  # The client changes nothing that can be told from none.
  open <- steps_told("mvc-tomcat-virtual-reactor" = 150.1, "mvc-tomcat-virtual-jdk" = 150.1)
  expect_unsaid(open, "In practice", "The JDK's client takes")
  expect_unsaid(steps_told(webflux = 150), "by its server")
})

test_that("steps that depend on their order are named", {
  expect_said(told_plainly, "on platform threads: the order of the swaps changes little.")
  expect_said(steps_told("mvc-tomcat-200" = 180), "the parts depend on the order of the swaps.")
  # Steps that differ by their noise are alike.
  expect_said(steps_told("mvc-tomcat-virtual-reactor" = 151, "mvc-tomcat-200-reactor" = 150), "changes little.")
})

test_that("steps of which a mode is missing are not told", {
  without <- function(mode) tell_steps(steps_of_us(stacks_us[names(stacks_us) != mode]))
  expect_equal(without("webflux-nio"), "")
  expect_unsaid(without("mvc-tomcat-virtual-jdk"), "JDK")
  expect_equal(nrow(steps_of_us(stacks_us, id = "another")), 0)
})
