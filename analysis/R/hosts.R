# Here, and on another host. Hosts differ by more than runs of one do, above all where a request starts a process, a thread or a connection.
# How much is estimated from all runs together, for each statistic and class of study (guide.yaml, `starts`): the standard deviation
# between hosts beyond what the noise of their runs explains, by restricted likelihood. The range on another host is that of a prediction
# (Higgins, Thompson and Spiegelhalter 2009). Few hosts make its quantile: it is the smallest by which each host, left out, lies in the
# range of the others in 95 % of its comparisons.
#
# A host is what a run's record shows of the machine before anything is measured: hosts that this does not tell apart are one.

no_elsewhere <- function() {
  numbers <- c("hosts", "centre_elsewhere", "low_elsewhere", "high_elsewhere", "between_hosts")
  typed_table(c(comparison_place, "statistic", "effect", "starts"), numbers)
}

#' Where the comparisons lie on another host.
#'
#' @param comparisons of several runs with the column host, see with_hosts(); `starts` names of studies, see read_starts().
#' @return rows of elsewhere.csv, see tables.yaml, for comparisons that at least two hosts have; between_hosts is on the scale of
#'   logarithms or differences.
#' @export
elsewhere <- function(comparisons, starts) {
  means <- means_of_hosts(comparisons, starts)
  if (nrow(means) == 0) return(no_elsewhere())
  between <- means[, .(between_hosts = between_hosts(.SD)), by = .(statistic, starts)]
  rows <- between[means, on = c("statistic", "starts")]
  reach <- quantile_of_hosts(means)
  found <- rows[, predicted(centre, variance, between_hosts[1], reach), by = c(comparison_keys, "effect", "starts", "between_hosts")]
  ends <- c("centre_elsewhere", "low_elsewhere", "high_elsewhere")
  found[effect == "ratio", (ends) := lapply(.SD, exp), .SDcols = ends]
  setcolorder(found, names(no_elsewhere()))[]
}

#' The studies of guide.yaml whose requests start a process, a thread or a connection.
#' @export
read_starts <- function(path) yaml::read_yaml(path)$starts

# A row per comparison and host: the mean of its runs by their precision, of those that two hosts have. What the load fixes is no result.
means_of_hosts <- function(comparisons, starts) {
  rows <- comparisons[reason == "" & is.finite(estimate) & is.finite(noise) & bound == "" & !fixed %in% c(1, TRUE) & !is.na(host)]
  rows[, `:=`(centre = on_scale(estimate, effect), variance = pmax(noise^2 / pairs, fcoalesce(least, 0)^2, smallest^2))]
  rows[, starts := fifelse(study %in% ..starts, "yes", "no")]
  means <- rows[is.finite(centre), .(centre = weighted.mean(centre, 1 / variance), variance = 1 / sum(1 / variance)),
    by = c(comparison_keys, "effect", "starts", "host")
  ]
  means[, if (.N > 1) .SD, by = c(comparison_keys, "effect", "starts")]
}

# The most likely standard deviation between hosts, given the comparisons of a statistic; each has a mean of its own.
between_hosts <- function(means) {
  likelihood <- function(log_sd) {
    means[, {
      weight <- 1 / (variance + exp(2 * log_sd))
      middle <- sum(weight * centre) / sum(weight)
      list(value = (sum(log(weight)) - log(sum(weight)) - sum(weight * (centre - middle)^2)) / 2)
    }, by = comparison_place][, sum(value)]
  }
  exp(optimize(likelihood, log(c(1e-4, 2)), maximum = TRUE)$maximum)
}

predicted <- function(centre, variance, sd, quantile) {
  weight <- 1 / (variance + sd^2)
  middle <- sum(weight * centre) / sum(weight)
  reach <- quantile * sqrt(sd^2 + 1 / sum(weight))
  list(hosts = length(centre), centre_elsewhere = middle, low_elsewhere = middle - reach, high_elsewhere = middle + reach)
}

# How far each host lies from the others, in standard errors of the prediction: a row per comparison and host that is left out.
scores_of_hosts <- function(means) {
  between <- means[, .(sd = between_hosts(.SD)), by = .(statistic, starts)]
  rbindlist(lapply(unique(means$host), function(left) {
    others <- between[means[host != left], on = c("statistic", "starts")]
    ranges <- others[, predicted(centre, variance, sd[1], 1), by = c(comparison_keys, "sd")]
    found <- means[host == left][ranges, on = comparison_keys, nomatch = NULL]
    found[, .(host, score = abs(centre - centre_elsewhere) / sqrt((high_elsewhere - centre_elsewhere)^2 + variance))]
  }))
}

# With two hosts one degree of freedom is all that is known.
quantile_of_hosts <- function(means) {
  hosts <- uniqueN(means$host)
  if (hosts < 3) qt((1 + confidence) / 2, max(hosts - 1, 1)) else largest_score(scores_of_hosts(means))
}

# That of the host that lies farthest from the others.
largest_score <- function(scores) max(scores[, quantile(score, confidence), by = host]$V1)

#' How often the range of the other hosts holds the ratio of one that is left out.
#'
#' @param comparisons,starts see elsewhere().
#' @return rows of hosts-left-out.csv, see tables.yaml. The largest score makes the ranges, so held is 95 % there by making.
hosts_left_out <- function(comparisons, starts) {
  means <- means_of_hosts(comparisons, starts)
  if (uniqueN(means$host) < 3) return(no_hosts_left_out())
  scores <- scores_of_hosts(means)
  reach <- largest_score(scores)
  scores[, .(comparisons = .N, held = sum(score <= reach), score = quantile(score, confidence)), by = host]
}

#' @export
read_elsewhere <- function(path) read_typed(path, no_elsewhere())

#' @export
read_hosts_left_out <- function(path) read_typed(path, no_hosts_left_out())

no_hosts_left_out <- function() typed_table("host", c("comparisons", "held", "score"))

#' Comparisons of several shipped runs together, with the host of each.
#' @export
with_hosts <- function(runs) rbindlist(lapply(runs, function(run) copy(run$comparisons)[, host := host_of(run)]), use.names = TRUE, fill = TRUE)

#' The host of a run: what run.json shows of the machine before anything is measured.
host_of <- function(run) paste(unlist(run$facts$machine[c("cpu_model", "cpu_version", "id")]), collapse = ", ")
