# Parts that all figures of the report share. Each function takes the tables that the analysis wrote and returns a ggplot object; none
# measures or computes a result beyond what it draws. Figures are made for 7 inches of width.

# A figure without cells says so: a report on a run of which nothing is valid is still a report.
nothing_to_draw <- function(why) {
  ggplot() +
    annotate("text", x = 0, y = 0, label = why, size = 3, colour = ink) +
    theme_void() +
    theme(plot.background = element_rect(fill = "white", colour = NA))
}
