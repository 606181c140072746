# Overloads: who is answered in time, how long until a server answers as before, and how much heap a request in flight holds.
# Shares of failed requests are those of the summary, where a late answer has failed.

# The 99th percentile is back when it is within this factor of that before the overload, for so many seconds.
#' @export
back_within <- 2
back_for_s <- 3
# Collections, and requests in flight at them, from which on heap per request has a value; a heap fuller than so much has no room for more.
collections_at_least <- 5
in_flight_at_least <- 500
room_below <- 0.75
# Tomcat's default.
tomcat_connections <- 8192

no_overloads <- function() {
  numbers <- c(
    "repetition", "slice", "highest_share", "capacity_per_s", "objective_ms", "duration_s", "due", "in_time", "refused", "answered_after_s",
    "full_collections_after", "predicted_in_time", "most_in_time", sprintf("within_%d_s", 1:10)
  )
  typed_table(c(cell_place, "session", "outcome", "failed_checks", "path", "tier_title", "capacity_of", "steps"), numbers, "valid")
}

# The rows of a table of a cell, with the cell's names; NULL where the server did not start, and nothing was loaded.
table_of_cell <- function(cell, file) {
  path <- file.path(cell$folder, file)
  if (!file.exists(path)) return(NULL)
  rows <- fread(path, colClasses = "character", na.strings = "")
  for (column in setdiff(names(rows), c("steps", "kind"))) set(rows, j = column, value = as.numeric(rows[[column]]))
  if (nrow(rows) > 0) cbind(as.data.table(identity_row(cell))[rep(1, nrow(rows))], rows)
}

# "0.5x10 1.5x10": share and length of each step, and when it begins.
parse_steps <- function(steps) {
  parts <- strsplit(strsplit(steps, " ")[[1]], "x")
  found <- data.table(share = as.numeric(vapply(parts, `[`, "", 1)), length_s = as.numeric(vapply(parts, `[`, "", 2)))
  found[, from_s := cumsum(length_s) - length_s][]
}

#' All loads of overloads.
#'
#' @param cells list of cells of the tool `overload`, see read_cell().
#' @return rows of overloads.csv, see tables.yaml. An answer in time is right, and within the objective; answered_after_s is NA for none,
#'   and predicted_in_time, see predict_in_time(), where requests are refused.
overloads_of <- function(cells) {
  rows <- lapply(cells, function(cell) {
    loads <- table_of_cell(cell, "overloads.csv")
    if (is.null(loads)) return(NULL)
    loads[, `:=`(capacity_of = words(cell$overload$capacity_of), objective_ms = number(cell$configuration$tool$objective_ms))]
    loads[, `:=`(most_in_time = in_time_at_most(parse_steps(steps[1]), objective_ms[1] / 1000), predicted_in_time = predict_of_cell(cell, steps[1], capacity_per_s[1]))]
    loads[, c("highest_share", "duration_s") := rbindlist(lapply(steps, function(each) parse_steps(each)[, .(max(share), sum(length_s))]))]
    heap <- table_of_cell(cell, "heap.csv")
    after <- function(number, lasted_s) sum(heap$slice == number & heap$kind == "full" & heap$time_s > lasted_s)
    loads[, full_collections_after := as.numeric(mapply(after, slice, duration_s))][]
  })
  rbindlist(c(list(no_overloads()), rows), fill = TRUE)[, names(no_overloads()), with = FALSE]
}

# ---- Recovery --------------------------------------------------------------------------------------

no_seconds <- function() {
  typed_table(c(cell_place, "session"), c("repetition", "slice", "second", "share", "due", "right", "in_time", "p50_ms", "p99_ms"))
}

