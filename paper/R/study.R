# The parts of a study's tables: modes, tiers and flame graphs. `all` is the result of of_study().

#' The modes of a study, from the configuration in its cells, without what is the same for all. Options of the JVM are those
#' that not all modes have, as those of carriers, heap and collector.
table_modes_asked <- function(all) {
  cell_of <- function(name) Find(function(cell) cell$cell$mode == name, all$cells)
  jvm_of <- function(cell) unlist(cell$configuration$study$server$jvm_options)
  names <- mode_levels(all$summary$mode)
  common <- Reduce(intersect, Filter(Negate(is.null), lapply(names, function(name) jvm_of(cell_of(name)))))
  one <- function(name) {
    cell <- cell_of(name)
    configuration <- cell$configuration
    mode <- configuration$mode
    data.table(
      Mode = name, Baseline = words(cell$labels$mode$baseline), Class = words(c(mode$class, configuration$study$server$class)[1]),
      Command = paste(mode$command, collapse = " "), JDK = words(mode$jdk), Backend = words(configuration$backend$id),
      Options = options_text(mode$options), "JVM's own" = paste(setdiff(jvm_of(cell), common), collapse = " "),
      Scheduling = words(mode$scheduling), Database = words(configuration$engine$id), Client = options_text(mode$client)
    )
  }
  table <- rbindlist(lapply(names, one))
  same <- Filter(function(name) nrow(table) > 1 && uniqueN(table[[name]]) == 1, c("Class", "JDK", "Backend"))
  table[, setdiff(names(table), same), with = FALSE]
}

options_text <- function(options) {
  values <- vapply(options, function(value) if (is.logical(value)) tolower(value) else paste(value), "")
  paste(gsub("_", "-", names(options)), values, collapse = ", ")
}

#' The tiers of a study, and the load of each tool in them.
table_tiers <- function(all) {
  one <- function(name) {
    cells <- Filter(function(cell) cell$cell$tier == name, all$cells)
    load_of <- function(tool) Find(function(cell) cell$cell$tool == tool, cells)$configuration$tool
    clients <- c(load_of("sysbench")$clients, load_of("database-client")$workers)
    data.table(
      Tier = name, Load = cells[[1]]$labels$tier$title, Path = words(cells[[1]]$configuration$tier$path),
      "Closed loop" = c(users_of_load(load_of("jmeter")), if (length(clients) > 0) count_of(clients[1], "client"), "")[1],
      "Open loop" = c(rate_of_load(load_of("wrk2")), "")[1]
    )
  }
  rbindlist(lapply(unique(all$summary$tier), one))
}

# The users of a closed loop in JMeter; NULL where it loads nothing.
users_of_load <- function(load) {
  if (is.null(load$users)) return(NULL)
  paste0(
    format_number(load$users), " users",
    if (!is.null(load$duration_s)) sprintf(" for %s s", load$duration_s) else if (load$loops > 1) paste(" ×", load$loops),
    if (!is.null(load$ramp_up_s)) sprintf(", ramp-up %s s", load$ramp_up_s)
  )
}

# The rate of an open loop; NULL where there is none.
rate_of_load <- function(load) {
  if (is.null(load$rate_per_s)) return(NULL)
  each_s <- sprintf("%s/s for %s s", format_number(load$rate_per_s), load$duration_s)
  rate <- if (isTRUE(load$at_once)) "one request each, all at the same moment" else each_s
  sprintf("%s, %s connections", rate, format_number(load$connections))
}

# ---- Flame graphs ----------------------------------------------------------------------------

#' The cell of each mode whose flame graph is shown: at the tier where most modes were sampled,
#' else wherever the mode has one; the repetition with most samples.
#'
#' @return data.table: mode, tier, tool, repetition, samples, file; no rows without profiles.
choose_flame_graphs <- function(all) {
  sampled <- all$cpu_groups[, .(samples = sum(samples)), by = .(study, mode, tier, tool, repetition)]
  sampled[, file := file.path(all$results, "cells", cell_path(sampled), "flamegraph.html")]
  sampled <- sampled[samples > 0 & file.exists(file) & file.size(file) > 0]
  if (nrow(sampled) == 0) return(sampled)
  sampled[, `:=`(shared = uniqueN(mode), total = sum(samples)), by = .(tier, tool)]
  best <- sampled[order(-shared, -total, -samples), .SD[1], by = mode]
  best[order(match(mode, mode_levels(mode)))]
}

#' All chosen flame graphs as HTML.
flame_graphs <- function(chosen) {
  vapply(seq_len(nrow(chosen)), function(index) {
    row <- chosen[index]
    where <- sprintf("%s at %s, %s, repetition %d: %s samples", row$mode, row$tier, loop_names[[row$tool]], row$repetition, format_number(row$samples))
    page_frame(row$file, where, paste("Flame graph of", row$mode))
  }, "")
}
