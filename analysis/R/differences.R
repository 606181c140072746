# Differential flame graphs: how a request's CPU time differs between the two sides of a cause.
#
# Samples of two cells cannot be compared as they are: a cell with more requests has more of them. So
# each stack counts as nanoseconds of CPU time per request, as in cpu-groups.csv.
# Source: async-profiler's jfrconv, option --diff (baseline first, then what is drawn).

#' Draws the flame graph of each cause whose sides were both sampled, as <cause>.html.
#'
#' @param causes see read_causes(); `cpu_groups` see read_cpu_groups(); `rules` see read_stack_groups().
#' @param cells folder of all cells; `converter` path of jfrconv; `out` folder of the graphs.
draw_differences <- function(causes, cpu_groups, rules, cells, converter, out) {
  dir.create(out, recursive = TRUE, showWarnings = FALSE)
  for (cause in Filter(function(cause) !is.null(cause$difference), causes)) {
    paths <- lapply(profiled_sides(cause), function(side) most_sampled(cpu_groups, cause$study, side))
    if (!any(vapply(paths, is.null, NA))) {
      sides <- lapply(paths, function(path) read_cell(file.path(cells, path)))
      draw_difference(sides, rules, converter, file.path(out, paste0(cause$id, ".html")))
    }
  }
}

# The repetition of a side with most samples, as a path below the cells; NULL where none has enough.
most_sampled <- function(cpu_groups, of_study, side) {
  rows <- cells_of_side(cpu_groups[study == of_study & !is.na(cpu_us_per_request)], side)
  sampled <- rows[, .(samples = sum(samples)), by = repetition][samples >= samples_for_shares]
  if (nrow(sampled) == 0) return(NULL)
  repetition <- sampled[which.max(samples), repetition]
  file.path(of_study, side$mode, side$tier, side$tool, paste0("rep-", repetition), "cell.json")
}

draw_difference <- function(sides, rules, converter, path) {
  names_of <- vapply(sides, function(cell) side_text(cell$cell), "")
  title <- sprintf("%s against %s: ns of CPU time per request", names_of["mode"], names_of["baseline"])
  stacks <- vapply(sides, function(cell) tempfile(fileext = ".collapsed"), "")
  for (side in names(sides)) writeLines(stacks_per_request(sides[[side]], rules), stacks[side])
  words <- c("--diff", "--title", title, "-o", "html", stacks[c("baseline", "mode")], path)
  if (system2(converter, shQuote(words)) != 0) stop(converter, " failed on ", title, call. = FALSE)
}

# The stacks of a cell, as lines of profile.collapsed, with nanoseconds of CPU time per request in place of samples; compiling is no part of
# it.
stacks_per_request <- function(cell, rules) {
  collapsed <- read_collapsed(file.path(cell$folder, "profile.collapsed"))
  samples <- sum(collapsed$samples)
  seen <- seen_by_profiler(cell, profiled_slice(cell), samples)
  parts <- seen * collapsed$samples / samples
  cpu_us <- split_cpu(number(cell$server$cpu_us_per_request), parts, group_stacks(collapsed$stack, rules))
  sprintf("%s %.0f", collapsed$stack, 1000 * cpu_us)[!is.na(cpu_us)]
}
