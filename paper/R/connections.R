# The sizes of pools of connections.

# Sizes within this share of the best are as good in practice.
as_good_from <- 0.9

#' The combinations of both pools' sizes that serve nearly as much as the best.
#'
#' @return data.table, a row a tier: tier, good (how many), of (all).
as_good_sizes <- function(combinations) {
  if (nrow(combinations) == 0) return(data.table(tier = character(), good = integer(), of = integer()))
  combinations[mode == "both-pools", .(good = sum(share >= as_good_from), of = .N), by = tier]
}

#' The same in a sentence.
sentence_of_sizes <- function(combinations) {
  sizes <- as_good_sizes(combinations)
  if (nrow(sizes) == 0) return("")
  sprintf(
    "The sizes matter little: %s.",
    paste(sizes[, sprintf("with %s workers, %d of %d combinations of HikariCP's size and that of MariaDB's thread pool serve 90 %% of the best or more", sub("^grid-", "", tier), good, of)], collapse = "; ")
  )
}
