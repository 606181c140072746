source(file.path(analysis_folder, "tests", "files.R"))

test_that("no file of the analysis needs itself through another", {
  expect_equal(files_in_circles(needs_of_files(file.path(analysis_folder, "R"))), character())
  expect_setequal(files_in_circles(list(a = "b", b = "a", c = "a")), c("a", "b"))
})

test_that("NAMESPACE is what roxygen2 writes", {
  copy <- new_folder()
  file.copy(file.path(analysis_folder, c("DESCRIPTION", "NAMESPACE", "R")), copy, recursive = TRUE)
  # In a process of its own: it loads the package.
  code <- sprintf("roxygen2::roxygenise(%s, roclets = 'namespace')", deparse(copy))
  expect_equal(system2("Rscript", c("-e", shQuote(code)), stdout = FALSE, stderr = FALSE), 0)
  expect_equal(readLines(file.path(copy, "NAMESPACE")), readLines(file.path(analysis_folder, "NAMESPACE")))
})

test_that("the tables of each verb are those of tables.yaml", {
  listed <- yaml::read_yaml(file.path(analysis_folder, "tables.yaml"))$tables
  expect_setequal(names(listed$analyze), names(tables_of_cells))
  expect_setequal(names(listed$profiles), names(tables_of_profiles))
})
