guide_file <- file.path(analysis_folder, "guide.yaml")
lines_of <- function(file) readLines(test_path("..", "..", file), encoding = "UTF-8")

# The results that a report has of a shipped run, without cells.
of_shipped <- function(run) {
  shipped <- read_shipped(file.path(analysis_folder, "runs"), run)
  all <- list(findings = findings_of_shipped(shipped, guide_file), summary = shipped$summary, occupancy = shipped$occupancy, citation = read_citation(analysis_folder))
  all$cells <- list(list(provenance = list(commit = "0123456789abcdef", started = "2026-11-28T15:00:00+00:00", machine = list(cpu_model = "A CPU <1>"))))
  c(all, list(signs = signs_of(all)))
}
xeon <- of_shipped("2026-11-27-xeon")
advice <- advice_of(lines_of("configure.qmd"), xeon$findings)
told <- paste(with_findings(lines_of("findings.qmd"), xeon$findings), collapse = "\n")

test_that("each finding of the first page has its own card, with what Table 1 says to do", {
  items <- strsplit(with_cards(told, lines_of("findings.qmd"), advice, xeon), "(?m)^1[.] ", perl = TRUE)[[1]][-1]
  ids <- names(first_items(lines_of("findings.qmd"), xeon$findings))
  expect_equal(length(items), length(ids))
  for (at in seq_along(ids)) {
    card <- sub("(?s).*?(?=   :::)", "", items[at], perl = TRUE)
    expect_match(card, sprintf("   ::: {.finding #finding-%s}", ids[at]), fixed = TRUE)
    expect_match(card, sprintf("**Do:** %s.", advice[[ids[at]]]), fixed = TRUE)
    expect_match(card, sprintf("`snakemake --cores 4 finding-%s`", ids[at]), fixed = TRUE)
    expect_match(card, "@misc{finding-", fixed = TRUE)
    expect_no_match(card, "numbers of CPUs:[*]{2} (no|queue)[.]")
    # A part of the list's item.
    expect_true(all(grepl("^(   .*)?$", strsplit(trimws(card, "right"), "\n")[[1]])))
    if (!is.null(xeon$findings[[ids[at]]]$sign)) expect_match(card, "**A sign of it:**", fixed = TRUE)
  }
  expect_no_match(items, no_figure, fixed = TRUE)
})

test_that("a card's bars are as long as the values of its first pair's load", {
  html <- bars_of(xeon$findings$limit$rows)
  rows <- xeon$findings$limit$rows[1:3]
  shares <- as.numeric(regmatches(html, gregexpr("(?<=--share: )[0-9.]+", html, perl = TRUE))[[1]])
  values <- c(rows$baseline_value[1], rows$mode_value)
  expect_equal(shares, round(100 * values / max(values), 1))
  expect_match(html, paste0(">", format_number(values[2]), " 1/s</span>"), fixed = TRUE)
  # A value at another load, or in another statistic, has no bar.
  expect_length(gregexpr("class=\"bar\"", bars_of(xeon$findings$carriers$rows), fixed = TRUE)[[1]], 3)
  expect_match(bars_of(xeon$findings$overload$rows), " %</span>", fixed = TRUE)
  expect_null(bars_of(copy(rows)[, mode_value := NA_real_][1]))
})

test_that("a sign has the values of both sides, and says where it did not show", {
  words <- sentence_of_sign(xeon$findings$pinning, xeon$signs)
  expect_match(words, "Here: 1 pinned waits a request with `virtual-synchronized-21`, 0 with `virtual-lock-21`.", fixed = TRUE)
  turned <- copy(xeon$signs)[, `:=`(state = "not shown", value_with = 0.02)]
  expect_match(sentence_of_sign(xeon$findings$pinning, turned), "It did *not* show here: 0.02 pinned", fixed = TRUE)
  expect_no_match(sentence_of_sign(xeon$findings$pinning, turned[, state := "not measured"]), "here", ignore.case = TRUE)
  expect_equal(sentence_of_sign(xeon$findings$client, xeon$signs), "")
})

test_that("a finding is cited with its run", {
  html <- citation_in_words(xeon$findings$limit, xeon$citation, run_in_words(xeon))
  expect_match(html, "finding&#32;limit,&#32;measured&#32;on&#32;2026-11-28&#32;(A&#32;CPU&#32;&lt;1&gt;),&#32;commit&#32;0123456789ab}", fixed = TRUE)
  expect_equal(citation_in_words(xeon$findings$limit, NULL, run_in_words(xeon)), "")
})

test_that("programs read all findings, with their values, ranges, signs and rivals", {
  path <- withr::local_tempfile()
  write_findings(xeon, advice, path)
  found <- jsonlite::read_json(path)
  expect_equal(found$run$commit, "0123456789ab")
  expect_equal(vapply(found$findings, `[[`, "", "id"), names(xeon$findings))
  limit <- found$findings[[1]]
  expect_equal(limit$command, "snakemake --cores 4 finding-limit")
  expect_equal(limit$sign$state, "shown")
  pair <- limit$pairs[[1]]
  expect_equal(pair$estimate, xeon$findings$limit$rows$estimate[1])
  expect_equal(pair[c("mode", "baseline")], list(mode = "virtual", baseline = "platform-50"))
})

test_that("a run in which no finding holds has no advice, and a text that could not be written stays as it is", {
  open <- lapply(xeon$findings, function(finding) replace(finding, "holds", "open"))
  expect_length(advice_of(lines_of("configure.qmd"), open), 0)
  expect_equal(with_cards("This section could not be written.", lines_of("findings.qmd"), advice, xeon), "This section could not be written.")
})

test_that("p99.9 stands next to p99 where the tail is the finding", {
  expect_match(sentence_of_p99_9(xeon), "^Their p99.9 is 20.1 ms with 200 platform threads and 142 ms with virtual threads by default.$")
  open <- xeon
  open$findings$carriers$holds <- "open"
  expect_equal(sentence_of_p99_9(open), "")
  none <- replace(xeon, "summary", list(copy(xeon$summary)[, latency_p99_9_ms := NA_real_]))
  expect_equal(sentence_of_p99_9(none), "")
})
