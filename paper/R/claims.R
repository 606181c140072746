# The section on the sources' claims: tables of verdicts, and what each rests on.

source_titles <- c(
  "0-threads-vs-pool-jmeter" = "A thread per request or a pool, JMeter",
  "1-tomcat-blocking-remote-wrk" = "Tomcat before a remote that takes a second, wrk",
  "2-mariadb-pools-sysbench" = "The thread pool of MariaDB and a connection pool, sysbench",
  "3-virtual-threads-sleep-jmeter" = "Virtual threads and 100 ms of sleep, JMeter",
  "4-tomcat-signup-wrk2" = "Signing up with Tomcat, wrk2"
)

#' The verdicts with a number for each claim, by source, conclusions before figures: 0.1, 0.2, …
#'
#' @param path path of results/claims.csv.
#' @return see judge_claims(), with `number`.
numbered_verdicts <- function(path) {
  verdicts <- read_verdicts(path)[order(source, kind)]
  verdicts[, number := paste0(substr(source, 1, 1), ".", seq_len(.N)), by = source][]
}

kind_words <- c(conclusion = "conclusion", ratio = "ratio", figure = "figure")

#' How many claims of each kind have which verdict, a sentence per kind; twins count once.
sentences_claims_counted <- function(verdicts) {
  once <- without_twins(verdicts)
  vapply(intersect(names(kind_words), once$kind), function(name) {
    counts <- table(factor(once[kind == name]$verdict, claim_verdicts))
    twins <- sum(verdicts$kind == name) - sum(counts)
    sprintf(
      "Of %s%s, %s.", count_of(sum(counts), kind_words[[name]]),
      if (twins > 0) sprintf(" (%s more by the same measurement and rule)", format_number(twins)) else "",
      enumerate(paste(vapply(counts[counts > 0], is_or_are, ""), names(counts)[counts > 0]))
    )
  }, "")
}

#' The share of conclusions that were decided.
sentence_decided <- function(verdicts) {
  once <- without_twins(verdicts)[kind == "conclusion"]
  if (nrow(once) == 0) return("")
  decided <- sum(once$verdict %in% c("confirmed", "contradicted"))
  sprintf("So %s of the conclusions are decided, %s of %s.", percent(decided / nrow(once)), format_number(decided), format_number(nrow(once)))
}

#' How many claims of each source and kind have which verdict.
table_claim_counts <- function(verdicts) {
  counts <- count_verdicts(verdicts)
  shown <- counts[, .(Source = unname(source_titles[source]), Claims = paste0(kind, "s"))]
  shown[, capitalised(claim_verdicts) := counts[, claim_verdicts, with = FALSE]][]
}

#' The claims of one source and kind, a row each.
#'
#' @return data.table of text: No., Claim, Published, Ours (with its interval), Holds, Verdict.
table_claims <- function(verdicts) {
  verdicts[, .(
    "No." = number, Claim = sub("[.]$", "", claim), Published = published_text(published, unit),
    Ours = ours_with_unit(.SD), Holds = rule_in_unit(rule, unit), Verdict = verdict_text(verdict, repetitions_needed)
  ), .SDcols = names(verdicts)]
}

# Shares are told as percentages, as the sources do.
in_percent <- function(unit) unit == "share"

published_text <- function(published, unit) {
  ifelse(is.na(published), no_figure, paste0(
    format_number(ifelse(in_percent(unit), 100 * published, published)), ifelse(in_percent(unit), " %", "")
  ))
}

ours_with_unit <- function(verdicts) {
  scale <- ifelse(in_percent(verdicts$unit), 100, 1)
  unit <- ifelse(in_percent(verdicts$unit), " %", ifelse(verdicts$unit %in% c("", "ratio"), "", paste0(" ", verdicts$unit)))
  rows <- verdicts[, .(
    estimate = ours, low, high, bound,
    verdict = ifelse(repetitions == 1 & statistic != "survived", "one session", verdict)
  )]
  text <- effect_with_interval(rows, scale)
  ifelse(is.na(verdicts$ours), no_figure, paste0(text, unit))
}

# The rule is text already: its numbers are turned into percentages where they are shares.
rule_in_unit <- function(rule, unit) {
  turned <- vapply(strsplit(rule, " "), function(words) {
    numbers <- suppressWarnings(as.numeric(gsub(",", "", words)))
    words[!is.na(numbers)] <- format_number(100 * numbers[!is.na(numbers)])
    paste(c(words, "%"), collapse = " ")
  }, "")
  ifelse(rule == "", no_figure, ifelse(in_percent(unit), turned, rule))
}

verdict_text <- function(verdict, repetitions_needed) {
  ifelse(
    verdict == "not decided",
    paste0(verdict, ifelse(is.na(repetitions_needed), "", paste0(" (", format_number(repetitions_needed), ")"))),
    verdict
  )
}

# ---- What a verdict rests on -----------------------------------------------------------------

