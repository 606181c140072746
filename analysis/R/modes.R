# Facts of a mode beyond those that its cells record: the rows of modes.csv, as the configuration states them.

known_facts <- c("study", "mode", "variant", "of", "family", "size", "kind")
#' @export
modes_in_use <- new.env()

#' Takes modes.csv into use: from now on each table and prediction knows its modes.
#'
#' @param path path of results/modes.csv.
#' @export
use_modes <- function(path) {
  table <- read_required(path, known_facts, colClasses = "character")
  take_modes(table[, lapply(.SD, fcoalesce, "")])
}

# A mode of two studies is the same in both. Its place is that within a study.
take_modes <- function(table) {
  modes_in_use$table <- unique(copy(table)[, place := rowid(study)], by = "mode")
}
take_modes(setNames(as.data.table(rep(list(character()), length(known_facts))), known_facts))

#' Facts that are stated of modes, a row each. A mode that is not known is a family of its own, and comes last.
#'
#' @return data.table: mode, variant (`A/A`, `slower`, `as published` or empty), of (the mode that it is a variant of, or empty), family, size
#'   (within the family; NA for none), kind (the concurrency model; empty where nothing is known).
mode_facts <- function(modes) {
  ids <- as.character(modes)
  known <- modes_in_use$table
  facts <- known[match(ids, known$mode)][, mode := ids]
  absent <- which(is.na(facts$family))
  if (length(absent) > 0) facts[absent, `:=`(variant = "", of = "", family = mode, size = "", kind = "")]
  facts[, size := as.numeric(size)][]
}

#' Modes that show something of the measuring or of a source, and do not answer a study's question.
#' @export
is_variant <- function(modes) mode_facts(modes)$variant != ""

#' Modes that are measured a second time: each difference from themselves is a false alarm.
#' @export
is_control <- function(modes) mode_facts(modes)$variant == "A/A"

#' The mode that each is a variant of; itself where it is none.
base_of <- function(modes) mode_facts(modes)[, ifelse(of == "", mode, of)]

#' The modes as a source published a mode, with its traps.
#' @export
published_forms <- function(id) modes_in_use$table[variant == "as published" & of == id, mode]

#' Modes as figures and tables show them: families as the configuration has them, sizes in their order, a variant behind its family.
#' @export
mode_levels <- function(modes) {
  facts <- mode_facts(unique(as.character(modes)))
  families <- modes_in_use$table[order(place), unique(family)]
  facts[order(match(family, families), family, size, variant != "", mode), mode]
}
