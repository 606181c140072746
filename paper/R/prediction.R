# The section on predictions: what primitives cost, what waiting threads hold, what was predicted and
# what came of it.

#' Everything that the section shows; NULL where there are no predictions.
read_prediction <- function(results) {
  path <- function(...) file.path(results, ...)
  if (!file.exists(path("predictions.csv"))) return(NULL)
  predictions <- read_predictions(path("predictions.csv"))
  list(
    primitives = read_primitives(path("primitives", "primitives.csv")),
    memory = read_thread_memory(path("primitives", "thread-memory.csv")),
    crossovers = fread(path("crossovers.csv")),
    predicted = predictions[!is.na(measured) & model != no_prediction],
    silent = predictions[model == no_prediction],
    score = fread(path("prediction-score.csv")),
    curves = read_usl(path("usl.csv"))
  )
}

primitive_titles <- c(
  "platform-thread-start" = "Platform thread, start to end",
  "virtual-thread-start" = "Virtual thread, start to end",
  "pool-hand-off" = "Task handed to a waiting thread of a pool",
  "connection-borrow" = "HikariCP, borrow and return",
  "database-connect" = "Database connection, made and closed",
  "database-statement" = "One row by its key, on an open connection",
  "request-on-one-thread" = "Request on a new connection, one thread",
  "pool-beside-request" = "… and an empty task handed to a pool",
  "platform-thread-beside-request" = "… and an empty platform thread started",
  "virtual-thread-beside-request" = "… and an empty virtual thread started",
  "pool-asleep-beside-request" = "… answered by a thread of a pool after a sleep of 100 ms",
  "platform-thread-asleep-beside-request" = "… answered by a new platform thread after a sleep of 100 ms",
  "virtual-thread-asleep-beside-request" = "… answered by a new virtual thread after a sleep of 100 ms",
  "platform-thread-call-beside-request" = "… and a RestTemplate's call of 100 ms on a new platform thread",
  "event-loop-call-beside-request" = "… and a WebClient's call of 100 ms",
  "statement-within-request" = "… and one row of a database before the answer",
  "kept-request-on-one-thread" = "Request on a kept connection, its platform thread woken",
  "kept-request-on-virtual-thread" = "Request on a kept connection, its virtual thread woken",
  "request-through-selector" = "Request on a new connection, through a selector",
  "timed-request-through-selector" = "… answered by a timer after 100 ms",
  "kept-request-through-selector" = "Request on a kept connection, through a selector",
  "tomcat-request" = "Request to Tomcat and Spring, kept connection"
)

#' Primitives in the order of their titles, their statistics side by side.
table_primitives <- function(primitives) {
  rows <- copy(primitives)[, text := with_interval(mean, low, high)]
  rows[, kind := ifelse(statistic %in% c("cpu", "server"), statistic, "wall")]
  wide <- dcast(rows, primitive + rate_per_s + repetitions ~ kind, value.var = "text", fill = no_figure)
  if (is.null(wide$server)) wide[, server := no_figure]
  wide <- wide[order(match(primitive, names(primitive_titles)), rate_per_s)]
  wide[, .(
    Primitive = paste0(
      ifelse(primitive %in% names(primitive_titles), primitive_titles[primitive], primitive),
      ifelse(is.na(rate_per_s), "", paste0(", ", format_number(rate_per_s), "/s"))
    ),
    "CPU time (µs)" = cpu, "The database's (µs)" = server, "Time (µs)" = wall, Repetitions = repetitions
  )]
}

#' What one waiting thread holds, by kind and number.
table_thread_memory <- function(memory) {
  memory[, .(
    Kind = kind, Threads = threads, "Resident (KiB)" = rss_bytes / threads / 1024,
    "Heap (KiB)" = heap_bytes / threads / 1024,
    "Stack, reserved (KiB)" = nmt_thread_reserved_bytes / threads / 1024,
    "Stack, committed (KiB)" = nmt_thread_committed_bytes / threads / 1024
  )]
}

# Resident memory outside the heap, which was resident before, and what lives in the heap.
held_kib <- function(memory, kind_id) {
  most <- memory[kind == kind_id][which.max(threads)]
  list(kib = (most$rss_bytes + most$heap_bytes) / most$threads / 1024, threads = most$threads,
    reserved_kib = most$nmt_thread_reserved_bytes / most$threads / 1024
  )
}

#' What a platform and a virtual thread hold, in one sentence.
sentence_thread_memory <- function(memory) {
  if (!all(c("platform", "virtual") %in% memory$kind)) return("")
  platform <- held_kib(memory, "platform")
  virtual <- held_kib(memory, "virtual")
  sprintf(
    paste(
      "A platform thread that waits holds %s KiB of memory here (of %s), a virtual one %s KiB (of %s):",
      "a ratio of %s. What a platform thread *reserves* is %s KiB of address space, which costs",
      "nothing until it is touched."
    ),
    format_number(platform$kib), format_number(platform$threads), format_number(virtual$kib),
    format_number(virtual$threads), format_number(platform$kib / virtual$kib),
    format_number(platform$reserved_kib)
  )
}

