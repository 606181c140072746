# The README's blocks and pictures, which show the shipped runs. They are made from the tables in
# analysis/runs alone, so they cannot be of another run than the tables.

# A shipped run's tables, report and pictures together, without its cells.
run_mib_at_most <- 8
paper_pages_at_most <- 12
readme_findings <- 5

# ---- Findings ----------------------------------------------------------------------------------

#' The findings of a shipped run, decided again from its tables; `guide` is the path of guide.yaml.
findings_of_shipped <- function(run, guide) {
  findings <- read_findings(guide)
  told_findings(decide_findings(findings, with_verdicts(run, guide)$comparisons, shipped_facts(guide)), findings, pgbouncer = named_version("PgBouncer", run$facts$versions$pgbouncer))
}

#' The items of the first page that this run supports, as Markdown named by finding; `lines` are those of findings.qmd.
first_items <- function(lines, findings, ranges = NULL) {
  items <- blocks_of_items(lines, findings)[holds == TRUE]$finding
  told <- trimws(with_findings(lines, findings, ranges))
  told <- told[told != ""]
  texts <- vapply(split(told, cumsum(startsWith(told, "1. "))), paste, "", collapse = " ")
  setNames(sub("^1[.] ", "", texts[startsWith(texts, "1. ")]), items)
}

#' Those that the README and a terminal report, without the lines that continue an item: the paper has room for them.
items_of_findings <- function(lines, findings, ranges) {
  head(first_items(lines[!startsWith(lines, "   ")], findings, ranges), readme_findings)
}

# ---- Pictures ----------------------------------------------------------------------------------

#' The colours of a drawing on a dark page: grays are turned over, and the palette, made for white, is lighter.
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

lighter <- function(colours, share) {
  channels <- col2rgb(colours)
  rgb(t(channels + share * (255 - channels)), maxColorValue = 255)
}

#' The README's picture, in both themes: where the users stand, as on the paper's first page. A reader's machine may lack the font.
write_svgs <- function(standing, folder) {
  light <- file.path(folder, "findings-light.svg")
  svglite::svglite(light, width = 7, height = height_of_standing(standing), user_fonts = list(sans = svg_font("Liberation Sans")))
  print(figure_standing(standing))
  invisible(dev.off())
  lines <- gsub('font-family: "Liberation Sans"', "font-family: Liberation Sans, Arial, Helvetica, sans-serif", readLines(light))
  writeLines(lines, light)
  writeLines(darkened(lines), file.path(folder, "findings-dark.svg"))
}

# ---- The README --------------------------------------------------------------------------------

#' A reviewer's checks: each finding, the cell that decides it, and the ratio that its command prints of it.
table_of_checks <- function(findings) {
  rbindlist(lapply(names(findings), function(id) {
    row <- findings[[id]]$rows[1]
    data.table(
      Command = sprintf("`snakemake --cores 4 finding-%s`", id), Cell = row[, paste(study, mode, tier, tool, sep = "/")],
      Ratio = paste(title_of(row$statistic), effect_with_interval(row))
    )
  }))
}

# A table without the blanks that align its columns.
narrow_table <- function(table) gsub("-{4,}", "---", gsub(" {2,}", " ", c(knitr::kable(table, format = "pipe", row.names = FALSE))))

#' The shipped runs: what each is, and where its report is, if it is shipped, too.
#'
#' @param runs see read_all_shipped(), with `has_report`; CPU time is compared with that of the first.
table_of_runs <- function(runs) {
  rbindlist(lapply(runs, function(run) {
    facts <- run$facts
    cells <- with_capacities(run$summary, run$capacity)
    # With what was measured beside a default run.
    session_s <- unlist(c(facts$session_s, facts$beside$session_s))
    data.table(
      Run = if (isTRUE(run$has_report)) sprintf("[%s](../paper/runs/%s/report.pdf)", run$name, run$name) else run$name, Machine = machine_text(facts$machine),
      Kernel = facts$machine$kernel, Commit = as_code(substr(facts$commit, 1, 7)), Cells = format_number(nrow(cells)),
      "of them load curves" = format_number(nrow(run$capacity)), Valid = format_number(sum(counts_for(rbind(run$summary, run$capacity, fill = TRUE), "throughput_per_s"))),
      Sessions = format_number(length(session_s)), Minutes = format_number(round(sum(session_s) / 60)),
      "CPU time of a request" = format_number(cpu_time_against(runs[[1]], run))
    )
  }))
}

# Which file has which blocks.
readme_files <- list("README.md" = c("picture", "findings", "checks"), "analysis/README.md" = "run")

# Where a finding of one run stands in another.
stands_elsewhere <- c(no = "refuted by", open = "not decided by", unmeasured = "not measured by")

