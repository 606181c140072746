# What the repository shows of the reference: report, the README's figure and its numbers.

# Of the reference's tables, report and figures together.
reference_mib_at_most <- 8
paper_pages_at_most <- 15
# Situations of the guide that the README shows: those with a winner first.
readme_situations <- 5

#' Situations, modes and their ratios, for the README.
#'
#' @param is_dark whether the page is.
figure_situations <- function(all, is_dark = FALSE) {
  rows <- all$guide[use == "metric" & situation %in% findings_of_readme(all)$Situation]
  # The first metric of each.
  rows <- rows[, .SD[statistic == statistic[1]], by = situation][!is.na(estimate)]
  rows[, title := sprintf("%s: %s, ratio to %s", gsub("`", "", situation), title_of(statistic), versus)]
  if (nrow(rows) == 0) return(nothing_to_draw("no situation of the guide was measured"))
  rows[, `:=`(mode = factor(mode, rev(mode_levels(mode))), title = factor(title, unique(title)))]
  page <- if (is_dark) c(paper = "#0D1117", ink = "#E6EDF3", grid = "#30363D") else c(paper = "#FFFFFF", ink = ink, grid = "#E4E4E4")
  colours <- mode_colours(levels(rows$mode))
  # The palette is made for white: on dark it is lighter.
  if (is_dark) colours <- setNames(lighter(colours, 0.35), names(colours))
  ggplot(rows, aes(estimate, mode, colour = mode)) +
    geom_vline(xintercept = 1, colour = page[["ink"]], linewidth = 0.3) +
    geom_linerange(aes(xmin = low, xmax = high), linewidth = 0.6, na.rm = TRUE) +
    geom_point(size = 2.4) +
    geom_text(aes(x = fcoalesce(high, estimate), label = paste0("  ", format_number(estimate))), hjust = 0, size = 2.8) +
    facet_wrap(~title, ncol = 1, scales = "free_y") +
    scale_x_log10(labels = plain_number, breaks = scales::breaks_log(7), expand = expansion(c(0.05, 0.1))) +
    scale_colour_manual(values = colours) +
    labs(x = "ratio to the baseline, 95 % interval (log scale)", y = NULL) +
    theme_artifact() +
    theme(
      legend.position = "none", plot.background = element_rect(fill = page[["paper"]], colour = NA),
      text = element_text(colour = page[["ink"]]), axis.text = element_text(colour = page[["ink"]]),
      strip.text = element_text(colour = page[["ink"]]), panel.grid.major = element_line(colour = page[["grid"]], linewidth = 0.3)
    )
}

# A reader's machine may lack the font.
write_svg <- function(plot, path, height) {
  svglite::svglite(path, width = 7, height = height, user_fonts = list(sans = svg_font("Liberation Sans")))
  print(plot)
  invisible(dev.off())
  writeLines(gsub('font-family: "Liberation Sans"', "font-family: Liberation Sans, Arial, Helvetica, sans-serif", readLines(path)), path)
}

#' The best of each situation in its first metric, as in the guide: Situation, Baseline, Metric, Best, Ratio.
findings <- function(all) {
  table <- table_guide(all$guide)
  if (nrow(table) == 0) table else table[Situation != ""]
}

findings_of_readme <- function(all) {
  table <- findings(all)
  if (nrow(table) == 0) table else head(table[order(Ratio == no_figure)], readme_situations)
}

sentence_of_reference <- function(facts, summary) {
  sprintf(
    "The shipped reference has %s from %s, measured on %s on %s in %s (commit `%s`). %s",
    count_of(facts$cells, "cell"), count_of(facts$sessions, "session"), substr(facts$ended, 1, 10),
    machine_text(facts$machine), duration_text(sum(unlist(facts$session_s))), substr(facts$commit, 1, 7), sentence_validity(summary)
  )
}

