rules <- read_stack_groups(file.path(analysis_folder, "stack-groups.csv"))
converter <- file.path(dirname(analysis_folder), "profiles", "convert", "jfrconv.sh")
cause <- list(
  id = "start", study = "demo", tool = "jmeter", tier = "low",
  difference = list(mode = "threads", baseline = "pool", statistic = "cpu_us_per_request")
)

# 50 samples of 10 ms are all of the half second that the profiled slice took.
profiled_cell <- function(root, mode, stacks, ...) {
  path <- write_cell(root, mode = mode, ...)
  writeLines(paste(names(stacks), stacks), file.path(dirname(path), "profile.collapsed"))
  path
}

drawn <- function(root, cells) {
  out <- file.path(root, "differences")
  draw_differences(list(cause), group_cpu(cells, rules), rules, root, converter, out)
  out
}

test_that("a stack counts as CPU time per request, as its group does", {
  weighted <- function(stacks) {
    cell <- read_cell(profiled_cell(new_folder(), "threads", stacks))
    lines <- stacks_per_request(cell, rules)
    seen_us <- group_cell_cpu(cell, rules)[group != unseen_group, sum(cpu_us_per_request, na.rm = TRUE)]
    expect_equal(sum(as.numeric(sub(".* ", "", lines))) / 1000, seen_us)
    lines
  }
  expect_equal(weighted(c("run;start it" = 30, "run;write" = 20)), c("run;start it 60000", "run;write 40000"))
  # The part that was not sampled is not spread over the rest.
  expect_equal(weighted(c("run" = 25)), "run 50000")
  # A request's CPU time is without compiling, and so is its flame graph.
  expect_equal(weighted(c("run" = 40, "CompileBroker::compiler_thread_loop" = 10)), "run 100000")
})

test_that("the repetition with most samples is taken, if it answered and has enough", {
  root <- new_folder()
  cells <- c(
    profiled_cell(root, "pool", c("run" = 105)),
    profiled_cell(root, "pool", c("run" = 109), repetition = 2),
    profiled_cell(root, "pool", c("run" = 140), repetition = 3, server = list(cpu_us_per_request = NULL))
  )
  side <- sides_of(cause)$baseline
  expect_equal(most_sampled(group_cpu(cells, rules), "demo", side), "demo/pool/low/jmeter/rep-2/cell.json")
  expect_null(most_sampled(group_cpu(cells[3], rules), "demo", side))
  expect_null(most_sampled(group_cpu(cells, rules), "another", side))
  few <- profiled_cell(new_folder(), "pool", c("run" = 99))
  expect_null(most_sampled(group_cpu(few, rules), "demo", side))
})

test_that("a flame graph is drawn where both sides were sampled, and nothing where one was not", {
  root <- new_folder()
  cells <- c(
    profiled_cell(root, "threads", c("run;start" = 60, "run;write" = 40)),
    profiled_cell(root, "pool", c("run;take" = 20, "run;write" = 80))
  )
  page <- paste(readLines(file.path(drawn(root, cells), "start.html")), collapse = "\n")
  expect_match(page, "threads at low against pool at low: ns of CPU time per request", fixed = TRUE)
  for (frame in c("start", "write")) expect_match(page, frame, fixed = TRUE)

  alone <- new_folder()
  expect_length(list.files(drawn(alone, profiled_cell(alone, "threads", c("run" = 150)))), 0)
})

test_that("a converter that fails is an error", {
  root <- new_folder()
  side <- read_cell(profiled_cell(root, "threads", c("run" = 50)))
  expect_error(draw_difference(list(mode = side, baseline = side), rules, "false", "x.html"), "false failed on threads at low")
})
