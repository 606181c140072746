# The section on a remote that takes a second: the users of a closed loop whom no answer reaches.

#' Little's law for users of a closed loop: how many of them the answers account for.
#'
#' @param mode its id; of all its closed loops that ran.
#' @return one sentence; empty where the mode was not measured so, or where most users are accounted for.
sentence_of_the_unanswered <- function(all, mode) {
  wanted <- mode
  cells <- all$summary[mode == wanted & loop == "closed" & outcome != "beyond_limits"]
  if (nrow(cells) == 0) return("")
  users <- median(fcoalesce(cells$users_alive, cells$users))
  answered <- median(cells$under_way)
  if (!isTRUE(answered < 0.8 * users)) return("")
  sprintf(
    "Beware the mean latency, %s s with %s: by Little's law it covers %s of %s users. The others were still waiting when the load ended.",
    format_number(median(cells$under_way / cells$answers_per_s)), as_code(wanted), format_number(answered), format_number(users)
  )
}
