source(file.path(analysis_folder, "tests", "files.R"))

test_that("no file of the paper needs itself through another", {
  needs <- needs_of_files(test_path("..", "..", "R"))
  expect_gt(length(unlist(needs)), 20)
  expect_equal(files_in_circles(needs), character())
})
