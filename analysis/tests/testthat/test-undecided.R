# An analysis whose only primary is the throughput of the made-up pair.
folder_with_primary <- function(tier = "low") {
  folder <- new_folder()
  pair <- list(mode = "fixed-pool", tier = tier, tool = "wrk2", statistic = "throughput_per_s")
  yaml::write_yaml(list(situations = list(), findings = list(list(id = "pools", topic = "Pools", study = "demo", pairs = list(gain = pair)))), file.path(folder, "guide.yaml"))
  file.copy(file.path(analysis_folder, "PROTOCOL.md"), folder)
  file.copy(file.path(analysis_folder, "runs"), folder, recursive = TRUE)
  folder
}

undecided_of_run <- function(rates, repetitions = 2, ...) {
  results <- new_folder()
  paths <- write_run(results, repetitions, rates = rates)
  look(results, paths, folder_with_primary(...), reference_run)
  fread(file.path(results, "undecided.csv"))
}

test_that("a session whose primary is open is named with its comparison", {
  # The ratio is 0.7 in one session, and 1.4 in the other.
  expect_equal(undecided_of_run(c(70, 140)), data.table(study = "demo", comparison = "demo", undecided = 1L))
  expect_equal(nrow(undecided_of_run(c(200, 201))), 0)
})

test_that("what is no primary asks for no further session", {
  expect_equal(nrow(undecided_of_run(c(70, 140), tier = "another")), 0)
})
