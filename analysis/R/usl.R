# The Universal Scalability Law (Gunther 1993): throughput over the number n of those that work at
# once,  X(n) = lambda n / (1 + sigma (n - 1) + kappa n (n - 1)).  lambda is the throughput of one,
# sigma the share of the work that must queue, kappa what each costs each other.
#
# It is fitted, so it shows how a mode scales and where its peak lies; it predicts nothing. n is what was
# configured, the clients of a closed loop. Taking n = X R from Little's law would put the response into
# the regressor: with R fixed by a delay every server would follow the law perfectly.

library(data.table)

usl_loads_at_least <- 4

usl_throughput <- function(n, lambda, sigma = 0, kappa = 0) {
  lambda * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))
}

# Where a coefficient comes out as 0 it is left out: Amdahl's law, or no contention at all.
usl_forms <- list(
  c("lambda", "sigma", "kappa"), c("lambda", "sigma"), c("lambda", "kappa"), "lambda"
)

#' Fits the law to throughputs, on logarithms: noise is a share of the figure.
#'
#' @param n numbers of clients (or connections) at once, 1 or more; one per cell.
#' @param x throughputs, 1/s, above 0.
#' @param session of each cell.
#' @return list: lambda, sigma, kappa, each with _low and _high (95 %, not below 0, from a jackknife that
#'   leaves out a session at a time, since cells of one session share their processes; NA for fewer than
#'   three sessions; a coefficient that was left out is 0 without an interval), peak_n (where throughput is
#'   highest; Inf if it never falls), loads, reason (why it cannot be fitted; empty if it could).
fit_usl <- function(n, x, session) {
  usable <- is.finite(n) & is.finite(x) & n >= 1 & x > 0
  points <- data.table(n = n[usable], log_x = log(x[usable]), session = session[usable])
  loads <- uniqueN(points$n)
  if (loads < usl_loads_at_least) {
    return(no_usl(loads, sprintf("fewer than %d loads", usl_loads_at_least)))
  }
  for (form in usl_forms) {
    fit <- fit_form(points, form)
    if (!is.null(fit)) return(usl_coefficients(fit, form, points, loads))
  }
  no_usl(loads, "no coefficients with which the law fits")
}

# NULL where the form cannot be fitted, or one of its coefficients lies on its bound.
fit_form <- function(points, form) {
  terms <- paste(form, "=", form, collapse = ", ")
  fit <- tryCatch(
    nls(
      as.formula(sprintf("log_x ~ log(usl_throughput(n, %s))", terms)), points,
      start = usl_start(points)[form], algorithm = "port", lower = rep(0, length(form)),
      control = nls.control(maxiter = 500, scaleOffset = 1)
    ),
    error = function(problem) NULL
  )
  if (is.null(fit) || any(coef(fit) < 1e-12)) return(NULL)
  # Too flat around its minimum to say how sure the coefficients are: not identified.
  errors <- tryCatch(sqrt(diag(vcov(fit))), error = function(problem) NA)
  if (anyNA(errors)) NULL else fit
}

# n / X is a parabola in n; its coefficients by least squares are where the search begins.
usl_start <- function(points) {
  line <- lm(n / exp(log_x) ~ I(n - 1) + I(n * (n - 1)), points)
  inverse <- pmax(coef(line), 1e-9, na.rm = TRUE)
  list(
    lambda = 1 / inverse[[1]], sigma = inverse[[2]] / inverse[[1]],
    kappa = inverse[[3]] / inverse[[1]]
  )
}

usl_coefficients <- function(fit, form, points, loads) {
  found <- coef(fit)
  half <- jackknife_half(form, points)
  values <- c(lambda = 0, sigma = 0, kappa = 0)
  values[form] <- found
  low <- high <- setNames(rep(NA_real_, 3), names(values))
  low[form] <- pmax(0, found - half)
  high[form] <- found + half
  peak <- (1 - values[["sigma"]]) / values[["kappa"]]
  c(usl_row(values, low, high), list(
    peak_n = if (values[["kappa"]] == 0) Inf else sqrt(max(0, peak)), loads = loads, reason = ""
  ))
}

# Half of the 95 % intervals of the coefficients.
jackknife_half <- function(form, points) {
  sessions <- unique(points$session)
  without <- lapply(sessions, function(left_out) fit_form(points[session != left_out], form))
  count <- length(sessions)
  if (count < 3 || any(vapply(without, is.null, NA))) return(NA_real_)
  found <- vapply(without, coef, numeric(length(form)))
  variance <- apply(matrix(found, ncol = count), 1, var) * (count - 1)^2 / count
  qt(0.975, count - 1) * sqrt(variance)
}

usl_row <- function(values, low, high) {
  as.list(c(
    values, setNames(low, paste0(names(values), "_low")), setNames(high, paste0(names(values), "_high"))
  ))
}

no_usl <- function(loads, reason) {
  nothing <- c(lambda = NA_real_, sigma = NA_real_, kappa = NA_real_)
  c(usl_row(nothing, nothing, nothing), list(peak_n = NA_real_, loads = loads, reason = reason))
}

#' Fits the law to every mode over its tiers.
#'
#' Tiers that ask for different things are different curves. A cell whose throughput follows from its
#' configuration would fit whatever the server does, so it is left out.
#'
#' @param summary see read_summary().
#' @return data.table, a row per study, mode, tool, path (see what_is_asked()) with cells: see
#'   fit_usl().
fit_modes <- function(summary) {
  cells <- summary[poolable(summary) & throughput_per_s > 0]
  if (nrow(cells) == 0) return(no_modes())
  cells[, `:=`(path = what_is_asked(path, tier), fixed = fixed_by(cells))]
  cells[, {
    free <- fixed == ""
    as.data.table(
      if (any(free)) fit_usl(users[free], throughput_per_s[free], session[free]) else no_usl(0L, fixed[1])
    )
  }, by = .(study, mode, tool, path)]
}

#' What in its configuration fixes the throughput of a cell; empty where the server decides.
fixed_by <- function(cells) {
  fcase(
    cells$loop %in% "open", "the configured rate fixes the throughput",
    cells$sleep_ms %in% 0 | is.na(cells$sleep_ms), fifelse(
      is.na(cells$requests_asked), "", "each user sends a number of requests, so users come and go"
    ),
    default = "a configured delay fixes the throughput"
  )
}

#' What a tier asks for: its path, or for a database its name without the number of clients.
what_is_asked <- function(path, tier) {
  ifelse(is.na(path) | path == "", sub("-[0-9]+$", "", tier), path)
}

no_modes <- function() {
  places <- list(study = "", mode = "", tool = "", path = "")
  as.data.table(c(places, no_usl(0L, "")))[0]
}

#' Reads the curves that predict.R wrote.
#'
#' @param path path of results/usl.csv.
#' @return data.table, see fit_modes().
read_usl <- function(path) {
  if (!file.exists(path)) fail_reading(path, "no such file")
  text <- c("study", "mode", "tool", "path", "reason")
  fits <- require_columns(fread(path, encoding = "UTF-8", na.strings = "NA"), text, path)
  for (column in setdiff(names(fits), text)) set(fits, j = column, value = as.numeric(fits[[column]]))
  fits[]
}
