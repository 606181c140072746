# Looking again. With a budget of minutes (analysis/budget.py) sessions are added, one at a time, to groups
# whose comparisons are undecided, and the results are looked at after each. Who looks until something is
# found finds too much, so the error of 5 % is divided between the looks (Lan and DeMets 1983): half of it is
# spent at the base, the other half over the later ones by a power function (Kim and DeMets 1987), since a look
# at more sessions is worth more.
#
# Look j has the share w_j of the error. Its interval has the level 1 - 5 % * w_j, and what is reported is
# what the intervals of all looks have in common, a repeated confidence interval (Jennison and Turnbull 1989).
# The p-value over all looks is the smallest p_j / w_j, which Bonferroni's inequality allows however the looks
# depend on each other. So what an earlier look decided stays decided. Without a budget there is one look.

library(data.table)

# Sessions of the base, which every group has, and how many looks may follow; 0: all sessions are one look.
looks <- new.env()
looks$base <- 0
looks$later <- 0

#' Says whether groups are looked at again.
#'
#' @param path path of results/repetitions.csv: base, later_looks (0 without a budget).
use_looks <- function(path) list2env(setNames(fread(path), c("base", "later")), looks)

# Share of the error that each look has; the first is the base.
shares_of_looks <- function() {
  if (looks$later == 0) return(1)
  c(0.5, 0.5 * diff((0:looks$later / looks$later)^2))
}

# The look at which a session is first seen.
look_of <- function(repetition) {
  as.integer(pmin(pmax(0, repetition - looks$base), looks$later) + 1)
}

#' What all looks at an effect say together.
#'
#' @param judged data.table, a row per effect and look: look, low, high, p_value, equivalence_p_value and
#'   whatever else belongs to it, see judge_family().
#' @param of column that names the effect.
#' @return data.table, the last row of each effect with low, high and p-values over its looks.
over_looks <- function(judged, of) {
  shares <- shares_of_looks()
  judged <- copy(judged)[order(look)]
  p_values <- c("p_value", "equivalence_p_value")
  judged[, (p_values) := lapply(.SD, function(p) pmin(1, p / shares[look])), .SDcols = p_values]
  common <- judged[, .(
    low = best_of(low, max), high = best_of(high, min), p_value = best_of(p_value, min),
    equivalence_p_value = best_of(equivalence_p_value, min)
  ), by = of]
  last <- unique(judged, by = of, fromLast = TRUE)[common, on = of]
  # Looks that contradict each other: the last one knows most.
  apart <- last[, (i.low > i.high) %in% TRUE]
  last[!apart, `:=`(low = i.low, high = i.high)]
  last[, `:=`(p_value = i.p_value, equivalence_p_value = i.equivalence_p_value)]
  last[, grep("^i[.]", names(last), value = TRUE) := NULL][]
}

best_of <- function(values, which) if (all(is.na(values))) NA_real_ else which(values, na.rm = TRUE)
