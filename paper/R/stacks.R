# The section on stacks: a difference between two stacks in steps, each with one thing swapped. `rows` see steps_measured().

#' The steps of a cause, the whole and the pairs next to them, with what each is a `part` of.
#'
#' @param id of the cause.
#' @return rows of traced with part, mode, baseline, rate_per_s (which all modes are offered), from_kib and to_kib (which a request
#'   allocates); none where they were not measured.
steps_measured <- function(all, id) {
  wanted <- id
  rows <- all$traced[id == wanted & kind %in% c("step", "whole", "pair") & is_measured(all$traced)]
  if (nrow(rows[kind == "whole"]) == 0) return(rows[0])
  cause <- all$causes[[id]]
  steps <- steps_of(cause)
  column <- function(name) vapply(steps, `[[`, "", name)
  rows <- data.table(does = column("does"), part = column("part"), mode = column("mode"), baseline = column("baseline"))[rows, on = "does"]
  kib <- allocated_kib(all, cause)
  rate <- all$summary[tier == cause$tier & tool == cause$tool]$offered_per_s[1]
  rows[, `:=`(rate_per_s = rate, from_kib = kib[baseline], to_kib = kib[mode])][]
}

# KiB a request at the place of a cause, named by mode.
allocated_kib <- function(all, cause) {
  rows <- read_allocations(file.path(all$results, "allocations.csv"))[cause[c("study", "tier", "tool")], on = c("study", "tier", "tool"), nomatch = NULL]
  of_modes <- rows[valid == TRUE, .(kib = sum(bytes_per_request) / 1024), by = mode]
  setNames(of_modes$kib, of_modes$mode)
}

#' A row a step; below them the whole, and pairs that are no part of it.
table_steps <- function(rows) {
  of_whole <- shares_in_words(rows)
  from_to <- function(from, to) ifelse(is.na(from) | is.na(to), no_figure, paste(format_number(from), "to", format_number(to)))
  rows[, .(
    Swap = ifelse(kind == "whole", "Together", capitalised(does)), "CPU time (µs)" = from_to(before_baseline, before_mode),
    "Difference (µs)" = paste0(more_of(rows), mark_of(rows)), "Ratio" = format_number(before),
    "Of the whole (%)" = ifelse(kind == "step" & !is.na(share_low), of_whole, no_figure), "Allocated (KiB)" = from_to(from_kib, to_kib),
    "Context switches" = from_to(counted_before_baseline, counted_before_mode)
  )]
}

more_of <- function(rows) {
  interval <- sprintf(" [%s, %s]", signed(rows$after_low), signed(rows$after_high))
  paste0(signed(rows$after), ifelse(is.na(rows$after_low), "", interval))
}

# Whether a swap takes more CPU time, or less; "unclear" where its interval includes 0, or there is none.
more_or_less <- function(rows, wanted) {
  row <- rows[part == wanted]
  if (nrow(row) == 0 || is.na(row$after_low)) return("unclear")
  if (row$after_low > 0) "more" else if (row$after_high < 0) "less" else "unclear"
}

us_of <- function(rows, wanted) paste(more_of(rows[part == wanted]), "µs")

#' The difference in steps, in words, and what to do about the client.
#'
#' @return one string of Markdown; empty without steps.
tell_steps <- function(rows) {
  if (nrow(rows) == 0) return("")
  whole <- rows[part == "whole"]
  steps <- rows[kind == "step"]
  paragraph(
    sprintf(
      "At %s requests/s before a remote, a request takes %s µs of CPU time on Spring MVC with virtual threads and Apache's client, and %s µs on WebFlux: %s.",
      format_number(whole$rate_per_s), format_number(whole$before_baseline), format_number(whole$before_mode), paste0(us_of(rows, "whole"), mark_of(whole))
    ),
    if (nrow(steps) > 0) sprintf("In steps of one swap each: %s.", enumerate(sprintf("%s %s", steps$does, vapply(steps$part, us_of, "", rows = rows)))),
    sentence_of_order(rows), practice_of_client(rows)
  )
}

# Where the client costs another amount on the other kind of thread, another order of the swaps gives other parts.
sentence_of_order <- function(rows) {
  one <- rows[part == "client"]
  other <- rows[part == "client-threads"]
  if (nrow(one) * nrow(other) == 0) return("")
  apart <- isTRUE(one$after_low > other$after_high || other$after_low > one$after_high)
  depend <- apart && abs(one$after - other$after) > max(abs(c(one$after, other$after))) / 2
  sprintf(
    "The client's step is %s on platform threads: %s.", us_of(rows, "client-threads"),
    if (depend) "the parts depend on the order of the swaps" else "the order of the swaps changes little"
  )
}

# Advice only where the intervals allow it.
practice_of_client <- function(rows) {
  us <- rows[part == "client", format_number(c(before_mode, before_baseline))]
  saves <- more_or_less(rows, "whole") == "less" && more_or_less(rows, "server") == "less"
  jdk <- more_or_less(rows, "client-jdk")
  paragraph(
    if (more_or_less(rows, "client") == "more") sprintf(
      "*In practice:* keep Apache's client in Spring MVC: with Reactor Netty's, that of WebFlux, a request takes %s µs in place of %s.",
      us[1], us[2]
    ),
    if (saves) sprintf("WebFlux saves by its server (%s).", us_of(rows, "server")),
    if (jdk != "unclear") sprintf("The JDK's client takes %s CPU time than Apache's on virtual threads (%s).", jdk,
      us_of(rows, "client-jdk"))
  )
}
