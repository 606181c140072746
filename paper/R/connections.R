# The sizes of pools of connections.

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
