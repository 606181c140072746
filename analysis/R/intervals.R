# Intervals of effects. Every interval of a comparison comes from here.
#
# The variance of a session's effect is moderated (Smyth 2004): sessions are few, but there are many comparisons of a statistic,
# and how noisy one is goes with how much its own rounds vary. So the prior is a curve over the variance within (limma's
# squeezeVar() with a covariate, robust against comparisons that are unlike all others: Phipson et al. 2016), fitted over all
# comparisons of the statistic, those of a shipped run included. One session alone has the noise that the same comparison had in
# the shipped run, or lacking that the curve's. The variance is never below what the rounds show, and the error never below the
# quantum of what was counted, which is the same in all sessions.

#' @export
confidence <- 0.95
# Beyond this many degrees of freedom t is normal.
df_at_most <- 30
#' An interval that spans more than this factor says nothing.
#' @export
span_at_most <- 4
# Two or three sessions may be alike by chance. A variance of less than this share of what rounds explain would make the curve's
# fit take noise for more unlike than it is.
told_from <- 1 / 25

#' The noise of effects: the standard deviation of one session's.
#'
#' @param rows data.table: spread (standard deviation over sessions), pairs (sessions), within (standard error of one by its rounds;
#'   NA where rounds say nothing), df_within, least.
#' @param known such rows of other runs, which lend their noise, or NULL.
#' @param lent their noise and df for each row, where they have the same comparison; NULL or NA where not.
#' @return list of vectors: noise, df; NA where nothing is known of sessions and rounds.
moderate <- function(rows, known = NULL, lent = NULL) {
  columns <- c("spread", "pairs", "within", "least", "df_within")
  all <- rbind(rows[, ..columns], known, fill = TRUE)
  variance <- pmax(all$spread^2, told_from * fcoalesce(all$within, 0)^2)
  # A value that varies by less than its quantum says nothing of noise.
  tells <- (all$pairs > 1 & variance > fcoalesce(all$least, 0)^2) %in% TRUE
  # Rounds that are all alike may still vary by less than the quantum.
  explained <- all$within^2 + fcoalesce(all$least, 0)^2
  by_rounds <- is.finite(explained) & explained > 0
  curve <- squeezed(variance, all$pairs - 1, tells & by_rounds, log(fifelse(by_rounds, explained, median(explained[by_rounds]))))
  level <- squeezed(variance, all$pairs - 1, tells)
  # Without others to lend theirs, sessions have their own noise, and one session that of its rounds.
  alone <- all[, .(noise = fifelse(pairs > 1, spread, within), df = fifelse(pairs > 1, pairs - 1, df_within))]
  still <- all$pairs > 1 & !tells
  pick <- function(name) fcoalesce(fcase(still, alone[[name]], by_rounds, curve[[name]], !by_rounds, level[[name]]), alone[[name]])[seq_len(nrow(rows))]
  found <- list(noise = pick("noise"), df = pick("df"))
  if (!is.null(lent)) {
    one <- which(rows$pairs == 1 & is.finite(lent$noise))
    for (name in names(found)) found[[name]][one] <- lent[[name]][one]
  }
  list(noise = pmax(found$noise, fcoalesce(rows$within, 0)), df = found$df)
}

# Variances moderated by those that tell of noise; all others have what these say of them. NA where too few do.
squeezed <- function(variance, df, tells, covariate = NULL) {
  none <- rep(NA_real_, length(variance))
  if (sum(tells) < 3) return(list(noise = none, df = none))
  own_df <- fifelse(tells, df, 0)
  fit <- suppressWarnings(limma::squeezeVar(fifelse(tells, variance, 1), own_df, covariate = covariate, robust = TRUE))
  post <- fifelse(tells, rep_len(fit$var.post, length(variance)), rep_len(fit$var.prior, length(variance)))
  list(noise = sqrt(post), df = pmin(own_df + rep_len(fit$df.prior, length(variance)), sum(own_df), df_at_most))
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
#' @export
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
