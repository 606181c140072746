rules <- read_stack_groups(file.path(analysis_folder, "stack-groups.csv"))
converter <- file.path(dirname(analysis_folder), "profiles", "convert", "jfrconv.sh")
cause <- list(
  id = "start", study = "demo", tool = "jmeter", tier = "low",
  difference = list(mode = "threads", baseline = "pool", statistic = "cpu_us_per_request")
)

# 50 samples of 10 ms are all of the half second that the profiled slice took.
profiled_cell <- function(mode, stacks, ..., root = new_folder()) {
  path <- write_cell(root, mode = mode, ...)
  writeLines(paste(names(stacks), stacks), file.path(dirname(path), "profile.collapsed"))
  path
}

test_that("a stack counts as CPU time per request, as its group does", {
  expect_weighted <- function(expected, ...) {
    cell <- read_cell(profiled_cell("threads", c(...)))
    lines <- stacks_per_request(cell, rules)
    expect_equal(lines, expected)
    seen_us <- group_cell_cpu(cell, rules)[group != unseen_group, sum(cpu_us_per_request, na.rm = TRUE)]
    expect_equal(sum(as.numeric(sub(".* ", "", lines))) / 1000, seen_us)
  }
  expect_weighted(c("run;start it 60000", "run;write 40000"), "run;start it" = 30, "run;write" = 20)
  # The part that was not sampled is not spread over the rest.
  expect_weighted("run 50000", run = 25)
  # A request's CPU time is without compiling, and so is its flame graph.
  expect_weighted("run 100000", run = 40, "CompileBroker::compiler_thread_loop" = 10)
})

test_that("the repetition with most samples is taken, if it answered and has enough", {
  root <- new_folder()
  cell <- function(samples, ...) profiled_cell("pool", c(run = samples), root = root, ...)
  cells <- c(cell(105), cell(109, repetition = 2), cell(140, repetition = 3, server = list(cpu_us_per_request = NULL)))
  most <- function(cells, study = "demo") most_sampled(group_cpu(cells, rules), study, sides_of(cause)$baseline)
  expect_equal(most(cells), "demo/pool/low/jmeter/rep-2/cell.json")
  for (none in list(most(cells[3]), most(cells, "another"), most(profiled_cell("pool", c(run = 99))))) expect_null(none)
})

test_that("a flame graph is drawn where both sides were sampled, and nothing where one was not", {
  drawn <- function(root, ...) {
    out <- file.path(root, "differences")
    draw_differences(list(cause), group_cpu(c(...), rules), rules, root, converter, out)
    out
  }
  root <- new_folder()
  pool <- profiled_cell("pool", c("run;take" = 20, "run;write" = 80), root = root)
  page <- paste(readLines(file.path(drawn(root, profiled_cell("threads", c("run;start" = 60, "run;write" = 40), root = root), pool), "start.html")), collapse = "\n")
  for (said in c("threads at low against pool at low: ns of CPU time per request", "start", "write")) expect_match(page, said, fixed = TRUE)
  alone <- new_folder()
  expect_length(list.files(drawn(alone, profiled_cell("threads", c(run = 150), root = alone))), 0)
})

test_that("a converter that fails is an error", {
  side <- read_cell(profiled_cell("threads", c(run = 50)))
  expect_error(draw_difference(list(mode = side, baseline = side), rules, "false", "x.html"), "false failed on threads at low")
})
