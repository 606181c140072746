#' @import data.table
#' @importFrom stats binom.test coef dnorm lm mad median optimize p.adjust pnorm pt qnorm qt quantile rnorm runif sd setNames var cov xtabs
#' @importFrom utils combn head modifyList tail
NULL

# data.table takes one thread where OMP_NUM_THREADS is set, as Snakemake sets it.
.onLoad <- function(libname, pkgname) setDTthreads(1)
