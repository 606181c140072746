test_that("each rule tells how many cells it judged and caught", {
  root <- new_folder()
  little <- function(passed, users) {
    list(id = "little", rule = paste("X·R is about", users), passed = passed)
  }
  alive <- list(id = "completed", rule = "the outcome is completed", passed = TRUE)
  cells <- read_cells(c(
    write_cell(root, repetition = 1, validity = list(checks = list(alive, little(TRUE, 10)))),
    write_cell(root, repetition = 2, validity = list(checks = list(alive, little(FALSE, 10)))),
    write_cell(root, repetition = 3, validity = list(checks = list(alive, little(FALSE, 99)))),
    write_cell(root, repetition = 4, validity = list(checks = list(alive)))
  ))
  counted <- count_gates(cells)
  expect_equal(counted$id, c("completed", "little"))
  expect_equal(counted$judged, c(4, 3))
  expect_equal(counted$caught, c(0, 2))
  expect_equal(counted$rule[2], "X·R is about 10")
  expect_equal(table_gates(cells)$Caught, c("0", "2"))
  expect_equal(nrow(table_gates(list())), 0)
})