#' Those findings of the README, by their `ids`, that not all other runs find; `elsewhere` are the findings of those.
sentence_elsewhere <- function(ids, elsewhere) {
  lacking <- unlist(lapply(ids, function(id) {
    stands <- vapply(elsewhere, function(findings) findings[[id]]$holds, "")
    counts <- vapply(names(stands_elsewhere), function(how) sum(stands == how), 0)
    if (any(counts > 0)) sprintf("%s %s", as_code(id), enumerate(paste(stands_elsewhere, counts)[counts > 0]))
  }))
  if (length(lacking) > 0) sprintf("Of %s: %s.", count_of(length(elsewhere), "other run"), paste(lacking, collapse = "; "))
}

#' The blocks of both READMEs, by the names of their markers.
#'
#' @param runs see read_all_shipped(); the first is described. `items` see items_of_findings(); `first` their findings; `elsewhere` see
#'   sentence_elsewhere(); `alt` words of its picture.
readme_blocks <- function(runs, items, first, elsewhere, alt) {
  run <- runs[[1]]
  folder <- paste0("paper/runs/", run$name)
  cells <- rbind(run$summary, run$capacity, fill = TRUE)
  list(
    picture = c(
      sprintf('<picture><source media="(prefers-color-scheme: dark)" srcset="%s/findings-dark.svg">', folder),
      sprintf('<img src="%s/findings-light.svg" alt="%s"></picture>', folder, escape_html(alt))
    ),
    findings = c(
      if (length(items) > 0) c(sprintf("- %s: %s", as_code(names(items)), items), "", paste(c(sentence_of_brackets(items), elsewhere), collapse = " "), ""),
      sprintf(
        "The paper of this run, `%s`: [PDF](%s/report.pdf), and [HTML](%s/report.html) with all tables.", run$name, folder, folder
      )
    ),
    run = c(
      narrow_table(table_of_runs(runs)), "",
      sprintf("`%s`: %s", run$name, sentence_validity(cells, run$comparisons))
    ),
    checks = narrow_table(table_of_checks(first))
  )
}

#' Puts lines, by the name of their block, between markers: `<!-- readme:begin NAME … -->` and `<!-- readme:end NAME -->`.
with_blocks <- function(lines, blocks) {
  for (name in names(blocks)) {
    at <- c(grep(sprintf("^<!-- readme:begin %s\\b", name), lines), grep(sprintf("^<!-- readme:end %s\\b", name), lines))
    if (length(at) != 2 || at[1] > at[2]) refuse("no pair of markers readme:begin and readme:end for ", name)
    lines <- c(lines[seq_len(at[1])], blocks[[name]], lines[at[2]:length(lines)])
  }
  lines
}

#' Writes the READMEs' blocks and the two pictures of the named run; `root` is the checkout.
write_readme <- function(root, name) {
  runs <- lapply(read_all_shipped(file.path(root, "analysis", "runs"), name), function(run) {
    c(run, has_report = file.exists(file.path(root, "paper", "runs", run$name, "report.pdf")))
  })
  over_runs <- lapply(setNames(runs, vapply(runs, `[[`, "", "name")), findings_of_shipped, file.path(root, "analysis", "guide.yaml"))
  findings <- over_runs[[1]]
  lines <- readLines(file.path(root, "paper", "findings.qmd"), encoding = "UTF-8")
  standing <- users_standing(runs[[1]]$occupancy)
  ranges <- elsewhere(with_hosts(runs), read_starts(file.path(root, "analysis", "guide.yaml")))
  items <- items_of_findings(lines, findings, ranges)
  there <- sentence_elsewhere(names(items), over_runs[-1])
  blocks <- readme_blocks(runs, items, findings[names(items)], there, spoken(sentence_of_standing(standing)))
  paths <- file.path(root, names(readme_files))
  texts <- Map(function(path, names) with_blocks(readLines(path, encoding = "UTF-8"), blocks[names]), paths, readme_files)
  write_svgs(standing, file.path(root, "paper", "runs", name))
  Map(writeLines, texts, paths)
}

# ---- Shipping a run ----------------------------------------------------------------------------

#' Refuses a paper that is longer than it may be.
check_pages <- function(pdf) {
  facts <- suppressWarnings(system2("pdfinfo", shQuote(pdf), stdout = TRUE, stderr = FALSE))
  pages <- as.numeric(sub("^Pages: *", "", grep("^Pages:", facts, value = TRUE)))
  if (length(pages) != 1) refuse(pdf, " is no PDF that pdfinfo reads")
  if (pages > paper_pages_at_most) refuse("the paper has ", pages, " pages, more than ", paper_pages_at_most)
}

