# One look for all figures.
#
# The background is opaque and light, in print and on the dark page alike: the colours of the
# modes are chosen for their contrast on white, and a transparent figure would need a second set
# of them, so that a mode would change its colour with the reader's settings.

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

# Colours after Okabe and Ito (2008), which stay apart for colour-blind readers, and their names in the
# configuration. A hue stands for the same concurrency model in every study.
okabe_ito <- c(
  "#D55E00", "#0072B2", "#4D4D4D", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#B8A800"
)
palette_names <- c("vermilion", "blue", "gray", "green", "pink", "amber", "sky", "olive")

family_shapes <- data.table(
  full = c(16, 17, 15, 18, 8, 7, 9, 12), hollow = c(1, 2, 0, 5, 4, 3, 6, 14)
)

# Places of families in the palette. That of a family without a colour follows from its name, so that it
# has the same in every figure; the next free one where two names fall together.
family_places <- function(facts) {
  families <- unique(facts$family)
  colours <- facts$color[match(families, facts$family)]
  places <- setNames(match(colours, palette_names), families)
  for (family in sort(families[is.na(places)])) {
    letters <- utf8ToInt(family)
    wanted <- (sum(letters * seq_along(letters)) + seq_along(okabe_ito)) %% length(okabe_ito) + 1
    free <- setdiff(wanted, places)
    places[family] <- c(free, wanted)[1]
  }
  places
}

lighter <- function(colours, share = 0.4) {
  channels <- col2rgb(colours)
  mixed <- channels + rep(rep_len(share, length(colours)), each = 3) * (255 - channels)
  rgb(mixed[1, ], mixed[2, ], mixed[3, ], maxColorValue = 255)
}

# The larger, the lighter: an eighth for every doubling, from 4 on, and never too light to be read.
lightness_of_size <- function(sizes) {
  ifelse(is.na(sizes), 0, pmin(0.6, pmax(0, 0.125 * (log2(sizes) - 2))))
}

#' How modes look, the same in every figure: family by hue and shape, size by lightness, variant by
#' lightness, line and hollow shape, so that it reads in greyscale too. A row per mode, of any study: mode, colour, shape, linetype.
mode_styles <- function(modes) {
  facts <- mode_facts(unique(as.character(modes)))
  places <- family_places(facts)[facts$family]
  varied <- facts$variant != ""
  linetypes <- c("solid", "as published" = "22", "A/A" = "dotted", slower = "dotdash")
  lightness <- pmax(lightness_of_size(facts$size), ifelse(varied, 0.4, 0))
  data.table(
    mode = facts$mode, colour = lighter(okabe_ito[places], lightness),
    shape = ifelse(varied, family_shapes$hollow[places], family_shapes$full[places]),
    linetype = unname(ifelse(varied, linetypes[facts$variant], linetypes[1]))
  )
}

#' Colours of modes.
mode_colours <- function(modes) mode_styles(modes)[, setNames(colour, mode)]

# The scales that give every mode its look.
scales_of_modes <- function(modes) {
  styles <- mode_styles(modes)
  named <- function(column) setNames(styles[[column]], styles$mode)
  list(
    scale_colour_manual(values = named("colour"), limits = styles$mode),
    scale_shape_manual(values = named("shape"), limits = styles$mode),
    scale_linetype_manual(values = named("linetype"), limits = styles$mode)
  )
}

#' Tiers in the order of their load: the closed loop's requests or users, where there are none the
#' open loop's rate; together before at once.
tier_levels <- function(summary) {
  usual <- summary[, .(usual = usual_path(.SD)), by = study]
  load <- usual[summary, on = "study"][, .(
    special = !any(path %in% usual), at_once = any(grepl("at-once$", tier)), path = path[1],
    requests = min(c(fcoalesce(requests_offered, users)[loop == "closed"], Inf), na.rm = TRUE),
    rate = min(c(offered_per_s, Inf), na.rm = TRUE)
  ), by = .(study, tier)]
  load[order(study, special, at_once, path, requests, rate, tier), unique(tier)]
}

# The path of most tiers; those that ask for something else come last.
usual_path <- function(summary) {
  paths <- unique(summary[, .(tier, path)])$path
  c(names(sort(table(paths), decreasing = TRUE)), NA)[1]
}
