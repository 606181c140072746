# Lines of code, without comments.
code_of <- function(...) {
  files <- Sys.glob(file.path(analysis_folder, "..", c(...)))
  lines <- unlist(lapply(files, function(file) paste0(basename(file), ": ", readLines(file, encoding = "UTF-8"))))
  grep("^[^:]+: *#([^|]|$)", lines, value = TRUE, invert = TRUE)
}

test_that("the paper calls nothing that decides", {
  deciding <- paste0(
    "\\b(trace_\\w+|compare_\\w+|judge_\\w+|decide|effect_between|ratio_between|session_effects|pool_sessions|moved_rows|",
    "summarise_combinations|fit_\\w+|predict_\\w+|check_claims)\\("
  )
  expect_equal(grep(deciding, code_of("paper/*.qmd", "paper/R/*.R"), value = TRUE), character())
  # The words are those of functions that there are.
  expect_gt(length(grep(deciding, code_of("analysis/R/analyze.R"), value = TRUE)), 5)
})