#' What stands between the README's markers, by their names.
readme_blocks <- function(all, facts) {
  table <- findings_of_readme(all)
  alt <- spoken(table[, sprintf("%s: %s, %s.", Situation, Best, Ratio)])
  list(
    findings = c(
      '<picture><source media="(prefers-color-scheme: dark)" srcset="paper/reference/findings-dark.svg">',
      sprintf('<img src="paper/reference/findings-light.svg" alt="%s"></picture>', gsub('"', "&quot;", alt)), "",
      knitr::kable(table, format = "pipe", row.names = FALSE), "",
      "The paper: [PDF](paper/reference/report.pdf). With its supplement: [HTML](paper/reference/report.html), [PDF](paper/reference/supplement.pdf)."
    ),
    run = sentence_of_reference(facts, all$summary)
  )
}

#' Puts text between markers, `<!-- reference:begin NAME … -->` and `<!-- reference:end NAME -->`.
#'
#' @param lines of the README; `blocks` lines by name.
with_blocks <- function(lines, blocks) {
  for (name in names(blocks)) {
    at <- c(grep(sprintf("^<!-- reference:begin %s\\b", name), lines), grep(sprintf("^<!-- reference:end %s\\b", name), lines))
    if (length(at) != 2 || at[1] > at[2]) refuse("README.md has no pair of markers reference:begin and reference:end for ", name)
    lines <- c(lines[seq_len(at[1])], blocks[[name]], lines[at[2]:length(lines)])
  }
  lines
}

# The pages of a PDF.
pages_of <- function(pdf) {
  facts <- suppressWarnings(system2("pdfinfo", shQuote(pdf), stdout = TRUE, stderr = FALSE))
  as.numeric(sub("^Pages: *", "", grep("^Pages:", facts, value = TRUE)))
}

#' Refuses a paper that is longer than it may be.
check_pages <- function(pdf) {
  pages <- pages_of(pdf)
  if (length(pages) != 1) refuse(pdf, " is no PDF that pdfinfo reads")
  if (pages > paper_pages_at_most) refuse("the paper has ", pages, " pages, more than ", paper_pages_at_most)
}

#' Publishes a reference that was condensed.
#'
#' @param results folder of its run; `analysis` folder of the analysis; `reference` what condense_run() wrote; `out` folder of what is shown.
#' @param readme path of the README.
publish_reference <- function(results, analysis, reference, out, readme) {
  check_pages(file.path(results, "report.pdf"))
  all <- read_results(results, analysis)
  facts <- read_reference(reference)$facts
  dir.create(out, recursive = TRUE, showWarnings = FALSE)
  unlink(list.files(out, full.names = TRUE))
  reports <- list.files(results, "^(report|supplement)[.](html|pdf)$", full.names = TRUE)
  file.copy(reports, out)
  for (page in c("light", "dark")) {
    write_svg(figure_situations(all, page == "dark"), file.path(out, sprintf("findings-%s.svg", page)), 6.5)
  }
  sizes <- file.size(list.files(c(reference, out), full.names = TRUE)) / 2^20
  if (sum(sizes) > reference_mib_at_most) {
    refuse("its files take ", format_number(sum(sizes)), " MiB, more than ", reference_mib_at_most)
  }
  writeLines(with_blocks(readLines(readme, encoding = "UTF-8"), readme_blocks(all, facts)), readme)
}

#' The end of a run, for a terminal: findings, what is not valid, where the report is.
summary_lines <- function(all) {
  table <- findings(all)
  c(
    if (nrow(table) > 0) c(
      "", "Findings: the best mode, and the ratio to the baseline with its 95 % interval",
      paste0("  ", table_lines(table[, lapply(.SD, gsub, pattern = "`", replacement = ""), .SDcols = names(table)]))
    ),
    "", gsub("`", "", sentence_validity(all$summary)),
    sprintf("Report: %s", file.path(all$results, c("report.html", "report.pdf", "supplement.pdf")))
  )
}
