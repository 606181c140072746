# Where the users stand: the one figure of the first page, see occupy_modes() of the analysis.

# The loads of the figure and their modes, in words.
modes_at <- function(tier, load, words) data.table(tier, mode = names(words), load, words)
standing_rows <- rbind(
  modes_at("sleep-500", "500 users, each request sleeps 100 ms", c(
    "platform-50" = "50 threads", "virtual-semaphore-50" = "virtual threads, a semaphore of 50", "platform-500" = "500 threads",
    virtual = "virtual threads"
  )),
  modes_at("query-wait", "200 users, a query of 20 ms over HikariCP", c(
    "platform-hikari-10" = "10 connections", "virtual-hikari-10" = "10 connections, virtual threads",
    "platform-hikari-50" = "50 connections"
  )),
  modes_at("lock-20ms", "50 users, 20 ms with a lock of their own", c(
    "virtual-synchronized-21" = "synchronized, JDK 21", "virtual-synchronized-21-carriers-16" = "the same, 16 carriers",
    "virtual-lock-21" = "ReentrantLock, JDK 21"
  )),
  modes_at("work-20ms", "100 users, 18 ms of waiting and 2 ms of CPU time", c(
    "tomcat-threads-10" = "10 threads", "tomcat-threads-20" = "20 threads"
  ))
)

# From the handler outwards; apart by lightness in gray print, with labels that stay legible where grays turn over (see darkened()).
standing_places <- data.table(
  place = c("waiting", "cpu", "connection", "not_admitted"),
  words = c("waiting in the handler", "the rest: on a CPU, ready, at the client", "for a connection", "not admitted"),
  colour = c("#009E73", "#222222", "#5D3A9B", "#D9D9D9"), label = c("white", "white", "white", "#222222")
)

#' The rows of the figure that a run has.
#'
#' @return data.table: those of standing_rows with users, waiting, connection, cpu, not_admitted, throughput_per_s.
users_standing <- function(occupancy) {
  rows <- occupancy[tool == "jmeter"][standing_rows, on = c("tier", "mode"), nomatch = NULL]
  rows[rowSums(is.na(rows[, standing_places$place, with = FALSE])) == 0 & users > 0]
}

#' Users by what they wait for, a bar a mode, all users of a load alike in length; the number in a part is that of users.
#'
#' @param standing see users_standing(); `legend_rows` and `room` (for the throughputs, in %) more of them for a narrow figure.
figure_standing <- function(standing, legend_rows = 1, room = 12) {
  # A picture of a shipped run without such a load.
  if (nrow(standing) == 0) return(ggplot() + labs(title = sentence_of_standing(standing)))
  rows <- melt(standing, id.vars = c("load", "words", "users", "throughput_per_s"), measure.vars = standing_places$place, variable.name = "place")
  loads <- unique(standing_rows$load)
  # The name of a load has a row to itself.
  in_order <- function(words) factor(words, rev(c(loads, unique(standing_rows$words))))
  heads <- unique(rows[, .(load = factor(load, loads), words = in_order(load), label = load)])
  rows[, `:=`(
    share = 100 * value / users, load = factor(load, loads), words = in_order(words),
    place = factor(place, rev(standing_places$place))
  )]
  # A part has room for its number from 4 % on.
  rows[, label := ifelse(share >= 4, format_number(round(value)), "")]
  of_place <- function(column) setNames(standing_places[[column]], standing_places$place)
  ends <- unique(rows[, .(load, words, label = per_second(throughput_per_s))])
  ggplot(rows, aes(share, words)) +
    # A scale sorts what a later layer adds.
    geom_blank(aes(0, words), rbind(rows[, .(load, words)], heads[, .(load, words)])) +
    geom_col(aes(fill = place), width = 0.78, colour = "white", linewidth = 0.25) +
    geom_text(aes(label = label, colour = place, group = place), position = position_stack(vjust = 0.5), size = 2.4) +
    geom_text(aes(101, words, label = label), ends, hjust = 0, size = 2.5, colour = ink) +
    geom_text(aes(0, words, label = label), heads, hjust = 0, vjust = 0.7, size = if (room > 12) 2.3 else 2.6, fontface = "bold", colour = ink) +
    facet_grid(load ~ ., scales = "free_y", space = "free_y") +
    scale_y_discrete(labels = function(words) ifelse(words %in% loads, "", words)) +
    guides(fill = guide_legend(nrow = legend_rows)) +
    scale_fill_manual(values = of_place("colour"), breaks = standing_places$place, labels = of_place("words")) +
    scale_colour_manual(values = of_place("label"), guide = "none") +
    scale_x_continuous(limits = c(0, 100 + room), breaks = c(0, 25, 50, 75, 100), expand = expansion(0)) +
    labs(x = "users (%); right: throughput", y = NULL) +
    theme_artifact(8) +
    theme(
      strip.text = element_blank(), panel.grid.major.y = element_blank(),
      panel.spacing = unit(0.35, "lines"), plot.margin = margin(4, 4, 4, 14), legend.key.height = unit(0.7, "lines"), legend.key.width = unit(1, "lines"),
      legend.text = element_text(margin = margin(r = 6))
    )
}

# Two digits, as the figure is of the whole: the text has the values.
per_second <- function(throughput) paste0(format_number(signif(throughput, 2)), "/s")

height_of_standing <- function(standing) 0.75 + 0.15 * (nrow(standing) + uniqueN(standing$load)) + 0.06 * uniqueN(standing$load)

#' The largest place of each mode and its throughput, in words.
sentence_of_standing <- function(standing) {
  if (nrow(standing) == 0) return("No closed loop has valid cells.")
  places <- as.matrix(standing[, standing_places$place, with = FALSE])
  largest <- max.col(places, ties.method = "first")
  told <- standing[, .(load, text = sprintf(
    "%s %s with %s at %s", format_number(round(places[cbind(seq_len(.N), largest)])), standing_places$words[largest], words, per_second(throughput_per_s)
  ))]
  by_load <- told[, .(text = sprintf("%s: %s", load[1], enumerate(text))), by = load]$text
  sprintf("Where most users stand. %s.", paste(by_load, collapse = "; "))
}
