# Where CPU time goes, and what allocates: each sampled stack is put into one group by the rules of
# stack-groups.csv.

# CPU time that the server used and the profiler did not see. A profiler that counts CPU time thread by thread (perf_events, ctimer) takes
# its first sample when a thread has used one whole interval: threads that end sooner, such as one per request, are never seen.
#' @export
unseen_group <- "not sampled"

#' Reads the rules.
#'
#' @param path path of stack-groups.csv: group, pattern (regular expression over the whole stack), why. First match wins.
read_stack_groups <- function(path) {
  rules <- read_required(path, c("group", "pattern", "why"))
  if (rules$pattern[nrow(rules)] != ".") fail_reading(path, "the last rule must be: .")
  rules
}

# Class names with dots, and no marks of how a Java method was compiled; the kernel's mark stays.
plain_frames <- function(stacks) gsub("/", ".", gsub("_\\[[^k]\\]", "", stacks), fixed = TRUE)

#' Puts stacks into groups.
#'
#' @param stacks character vector, frames from root to leaf joined by `;`; `rules` see read_stack_groups().
group_stacks <- function(stacks, rules) {
  plain <- plain_frames(stacks)
  groups <- rep(NA_character_, length(stacks))
  for (index in seq_len(nrow(rules))) {
    open <- which(is.na(groups))
    hits <- grepl(rules$pattern[index], plain[open], perl = TRUE)
    groups[open[hits]] <- rules$group[index]
  }
  groups
}

# Compiling is no part of a request's cost: cpu_us_per_request is without it, and so is every split of it.
compiler_group <- "JIT"

#' Samples of one cell by group.
#'
#' @param cell see read_cell().
#' @param rules see read_stack_groups().
#' @return rows of cpu-groups.csv, see tables.yaml: one per group of the rules, and one for what the profiler did not see;
#'   cpu_us_per_request adds up to the cell's, and is NA for JIT, which is no part of it. None where nothing was sampled, or where the
#'   profiled slice does not count.
group_cell_cpu <- function(cell, rules) {
  collapsed <- read_collapsed(file.path(cell$folder, "profile.collapsed"))
  slice <- profiled_slice(cell)
  if (nrow(collapsed) == 0 || nrow(slice) == 0) return(NULL)
  groups <- unique(rules$group)
  group_of_stack <- factor(group_stacks(collapsed$stack, rules), groups)
  samples <- as.vector(xtabs(collapsed$samples ~ group_of_stack))
  share <- samples / sum(samples)
  seen <- seen_by_profiler(cell, slice, sum(samples))
  data.table(
    as.data.table(identity_of(cell)[c(cell_place, "repetition", "outcome", "valid")]),
    profiler_engine = c(cell$profile$engine, NA_character_)[1],
    group = c(groups, unseen_group), samples = c(samples, 0), share = c(share, 0),
    cpu_us_per_request = split_cpu(number(cell$server$cpu_us_per_request), c(share * seen, 1 - seen), c(groups, unseen_group))
  )
}

# The slice that the profile is of, the last that was profiled; none where it was left out, for compiling for example.
profiled_slice <- function(cell) {
  slices <- read_slices_of(cell)[kind == "profiled"]
  start_s <- number(cell$profile$start_epoch_s)
  if (!is.na(start_s)) slices <- slices[start_epoch_s <= start_s + 0.1]
  tail(slices, 1)[which(kept)]
}

# The share of the server's CPU time in the profiled slice that the profiler saw; 1 if unknown.
seen_by_profiler <- function(cell, slice, samples) {
  seen <- samples * number(cell$profile$interval_ms) / (1000 * slice$server_cpu_s)
  if (is.finite(seen)) min(1, seen) else 1
}

# A cell's CPU time per request is that of plain slices, without compiling; the profiled slice says how it is split.
# The compiler has no part in it.
split_cpu <- function(per_request_us, parts, groups) {
  compiles <- groups == compiler_group
  fifelse(compiles, NA_real_, per_request_us * parts / (1 - sum(parts[compiles])))
}

#' Samples of several cells by group, see group_cell_cpu(); all columns even where no cell was sampled.
group_cpu <- function(paths, rules) {
  of_cell <- function(path) guarded(group_cell_cpu(read_cell(path), rules), "cpu-groups", function(message) NULL, name_of_cell(path))
  rbindlist(c(list(no_cpu_groups()), lapply(paths, of_cell)), use.names = TRUE, fill = TRUE)[, ..cpu_group_columns]
}

no_cpu_groups <- function() {
  numbers <- c("repetition", "samples", "share", "cpu_us_per_request")
  typed_table(setdiff(cpu_group_columns, c(numbers, "valid")), numbers, "valid")[, ..cpu_group_columns]
}

#' Reads cpu-groups.csv, see group_cell_cpu(); without rows where no cell was sampled.
#' @export
read_cpu_groups <- function(path) read_typed(path, no_cpu_groups())

