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

# Places in the palette. A hue stands for the same way of handling requests in every study: blue for
# a pool of platform threads, green for virtual threads, orange for a new thread each time, pink for
# an event loop. Ids that end in a number and are not here are sizes of one family.
mode_families <- fread(
  "family,                      place
   thread-per-request,          1
   fixed-pool,                  2
   caller-runs-pool,            3
   virtual-thread-per-request,  4
   event-loop,                  5
   thread-per-request-backlog,  8
   pool-200-blocking,           2
   pool-1-blocking,             7
   pool-1-worker-threads,       1
   pool-1-event-loop,           5
   virtual-threads,             4
   tomcat-200,                  2
   tomcat-400,                  7
   platform-50,                 2
   platform-500,                7
   virtual,                     4
   virtual-semaphore-50,        8
   platform-hikari,             2
   virtual-hikari,              4
   virtual-lock-21,             3
   virtual-synchronized-21,     1
   virtual-lock-25,             4
   virtual-synchronized-25,     6
   thread-per-connection,       1
   thread-pool,                 2
   connect-per-transaction,     3
   connect-every,               6
   postgresql,                  3
   postgresql-connect,          1
   pgbouncer,                   2
   pgbouncer-connect,           7
   jvm-connect-per-transaction, 3
   hikari-10,                   2
   hikari-10-virtual,           4
   both-pools,                  8
   both-pools-virtual,          4"
)

family_shapes <- data.table(
  full = c(16, 17, 15, 18, 8, 7, 9, 12), hollow = c(1, 2, 0, 5, 4, 3, 6, 14)
)

# A mode and its variants are one family: the same hue and shape.
variant_suffix <- "-(as-published|again)$"

# What the look and the place of a mode follow from: its family, its size within it (NA for none),
# whether it is a variant.
read_mode_ids <- function(modes) {
  modes <- unique(as.character(modes))
  bases <- sub(variant_suffix, "", modes)
  sized <- grepl("-[0-9]+$", bases) & !bases %in% mode_families$family
  families <- ifelse(sized, sub("-[0-9]+$", "", bases), bases)
  data.table(
    mode = modes, family = families, varied = bases != modes,
    size = ifelse(sized, suppressWarnings(as.numeric(sub(".*-", "", bases))), NA)
  )
}

# The place of a family that is not known follows from its name, so that it has the same colour in
# every figure; the next free one where two names fall together.
family_places <- function(families) {
  places <- setNames(mode_families$place[match(families, mode_families$family)], families)
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
#' lightness, line and hollow shape, so that it reads in greyscale too.
#'
#' @param modes character vector of mode ids, of any study.
#' @return data.table, a row per mode: mode, colour, shape, linetype.
mode_styles <- function(modes) {
  ids <- read_mode_ids(modes)
  places <- family_places(unique(ids$family))[ids$family]
  variants <- match(sub(".*-", "", ids$mode), c("published", "again"))
  linetypes <- c("solid", "22", "dotted")
  lightness <- pmax(lightness_of_size(ids$size), ifelse(ids$varied, 0.4, 0))
  data.table(
    mode = ids$mode, colour = lighter(okabe_ito[places], lightness),
    shape = ifelse(ids$varied, family_shapes$hollow[places], family_shapes$full[places]),
    linetype = linetypes[ifelse(ids$varied, variants + 1, 1)]
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

#' Modes that are measured a second time to learn about the measuring (noise floor) and
#' not about servers.
#'
#' @param modes character vector of mode ids.
#' @return logical vector.
is_control <- function(modes) endsWith(as.character(modes), "-again")

#' Modes in the order in which figures and tables show them: known families first, sizes in their
#' order, a variant behind its family.
mode_levels <- function(modes) {
  ids <- read_mode_ids(modes)
  ids[order(match(family, mode_families$family), family, size, varied, mode), mode]
}

#' Tiers in the order of their load: the closed loop's requests or users, where there are none the
#' open loop's rate; together before at once.
#'
#' @param summary see read_summary().
#' @return character vector of tier ids.
tier_levels <- function(summary) {
  usual <- summary[, .(usual = usual_path(.SD)), by = study]
  load <- usual[summary, on = "study"][, .(
    special = !any(path %in% usual), at_once = any(grepl("at-once$", tier)), path = path[1],
    requests = min(c(fcoalesce(requests_asked, users)[loop == "closed"], Inf), na.rm = TRUE),
    rate = min(c(offered_per_s, Inf), na.rm = TRUE)
  ), by = .(study, tier)]
  load[order(study, special, at_once, path, requests, rate, tier), unique(tier)]
}

# The path of most tiers; those that ask for something else come last.
usual_path <- function(summary) {
  paths <- unique(summary[, .(tier, path)])$path
  c(names(sort(table(paths), decreasing = TRUE)), NA)[1]
}

#' Groups of stacks in the order of a request's way, and their colours.
group_colours <- c(
  "accept" = "#1F4E79", "thread start" = "#D55E00", "park and unpark" = "#E69F00",
  "read and parse" = "#56B4E9", "handler" = "#009E73", "write" = "#0072B2",
  "connection close" = "#7FB39B", "framework" = "#C9B37E", "remote or database" = "#6A3D9A",
  "network" = "#0B7A75", "connect" = "#B8860B", "authenticate" = "#7B1E3A", "parse statement" = "#9DC3E6",
  "plan" = "#A9D18E", "execute" = "#2E7D32", "commit" = "#3B3B98", "database other" = "#CFCFCF",
  "logging" = "#8B1A1A", "measuring" = "#2F4F4F", "GC" = "#CC79A7", "JIT" = "#8E6C8A",
  "kernel other" = "#B5B5B5", "JVM other" = "#8A8A8A", "not sampled" = "#F4F4F4"
)