#' Ships a complete default run: all of it, or nothing.
#'
#' @param results,paths,repetitions see condense_run(); `name` of the run, empty for <date>-<machine>; `commit` see committed_code().
ship_run <- function(results, paths, repetitions, name, root, commit) {
  analysis <- file.path(root, "analysis")
  folders <- file.path(root, c("paper", "analysis"), "runs")
  # Names that begin with a dot are no runs.
  new <- tempfile(".new-", folders)
  on.exit(unlink(new, recursive = TRUE))
  for (folder in new) dir.create(folder, recursive = TRUE)
  facts <- condense_run(results, paths, new[2], analysis, repetitions, commit)
  check_pages(file.path(results, "report.pdf"))
  if (name == "") name <- name_of_run(facts)
  to <- file.path(folders, name)
  if (any(file.exists(to))) refuse(name, " is there already; --config name=… gives another name")
  file.copy(file.path(results, c("report.html", "report.pdf")), new[1])
  write_svgs(users_standing(read_occupancy(file.path(new[2], "occupancy.csv"))), new[1])
  sizes <- file.size(setdiff(list.files(new, full.names = TRUE), file.path(new, packed_cells))) / 2^20
  if (sum(sizes) > run_mib_at_most) refuse("its files take ", format_number(sum(sizes)), " MiB, more than ", run_mib_at_most)
  moved <- file.rename(new, to)
  if (!all(moved)) {
    unlink(to[moved], recursive = TRUE)
    refuse(enumerated(to[!moved]), " cannot be written")
  }
  name
}

# The steps left after a run was shipped.
lines_of_shipped <- function(name) {
  c(
    sprintf("Shipped: analysis/runs/%s and paper/runs/%s.", name, name),
    sprintf("To compare others with it, set `reference: %s` in config.yaml.", name),
    "`snakemake --cores 1 readme` then writes the READMEs of the run that config.yaml names."
  )
}

#' Packs a complete default run for others: its folder of tables and run.json, as it would be shipped, and its raw cells next to that.
#'
#' @return list: tables and cells (archives in results/published/), sha256 (of the cells).
pack_run <- function(results, paths, repetitions, name, root, commit) {
  new <- tempfile("run-")
  on.exit(unlink(new, recursive = TRUE))
  folder <- file.path(new, "run")
  dir.create(folder, recursive = TRUE)
  facts <- condense_run(results, paths, folder, file.path(root, "analysis"), repetitions, commit)
  if (name == "") name <- name_of_run(facts)
  dir.create(file.path(results, "published"), showWarnings = FALSE)
  made <- file.path(results, "published", paste0(name, c(".tar.gz", "-cells.tar.xz")))
  if (any(file.exists(made))) refuse(enumerated(made[file.exists(made)]), " is there already; --config name=… gives another name")
  file.copy(file.path(folder, packed_cells), made[2])
  file.rename(folder, file.path(new, name))
  pack_files(new, file.path(name, setdiff(list.files(file.path(new, name)), packed_cells)), made[1], "gzip -n9")
  list(tables = made[1], cells = made[2], sha256 = facts$cells_sha256)
}

# The steps left with them.
lines_of_packed <- function(packed) {
  c(
    sprintf("%s: its tables and run.json, for a new issue of the kind “Add a run”.", packed$tables),
    sprintf("%s: its raw cells (%s MiB), for any place with an address.", packed$cells, format_number(file.size(packed$cells) / 2^20)),
    sprintf("SHA-256 of the cells: %s", packed$sha256)
  )
}

# ---- The end of a run --------------------------------------------------------------------------

#' The end of a run, for a terminal: findings, what is not valid, what could not be read, computed or written, where the report is.
summary_lines <- function(all, lines) {
  items <- written("the findings", items_of_findings(lines, all$findings, all$elsewhere), function(message) character())
  # Without the marks of Markdown.
  said <- function(part, sentence) Filter(nzchar, gsub("[`*\\\\]", "", written(part, sentence)))
  untold <- said("the findings", sprintf("- %s", sentences_untold(head(all$findings, on_first_page))))
  c(
    if (length(items) > 0) c("", "Findings:", paste("-", gsub("[`*]", "", items))),
    if (length(untold) > 0) c("", "This run does not show:", untold),
    "", said("the summary", sentence_of_taken_cpu(all)), said("the summary", sentence_validity(all$summary, all$comparisons)), said("the summary", sentence_full_collections(all$summary, Inf)),
    lines_of_problems(problems_of(all$results)), sprintf("Report: %s", file.path(all$results, c("report.html", "report.pdf")))
  )
}

# All of them, as `make report` then ends with another status.
lines_of_problems <- function(problems) {
  told <- sentences_of_problems(problems, identity)
  if (length(told) > 0) c("", "Problems, which the report names on its first page and problems.csv has all of:", paste("-", gsub("`", "", told)), "")
}
