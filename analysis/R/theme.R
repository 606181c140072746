# One look for all figures.
#
# The background is opaque and light, in print and on the dark page alike: the colours of the
# modes are chosen for their contrast on white, and a transparent figure would need a second set
# of them, so that a mode would change its colour with the reader's settings.

library(ggplot2)
library(data.table)

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

# Colours after Okabe and Ito (2008), which stay apart for colour-blind readers.
okabe_ito <- c(
  "#D55E00", "#0072B2", "#4D4D4D", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#B8A800"
)

known_modes <- c(
  "thread-per-request", "fixed-pool", "caller-runs-pool", "virtual-thread-per-request",
  "event-loop"
)

family_shapes <- data.table(
  full = c(16, 17, 15, 18, 8, 7, 9, 12), hollow = c(1, 2, 0, 5, 4, 3, 6, 14)
)

# A mode and its variants are one family: the same hue and shape.
variant_suffix <- "-(as-published|again|unprofiled)$"

# Place in the palette of a family that is not known: decided by its name, so that it has the
# same colour in every figure; the next free one where two names fall together.
family_places <- function(families) {
  places <- setNames(match(families, known_modes), families)
  for (family in sort(families[is.na(places)])) {
    letters <- utf8ToInt(family)
    wanted <- (sum(letters * seq_along(letters)) + seq_along(okabe_ito)) %% length(okabe_ito) + 1
    free <- setdiff(wanted, places)
    places[family] <- c(free, wanted)[1]
  }
  places
}

lighter <- function(colours, share = 0.4) {
  mixed <- (1 - share) * col2rgb(colours) + share * 255
  rgb(mixed[1, ], mixed[2, ], mixed[3, ], maxColorValue = 255)
}

#' How modes look, the same in every figure: family by hue and shape, variant by lightness, line
#' and hollow shape, so that it reads in greyscale too.
#'
#' @param modes character vector of mode ids, of any study.
#' @return data.table, a row per mode: mode, colour, shape, linetype.
mode_styles <- function(modes) {
  modes <- unique(as.character(modes))
  families <- sub(variant_suffix, "", modes)
  places <- family_places(unique(families))[families]
  varied <- families != modes
  colours <- okabe_ito[places]
  linetypes <- c("solid", "22", "dotted", "dotdash")
  variants <- match(sub(".*-", "", modes), c("published", "again", "unprofiled"))
  data.table(
    mode = modes, colour = ifelse(varied, lighter(colours), colours),
    shape = ifelse(varied, family_shapes$hollow[places], family_shapes$full[places]),
    linetype = linetypes[ifelse(varied, variants + 1, 1)]
  )
}

#' Colours of modes.
#'
#' @param modes character vector of mode ids.
#' @return character vector of colours, named by mode.
mode_colours <- function(modes) {
  styles <- mode_styles(modes)
  setNames(styles$colour, styles$mode)
}

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

#' Modes that are measured a second time to learn about the measuring (noise floor, cost of the
#' profiler) and not about servers.
#'
#' @param modes character vector of mode ids.
#' @return logical vector.
is_control <- function(modes) grepl("-(again|unprofiled)$", modes)

#' Modes in the order in which figures and tables show them: known families first, a variant
#' behind its family.
mode_levels <- function(modes) {
  modes <- unique(as.character(modes))
  families <- sub(variant_suffix, "", modes)
  modes[order(match(families, known_modes), families, families != modes, modes)]
}

#' Tiers in the order of their load: the closed loop's requests, where there are none the open
#' loop's rate; together before at once.
#'
#' @param summary see read_summary().
#' @return character vector of tier ids.
tier_levels <- function(summary) {
  load <- summary[, .(
    special = !any(path %in% usual_path(summary)), at_once = any(grepl("at-once$", tier)),
    requests = min(c(requests_asked[tool == "jmeter"], Inf), na.rm = TRUE),
    rate = min(c(offered_per_s, Inf), na.rm = TRUE)
  ), by = .(study, tier)]
  load[order(study, special, at_once, requests, rate, tier), unique(tier)]
}

# Tiers that ask for something else than most do come last.
usual_path <- function(summary) {
  names(sort(table(summary$path), decreasing = TRUE))[1]
}

#' Groups of stacks in the order of a request's way, and their colours.
group_colours <- c(
  "accept" = "#1F4E79", "thread start" = "#D55E00", "park and unpark" = "#E69F00",
  "read and parse" = "#56B4E9", "handler" = "#009E73", "write" = "#0072B2",
  "connection close" = "#7FB39B", "GC" = "#CC79A7", "JIT" = "#8E6C8A", "kernel other" = "#B5B5B5",
  "JVM other" = "#8A8A8A", "not sampled" = "#F4F4F4"
)
