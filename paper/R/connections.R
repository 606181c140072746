# Connections to the database: what making one takes, and the sizes of pools.

connecting_words <- c(kept_ms = "transaction on a kept connection", connect_ms = "new connection, MD5", hash_ms = "hashing of SCRAM")

#' The time of a transaction in steps, without and with a pooler.
#'
#' @param steps see connecting_steps() of the analysis.
#' @return ggplot.
figure_connecting <- function(steps) {
  if (nrow(steps) == 0) return(nothing_to_draw("no valid cell"))
  rows <- melt(steps, id.vars = "pooler", measure.vars = names(connecting_words), variable.name = "step", value.name = "ms")
  rows[, `:=`(
    place = factor(ifelse(pooler, "through PgBouncer", "to PostgreSQL"), c("through PgBouncer", "to PostgreSQL")),
    step = factor(step, rev(names(connecting_words))), label = ifelse(ms > 0.04 * max(ms), format_number(ms), "")
  )]
  looks <- setNames(c("#D9D9D9", "#56B4E9", "#D55E00"), names(connecting_words))
  ggplot(rows, aes(pmax(ms, 0), place, fill = step)) +
    geom_col(width = 0.7, colour = "white", linewidth = 0.25) +
    geom_text(aes(label = label), position = position_stack(vjust = 0.5), size = 2.6, colour = ink) +
    scale_fill_manual(values = looks, breaks = names(connecting_words), labels = connecting_words) +
    labs(x = "time of a transaction, ten clients (ms)", y = NULL) +
    theme_artifact()
}

sentence_of_connecting <- function(steps) {
  if (nrow(steps) == 0) return("")
  told <- steps[, sprintf(
    "%s a transaction of ten clients takes %s ms on a kept connection, a new one with MD5 %s ms more, and SCRAM's hashing %s ms more",
    ifelse(pooler, "through PgBouncer", "to PostgreSQL itself"), format_number(kept_ms), format_number(connect_ms), format_number(hash_ms)
  )]
  sprintf("%s.", capitalised(paste(told, collapse = "; ")))
}

# Sizes within this share of the best are as good in practice.
as_good_from <- 0.9

#' How many combinations of both pools' sizes serve nearly as much as the best.
#'
#' @param combinations see summarise_combinations(): combinations.csv.
sentence_of_sizes <- function(combinations) {
  if (nrow(combinations) == 0) return("")
  told <- combinations[, .(good = sum(share >= as_good_from), of = .N), by = .(mode, tier)]
  told <- told[mode == "both-pools"]
  if (nrow(told) == 0) return("")
  sprintf(
    "The sizes matter little: %s.",
    enumerate(told[, sprintf("with %s workers, %d of %d combinations of HikariCP's size and that of MariaDB's thread pool serve 90 %% of the best or more", sub("^grid-", "", tier), good, of)], "; ")
  )
}
