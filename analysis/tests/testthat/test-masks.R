# Which cells are valid together decides what can be computed: whatever is missing, each thing that guide, causes and claims name has a value or
# a reason, and nothing stops.

all <- measured_on_noisy_machine()
things <- Filter(function(thing) nrow(only(all, thing$cells)$summary) + nrow(only(all, thing$cells)$capacity) > 0, things_of(all))
named <- lapply(things, function(thing) only(all, thing$cells))
ids <- vapply(things, `[[`, "", "id")
is_cause <- startsWith(ids, "cause")
none <- all$summary[0, ..place_columns]
nothing_valid <- changed_rows(all, unique(all$summary[, "study"]), masks$invalid)

# Two processes; a fault is a text.
expect_no_fault <- function(inputs, faults_with) {
  found <- unlist(parallel::mclapply(inputs, function(input) tryCatch(faults_with(input), error = conditionMessage), mc.cores = 2))
  expect(length(found) == 0, paste(unique(found), collapse = "\n"))
}

test_that("the shipped tables of the run are those of its cells, to the digit", {
  # Rows are in the order of the experiment, and here in that of the folders. The run has columns that went later.
  lines_of <- function(path, columns) {
    sort(do.call(paste, fread(path, colClasses = "character", na.strings = NULL)[, ..columns]), method = "radix")
  }
  is_as_shipped <- function(rows, name) {
    path <- file.path(new_folder(), paste0(name, ".csv"))
    write_shortened(rows, path)
    identical(lines_of(path, names(rows)), lines_of(file.path(analysis_folder, "runs", noisy_run, basename(path)), names(rows)))
  }
  written <- function(rows, read) suppressWarnings(read_back(rows, read))
  whole <- written(all$summary, read_summary)
  measured <- as_measured(whole, written(all$slices, read_slices), all$histograms, with_hosts(other_runs(analysis_folder, whole$session)))
  rows <- compare_all(c(measured, list(capacity = written(all$capacity, read_capacity))), guide_of_run)
  expect_true(is_as_shipped(all$capacity, "capacity"))
  expect_true(is_as_shipped(all$summary, "summary"))
  expect_true(is_as_shipped(with_rules_version(written(rows, read_comparisons), "comparisons", analysis_folder), "comparisons"))
  # Each pair of values divides to its estimate, or differs by it.
  given <- rows[is.finite(estimate) & bound == ""]
  expect_gt(nrow(given), 500)
  expect_equal(given[, fifelse(effect == "ratio", mode_value / baseline_value, mode_value - baseline_value)], given$estimate)
  expect_true(given[is.finite(low), all(low <= estimate & estimate <= high)])
})

test_that("the loads and limits that guide.yaml gives for shipped runs are those of its cells", {
  of_cells <- facts_of_loads(all$cells)
  shipped <- shipped_facts(guide_of_run)
  for (part in names(shipped)) {
    keys <- intersect(place_columns, names(shipped[[part]]))
    numbers <- setdiff(names(shipped[[part]]), keys)
    both <- merge(shipped[[part]], of_cells[[part]], by = keys, suffixes = c("", "_of_cells"))
    given <- unlist(both[, ..numbers], use.names = FALSE)
    measured <- unlist(both[, paste0(numbers, "_of_cells"), with = FALSE], use.names = FALSE)
    known <- is.finite(given) & is.finite(measured)
    expect_gt(sum(known), 40)
    expect_equal(given[known], measured[known], tolerance = 1e-3)
  }
})

test_that("each cell may be of another session than the others, absent, invalid, or without a valid latency", {
  # The run has most of what is named.
  expect_gt(length(things), 100)
  expect_no_fault(seq_along(things), function(thing) {
    cells <- things[[thing]]$cells
    # Every cell of a cause, and every second one of a claim and a pair.
    chosen <- if (is_cause[thing]) seq_len(nrow(cells)) else seq(1 + thing %% min(2, nrow(cells)), nrow(cells), by = 2)
    unlist(lapply(chosen, function(at) {
      lapply(c(if (is_cause[thing]) "in another session", names(masks)[1 + (thing + at) %/% 2 %% (4 - is_cause[thing])]), function(mask) {
        label <- paste(mask, paste(cells[at], collapse = "/"))
        faults_of(things[[thing]], changed_rows(named[[thing]], cells[at], masks[[mask]]), label)
      })
    }))
  })
})

test_that("each session may be gone, and all validity, and all cells", {
  expect_no_fault(which(!startsWith(ids, "pair")), function(at) {
    sessions <- unique(named[[at]]$summary$session)
    gone <- function(session) faults_of(things[[at]], changed_rows(named[[at]], data.table(session), masks$absent), paste("without", session))
    c(
      if (is_cause[at] && length(sessions) > 1) unlist(lapply(sessions, gone)),
      faults_of(things[[at]], changed_rows(named[[at]], things[[at]]$cells, masks$invalid), "nothing valid"),
      faults_of(things[[at]], only(named[[at]], things[[at]]$cells[0]), "no cell")
    )
  })
})

test_that("findings have rows of one study or repetition alone, without validity, without cells, and with one round", {
  parts <- list(
    "one study" = only(all, data.table(study = "stacks")), "one repetition" = only(all, data.table(repetition = 2)), "nothing valid" = nothing_valid,
    "no cell" = only(all, none), "one round" = replace(all, "slices", list(all$slices[round == 1]))
  )
  expect_no_fault(names(parts), function(part) faults_of_guide(parts[[part]], part))
})

test_that("any cells together may be absent or invalid", {
  seed <- sample.int(1e6, 1)
  message("60 masks are drawn with the seed ", seed)
  expect_no_fault(seq_len(60), function(draw) {
    set.seed(seed + draw)
    at <- sample(which(is_cause | startsWith(ids, "pair")), 1)
    measured <- named[[at]]
    # A cell of each session by itself.
    cells <- unique(rbindlist(lapply(measured[c("summary", "capacity")], function(table) table[, c(place_columns, "session"), with = FALSE])))
    for (mask in names(masks)[1:3]) measured <- changed_rows(measured, cells[runif(nrow(cells)) < 0.25], masks[[mask]])
    faults_of(things[[at]], measured, paste("seed", seed, "draw", draw))
  })
})

test_that("tables of single cells have their columns, whatever is there", {
  columns <- function(measured, cells, sweeps) {
    is_beyond <- vapply(cells, function(cell) cell$cell$tool == overload_tool, NA)
    loads <- overloads_of(cells[is_beyond])
    tables <- list(
      bounds = bound_modes(cells[!is_beyond], measured$summary), occupancy = occupy_modes(cells[!is_beyond], measured$summary),
      overloads = loads, heaps = heaps_of(cells, measured$summary, loads), "request-heap" = request_heap_of(cells[is_beyond]),
      capacity = capacities_of(sweeps), sweeps = pool_steps(sweeps), "profiler-cost" = profiler_cost(measured),
      comparisons = compare_all(measured, guide_of_run)
    )
    lapply(tables, colnames)
  }
  invalid <- columns(nothing_valid, all$cells, all$sweeps)
  expect_identical(invalid, lapply(tables_of_cells[names(invalid)], function(empty) names(empty())))
  expect_identical(columns(only(all, none), list(), list()), invalid)
})
