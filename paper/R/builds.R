# The page of the variants of a user's own service.

# The baseline first.
cells_of_builds <- function(results) {
  cells <- read_cells(Sys.glob(file.path(results, "cells", "own", "*", "load", "*", "rep-1", "cell.json")))
  cells[order(vapply(cells, function(cell) cell$labels$order$position, 0))]
}

#' Lines of verdict.txt on single variants.
sentences_of_builds <- function(results) {
  lines <- readLines(file.path(results, "verdict.txt"))
  head(lines, c(which(lines == ""), length(lines) + 1)[1] - 1)[-1]
}

#' Lines of verdict.txt behind its table.
remarks_of_builds <- function(results) {
  lines <- readLines(file.path(results, "verdict.txt"))
  blank <- which(lines == "")
  # A verdict without a valid comparison has no table before them.
  before <- if (any(grepl("^(Variant|Statistic) ", lines))) 2 else 1
  if (length(blank) < before) character() else lines[-seq_len(blank[before])]
}

# Slices of all variants in long form: round, start, build, statistic, value.
rounds_of_cells <- function(cells) {
  files <- file.path(vapply(cells, `[[`, "", "folder"), "slices.csv")
  sides <- vapply(cells, function(cell) cell$cell$mode, "")
  shown <- setdiff(shown_of_builds, "backend_cpu_us_per_request")
  rows <- rbindlist(Map(function(file, side) {
    if (file.exists(file)) fread(file)[kind == "plain", c("round", "start", shown), with = FALSE][, build := side]
  }, files, sides))
  if (nrow(rows) == 0) return(rows)
  rows[, (shown) := lapply(.SD, as.numeric), .SDcols = shown]
  values <- melt(rows, c("round", "start", "build"), shown, "statistic")[is.finite(value)]
  values[, `:=`(build = factor(build, sides), statistic = factor(headings(shown)[as.character(statistic)], headings(shown)))][]
}

#' Each start against the first variant's, with its rounds as small points: `values` see rounds_of_cells().
figure_starts <- function(values) {
  first <- levels(values$build)[1]
  pairs <- merge(values[build != first & value > 0], values[build == first & value > 0, .(round, statistic, of_first = value)], by = c("round", "statistic"))
  pairs[, change := log(value / of_first)]
  in_percent <- function(change) 100 * expm1(change)
  means <- pairs[, .(change = mean(change)), by = .(start, build, statistic)]
  ggplot(pairs, aes(factor(start), in_percent(change), colour = build)) +
    geom_hline(yintercept = 0, colour = faint, linewidth = 0.3) +
    geom_point(size = 0.5, alpha = 0.4) +
    geom_point(data = means, size = 2, shape = 18) +
    # Changes have no unit, and the name of one would not fit.
    facet_wrap(~statistic, scales = "free_y", nrow = 1, labeller = as_labeller(function(headings) sub(" [(].*", "", headings))) +
    scale_colour_manual(values = okabe_ito[c(2, 1, 4, 5)], guide = if (uniqueN(pairs$build) > 1) "legend" else "none") +
    labs(x = "start", y = "against the first (%)", colour = NULL) +
    theme_artifact()
}

#' The flame graph of each build, or why it has none.
flame_graphs_of_builds <- function(cells) {
  cells <- Filter(function(cell) !endsWith(cell$cell$mode, "-again"), cells)
  told <- vapply(cells, function(cell) {
    side <- cell$cell$mode
    file <- file.path(cell$folder, "flamegraph.html")
    if (file.exists(file) && file.size(file) > 0) {
      return(raw_html(page_frame(file, sprintf("CPU time of the %s build, sampled by %s", side, cell$profile$engine), paste("Flame graph of the", side, "build"))))
    }
    why <- c(cell$profile$reason, if (is.null(cell$server)) "it was not loaded", "it has no recording of CPU time")[1]
    sprintf("The %s build has no flame graph: %s.", side, plain(why))
  }, "")
  paste(told, collapse = "\n\n")
}

#' How each build was started, warmed up and loaded.
table_of_setups <- function(cells) {
  rbindlist(lapply(cells, function(cell) {
    configuration <- cell$configuration
    warm_up <- cell$warm_up
    data.table(
      Build = cell$cell$mode, Command = paste(configuration$mode$command, collapse = " "),
      "Warm-up" = if (is.null(warm_up)) no_figure else sprintf("%s s, %s requests", format_number(warm_up$lasted_s), format_number(warm_up$requests)),
      Rounds = cell$load$slices$plain, "Rounds for latency" = cell$load$slices$kept, Outcome = cell$outcome
    )
  }))
}

#' The load of both.
sentence_of_load <- function(cells) {
  configuration <- cells[[1]]$configuration
  requests <- vapply(configuration$tier$requests, function(request) as_code(paste(request$method, request$path)), "")
  until <- configuration$slices$until
  sprintf(
    "Load: %s; %s in turns. Budget: %s s. CPUs: %d for the builds, %d for the generator. Machine: %s.", cells[[1]]$labels$tier$title, enumerate(requests),
    format_number(until$budget_s), length(cells[[1]]$provenance$server_cpus), length(cells[[1]]$provenance$generator_cpus), plain(cells[[1]]$provenance$machine$cpu_model)
  )
}