#' The cells that decide a claim, in words.
#'
#' @param cells `cells` of a verdict.
cells_words <- function(cells) {
  if (startsWith(cells, "primitives/")) {
    return(paste("the", enumerate(gsub("-", " ", gsub("primitives/", "", strsplit(cells, " : ")[[1]])), " against the "), "measured by itself"))
  }
  parts <- rbindlist(lapply(strsplit(cells, " : ")[[1]], function(path) as.list(strsplit(path, "/")[[1]])))
  setnames(parts, c("study", "mode", "tier", "tool"))
  against <- function(names) enumerate(as_code(unique(names)), " against ")
  sprintf("%s at %s, %s", against(parts$mode), against(parts$tier), loop_names[[parts$tool[1]]])
}

#' What became of each intervention on a cause, and at which load.
#'
#' @param chain id of causes.yaml; empty for none.
#' @param causes see read_traced().
sentence_chain <- function(chain, causes) {
  if (chain == "") return("")
  cause <- causes[[chain]]
  steps <- rbindlist(lapply(cause$interventions, `[`, c("verdict", "does")))
  told <- steps[, .(words = paste(.N, "of", nrow(steps), verdict, sprintf("(%s)", paste(does, collapse = "; ")))), by = verdict]$words
  sprintf(
    "By intervention at %s (@sec-causes, *%s*): %s.", as_code(cause$difference$tier), cause$title,
    if (nrow(steps) == 1) steps$verdict else enumerate(told, ", ")
  )
}

# What a verdict would take; empty where there is one.
sentence_takes <- function(takes) ifelse(takes == "", "", sprintf("A verdict would take %s.", takes))

#' A line for each conclusion: what was looked at, and why it is as it is.
sentences_claims <- function(verdicts, causes) {
  vapply(seq_len(nrow(verdicts)), function(index) {
    row <- verdicts[index]
    looked <- if (row$cells == "") "" else sprintf(" %s of %s.", capitalised(title_of(row$statistic)), cells_words(row$cells))
    why <- if (row$verdict == "not testable here") paste0(" Not testable here: ", path_words(row$reason), ".") else ""
    paragraph(
      sprintf("**%s**%s%s", row$number, looked, why), sentence_takes(row$takes), plain(row$cause), sentence_chain(row$chain, causes)
    )
  }, "")
}

# Why something cannot be told, with the paths of cells as code.
path_words <- function(reason) gsub("([a-z0-9-]+/[a-z0-9-]+/[a-z0-9-]+/[a-z0-9-]+)", "`\\1`", reason)

#' Figures with the same cause together, and those that could not be tested by the reason.
sentences_figures <- function(verdicts, causes) {
  if (nrow(verdicts) == 0) return(character())
  tested <- verdicts[verdict != "not testable here", .(numbers = list(number)), by = .(cause, chain)]
  untested <- verdicts[verdict == "not testable here", .(numbers = list(number)), by = .(reason, takes)]
  c(
    sprintf(
      "%s: %s %s", vapply(tested$numbers, number_ranges, ""), plain(tested$cause),
      vapply(tested$chain, sentence_chain, "", causes)
    ),
    sprintf(
      "%s: not testable here: %s. %s", vapply(untested$numbers, number_ranges, ""), path_words(untested$reason), sentence_takes(untested$takes)
    )
  )
}

# 0.1 to 0.4, 0.7
number_ranges <- function(numbers) {
  source <- sub("[.].*", "", numbers[1])
  places <- as.integer(sub(".*[.]", "", numbers))
  runs <- split(places, cumsum(c(1, diff(places) != 1)))
  told <- vapply(runs, function(run) {
    paste(unique(paste0(source, ".", range(run))), collapse = " to ")
  }, "")
  paste0("**", enumerate(told), "**")
}

is_unmeasured <- function(verdicts) grepl("was not measured in this run$", verdicts$reason)

#' One source: its conclusions, each with what it rests on, and its figures and ratios.
#'
#' @param verdicts see numbered_verdicts(), of one source.
#' @param causes see read_traced().
#' @return one string of Markdown.
tell_claims <- function(verdicts, causes) {
  one <- substr(verdicts$source[1], 1, 1)
  table_of <- function(rows, kind, caption) {
    if (nrow(rows) == 0) return(NULL)
    c(sprintf("::: {#tbl-claims-%s-%s}", one, kind), "", show_table(table_claims(rows)), "", caption, ":::", "")
  }
  unmeasured <- verdicts[is_unmeasured(verdicts)]
  verdicts <- verdicts[!is_unmeasured(verdicts)]
  conclusions <- verdicts[kind == "conclusion"]
  figures <- verdicts[kind != "conclusion"]
  paste(c(
    sprintf("## %s {#sec-claims-%s}", source_titles[[c(verdicts$source, unmeasured$source)[1]]], one), "",
    table_of(conclusions, "conclusions", paste(
      "Conclusions. A claim holds where our whole interval lies as the column *Holds* says. A number behind *not decided*",
      "is how many repetitions would decide it; ‡ marks an interval from within one session."
    )),
    bullets(sentences_claims(conclusions, causes)), "",
    # Those that could not be tested are told below the table, by their reason.
    table_of(figures[verdict != "not testable here"], "figures", "Values and ratios, to be read like the conclusions."),
    bullets(sentences_figures(figures, causes)), "",
    if (nrow(unmeasured) > 0) paste(number_ranges(unmeasured$number), "speak of cells that were not measured in this run."), ""
  ), collapse = "\n")
}
