verdicts_of <- function(...) {
  row <- list(
    id = "one", source = "2-mariadb-pools-sysbench", claim = "It is so.", published = "5 times", treatment = "same", differs = "nothing",
    verdict = "holds", ours = "throughput 4 × [3, 5]", because = "Because.", also = "", reason = ""
  )
  as.data.table(modifyList(row, list(...)))
}

test_that("a conclusion stands in one row, with what was measured there and here, the verdict and the reason", {
  table <- table_claims(rbind(
    verdicts_of(), verdicts_of(treatment = "substituted", differs = "no RDS Proxy", verdict = "does not hold"),
    verdicts_of(verdict = "not decided", ours = "", reason = "one session decides nothing")
  ))
  expect_equal(table$Source, c(source_titles[["2-mariadb-pools-sysbench"]], "", ""))
  expect_equal(table[1, c(Conclusion, Published, Here, Verdict, Why)], c("It is so", "5 times", "throughput 4 × [3, 5]", "holds", "Because."))
  expect_equal(table[2, c(Verdict, Why)], c("does not hold ‡", "Because. Here: no RDS Proxy."))
  expect_equal(table[3, c(Here, Why)], c(no_figure, "Because. Not decided: one session decides nothing."))
})

test_that("verdicts are counted in the order of their words", {
  rows <- verdicts_of(verdict = c("not decided", "holds", "holds"))
  expect_equal(sentence_verdicts(rows), "Verdicts on 3 conclusions: *holds* 2 and *not decided* 1.")
  rows[1, `:=`(verdict = not_in_this_run, claim = "It fails.", cells = "demo/pool/high/wrk2")]
  expect_said(sentence_verdicts(rows), "Verdicts on 2 conclusions: *holds* 2. 1 conclusion more speaks of cells that this run did not measure")
  expect_equal(list_of_unmeasured(rows), "- It fails: not measured here; it takes `demo/pool/high/wrk2`.")
  expect_equal(nrow(table_claims(rows)), 2)
})

test_that("the table names each source of the ledger", {
  claims <- read_claims(file.path(analysis_folder, "claims.yaml"))
  expect_setequal(vapply(claims, `[[`, "", "source"), names(source_titles))
})

test_that("the first page has the totals, and no number that is 0", {
  of <- function(...) sentence_of_totals(verdicts_of(verdict = c(...)))
  expect_equal(
    of("holds", "same direction, other size", "does not hold", "not decided", "not comparable", not_in_this_run),
    "Of 5 conclusions of five published experiments, 2 hold (1 in another size), 1 does not and 2 stay open (@sec-claims)."
  )
  expect_equal(of("holds"), "Of 1 conclusion of five published experiments, 1 holds (@sec-claims).")
  expect_equal(of(not_in_this_run), "")
})

test_that("a reason of both sides is said once", {
  why <- function(reason) table_claims(verdicts_of(verdict = "not decided", reason = reason))$Why
  expect_equal(
    why("no valid cell (little) of the mode; no valid cell (little) of its baseline"),
    "Because. Not decided: no valid cell (requests and latency contradict Little's law) on either side."
  )
  other <- "no valid cell (little) of the mode; no cell of its baseline"
  expect_equal(why(other), sprintf("Because. Not decided: %s.", reason_in_words(other)))
})