#' Where a pool begins to win, in sentences.
sentences_crossovers <- function(crossovers) {
  first <- crossovers[1]
  saving <- with_interval(first$saving_us, first$saving_us_low, first$saving_us_high)
  if (first$saving_us_low <= 0) {
    return(sprintf(
      "Whether handing a request to a pool is cheaper than starting a thread is not decided by the primitives (saving of %s µs).",
      saving
    ))
  }
  c(
    sprintf(
      "Handing a request to a pool instead of starting a thread saves %s µs of CPU time. From %s µs of CPU time a request on, that is less than %s and no longer matters.",
      saving, format_number(first$same_from_us), percent(exp(equivalence$ratio) - 1)
    ),
    sprintf(
      "Short requests use the CPUs up at %s a second with a thread each, and at %s a second with a pool: between the two only the pool keeps up.",
      format_number(first$threads_most_per_s), format_number(first$pool_most_per_s)
    ),
    sprintf(
      "A request that waits makes the pool's threads the bound instead: at saturation a pool wins only while a request holds its thread for less than %s.",
      enumerate(sprintf(
        "%s ms (%s threads)", format_number(crossovers$wins_below_wait_ms),
        format_number(crossovers$pool_threads)
      ))
    )
  )
}

# How many of all, and what share that is.
count_share <- function(hits, all) sprintf("%s (%s)", format_number(hits), percent(hits / all))

#' How many values that depend on primitives came as predicted, and apart from them what the
#' configuration alone says.
sentence_predicted <- function(predicted) {
  if (nrow(predicted) == 0) return("No valid cell has a value that was predicted.")
  tested <- predicted[depends == TRUE]
  hits <- sum(tested$class == "within 10 %")
  untested <- predicted[depends == FALSE]
  paragraph(
    sprintf(
      "Of %s of valid cells whose prediction depends on a primitive, %s came within 10 %% and %s within 15 %%.",
      count_of(nrow(tested), "value"), count_share(hits, max(1, nrow(tested))),
      count_share(hits + sum(tested$class == "within 15 %"), max(1, nrow(tested)))
    ),
    sprintf(
      "Another %s follow from the load's configuration alone, as a configured rate or sleep does; %s of these came within 10 %%, which says nothing of the primitives.",
      format_number(nrow(untested)), format_number(sum(untested$class == "configured"))
    )
  )
}

#' Values that nothing is predicted of, by why.
#'
#' @param silent rows of the predictions whose model is no_prediction.
sentence_no_prediction <- function(silent) {
  if (nrow(silent) == 0) return("")
  places <- silent[, .(text = paste(enumerate(as_code(unique(mode))), "in", study[1])), by = .(explanation, study)]
  told <- places[, .(text = paste0(explanation[1], ": ", enumerate(text))), by = explanation]$text
  sprintf("**No prediction**, which counts neither as right nor as wrong: %s.", paste(told, collapse = "; "))
}

#' What false primitives would score: the measure of what the score says.
sentence_score <- function(score) {
  hits <- function(set) score[primitives == set]$within_10
  true <- hits("as measured")
  if (score$values[1] == 0) return("No value depends on a primitive, so there is no score.")
  worse <- max(hits("doubled"), hits("halved"), median(hits("shuffled"))) < true
  sprintf(
    "The primitives as measured predict %s of %s within 10 %%; doubled %s, halved %s, and shuffled among each other %s (median of %s draws, %s). %s",
    format_number(true), format_number(score$values[1]), format_number(hits("doubled")), format_number(hits("halved")),
    format_number(median(hits("shuffled"))), format_number(length(hits("shuffled"))), span(hits("shuffled")),
    if (worse) "False primitives score worse." else "**False primitives score as well, so the score does not confirm the primitives.**"
  )
}

#' The score with true and with false primitives, a row a set; of the shuffled sets the median.
table_score <- function(score) {
  share <- function(hits) sprintf("%s (%s)", format_number(hits), percent(hits / pmax(1, score$values[1])))
  score[, .(Values = values[1], ten = median(within_10), fifteen = median(within_15)), by = .(Primitives = primitives)][
    , .(Primitives, Values, "Within 10 %" = share(ten), "Within 15 %" = share(fifteen))
  ]
}

