# A cell that is damaged, a table that fails and a process that is killed lose themselves alone, and are named.

problems_of_run <- function(results) read_problems(results)[, .(table, cells)]

# Damages of one cell as power cuts, full disks and copies make them.
damages <- list(
  empty = function(folder) file.create(file.path(folder, "cell.json")),
  half = function(folder) cut_off(file.path(folder, "cell.json"), 0.5),
  "no series" = function(folder) unlink(file.path(folder, "slices.csv")),
  "cut series" = function(folder) cut_off(file.path(folder, "latencies.csv.gz"), 0.3)
)
cut_off <- function(path, share) {
  bytes <- readBin(path, "raw", file.size(path))
  writeBin(head(bytes, floor(share * length(bytes))), path)
}

# With checksums, as a runner writes them.
recorded_cells <- function() {
  paths <- small_run()$paths
  for (path in paths) {
    md5 <- lapply(setNames(nm = c("slices.csv", "latencies.csv.gz")), function(file) list(md5 = unname(tools::md5sum(file.path(dirname(path), file)))))
    edit_record(path, series = md5)
  }
  paths
}

# The same cells in another folder, to be damaged there.
copied <- function(paths) {
  from <- sub("/demo/.*", "", paths[1])
  to <- new_folder()
  file.copy(file.path(from, "demo"), to, recursive = TRUE)
  sub(from, to, paths, fixed = TRUE)
}

left_out_by <- function(paths, damage) {
  take_problems()
  damage(dirname(paths[2]))
  read <- read_measured(paths)
  problems <- take_problems()
  list(read = match(read$paths, paths), cells = problems$cells, rows = nrow(read$summary))
}

test_that("a damaged cell is left out by name, and no other", {
  whole <- recorded_cells()
  expect_equal(left_out_by(whole, identity), list(read = seq_along(whole), cells = character(), rows = length(whole)))
  for (kind in names(damages)) {
    paths <- copied(whole)
    found <- left_out_by(paths, damages[[kind]])
    expect_equal(found, list(read = seq_along(paths)[-2], cells = name_of_cell(paths[2]), rows = length(paths) - 1), info = kind)
  }
})

test_that("a series that was cut off is found in an older cell, which has no checksums", {
  paths <- small_run()$paths
  edit_record(paths[2], load = list(slices = list(plain = nrow(read_cell_slices(file.path(dirname(paths[2]), "slices.csv"))[kind == "plain"]))))
  expect_equal(left_out_by(copied(paths), identity)$cells, character())
  of_overload <- function(folder) file.create(file.path(folder, "overloads.csv"))
  for (damage in c(damages[c("no series", "cut series")], of_overload)) {
    others <- copied(paths)
    expect_equal(left_out_by(others, damage)$cells, name_of_cell(others[2]))
  }
})

test_that("a process that is killed is named, and its work is done once more", {
  take_problems()
  # The first process leaves the file, and dies.
  die_once <- function(flag) {
    if (!file.exists(flag)) {
      file.create(flag)
      tools::pskill(Sys.getpid(), tools::SIGKILL)
    }
    "done"
  }
  flag <- file.path(new_folder(), "began")
  expect_equal(in_parallel(list(function() die_once(flag), function() "other")), list("done", "other"))
  problems <- take_problems()
  expect_match(problems$message, "was killed")
  expect_equal(in_parallel(list(function() tools::pskill(Sys.getpid(), tools::SIGKILL), function() "other")), list(NULL, "other"))
  problems <- take_problems()
  expect_match(problems$message, "killed twice", all = FALSE)
})

test_that("a table that fails, or finds the disk full, is written without rows, and the others with theirs", {
  results <- new_folder()
  tables <- list(bounds = no_bounds, mixes = no_mixes, sweeps = no_pooled_steps, heaps = no_heaps)
  # The disk is full while this one is written.
  file.symlink("/dev/full", file.path(results, "sweeps.csv.new"))
  write_all(results, tables, analysis_folder, "analyze", function(write) {
    write(stop("no such thing"), "bounds")
    write(data.table(study = "a"), "mixes")
    write(data.table(study = rep("a", 1e5)), "sweeps")
  })
  expect_equal(problems_of_run(results), data.table(table = c("bounds", "sweeps", "heaps"), cells = ""))
  expect_match(read_problems(results)$message[1:2], "no such thing|space", all = TRUE)
  expect_equal(readLines(file.path(results, "mixes.csv")), c("study", "a"))
  for (name in c("bounds", "sweeps", "heaps")) expect_equal(names(fread(file.path(results, paste0(name, ".csv")))), names(tables[[name]]()))
  # The next time nothing fails, and nothing is left of it; other verbs keep theirs.
  write_problems(data.table(table = "x", message = "y", cells = ""), results, "profiles")
  write_all(results, list(bounds = no_bounds), analysis_folder, "analyze", function(write) write(no_bounds(), "bounds"))
  expect_equal(read_problems(results)$verb, "profiles")
})

test_that("a cause that cannot be computed has the reason, and the others their values", {
  take_problems()
  broken <- modifyList(demo_cause(), list(id = "broken", difference = list(statistic = "no_column")))
  rows <- trace_causes(list(broken, demo_cause()), demo_summary(), no_slices())
  expect_match(rows[id == "broken", reason], "could not be computed")
  expect_true(all(is.finite(rows[id == demo_cause()$id & kind == "swap", before])))
  expect_equal(take_problems()$table, "causes")
})
