source(file.path(analysis_folder, "tests", "files.R"))

test_that("no file of the paper needs itself through another", {
  needs <- needs_of_files(test_path("..", "..", "R"))
  expect_gt(length(unlist(needs)), 20)
  expect_equal(files_in_circles(needs), character())
})

test_that("no two files of the paper define a function of one name", {
  lines <- unlist(lapply(list.files(test_path("..", "..", "R"), "[.]R$", full.names = TRUE), readLines))
  names <- sub(" <- function.*", "", grep("^[A-Za-z_.0-9]+ <- function", lines, value = TRUE))
  expect_equal(names[duplicated(names)], character())
})