#' The seconds of all loads with several steps.
#'
#' @param cells,loads see overloads_of().
#' @return rows of overload-seconds.csv, see tables.yaml: a second is that in which requests were due; p50_ms and p99_ms are infinite
#'   where failed requests reach them.
overload_seconds_of <- function(cells, loads) {
  rows <- rbindlist(c(list(no_seconds()), lapply(cells, table_of_cell, file = "seconds.csv")), fill = TRUE)
  rows[, steps := NA_character_][loads, steps := i.steps, on = c("study", "mode", "tier", "session", "slice")]
  rows <- rows[grepl(" ", steps)]
  rows[, share := parse_steps(steps[1])[findInterval(second, from_s), share], by = steps]
  rows[, names(no_seconds()), with = FALSE]
}

#' How long after an overload the 99th percentile is as before it.
#'
#' @param seconds see overload_seconds_of(): loads whose highest share lies between lower ones.
#' @return rows of recoveries.csv, see tables.yaml; back_s is Inf for never within the load.
recoveries_of <- function(seconds) {
  of_loads <- lapply(split(seconds, by = c("study", "mode", "tier", "session", "slice")), recovery_of_load)
  rbindlist(c(list(no_recoveries()), of_loads), fill = TRUE)
}

no_recoveries <- function() {
  typed_table(c("study", "mode", "tier", "session"), c("slice", "before_ms", "in_time_before", "in_time_during", "in_time_after", "back_s"))
}

recovery_of_load <- function(rows) {
  rows <- rows[order(second)][is.finite(share)]
  if (nrow(rows) == 0) return(NULL)
  overload <- range(rows[share == max(share)]$second)
  before <- rows[second < overload[1]]
  after <- rows[second > overload[2]]
  if (nrow(before) == 0 || nrow(after) == 0) return(NULL)
  before_ms <- median(before$p99_ms)
  share_in_time <- function(part) sum(part$in_time) / sum(part$due)
  data.table(
    rows[1, .(study, mode, tier, session, slice)], before_ms = before_ms, in_time_before = share_in_time(before), in_time_during = share_in_time(rows[second %between% overload]),
    in_time_after = share_in_time(after), back_s = seconds_until_back(is.finite(before_ms) & after$p99_ms <= back_within * before_ms)
  )
}

#' The first second from which on something holds for back_for_s seconds, or to the end.
#'
#' @param holds logical vector, an element a second.
#' @return seconds before it; Inf for never.
seconds_until_back <- function(holds) {
  lasts <- vapply(seq_along(holds), function(at) all(holds[at:min(at + back_for_s - 1, length(holds))] %in% TRUE), NA)
  if (any(lasts)) which(lasts)[1] - 1 else Inf
}

# ---- Heap a request in flight ----------------------------------------------------------------------

#' Heap that a request in flight holds at the most: what the collection at which most was in use left, by the requests in flight at it.
#'
#' That includes the idle server, and what has died since an earlier collection moved it to the old generation. A line through all collections
#' says less: many see requests of which the server has not read a byte yet.
#'
#' @param cells see overloads_of().
#' @return rows of request-heap.csv, see tables.yaml. No row of cells with few in flight at the peak; whose heap was nearly full, which
#'   says how large it is; and of kept connections, which hold heap without a request.
request_heap_of <- function(cells) {
  rows <- lapply(Filter(function(cell) !isTRUE(cell$configuration$tool$keep_alive), cells), function(cell) {
    heap <- collections_of_cell(cell)
    if (NROW(heap) == 0) return(NULL)
    peak <- heap[which.max(after_mib)]
    if (peak$in_flight < in_flight_at_least || peak$after_mib > room_below * heap_of(cell)) return(NULL)
    peak[, .(
      study, mode, tier, session,
      heap_mib = heap_of(cell), collections = as.numeric(nrow(heap)), in_flight, peak_mib = after_mib, kib_per_request = 1024 * after_mib / in_flight
    )]
  })
  rbindlist(c(list(no_request_heap()), rows))
}

no_request_heap <- function() {
  typed_table(c("study", "mode", "tier", "session"), c("heap_mib", "collections", "in_flight", "peak_mib", "kib_per_request"))
}

