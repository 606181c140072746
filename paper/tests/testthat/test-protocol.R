test_that("no text claims that rules were fixed before results", {
  root <- dirname(analysis_folder)
  files <- c(
    list.files(file.path(root, "paper"), "[.](qmd|R)$", full.names = TRUE, recursive = TRUE),
    list.files(file.path(root, c("analysis", "workloads")), "[.](R|yaml|py)$", full.names = TRUE, recursive = TRUE),
    file.path(root, "README.md")
  )
  said <- vapply(grep("/tests/", files, value = TRUE, invert = TRUE), function(file) {
    text <- paste(readLines(file, warn = FALSE), collapse = " ")
    grepl("before (any|the|its) (result|figure)s?\\b|know no result|figures were seen|rules were written down before", gsub("[\"#[:space:]]+", " ", text))
  }, NA)
  expect_equal(names(said)[said], character())
})