#' How well each model did. Configured values count where they depend on no primitive.
table_models <- function(predicted) {
  rows <- predicted[, .(
    "Depend on primitives" = sum(depends), "Within 10 %" = sum(class == "within 10 %"),
    "Within 15 %" = sum(class %in% names(within_shares)), "Configured" = sum(!depends),
    "Within 10 % too" = sum(class == "configured"), "With a reason" = sum(!explanation %in% c("", unexplained)),
    "Unexplained" = sum(explanation == unexplained),
    "Measured / predicted, median" = median(measured / predicted)
  ), by = .(Metric = figure, Model = model)]
  rows <- rows[order(match(Metric, predicted_figures), -`Depend on primitives`)]
  rows[, Metric := figure_titles(Metric)][]
}

predicted_figures <- c("throughput_per_s", "latency_mean_ms", "cpu_us_per_request")
figure_titles <- function(ids) with_unit(title_of(ids), ids)

#' Predicted against measured, a point per mode, tier and tool, on logarithmic scales; the band is
#' ±10 %. Bars: 95 % of the repetitions, and what the intervals of the primitives make of the
#' prediction.
#'
#' @param predicted rows of the predictions that were measured.
#' @return ggplot.
figure_predictions <- function(predicted) {
  if (nrow(predicted) == 0) return(nothing_to_draw("no valid cell has a value that was predicted"))
  rows <- copy(predicted)
  rows[, title := factor(figure_titles(figure), figure_titles(predicted_figures))]
  rows[, mode := factor(mode, mode_levels(mode))]
  ends <- rows[, .(x = range(c(predicted, measured))), by = .(title, study)]
  ggplot(rows, aes(predicted, measured, colour = mode)) +
    geom_ribbon(
      data = ends, aes(x, ymin = x * (1 - within_shares[1]), ymax = x * (1 + within_shares[1])),
      inherit.aes = FALSE, fill = "#DDDDDD", alpha = 0.7
    ) +
    geom_line(data = ends, aes(x, x), inherit.aes = FALSE, colour = faint, linewidth = 0.3) +
    geom_linerange(
      aes(ymin = pmax(measured_low, measured / 3), ymax = pmin(measured_high, measured * 3)),
      linewidth = 0.3, na.rm = TRUE
    ) +
    geom_linerange(aes(xmin = low, xmax = high), linewidth = 0.3, na.rm = TRUE) +
    geom_point(aes(shape = mode), size = 1.5) +
    facet_wrap(~ title + study, scales = "free", ncol = 3, labeller = label_wrap_gen(34, multi_line = FALSE)) +
    scale_x_log10(labels = plain_number) +
    scale_y_log10(labels = plain_number) +
    scales_of_modes(levels(rows$mode)) +
    labs(x = "predicted (log scale)", y = "measured (log scale)") +
    theme_artifact() +
    theme(legend.position = "none")
}

height_of_predictions <- function(predicted) {
  facets_in(uniqueN(predicted[, .(figure, study)]), 3, 1.6, 0.6)
}

#' How reasons are found, in the order in which they are tried; see explain_residual().
explanation_rules <- c(
  "users of a closed loop were not there, and for those who were the model is within 10 %",
  "the collector stopped the server, and without that time the prediction is within 10 %",
  "the generator used up its CPUs, the server did not, and the value is worse than predicted"
)

#' Every value that was not predicted, the farthest first, with its reason.
table_residuals <- function(predicted) {
  rows <- predicted[class == "not predicted"][order(-abs(log(measured / predicted)))]
  rows[, .(
    Cell = paste(study, mode, tier, tool, sep = "/"), Metric = figure_titles(figure),
    Predicted = with_interval(predicted, low, high),
    Measured = with_interval(measured, measured_low, measured_high),
    "Off by" = paste0(ifelse(residual > 0, "+", "−"), format_number(100 * abs(residual)), " %"),
    Depends = ifelse(depends, "on primitives", "on the configuration"), Why = explanation
  )]
}

#' The curves of the Universal Scalability Law that could be fitted.
table_curves <- function(curves) {
  curves[reason == "", .(
    Study = study, Mode = mode, Loop = loop_names[tool], Path = path, Loads = loads,
    "λ (1/s)" = with_interval(lambda, lambda_low, lambda_high),
    "σ" = with_interval(sigma, sigma_low, sigma_high), "κ" = with_interval(kappa, kappa_low, kappa_high),
    "Peak at" = ifelse(is.infinite(peak_n), "never", format_number(peak_n))
  )]
}

#' How many curves could be fitted, and why the others could not.
sentence_curves <- function(curves) {
  why <- curves[reason != "", .(curves = .N), by = reason][order(-curves)]
  told <- sprintf(
    "Of %s of a mode over its loads %s could be fitted.", count_of(nrow(curves), "curve"),
    format_number(sum(curves$reason == ""))
  )
  if (nrow(why) == 0) return(told)
  paste0(told, " The others: ", enumerate(paste0(why$reason, " (", why$curves, ")"), "; "), ".")
}
