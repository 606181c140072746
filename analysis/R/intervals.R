# Intervals of effects. Every interval of a comparison comes from here.
#
# Sessions are few. But how noisy a comparison is shows in its rounds as well, and there are many comparisons of a statistic. So
# the variance of a session's effect is one of sessions and rounds together, each with its degrees of freedom: rounds count as
# much as sessions once they are multiplied by the factor by which, over all comparisons of the statistic, sessions vary more
# than their rounds explain (what a new process adds). It is moderated by the variances of all these comparisons, those of a
# shipped run included (Smyth 2004; robust: Phipson et al. 2016). One session alone has the noise that the same comparison had in
# the shipped run, or lacking that its own rounds'. The variance is never below what the rounds show, and the error never below
# the quantum of what was counted, which is the same in all sessions.
#
# A curve of the prior over the variance within, as limma has it, is not used: it takes the few rounds' variance as exact, and
# claims twenty degrees of freedom where two sessions of two rounds have three.

#' @export
confidence <- 0.95
# Beyond this many degrees of freedom t is normal.
df_at_most <- 30
#' An interval that spans more than this factor says nothing.
#' @export
span_at_most <- 4
# Sessions that vary by more than their rounds explain, by so rare a chance, say themselves how much they vary.
unlike_rounds <- 0.99

#' The noise of effects: the standard deviation of one session's.
#'
#' @param rows data.table: spread (standard deviation over sessions), pairs (sessions), within (standard error of one by its rounds;
#'   NA where rounds say nothing), df_within, rounds, least.
#' @param known such rows of other runs, which lend their noise, or NULL.
#' @param lent their noise and df for each row, where they have the same comparison; NULL or NA where not.
#' @return list of vectors: noise, df; NA where nothing is known of sessions and rounds.
moderate <- function(rows, known = NULL, lent = NULL) {
  columns <- c("spread", "pairs", "within", "least", "df_within")
  all <- pooled_variances(rbind(rows[, ..columns], known, fill = TRUE))
  found <- as.data.table(squeezed(all$variance, all$df))
  # A value that varies by less than its quantum has the noise that its sessions show.
  found[all$still, `:=`(noise = all[still == TRUE]$spread, df = all[still == TRUE]$pairs - 1)]
  found <- found[seq_len(nrow(rows))]
  # Without others to lend theirs, one session has the noise of its rounds. The loads of a capacity are no rounds.
  alone <- which(is.na(found$noise) & rows$rounds > 0)
  found[alone, `:=`(noise = rows$within[alone], df = as.numeric(rows$df_within[alone]))]
  if (!is.null(lent)) {
    one <- which(rows$pairs == 1 & is.finite(lent$noise))
    found[one, `:=`(noise = lent$noise[one], df = lent$df[one])]
  }
  list(noise = pmax(found$noise, fcoalesce(rows$within, 0)), df = found$df)
}

# Adds to rows the variance of a session's effect by sessions and rounds, its df (0 where neither says anything), and still.
pooled_variances <- function(rows) {
  rows[, still := pairs > 1 & !(spread > fcoalesce(least, 0)) %in% TRUE]
  rows[, `:=`(df_sessions = fifelse(still, 0, pairs - 1), df_rounds = fifelse((within > 0) %in% TRUE, fcoalesce(as.numeric(df_within), 0), 0))]
  rows[, `:=`(by_sessions = fifelse(df_sessions > 0, spread^2, 0), by_rounds = fifelse(df_rounds > 0, within^2, 0))]
  beyond <- beyond_rounds(rows[df_sessions > 0 & df_rounds > 0])
  rows[df_rounds > 0, `:=`(by_rounds = by_rounds * beyond$factor, df_rounds = df_of_log(trigamma(df_rounds / 2) + beyond$variance))]
  rows[df_sessions > 0 & df_rounds > 0 & by_sessions > by_rounds * suppressWarnings(qf(unlike_rounds, df_sessions, df_rounds)), df_rounds := 0]
  rows[, df := df_sessions + df_rounds][, variance := (df_sessions * by_sessions + df_rounds * by_rounds) / df][]
}

