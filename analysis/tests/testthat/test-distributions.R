test_that("a distribution is that of all requests of the slices that count, over sessions", {
  root <- new_folder()
  cell_of <- function(repetition, counts, ...) {
    path <- write_cell(root, tool = "jmeter", elapsed_ms = 1:3, repetition = repetition, slices = known_slices(rounds = 2, responses_2xx = 25, kept = c("true", "false")), ...)
    fwrite(data.table(slice = c(1, 1, 2), value_ms = c(1, 4, 9), count = counts), file.path(dirname(path), "latencies.csv.gz"))
    read_cell(path)
  }
  found <- distributions(list(cell_of(1, c(20, 5, 25)), cell_of(2, c(10, 10, 25))))
  # 50 requests in the slices that count, of which five were not answered; slice 2 is not among them.
  expect_equal(found[, .(mode, tier, value_ms, share)], data.table(mode = "fixed-pool", tier = "low", value_ms = c(1, 4), share = c(0.6, 0.9)), ignore_attr = TRUE)
  late <- cell_of(3, c(20, 5, 25))
  late$validity$latency_valid <- FALSE
  expect_equal(nrow(distributions(list(late))), 0)
  expect_equal(nrow(distributions(list())), 0)
})
