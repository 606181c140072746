# What the repository shows of the reference: report, the README's figure and its numbers.

# Of the reference's tables, report and figures together.
reference_mib_at_most <- 8
paper_pages_at_most <- 15
# What the README shows: so many findings, and the figures of so many studies.
readme_findings <- 5
readme_figures <- 2

#' The README's picture: the load curves of the studies whose modes lie furthest apart; without curves the first
#' finding that has a figure.
#'
#' @return list of figure (ggplot), height (inches) and alt (words).
picture_of_readme <- function(all) {
  studies <- lapply(unique(all$summary$study), of_study, all = all)
  curves <- Filter(function(one) !is.null(one$answer), lapply(studies, function(one) c(one, list(answer = answer_of_curve(one)))))
  if (length(curves) == 0) {
    finding <- first_findings(all$findings)[1]
    if (is.null(finding[[1]])) return(list(figure = nothing_to_draw("no finding is decided"), height = 2, alt = "Nothing is decided."))
    return(list(figure = figure_finding(all, finding[[1]]), height = 2.5, alt = alt_finding(all, finding[[1]])))
  }
  apart <- vapply(curves, function(one) diff(range(log(pool_capacity(one$capacity)$capacity_per_s))), 0)
  curves <- head(curves[order(-apart)], readme_figures)
  drawn <- lapply(curves, function(one) {
    titled <- plot_annotation(title_of_study(one), theme = theme(plot.title = element_text(size = 11, face = "bold", colour = ink)))
    wrap_elements(full = one$answer$draw() + titled)
  })
  list(
    figure = wrap_plots(drawn, nrow = 1), height = 0.3 + max(vapply(curves, function(one) one$answer$height, 0)),
    alt = paste(vapply(curves, function(one) one$answer$alt, ""), collapse = " ")
  )
}

#' The colours of a drawing on a dark page: grays are turned over, and the palette, made for white, is lighter.
#'
#' @param lines of an SVG.
darkened <- function(lines) {
  places <- gregexpr("#[0-9A-Fa-f]{6}", lines)
  regmatches(lines, places) <- lapply(regmatches(lines, places), on_dark)
  lines
}

on_dark <- function(colours) {
  if (length(colours) == 0) return(colours)
  parts <- col2rgb(colours)
  is_gray <- apply(parts, 2, function(part) diff(range(part)) <= 12)
  turned <- rgb(colorRamp(c("#E6EDF3", "#0D1117"))(colMeans(parts) / 255), maxColorValue = 255)
  ifelse(is_gray, turned, lighter(colours, 0.35))
}

# In both themes. A reader's machine may lack the font.
write_svgs <- function(picture, folder) {
  light <- file.path(folder, "findings-light.svg")
  svglite::svglite(light, width = 10, height = picture$height, user_fonts = list(sans = svg_font("Liberation Sans")))
  print(picture$figure & theme(plot.background = element_rect(fill = "white", colour = NA)))
  invisible(dev.off())
  lines <- gsub('font-family: "Liberation Sans"', "font-family: Liberation Sans, Arial, Helvetica, sans-serif", readLines(light))
  writeLines(lines, light)
  writeLines(darkened(lines), file.path(folder, "findings-dark.svg"))
}

#' The best of each situation in its first metric, as in the guide: Situation, Baseline, Metric, Best, Ratio.
findings <- function(all) {
  table <- table_guide(all$guide)
  if (nrow(table) == 0) table else table[Situation != ""]
}

findings_of_readme <- function(all) head(first_findings(all$findings), readme_findings)

# A finding without links into the report.
plain_finding <- function(finding) gsub(" ?\\(@[^)]*\\)", "", tell_finding(finding))

#' What a reviewer checks: each finding, the cell that decides it, how long that takes, and the reference's value.
#'
#' @return data.table of text: Finding, Command, Minutes, Reference.
table_of_claims <- function(all) {
  rows <- lapply(findings_of_readme(all), function(finding) {
    row <- finding$rows[1]
    data.table(
      Finding = finding$text$title,
      Command = sprintf("`snakemake --cores 4 -f results/cells/%s/%s/%s/%s/rep-1/cell.json`", row$study, row$mode, row$tier, row$tool),
      Minutes = format_number(ceiling(cell_s(all, row) / 60)),
      Reference = paste0(title_of(row$statistic), ": ", times_text_of(row))
    )
  })
  rbindlist(rows)
}

# How long a mode takes with its baseline: their part of their session.
cell_s <- function(all, row) {
  of_row <- function(cell) cell$cell$study == row$study && cell$cell$mode == row$mode
  session <- Filter(of_row, all$cells)[[1]]$session
  beside <- Filter(function(cell) cell$session$id == session$id, all$cells)
  spent_s <- function(names) sum(unlist(session$phases[names]))
  modes <- uniqueN(vapply(beside, function(cell) cell$cell$mode, ""))
  spent_s("start_s") + spent_s("warm_up_s") * min(1, 2 / modes) + spent_s(c("load_s", "between_s")) * min(1, 2 / length(beside))
}