# By what factor sessions vary more than their rounds explain, as variances, and the variance of its logarithm: the most likely
# scale of F distributions, and the inverse of its information.
beyond_rounds <- function(rows) {
  if (nrow(rows) < 3) return(list(factor = 1, variance = Inf))
  likelihood <- function(log_factor) {
    rows[, -sum(df_sessions * log_factor + (df_sessions + df_rounds) * log1p(df_sessions * by_sessions / (df_rounds * by_rounds * exp(log_factor))))]
  }
  list(
    factor = exp(optimize(likelihood, log(c(1, 1e4)), maximum = TRUE)$maximum),
    variance = 1 / rows[, sum(df_sessions * df_rounds / (2 * (df_sessions + df_rounds + 2)))]
  )
}

# The degrees of freedom of a variance whose logarithm has this variance.
df_of_log <- function(variance) fifelse(is.finite(variance), 2 * limma::trigammaInverse(variance), 0)

# Variances moderated by each other; one without degrees of freedom has what the others say of it, where there are three.
squeezed <- function(variance, df) {
  tells <- df > 0
  if (sum(tells) < 3) return(list(noise = sqrt(fifelse(tells, variance, NA_real_)), df = fifelse(tells, df, NA_real_)))
  fit <- suppressWarnings(limma::squeezeVar(fifelse(tells, variance, 1), df, robust = TRUE))
  prior <- lapply(list(df = fit$df.prior, variance = fit$var.prior), rep_len, length(df))
  list(noise = sqrt(fifelse(tells, fit$var.post, prior$variance)), df = pmin(df + prior$df, sum(df), df_at_most))
}

# Half of the interval of a mean of so many values with this noise, that of so many degrees of freedom.
half_interval <- function(noise, df, count) qt((1 + confidence) / 2, df) * noise / sqrt(count)

#' Student's t interval of the mean of single values; ratios have judge_effects().
#'
#' @param values numeric vector, one per session.
#' @return low and high; NA where there are fewer than two.
t_interval <- function(values) {
  count <- length(values)
  if (count < 2) return(c(NA_real_, NA_real_))
  mean(values) + c(-1, 1) * half_interval(sd(values), count - 1, count)
}

# Mean and 95 % interval over repetitions on the log scale; the interval is NA at one repetition.
geometric <- function(values) {
  interval <- exp(t_interval(log(values)))
  list(middle = exp(mean(log(values))), low = interval[1], high = interval[2])
}

# One-sided: the chance to see an effect so far on the right side of a limit if it were on it.
tail_beyond <- function(distance, error, df) {
  fifelse(error == 0, as.numeric(distance <= 0), suppressWarnings(pt(-distance / error, df)))
}

#' Adds to pooled effects their noise, df, error, low, high, p_value (of no difference) and equivalence_p_value (the larger of
#' Schuirmann's two one-sided tests, 1987), on the scale of the effects. The open end of a bound is infinite.
#'
#' @param pooled see pool_sessions(); all of one statistic.
#' @param known,lent see moderate(); `margin` half-width of the region of equivalence.
judge_effects <- function(pooled, margin, known = NULL, lent = NULL) {
  pooled <- copy(pooled)
  pooled[, c("noise", "df") := moderate(pooled, known, lent)]
  pooled[df %in% 0, df := NA]
  # The quantum is known, and not estimated.
  pooled[, `:=`(error = pmax(noise / sqrt(pairs), least), df = fifelse(noise / sqrt(pairs) < least, df_at_most, df))]
  reach <- suppressWarnings(qt((1 + confidence) / 2, pooled$df)) * pooled$error
  pooled[, `:=`(
    low = centre - reach, high = centre + reach, p_value = pmin(1, 2 * tail_beyond(abs(centre), error, df)),
    equivalence_p_value = pmax(tail_beyond(margin - centre, error, df), tail_beyond(margin + centre, error, df))
  )]
  pooled[bound > 0, `:=`(high = Inf, equivalence_p_value = NA_real_)]
  pooled[bound < 0, `:=`(low = -Inf, equivalence_p_value = NA_real_)]
  pooled[bound * centre < 0, p_value := 1][]
}
