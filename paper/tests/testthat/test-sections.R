in_folder <- function(files, code) {
  folder <- tempfile()
  dir.create(folder)
  for (name in names(files)) writeLines(files[[name]], file.path(folder, name))
  before <- setwd(folder)
  on.exit(setwd(before))
  code
}
skeleton <- c("begin", "<!-- setup -->", "# {{id}}", "<!-- why -->", "end")

test_that("a study's own file fills the places of the skeleton", {
  own <- c("mine", "<!-- why -->", "because", "so")
  text <- in_folder(list(study.qmd = skeleton, demo.qmd = own), study_text("demo"))
  expect_equal(text, c("begin", "mine", "# demo", "because", "so", "end"))
  expect_equal(in_folder(list(study.qmd = skeleton), study_text("demo")), c("begin", "# demo", "end"))
})

test_that("a place that the skeleton does not have is an error", {
  files <- list(study.qmd = skeleton, demo.qmd = c("<!-- wy -->", "because"))
  expect_error(in_folder(files, study_text("demo")), "has the mark wy")
})
