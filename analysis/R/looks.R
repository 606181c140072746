# Looks: a run may be judged after each of several numbers of sessions, and a difference that is none has one more chance
# to be reported at each of them. The levels of the looks are such that all chances together are alpha.
#
# Error is spent in proportion to the sessions (Lan and DeMets 1983), and a level follows from what it spends by the
# recursion of Armitage, McPherson and Rowe (1969). The sum of independent sessions is a random walk. Its density
# where no look has ended is folded with the next sessions, and what lies beyond a limit is the error of that look. The
# levels are those of a normal statistic; a t statistic takes its quantile at the same level.

# Points of Simpson's rule between the limits; levels are exact to 1e-8.
look_points <- 201

#' Two-sided nominal levels of looks after growing numbers of sessions.
#'
#' @param looks increasing numbers of sessions.
#' @param alpha chance that any look reports a difference where there is none.
#' @return numeric vector, one per look.
look_levels <- function(looks, alpha = 1 - confidence) {
  stopifnot(length(looks) > 0, diff(c(0, looks)) > 0)
  steps <- diff(c(0, looks))
  spent <- alpha * steps / max(looks)
  walk <- walk_start()
  limits <- numeric(length(looks))
  for (look in seq_along(looks)) {
    excess <- function(limit) ended_beyond(walk, steps[look], limit) - spent[look]
    limits[look] <- uniroot(excess, c(0, 10 * sqrt(looks[look])), tol = 1e-10)$root
    walk <- still_within(walk, steps[look], limits[look])
  }
  2 * pnorm(-limits / sqrt(looks))
}

#' The level of the look after so many sessions, of two that there may be.
#'
#' A comparison has two planned sessions or one, and one more where those do not decide. A look after one session spends a third of
#' the error, one after two spends two thirds, whichever look it is, so that both together spend no more than all. Sessions beyond the
#' third move the end.
#'
#' @param sessions of the look; `last` of the last one that is planned.
level_now <- function(sessions, last) {
  if (any(sessions == 1)) return(look_levels(seq_len(last))[1])
  look_levels(2:max(last, sessions))[sessions - 1]
}

# Where the sum of sessions is that no look has ended, and how likely.
walk_start <- function() list(at = 0, mass = 1)

# The chance that so many further sessions take the sum beyond the limit.
ended_beyond <- function(walk, step, limit) {
  sum(walk$mass * (pnorm(-limit, walk$at, sqrt(step)) + pnorm(limit, walk$at, sqrt(step), lower.tail = FALSE)))
}

still_within <- function(walk, step, limit) {
  at <- seq(-limit, limit, length.out = look_points)
  density <- colSums(walk$mass * outer(walk$at, at, function(from, to) dnorm(to, from, sqrt(step))))
  simpson <- c(1, rep(c(4, 2), length.out = look_points - 2), 1) * (at[2] - at[1]) / 3
  list(at = at, mass = density * simpson)
}
