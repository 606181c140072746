# How well the formulas of the report's form predict.

#' Measured throughputs of closed loops, which go as fast as their bounds let them, by what the formulas predict of them.
#'
#' @param bounds see read_bounds().
#' @return data.table, a row per formula that has cells: formula (users, admitted, cpu: the bounds; mva: mean value analysis), cells, and of
#'   measured by predicted middle (median), least, most, near (share of the cells within 10 %).
#' @export
measured_by_formula <- function(bounds) {
  closed <- bounds[is.finite(users)]
  rows <- rbind(
    closed[, .(formula = bound_by, ratio = measured_per_s / bound_per_s)],
    closed[, .(formula = rep("mva", .N), ratio = measured_per_s / mva_per_s)]
  )[is.finite(ratio)]
  rows[, .(cells = .N, middle = median(ratio), least = min(ratio), most = max(ratio), near = mean(abs(ratio - 1) <= 0.1)), by = formula][
    order(match(formula, c("users", "admitted", "cpu", "mva")))
  ]
}
