test_that("the commit of the cells is named, or that it is not recorded", {
  of <- function(...) sentence_commit(lapply(list(...), function(commit) list(provenance = list(commit = commit))))
  one <- "0123456789abcdef"
  expect_equal(of(NULL, NULL), "Commit not recorded in the cells.")
  expect_equal(of(one, "fedcba9876543210", NULL), "Commits of the cells: `0123456789ab` and `fedcba987654`. Commit not recorded in 1 cell.")
})

test_that("JDKs, generators and the machine stand in a sentence each", {
  cell <- function(mode, jdk) {
    machine <- list(cpu_model = "A CPU", cpus = 2, memory_bytes = 2^33, kernel = "6.1")
    list(cell = list(mode = mode), provenance = list(versions = list(jdk = jdk), machine = machine, server_cpus = 0, generator_cpus = 1))
  }
  cells <- list(cell("a", "25.0.1"), cell("b", "25.0.1"), cell("old", "21.0.9"), cell("older", "21.0.8"), cell("oldest", "21.0.8"))
  expect_equal(sentence_of_jdks(cells), "The JDK is 25.0.1; 21.0.8 runs 2 modes; 21.0.9 runs 1 mode.")
  expect_equal(sentence_of_machine(cells), "The machine: A CPU, 2 CPUs, 8 GiB of memory, kernel 6.1; the server has CPU 0 and the generator CPU 1.")
  summary <- data.table(generator = c("due", "Apache JMeter", NA), generator_version = c("due 2.0.0", "5.6.3", NA))
  expect_equal(sentence_of_generators(summary), "Loads come from Apache JMeter 5.6.3 and due 2.0.0.")
})

test_that("the parts that are new are those that this run shows, with the number of doses and swaps", {
  traced <- data.table(kind = c("dose", "swap", "swap", "step", "swap"), reason = c("", "", "", "", "no valid cell"))
  of <- function(holds, traced) {
    finding <- list(holds = holds)
    sentence_of_contribution(list(findings = list(limit = finding, "who-waits" = finding, "wake-ups" = finding), traced = traced))
  }
  expect_match(of("yes", traced), "^New: [(]1[)] both kinds of thread .*wake-ups .*; [(][34][)] each cause is varied or removed [(]1 dose and 2 swaps[)].$")
  expect_equal(of("open", traced[2]), "New: each cause is varied or removed (1 swap).")
  expect_equal(of("open", traced[5]), "")
})