sentence_of_reference <- function(facts, summary) {
  sprintf(
    "The shipped reference has %s, %s of them load curves, from %s, measured on %s on %s in %s (commit `%s`). %s",
    count_of(facts$cells, "cell"), format_number(facts$cells - nrow(summary)), count_of(facts$sessions, "session"), substr(facts$ended, 1, 10),
    machine_text(facts$machine), duration_text(sum(unlist(facts$session_s))), substr(facts$commit, 1, 7), sentence_validity(summary)
  )
}

#' Whole runs on other machines, the latest first.
#'
#' @param analysis folder of the analysis, with folders that the rule `reference` wrote there, renamed to replication-*.
#' @return list by folder, each as of read_reference().
read_replications <- function(analysis) {
  folders <- list.files(analysis, "^replication-")
  runs <- setNames(lapply(file.path(analysis, folders), read_reference), folders)
  runs <- runs[lengths(runs) > 0]
  runs[order(vapply(runs, function(run) run$facts$ended, ""), decreasing = TRUE)]
}

#' Another machine's whole run beside the reference: where both have a verdict, is it the same?
#'
#' @param reference,replication see read_reference().
#' @param folder of the replication, in paper/.
#' @return text of one line.
sentence_of_replication <- function(reference, replication, folder) {
  decided <- function(one) one$comparisons[verdict %in% c("lower", "higher", "equivalent")]
  both <- merge(decided(reference), decided(replication), by = comparison_keys, suffixes = c("_there", "_here"))
  opposite <- both[verdict_there %in% c("lower", "higher") & verdict_here %in% c("lower", "higher") & verdict_there != verdict_here]
  cpu_us <- merge(cpu_us_of(reference), cpu_us_of(replication), by = c("study", "mode", "tier", "tool"))
  facts <- replication$facts
  paragraph(
    sprintf(
      "A whole run on another machine (%s, %s, kernel %s, commit `%s`; [PDF](paper/%s/report.pdf), [supplement](paper/%s/supplement.pdf)) has %s, and %d are valid.",
      substr(facts$ended, 1, 10), machine_text(facts$machine), facts$machine$kernel, substr(facts$commit, 1, 7), folder, folder,
      count_of(nrow(replication$summary), "cell"), sum(poolable(replication$summary))
    ),
    if (nrow(cpu_us) > 0) sprintf("A request took %s times the CPU time there (median).", format_number(median(cpu_us[, cpu_us.y / cpu_us.x]))),
    if (nrow(both) > 0) sprintf(
      "Of %s with a verdict in both runs, %s have the same, and %d the opposite.", count_of(nrow(both), "comparison"),
      format_number(both[, sum(verdict_there == verdict_here)]), nrow(opposite)
    )
  )
}

# The CPU time per request of every valid cell, over its repetitions.
cpu_us_of <- function(one) {
  valid <- one$summary[poolable(one$summary) & is.finite(cpu_us_per_request) & cpu_us_per_request > 0]
  valid[, .(cpu_us = median(cpu_us_per_request)), by = .(study, mode, tier, tool)]
}

#' What stands between the README's markers, by their names; `alt` of its picture. `reference` see read_reference(),
#' `replications` read_replications().
readme_blocks <- function(all, reference, replications, alt) {
  told <- vapply(findings_of_readme(all), plain_finding, "")
  elsewhere <- unlist(lapply(names(replications), function(folder) {
    c("", sentence_of_replication(reference, replications[[folder]], folder))
  }))
  list(
    findings = c(
      '<picture><source media="(prefers-color-scheme: dark)" srcset="paper/reference/findings-dark.svg">',
      sprintf('<img src="paper/reference/findings-light.svg" alt="%s"></picture>', gsub('"', "&quot;", alt)), "",
      if (length(told) > 0) c(sprintf("%d. %s", seq_along(told), told), ""),
      "The paper: [PDF](paper/reference/report.pdf). With its supplement: [HTML](paper/reference/report.html), [PDF](paper/reference/supplement.pdf)."
    ),
    run = c(sentence_of_reference(reference$facts, all$summary), elsewhere),
    claims = knitr::kable(table_of_claims(all), format = "pipe", row.names = FALSE)
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
  shipped <- read_reference(reference)
  dir.create(out, recursive = TRUE, showWarnings = FALSE)
  unlink(list.files(out, full.names = TRUE))
  reports <- list.files(results, "^(report|supplement)[.](html|pdf)$", full.names = TRUE)
  file.copy(reports, out)
  picture <- picture_of_readme(all)
  write_svgs(picture, out)
  sizes <- file.size(list.files(c(reference, out), full.names = TRUE)) / 2^20
  if (sum(sizes) > reference_mib_at_most) {
    refuse("its files take ", format_number(sum(sizes)), " MiB, more than ", reference_mib_at_most)
  }
  writeLines(with_blocks(readLines(readme, encoding = "UTF-8"), readme_blocks(all, shipped, read_replications(analysis), picture$alt)), readme)
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
