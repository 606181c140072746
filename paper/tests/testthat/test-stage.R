run_of <- function(ratios, run = 1) {
  pairs <- title_pairs[, .(study = "virtual-threads", baseline = "platform-50", mode, tier, tool, statistic, estimate = ratios)]
  list(name = paste("run", run), comparisons = pairs, capacity = data.table(study = "virtual-threads", tier = "sleep-100", objective_ms = 120))
}
usual <- c(1, 10, 25)

test_that("each number of the title is the median of the shipped runs", {
  runs <- list(run_of(c(1, 9, 24)), run_of(usual), run_of(c(1.2, 11, 31)))
  found <- ratios_of_title(runs)
  expect_equal(title_of_stage(found), "Virtual threads are 1 ×, 10 × or 25 × as fast: it depends on what you admit")
  expect_said(
    sentence_of_stage(found, objective_of_title(runs), TRUE), "25 × with no limit, for as many users as come (24 to 31), p99 at most 120 ms", "[Cite this](#cite-limit)."
  )
})

test_that("a title without a run, or without one of its pairs, has no numbers", {
  runs <- list(run_of(usual))
  runs[[1]]$comparisons <- runs[[1]]$comparisons[-2]
  for (some in list(list(), NULL, runs)) expect_no_match(title_of_stage(ratios_of_title(some)), "[0-9]")
  expect_equal(sentence_of_stage(ratios_of_title(runs), 120), "")
})

# The title, the sentence under it and the settings of the page's figure.
first_screen <- function(html) {
  text <- function(pattern) gsub("[[:space:]]+", " ", gsub("<[^>]*>", "", regmatches(html, regexpr(pattern, html, perl = TRUE))))
  loads <- jsonlite::fromJSON(gsub("&quot;", "\"", sub(".*id=\"stage\" data-loads=\"([^\"]*)\".*", "\\1", html)), simplifyVector = FALSE)
  settings <- rbindlist(lapply(loads, function(load) rbindlist(lapply(load$settings, function(one) c(list(users = load$users), one[c("words", "per_s")], one$places)))))
  list(title = text("(?s)<h1[^>]*>Virtual threads are.*?</h1>"), sentence = text("Throughput compared[^<]*"), settings = settings)
}
first_screen_of_tables <- function(name) {
  # Those that were shipped later were not there to be told of.
  runs <- Filter(function(run) run$name <= name, read_all_shipped(runs_folder, name))
  ratios <- ratios_of_title(runs)
  settings <- users_standing(runs[[1]]$occupancy)[tier %in% stage_tiers, c("users", "words", "throughput_per_s", standing_places$place), with = FALSE]
  list(title = title_of_stage(ratios), sentence = sentence_of_stage(ratios, objective_of_title(runs)), settings = setnames(settings, "throughput_per_s", "per_s"))
}

test_that("the first screen of the shipped page has the values of the shipped tables, and no others", {
  html <- paste(lines_of(file.path("runs", reference_run, "report.html")), collapse = "\n")
  tables <- first_screen_of_tables(reference_run)
  found <- first_screen(html)
  for (part in c("title", "sentence")) expect_equal(numbers_in(found[[part]]), numbers_in(tables[[part]]))
  expect_gte(nrow(found$settings), 4)
  of_tables <- tables$settings[found$settings, on = c("users", "words"), names(found$settings), with = FALSE]
  # Tables have six digits.
  expect_equal(found$settings, of_tables, tolerance = 1e-5, ignore_attr = TRUE)
})

test_that("a load that can be set has its settings with what they admit, and all users where nothing limits them", {
  standing <- data.table(
    study = "s", tier = "sleep-500", mode = c("platform-50", "virtual"), load = "500 users", words = c("50 threads", "virtual threads"), users = 500,
    waiting = c(50, 480), connection = 0, cpu = c(0, 20), not_admitted = c(450, 0), throughput_per_s = c(500, 4800)
  )
  bounds <- data.table(study = "s", tier = "sleep-500", mode = c("platform-50", "virtual"), tool = "jmeter", admitted = c(50, NA), wait_ms = 100)
  found <- stage_loads(standing, bounds)[[1]]
  expect_equal(found[c("words", "users", "held_ms")], list(words = "500 users", users = 500, held_ms = 100))
  expect_equal(vapply(found$settings, `[[`, 0, "admitted"), c(50, 500))
  expect_equal(found$settings[[1]]$places, list(waiting = 50, cpu = 0, connection = 0, not_admitted = 450))
  expect_equal(stage_html(list(), "figure"), "figure")
})
