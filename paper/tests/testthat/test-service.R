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

test_that("heap a request comes from measured lines alone, and the largest is the form's", {
  heap <- data.table(mode = c("virtual-512m", "virtual-512m", "virtual-512m-g1"), kib_per_request = c(40, 60, 900))
  all <- list(overloads = list(heap = heap), thread_memory = NULL)
  expect_equal(heap_items(all), data.table(what = "a sign-up with virtual threads (512 MiB)", kib = 50))
  expect_match(service_form(all), "name=\"request_kib\" type=\"number\" value=\"50\"", fixed = TRUE)
  all$overloads$heap <- heap[0]
  expect_match(service_form(all), "name=\"request_kib\" type=\"number\" value=\"\"", fixed = TRUE)
  expect_match(service_form(all), "This run measured no heap of a request", fixed = TRUE)
})

test_that("four inputs are in view, the others folded", {
  form <- service_form(list(overloads = list(heap = data.table(kib_per_request = numeric(), mode = character())), thread_memory = NULL))
  parts <- strsplit(form, "<details>", fixed = TRUE)[[1]]
  expect_equal(lengths(regmatches(parts, gregexpr("<input", parts))), c(4, 7))
})
