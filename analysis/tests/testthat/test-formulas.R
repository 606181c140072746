test_that("measured values are divided by what each formula predicts of them", {
  bounds <- data.table(
    users = c(500, 500, 100, NA), bound_by = c("admitted", "admitted", "cpu", "admitted"), bound_per_s = c(500, 1000, 400, 5000),
    mva_per_s = c(500, NA, NA, NA), measured_per_s = c(490, 700, NA, 2000)
  )
  found <- measured_by_formula(bounds)
  expect_equal(found$formula, c("admitted", "mva"))
  expect_equal(found$cells, c(2, 1))
  expect_equal(unlist(found[1, .(middle, least, most, near)]), c(middle = 0.84, least = 0.7, most = 0.98, near = 0.5))
})
