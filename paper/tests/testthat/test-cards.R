# The results that a report has of a shipped run, without cells.
xeon <- local({
  shipped <- read_shipped(runs_folder, "2026-11-27-xeon")
  all <- list(findings = findings_of_shipped(shipped, guide_file), summary = shipped$summary, occupancy = shipped$occupancy, citation = read_citation(analysis_folder))
  all$cells <- list(list(provenance = list(commit = "0123456789abcdef", started = "2026-11-28T15:00:00+00:00", machine = list(cpu_model = "A CPU <1>"))))
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
      card, sprintf("   ::: {.finding #finding-%s}", id), sprintf("**Do:** %s.", advice[[id]]), sprintf("`snakemake --cores 4 finding-%s`", id),
      "@misc{finding-", if (!is.null(findings[[id]]$sign)) "**A sign of it:**"
    )
    expect_no_match(card, "numbers of CPUs:[*]{2} (no|queue)[.]")
    # A part of the list's item.
    expect_match(strsplit(trimws(card, "right"), "\n")[[1]], "^(   .*)?$")
  }
  expect_unsaid(items, no_figure)
})

test_that("a card's bars are as long as the values of its first pair's load", {
  html <- bars_of(findings$limit$rows)
  rows <- findings$limit$rows[1:3]
  shares <- as.numeric(regmatches(html, gregexpr("(?<=--share: )[0-9.]+", html, perl = TRUE))[[1]])
  values <- c(rows$baseline_value[1], rows$mode_value)
  expect_equal(shares, round(100 * values / max(values), 1))
  expect_said(html, paste0(">", format_number(values[2]), " 1/s</span>"))
  # A value at another load, or in another statistic, has no bar.
  expect_length(gregexpr("class=\"bar\"", bars_of(findings$carriers$rows), fixed = TRUE)[[1]], 3)
  expect_said(bars_of(findings$overload$rows), " %</span>")
  expect_null(bars_of(copy(rows)[, mode_value := NA_real_][1]))
})

test_that("a sign has the values of both sides, and says where it did not show", {
  of_pinning <- function(...) sentence_of_sign(findings$pinning, altered(copy(xeon$signs), ...))
  expect_said(of_pinning(), "Here: 1 pinned waits a request with `virtual-synchronized-21`, 0 with `virtual-lock-21`.")
  expect_said(of_pinning(state = "not shown", value_with = 0.02), "It did *not* show here: 0.02 pinned")
  expect_no_match(of_pinning(state = "not measured"), "here", ignore.case = TRUE)
  expect_equal(sentence_of_sign(findings$client, xeon$signs), "")
})

test_that("a finding is cited with its run", {
  html <- citation_in_words(findings$limit, xeon$citation, run_in_words(xeon))
  expect_said(html, "finding&#32;limit,&#32;measured&#32;on&#32;2026-11-28&#32;(A&#32;CPU&#32;&lt;1&gt;),&#32;commit&#32;0123456789ab}")
  expect_equal(citation_in_words(findings$limit, NULL, run_in_words(xeon)), "")
})

test_that("programs read all findings, with their values, ranges, signs and rivals", {
  path <- withr::local_tempfile()
  write_findings(xeon, advice, path)
  found <- jsonlite::read_json(path)
  expect_equal(found$run$commit, "0123456789ab")
  expect_equal(vapply(found$findings, `[[`, "", "id"), names(findings))
  limit <- found$findings[[1]]
  expect_equal(c(limit$command, limit$sign$state), c("snakemake --cores 4 finding-limit", "shown"))
  pair <- limit$pairs[[1]]
  expect_equal(pair[c("mode", "baseline", "estimate")], list(mode = "virtual", baseline = "platform-50", estimate = findings$limit$rows$estimate[1]))
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
