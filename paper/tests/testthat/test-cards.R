# The results that a report has of a shipped run, without cells.
xeon <- local({
  shipped <- read_shipped(runs_folder, "2026-11-27-xeon")
  all <- list(findings = findings_of_shipped(shipped, guide_file), summary = shipped$summary, occupancy = shipped$occupancy)
  c(all, list(signs = signs_of(all)))
})
findings <- xeon$findings
first_page <- lines_of("findings.qmd")
advice <- advice_of(lines_of("configure.qmd"), findings)
told <- paste(with_findings(first_page, findings), collapse = "\n")

test_that("each finding of the first page has its own card, with what Table 1 says to do", {
  items <- strsplit(with_cards(told, first_page, advice, xeon), "(?m)^1[.] ", perl = TRUE)[[1]][-1]
  ids <- names(first_items(first_page, findings))
  expect_equal(length(items), length(ids))
  for (at in seq_along(ids)) {
    id <- ids[at]
    card <- sub("(?s).*?(?=   :::)", "", items[at], perl = TRUE)
    expect_said(
      card, sprintf("   ::: {.finding #finding-%s}", id), sprintf("**Do:** %s.", advice[[id]]), sprintf("`snakemake --cores 4 finding-%s`", id), if (!is.null(findings[[id]]$sign)) "**A sign of it:**"
    )
    expect_no_match(card, "numbers of CPUs:[*]{2} (no|queue)[.]")
    # A part of the list's item.
    expect_match(strsplit(trimws(card, "right"), "\n")[[1]], "^(   .*)?$")
  }
  expect_unsaid(items, no_figure)
})

test_that("a sign has the values of both sides, and says where it did not show", {
  of_pinning <- function(...) sentence_of_sign(findings$pinning, altered(copy(xeon$signs), ...))
  expect_said(of_pinning(), "Here: 1 pinned waits a request with `virtual-synchronized-21`, 0 with `virtual-lock-21`.")
  expect_said(of_pinning(state = "not shown", value_with = 0.02), "It did *not* show here: 0.02 pinned")
  expect_no_match(of_pinning(state = "not measured"), "here", ignore.case = TRUE)
  expect_equal(sentence_of_sign(findings$client, xeon$signs), "")
})

test_that("a run in which no finding holds has no advice, and a text that could not be written stays as it is", {
  open <- lapply(findings, function(finding) replace(finding, "holds", "open"))
  expect_length(advice_of(lines_of("configure.qmd"), open), 0)
  lost <- "This section could not be written."
  expect_equal(with_cards(lost, first_page, advice, xeon), lost)
})

test_that("p99.9 stands next to p99 where the tail is the finding", {
  expect_equal(numbers_in(sentence_of_p99_9(xeon)), c(99.9, 20.1, 200, 142))
  none <- replace(xeon, "summary", list(copy(xeon$summary)[, latency_p99_9_ms := NA_real_]))
  xeon$findings$carriers$holds <- "open"
  for (all in list(none, xeon)) expect_equal(sentence_of_p99_9(all), "")
})
