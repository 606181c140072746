# The parts of a study's tables: modes, tiers and flame graphs. `all` is the result of of_study().

kebab <- function(name) gsub("_", "-", name)

#' The modes of a study, from the configuration in its cells; without what is the
#' same for all, or empty. Options of the JVM are those that not all modes have, as those of carriers, heap and collector.
table_modes_asked <- function(all) {
  cell_of <- function(name) Find(function(cell) cell$cell$mode == name, all$cells)
  jvm_of <- function(cell) unlist(cell$configuration$study$server$jvm_options)
  names <- mode_levels(all$summary$mode)
  common <- Reduce(intersect, Filter(Negate(is.null), lapply(names, function(name) jvm_of(cell_of(name)))))
  one <- function(name) {
    cell <- cell_of(name)
    configuration <- cell$configuration
    jvm <- setdiff(jvm_of(cell), common)
    mode <- configuration$mode
    data.table(
      Mode = name, Baseline = words(cell$labels$mode$baseline),
      Class = words(c(mode$class, configuration$study$server$class)[1]),
      Command = if (is.null(mode$command)) NA_character_ else paste(mode$command, collapse = " "),
      JDK = if (is.null(mode$jdk)) NA_character_ else paste(mode$jdk),
      Backend = words(configuration$backend$id), Options = options_text(mode$options),
      "JVM's own" = if (length(jvm) == 0) NA_character_ else paste(jvm, collapse = " "), Scheduling = words(mode$scheduling),
      Database = words(configuration$engine$id), Client = options_text(mode$client)
    )
  }
  table <- rbindlist(lapply(names, one))
  same <- vapply(table[, .(Class, JDK, Backend)], function(column) nrow(table) > 1 && uniqueN(column) == 1, NA)
  empty <- vapply(table, function(column) all(is.na(column)), NA)
  dropped <- union(names(same)[same], setdiff(names(empty)[empty], "Baseline"))
  table[, setdiff(names(table), dropped), with = FALSE]
}

options_text <- function(options) {
  if (length(options) == 0) return(NA_character_)
  values <- vapply(options, function(value) {
    if (is.logical(value)) tolower(value) else paste(value)
  }, "")
  paste(kebab(names(options)), values, collapse = ", ")
}

#' The tiers of a study and the load of each tool in them, without tools that load none.
table_tiers <- function(tiers) {
  closed <- tiers[, ifelse(is.na(threads), NA_character_, paste0(
    format_number(threads), " users",
    ifelse(!is.na(lasts_s), paste0(" for ", lasts_s, " s"), ifelse(loops > 1, paste(" ×", loops), "")),
    ifelse(at_once, ", all at the same moment", ifelse(is.na(ramp_up_s), "", paste(", ramp-up", ramp_up_s, "s")))
  ))]
  open <- tiers[, ifelse(is.na(rate_per_s), NA_character_, paste0(
    ifelse(burst, "one request each, all at the same moment", paste0(format_number(rate_per_s), "/s for ", duration_s, " s")), ", ",
    format_number(connections), " connections"
  ))]
  closed <- fcoalesce(closed, tiers[, ifelse(
    is.na(clients), NA_character_, paste0(format_number(clients), " client", ifelse(clients == 1, "", "s"))
  )])
  table <- data.table(
    Tier = tiers$tier, "Load" = tiers$title, Path = tiers$path, "Closed loop" = closed,
    "Open loop" = open
  )
  table[, vapply(table, function(column) !all(is.na(column)), NA), with = FALSE]
}

# ---- Flame graphs ----------------------------------------------------------------------------

#' The cell of each mode whose flame graph is shown: at the tier where most modes were sampled,
#' else wherever the mode has one; the repetition with most samples.
#'
#' @return data.table: mode, tier, tool, repetition, samples, file; no rows without profiles.
choose_flame_graphs <- function(all, modes = NULL) {
  wanted <- if (is.null(modes)) unique(all$cpu_groups$mode) else modes
  sampled <- all$cpu_groups[mode %in% wanted, .(samples = sum(samples)), by = .(study, mode, tier, tool, repetition)]
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