# The collections of a cell with the requests that its server held; NULL without a log.
collections_of_cell <- function(cell) {
  heap <- table_of_cell(cell, "heap.csv")
  if (is.null(heap)) return(NULL)
  # Others wait in the kernel; -1 is no limit.
  accepted <- as.numeric(or_else(cell$configuration$mode$options$`max-connections`, tomcat_connections))
  heap[is.finite(in_flight) & is.finite(after_mib)][, in_flight := pmin(in_flight, if (accepted < 0) Inf else accepted)][]
}

# The slopes between all pairs of points but neighbors, which say of a slope what chance says.
slopes_between <- function(x, y) {
  pairs <- CJ(a = seq_along(x), b = seq_along(x))[b > a]
  across <- x[pairs$b] - x[pairs$a]
  far <- abs(across) >= 0.1 * diff(range(x)) & across != 0
  ((y[pairs$b] - y[pairs$a]) / across)[far]
}

heap_of <- function(cell) as.numeric(option_of_jvm(cell, "^-Xmx([0-9]+)m$"))

# The part of an option that is in parentheses; the later of two options holds.
option_of_jvm <- function(cell, pattern) {
  options <- unlist(cell$configuration$study$server$jvm_options)
  tail(c(NA, sub(pattern, "\\1", grep(pattern, options, value = TRUE))), 1)
}

# ---- Prediction ------------------------------------------------------------------------------------

#' The share of requests that are answered in time, of a server that is overloaded for a while: a fluid model with a memory that holds all.
#'
#' @param steps see parse_steps(): shares of the capacity in time.
#' @param per_s capacity; `admitted` requests that share it at a time; `limit_s` how long users wait; `waits_s` how long a request waits
#'   without the server.
#' @return 0 to 1.
predict_in_time <- function(steps, per_s, admitted, limit_s, waits_s = 0) {
  arrivals_s <- unlist(Map(function(share, length_s, from_s) {
    from_s + (seq_len(round(share * per_s * length_s)) - 0.5) / (share * per_s)
  }, steps$share, steps$length_s, steps$from_s))
  mean(shared_sojourns(arrivals_s, rep(1 / per_s, length(arrivals_s)), admitted) + waits_s <= limit_s)
}

#' The most that any order of service brings in time, as a share: the server works until the last user has gone.
#'
#' @param steps see parse_steps(); `limit_s` how long users wait.
in_time_at_most <- function(steps, limit_s) min(1, (sum(steps$length_s) + limit_s) / sum(steps$share * steps$length_s))

# NA where requests are refused, or hold a connection to the database while they wait, which is a second queue. Tomcat's -1 is no limit.
predict_of_cell <- function(cell, steps, capacity_per_s) {
  options <- cell$configuration$mode$options
  has_two_queues <- !is.null(unlist(cell$configuration$tier$holds))
  if (!is.null(options$`beyond-permits`) || has_two_queues || !is.finite(capacity_per_s)) return(NA_real_)
  tool <- cell$configuration$tool
  limits <- as.numeric(c(options$threads, options$permits, options$`max-connections`, tool$connections))
  predict_in_time(parse_steps(steps), capacity_per_s, min(limits[limits > 0]), tool$objective_ms / 1000, cell$configuration$tier$sleep_ms / 1000)
}

# ---- Tables ----------------------------------------------------------------------------------------

#' Writes overloads.csv, overload-seconds.csv, recoveries.csv and request-heap.csv.
#'
#' @param cells,loads see overloads_of(); `write` see write_all().
write_overloads <- function(cells, loads, write) {
  seconds <- overload_seconds_of(cells, loads)
  write(loads, "overloads")
  write(seconds, "overload-seconds")
  write(recoveries_of(seconds), "recoveries")
  write(request_heap_of(cells), "request-heap")
}

#' Reads the tables of overloads, see write_overloads(); older runs have none of them.
#' @export
read_overloads <- function(results) {
  read <- function(file, empty) read_if_there(file.path(results, file), empty)
  list(
    loads = read("overloads.csv", no_overloads()), seconds = read("overload-seconds.csv", no_seconds()),
    recoveries = read("recoveries.csv", no_recoveries()), heap = read("request-heap.csv", no_request_heap())
  )
}
