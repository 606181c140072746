# Who else used the server's CPU, and what of the report does not count for it: the first page begins with that.

# Shares of the CPUs, medians over slices, from which others matter; and the share of disturbed slices.
matters_from <- c(others = 0.02, steal = 0.01, disturbed = 0.05)

#' How much of the server's CPU others took.
#'
#' @return list of shares, NA where unknown: others (of the server's CPUs that other programs took) and steal (that the hypervisor took; of all CPUs
#'   where a record does not have the server's), medians over plain slices; disturbed (slices in which both took more than the rules allow).
taken_cpu <- function(slices) {
  plain <- slices[kind == "plain"]
  middle <- function(...) {
    known <- Filter(function(name) name %in% names(plain) && any(is.finite(plain[[name]])), c(...))
    if (length(known) == 0) NA_real_ else median(plain[[known[1]]], na.rm = TRUE)
  }
  list(
    others = middle("others_cpu_share"), steal = middle("server_steal_share", "steal_share"),
    disturbed = if (nrow(plain) > 0) mean(grepl("undisturbed", plain$reason)) else NA_real_
  )
}

#' Comparisons whose throughput or CPU time does not count, as others took the CPU that it is limited by: how many are `lost`, and
#' of how many that have these metrics.
lost_at_cpu_limit <- function(comparisons) {
  if (is.null(comparisons) || !is_readable(comparisons)) return(list(lost = 0, of = 0))
  rows <- comparisons[statistic %in% c("throughput_per_s", "cpu_us_per_request")]
  found <- rows[, .(lost = any(rounds_too_few(reason))), by = .(study, tier, tool, mode, baseline)]
  list(lost = sum(found$lost), of = nrow(found))
}

# Cells whose latency does not count because too few rounds do, where some of these were disturbed.
disturbed_latencies <- function(summary, slices) {
  place <- c("study", "mode", "tier", "tool", "repetition", "session")
  disturbed <- unique(slices[kind == "plain" & beside == "" & grepl("undisturbed", reason), ..place])
  sum(summary[disturbed, on = place, nomatch = NULL][, valid & !latency_valid & outcome == "completed" & grepl("rounds_kept|slices_kept", failed_checks)])
}

#' Says who took how much of the server's CPU, and what does not count for that; short where it is little. `advise` says whether to advise
#' those who can measure again.
sentence_of_taken_cpu <- function(all, advise = TRUE) {
  if (is.null(all$slices)) return("")
  taken <- taken_cpu(all$slices)
  if (all(is.na(unlist(taken[c("others", "steal")])))) return("")
  said <- taken_in_words(taken)
  if (said == "") return("Almost nothing else used the server's CPU.")
  advice <- if (matters(taken, "others")) "End these programs, or measure at another hour." else "Measure at another hour, or on another machine."
  paragraph(said, sentence_not_counted(all), if (advise) advice)
}

matters <- function(taken, what) isTRUE(taken[[what]] >= matters_from[[what]])

taken_in_words <- function(taken) {
  others <- matters(taken, "others")
  parts <- c(
    if (others) sprintf("other programs took %s of the server's CPU", in_two_digits(taken$others)),
    if (matters(taken, "steal")) sprintf(if (others) "the hypervisor %s" else "the hypervisor took %s of the CPU", in_two_digits(taken$steal))
  )
  if (length(parts) > 0) return(sprintf("**%s** (medians over slices).", capitalised(enumerate(parts))))
  if (!matters(taken, "disturbed")) return("")
  sprintf("**In %s of the slices other programs or the hypervisor took more of the server's CPU than the rules allow.**", in_two_digits(taken$disturbed))
}

sentence_not_counted <- function(all) {
  ratios <- lost_at_cpu_limit(all$comparisons)
  latencies <- disturbed_latencies(all$summary, all$slices)
  parts <- c(
    if (ratios$lost > 0) sprintf("throughputs and CPU times at the CPU's limit in %s", some_of(ratios$lost, ratios$of, "comparison")),
    if (latencies > 0) sprintf("the latencies of %s", some_of(latencies, nrow(all$summary), "cell"))
  )
  if (length(parts) == 0) "" else sprintf("Not measured for that: %s.", enumerate(parts))
}

in_two_digits <- function(share) percent(signif(share, 2))

# ---- Reasons in words ------------------------------------------------------------------------------

# Rules by their names in a reason, and who takes the slices that fail them.
rule_words <- c(
  compiled = "the JIT compiler", undisturbed = "other programs or the hypervisor", idle_neighbors = "servers that were to be idle",
  generator_healthy = "a generator at its limit", steady_speed = "a slower CPU", unthrottled = "a quota of CPU time", not_completed = "loads that did not complete",
  idle_connections = "idle connections that the server closed"
)
check_words <- c(
  rounds_kept = "too few rounds count", slices_kept = "too few slices count", accounting = "some requests are in no record",
  little = "requests and latency contradict Little's law", settled = "values change within a load", body_bytes = "bodies of another length",
  same_answer = "other answers than before the load", kept = "new connections in place of kept ones", generator_limits = "the generator had no more ports or descriptors",
  descriptors = "no descriptor was left", writes_kept = "answers and rows of writes differ", never_too_fast = "answers before their time",
  observed = "other numbers of threads than configured", settings = "other settings than configured", requests_due = "too few requests came due",
  backend_healthy = "the backend was at its limit", listen_queue = "the accept queue was cut", data_on_disk = "data in memory", sent = "nothing was sent"
)

#' Reasons of the analysis, with the names of rules in plain words: "2 of 8 rounds count on both sides (lost: undisturbed 5)" becomes
#' "2 of 8 rounds count on both sides, and 3 are needed (5 slices lost to other programs or the hypervisor)".
reason_in_words <- function(reasons) {
  vapply(as.character(reasons), reason_of_one, "", USE.NAMES = FALSE)
}

reason_of_one <- function(reason) {
  if (is.na(reason) || reason == "") return(reason)
  places <- gregexpr(" \\(lost: [^)]*\\)", reason)
  regmatches(reason, places) <- lapply(regmatches(reason, places), vapply, lost_in_words, "", USE.NAMES = FALSE)
  loaded <- if (rounds_too_few(reason)) as.numeric(sub("^.*?([0-9]+) rounds count on both sides.*$", "\\1", reason, perl = TRUE))
  reason <- sub("rounds count on both sides", sprintf("rounds count on both sides, and %d are needed", as.integer(min(loaded, rounds_needed_of_both))), reason, fixed = TRUE)
  for (check in names(check_words)) reason <- gsub(sprintf("(?<=[(,;]|[,:;] )%s(?=[),;])", check), check_words[[check]], reason, perl = TRUE)
  gsub(";(?! )", " and ", reason, perl = TRUE)
}

lost_in_words <- function(text) {
  lost <- strsplit(sub("^ \\(lost: (.*)\\)$", "\\1", text), ", ", fixed = TRUE)[[1]]
  rules <- sub(" [0-9]+$", "", lost)
  counts <- as.numeric(sub("^.* ", "", lost))
  words <- fcoalesce(unname(rule_words[rules]), rules)
  first <- sprintf("%s lost to %s", count_of(counts[1], "slice"), words[1])
  sprintf(" (%s)", enumerate(c(first, sprintf("%d to %s", as.integer(counts[-1]), words[-1]))))
}

#' The reason why a value is missing, where one would stand: "not measured: …" where disturbances are the reason.
why_missing <- function(reasons) ifelse(rounds_too_few(reasons), paste("not measured:", reason_in_words(reasons)), reason_in_words(reasons))
