test_that("each formula has its words", {
  folder <- tempfile()
  dir.create(folder)
  bounds <- data.table(
    study = "s", mode = "m", tier = "t", tool = "jmeter", bound_by = c("users", "admitted", "cpu"), users = 10, admitted = NA, wait_ms = 1,
    bound_per_s = 100, mva_per_s = 99, measured_per_s = c(90, 95, 80)
  )
  fwrite(bounds, file.path(folder, "bounds.csv"))
  found <- table_predicting(list(results = folder))
  expect_equal(found$Formula, unname(formula_titles[c("users", "admitted", "cpu", "mva")]))
  expect_equal(found$Median, c("0.9", "0.95", "0.8", "0.909"))
  expect_equal(found[["Within 10 %"]], c("100 %", "100 %", "0 %", "66.7 %"))
})
