test_that("each formula has its words", {
  folder <- new_folder()
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
  heap <- data.table(study = "sign-up", mode = c("virtual-512m", "virtual-512m", "virtual-512m-g1"), kib_per_request = c(40, 60, 900))
  all <- list(overloads = list(heap = heap), thread_memory = NULL)
  expect_equal(heap_items(all), data.table(what = "a sign-up with virtual threads (512 MiB)", kib = 50))
  expect_said(service_form(all), "name=\"request_kib\" type=\"number\" value=\"50\"")
  all$overloads$heap <- rbind(heap, data.table(study = "virtual-threads", mode = "page-200", kib_per_request = 30))
  expect_equal(heap_items(all)[kib == 30]$what, "a request with `page-200`")
  all$overloads$heap <- heap[0]
  form <- service_form(all)
  expect_said(form, "name=\"request_kib\" type=\"number\" value=\"\"", "This run measured no heap of a request")
  # Four inputs are in view, the others folded.
  parts <- strsplit(form, "<details>", fixed = TRUE)[[1]]
  expect_equal(lengths(regmatches(parts, gregexpr("<input", parts))), c(4, 7))
})
