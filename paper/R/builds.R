# The page of two builds of a user's own service.

# Old first.
cells_of_builds <- function(results) rev(read_cells(sort(Sys.glob(file.path(results, "cells", "own", "*", "*", "*", "rep-1", "cell.json")))))

build_colours <- c(old = "#4D4D4D", new = "#0072B2")

#' How much more or less each statistic is in the new build, with the limit where it is too slow.
#'
#' @param builds see read_builds().
#' @return ggplot.
figure_changes <- function(builds) {
  rows <- builds[!is.na(low)]
  if (nrow(rows) == 0) return(nothing_to_draw("no statistic has an interval"))
  in_percent <- function(ratio) 100 * (ratio - 1)
  rows[, `:=`(
    name = factor(capitalised(title_of(statistic)), rev(capitalised(title_of(statistic)))),
    limit = limit_of_build(statistic, slower_percent)
  )]
  ggplot(rows, aes(in_percent(ratio), name)) +
    geom_vline(xintercept = 0, colour = faint, linewidth = 0.3) +
    geom_linerange(aes(xmin = in_percent(low), xmax = in_percent(high)), colour = build_colours[["new"]]) +
    geom_point(colour = build_colours[["new"]], size = 2) +
    geom_point(aes(x = in_percent(limit)), data = rows[!is.na(limit)], shape = "|", size = 6, colour = "#D55E00") +
    labs(x = "new build against old (%)", y = NULL) +
    theme_artifact()
}

#' Both builds in every round.
#'
#' @param cells see cells_of_builds().
#' @return ggplot.
figure_rounds <- function(cells) {
  files <- file.path(vapply(cells, `[[`, "", "folder"), "slices.csv")
  sides <- vapply(cells, function(cell) cell$cell$mode, "")
  there <- file.exists(files)
  if (!any(there)) return(nothing_to_draw("no round was loaded"))
  shown <- shown_of_builds
  rows <- rbindlist(Map(function(file, side) fread(file)[kind == "plain", c("round", shown), with = FALSE][, build := side], files[there], sides[there]))
  rows[, (shown) := lapply(.SD, as.numeric), .SDcols = shown]
  values <- melt(rows, c("round", "build"), shown, "statistic")[is.finite(value)]
  values[, `:=`(build = factor(build, names(build_colours)), statistic = factor(headings(shown)[as.character(statistic)], headings(shown)))]
  ggplot(values, aes(round, value, colour = build)) +
    geom_line(linewidth = 0.3) +
    geom_point(size = 0.8) +
    facet_wrap(~statistic, scales = "free_y") +
    scale_colour_manual(values = build_colours) +
    scale_y_continuous(labels = plain_number) +
    labs(x = "round", y = NULL) +
    theme_artifact()
}

#' The flame graph of each build, or why it has none.
#'
#' @return one string of Markdown.
flame_graphs_of_builds <- function(cells) {
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
