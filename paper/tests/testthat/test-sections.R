in_folder <- function(files, code) {
  folder <- tempfile()
  dir.create(folder)
  for (name in names(files)) writeLines(files[[name]], file.path(folder, name))
  before <- setwd(folder)
  on.exit(setwd(before))
  code
}
skeleton <- c(
  "<!-- part: setup -->", "begin", "<!-- setup -->", "<!-- part: paper -->", "# {{id}}", "<!-- why -->", "<!-- part: supplement -->", "end"
)

test_that("a study's own file fills the places of the skeleton", {
  own <- c("mine", "<!-- why -->", "because", "so")
  texts <- in_folder(list(study.qmd = skeleton, demo.qmd = own), study_texts("demo"))
  expect_equal(texts, list(setup = c("begin", "mine"), paper = c("# demo", "because", "so"), supplement = "end"))
  alone <- in_folder(list(study.qmd = skeleton), study_texts("demo"))
  expect_equal(alone, list(setup = "begin", paper = "# demo", supplement = "end"))
})

test_that("a place that the skeleton does not have is an error", {
  files <- list(study.qmd = skeleton, demo.qmd = c("<!-- wy -->", "because"))
  expect_error(in_folder(files, study_texts("demo")), "has the mark wy")
})

test_that("what a PDF does not have is in the other one", {
  refer <- refer_across("supplement")
  text <- "See @fig-a-b and @sec-c (@tbl-d and @tbl-e). @sec-c has all. {#fig-a-b}\n\n@tbl-d-e [@georges2007]"
  expect_equal(refer(text), paste0(
    "See @fig-a-b and the supplement (supplement). The supplement has all. {#fig-a-b}\n\nThe supplement [@georges2007]"
  ))
})