cpu_group_columns <- c(
  "study", "mode", "tier", "tool", "repetition", "outcome", "valid", "profiler_engine", "group",
  "samples", "share", "cpu_us_per_request"
)

#' Pools the groups of all valid repetitions of a mode at a tier.
#'
#' By default one session of a cell is profiled. Then the error is that of sampling alone, Poisson's, without what differs between processes.
#' With several sessions it is that of their mean, if that is larger.
#'
#' @param cpu_groups see read_cpu_groups().
#' @return data.table: study, mode, tier, tool, group (without JIT, so that a cell's groups add up to its CPU time),
#'   samples (sum), of (samples of all its groups), cpu_us_per_request (mean over sessions), repetitions (profiled
#'   sessions), error_us (standard error of cpu_us_per_request), df (its degrees of freedom, infinite for one session).
pool_cpu_groups <- function(cpu_groups) {
  counted <- copy(cpu_groups[valid & outcome == "completed" & !is.na(cpu_us_per_request)])
  # The unseen part is total minus seen, and as uncertain as what was seen; one sample more or less
  # of a group without any is one of the others.
  counted[, sampling_us := {
    seen_us <- sum(cpu_us_per_request[group != unseen_group])
    seen <- max(1, sum(samples))
    fifelse(group == unseen_group, seen_us / sqrt(seen), seen_us / seen * sqrt(pmax(samples, 1)))
  }, by = c(cell_place, "repetition")]
  pooled <- counted[, .(
    samples = sum(samples), repetitions = .N,
    error_us = max(sqrt(mean(sampling_us^2) / .N), if (.N > 1) sd(cpu_us_per_request) / sqrt(.N)),
    df = if (.N > 1) .N - 1 else Inf, cpu_us_per_request = mean(cpu_us_per_request)
  ), by = c(cell_place, "group")]
  pooled[, of := sum(samples), by = cell_place][]
}

# Below so many samples no share is given: of 35, 46 % is anything from 30 to 62 %.
#' @export
samples_for_shares <- 100

#' The difference of two sides, group by group.
#'
#' The intervals hold for all groups together (Bonferroni): each is one of 95 % for the family.
#'
#' @param mode,baseline rows of pool_cpu_groups(), of one cell each.
#' @return data.table: group, mode_us, baseline_us, more_us (mode minus baseline), reach_us (half of its interval), sessions and samples
#'   (of the side with fewer), beyond (whether the interval excludes 0); largest difference first. No rows where a side has too few
#'   samples.
moved_groups <- function(mode, baseline) {
  both <- merge(mode, baseline, by = "group", suffixes = c("", "_baseline"))[pmin(of, of_baseline) >= samples_for_shares]
  level <- 1 - (1 - confidence) / (2 * max(1, nrow(both)))
  both[, .(
    group, mode_us = cpu_us_per_request, baseline_us = cpu_us_per_request_baseline,
    more_us = cpu_us_per_request - cpu_us_per_request_baseline,
    reach_us = qt(level, pmin(df, df_baseline)) * sqrt(error_us^2 + error_us_baseline^2),
    sessions = pmin(repetitions, repetitions_baseline), samples = pmin(of, of_baseline)
  )][, beyond := abs(more_us) > reach_us][order(-abs(more_us))]
}

# ---- Allocations ---------------------------------------------------------------------------------

no_allocations <- function() {
  typed_table(c("study", "mode", "tier", "tool", "group"), c("repetition", "bytes_per_request", "error_bytes"), "valid")
}

#' Bytes that a request of one cell allocates, by group of the stacks that do.
#'
#' async-profiler takes a sample of each so many KiB, so the number of samples is Poisson's and their bytes are
#' that number times the KiB (async-profiler's manual, allocation profiling).
#'
#' @param cell see read_cell(); `rules` see read_stack_groups().
#' @return rows of allocations.csv, see tables.yaml. None where nothing was sampled.
group_cell_allocations <- function(cell, rules) {
  collapsed <- read_collapsed(file.path(cell$folder, "allocation.collapsed"))
  requests <- profiled_slice(cell)$requests_recorded
  if (nrow(collapsed) == 0 || !isTRUE(requests > 0)) return(NULL)
  interval_bytes <- 1024 * number(cell$configuration$testbed$profiler$allocation_kib)
  rows <- collapsed[, .(bytes = sum(samples)), by = .(group = group_stacks(stack, rules))]
  cbind(as.data.table(identity_of(cell))[rep(1, nrow(rows))], rows[, .(
    group, bytes_per_request = bytes / requests, error_bytes = sqrt(bytes * interval_bytes) / requests
  )])[, names(no_allocations()), with = FALSE]
}

group_allocations <- function(paths, rules) {
  of_cell <- function(path) guarded(group_cell_allocations(read_cell(path), rules), "allocations", function(message) NULL, name_of_cell(path))
  rbindlist(c(list(no_allocations()), lapply(paths, of_cell)))
}

#' @export
read_allocations <- function(path) read_typed(path, no_allocations())
