#' @import data.table
#' @importFrom stats binom.test coef dnorm lm mad median optimize p.adjust pnorm pt qnorm qt quantile rnorm runif sd setNames var cov xtabs
#' @importFrom utils combn head modifyList tail
NULL

# For tables as small as these, threads take longer to meet than they save, many times so on busy CPUs, and indices longer to make than to do without.
.onLoad <- function(libname, pkgname) {
  setDTthreads(1)
  options(datatable.optimize = 2L, datatable.auto.index = FALSE)
}
