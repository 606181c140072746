# One look for all figures.
#
# The background is opaque and light, in print and on the dark page alike: colours are chosen for
# their contrast on white, and a transparent figure would need a second set of them.

ink <- "#222222"
faint <- "#8A8A8A"

theme_artifact <- function(base_size = 9) {
  theme_minimal(base_size = base_size, base_family = "sans") +
    theme(
      plot.background = element_rect(fill = "white", colour = NA),
      panel.grid.minor = element_blank(),
      panel.grid.major = element_line(colour = "#E4E4E4", linewidth = 0.3),
      panel.border = element_rect(fill = NA, colour = "#C8C8C8", linewidth = 0.3),
      panel.spacing = unit(0.7, "lines"),
      text = element_text(colour = ink), axis.text = element_text(colour = ink),
      strip.text = element_text(colour = ink, face = "bold", hjust = 0),
      legend.position = "bottom", legend.title = element_blank(),
      legend.key.width = unit(1.6, "lines"), legend.margin = margin(0, 0, 0, 0)
    )
}

# Colours after Okabe and Ito (2008), which stay apart for colour-blind readers, and shapes for gray print.
okabe_ito <- c("#D55E00", "#0072B2", "#4D4D4D", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#B8A800")
point_shapes <- c(16, 17, 15, 18, 8, 7, 9, 12)
