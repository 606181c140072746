# Machine, versions and commit of a run: from the provenance of the cells.

# Every distinct value, so that cells of two machines cannot pass for one.
distinct <- function(values) {
  values <- unique(values[!is.na(values)])
  values <- ifelse(values %in% c("TRUE", "FALSE"), ifelse(values == "TRUE", "yes", "no"), values)
  if (length(values) == 0) no_figure else paste(values, collapse = "; ")
}

#' One part of provenance over all cells.
#'
#' @param ... names from the outside in, as in `"machine", "kernel"`.
provenance_of <- function(cells, ...) {
  from_cells(cells, function(cell) {
    value <- cell$provenance[[c(...)]]
    if (is.null(value)) NULL else paste(value, collapse = " ")
  }, NA_character_)
}

# Where the CPUs of both sides are.
topology_text <- function(topology) {
  if (is.null(topology$cpus)) return(NULL)
  places <- vapply(topology$cpus, function(cpu) sprintf("CPU %s: core %s", cpu$cpu, number(cpu$core)), "")
  paste0(
    enumerate(places, ", "), if (isTRUE(topology$siblings_split)) "; server and generator share a core" else "; no core is shared"
  )
}

# The path of a load (loopback or a network), as the runner records it. Older cells, which do not say, were loaded over loopback.
links <- c(
  loopback = "Loads cross loopback.", veth = "Loads cross a veth pair between two network namespaces of one machine.",
  "two hosts" = "Loads come from a second host."
)

gibibytes <- function(bytes) paste(format_number(as.numeric(bytes) / 2^30), "GiB")

memory_text <- function(cells) distinct(gibibytes(provenance_of(cells, "machine", "memory_bytes")))

#' The machine, a row a fact.
table_machine <- function(cells) {
  fact <- function(...) distinct(provenance_of(cells, "machine", ...))
  facts <- c(
    Processor = fact("cpu_model"), CPUs = fact("cpus"), "CPUs of the server" = distinct(provenance_of(cells, "server_cpus")),
    "CPUs of the generator" = distinct(provenance_of(cells, "generator_cpus")), Memory = memory_text(cells),
    Architecture = fact("architecture"),
    Topology = distinct(from_cells(cells, function(cell) topology_text(cell$session$topology), NA_character_)),
    "Virtual machine" = fact("virtualised"), Kernel = fact("kernel"), "Operating system" = fact("os"),
    "Run as root" = distinct(provenance_of(cells, "root"))
  )
  data.table(Fact = names(facts), Value = facts)
}

#' The versions of all that took part, a row a tool.
table_versions <- function(cells, summary, renderer) {
  versions <- unique(unlist(lapply(cells, function(cell) names(cell$provenance$versions))))
  found <- vapply(versions, function(name) distinct(provenance_of(cells, "versions", name)), "")
  generators <- tapply(generators_in_words(summary), summary$tool, distinct)
  data.table(
    Tool = c(
      gsub("_", "-", versions), paste("generator of the", loop_names[names(generators)]), "profiler engine", "R", "renderer of this report"
    ),
    Version = c(found, generators, distinct(summary$profiler_engine), paste(R.version$major, R.version$minor, sep = "."), renderer)
  )
}

# A generator that prints its name with its version is not named twice.
generators_in_words <- function(rows) {
  rows[, ifelse(startsWith(generator_version, generator), generator_version, paste(generator, generator_version))]
}

#' The limits that bound what can be measured, a row a limit.
table_limits <- function(cells) {
  limits <- unique(unlist(lapply(cells, function(cell) names(cell$provenance$limits))))
  data.table(
    Limit = limits,
    Value = vapply(limits, function(name) few_or_range(provenance_of(cells, "limits", name)), "")
  )
}

# Values that each session finds again, such as how many threads may start, are a range.
few_or_range <- function(values) {
  numbers <- suppressWarnings(as.numeric(unique(values[!is.na(values)])))
  if (length(numbers) <= 3 || anyNA(numbers)) return(distinct(values))
  paste(format_number(min(numbers)), "to", format_number(max(numbers)))
}

when <- function(cells, which) {
  as.POSIXct(sub("\\+00:00$", "", provenance_of(cells, which)), format = "%Y-%m-%dT%H:%M:%OS", tz = "UTC")
}

#' When was measured, and in which order.
sentence_when <- function(cells) {
  started <- when(cells, "started")
  ended <- when(cells, "ended")
  if (all(is.na(started)) || all(is.na(ended))) return("No cell says when it was measured.")
  seeds <- unique(unlist(lapply(cells, function(cell) cell$labels$order$seed)))
  sprintf(
    "The sessions ran between %s and %s (UTC), one at a time. Seed %s drew the order of sessions, tiers and slices. %s",
    format(min(started, na.rm = TRUE), "%Y-%m-%d %H:%M"), format(max(ended, na.rm = TRUE), "%Y-%m-%d %H:%M"), enumerate(seeds),
    paste(links[unique(from_cells(cells, function(cell) cell$session$topology$link, "loopback"))], collapse = " ")
  )
}

# The number of values of the kind with most distinct ones: what a kind names differs by intent.
several_of_a_kind <- function(values, kinds) {
  seq_len(max(tapply(values, kinds, function(those) length(unique(those)))))
}

#' A warning where the cells do not come from one machine, JDK and build; otherwise nothing.
sentence_mixed <- function(cells) {
  if (length(cells) == 0) return("")
  of_machine <- c(
    processors = "cpu_model", kernels = "kernel", "usable CPUs" = "cpus_usable", "CPU quotas" = "cpu_quota",
    "disks of databases" = "data_in_memory"
  )
  facts <- c(
    lapply(of_machine, function(name) provenance_of(cells, "machine", name)),
    list(
      "JDKs of a mode" = several_of_a_kind(
        provenance_of(cells, "versions", "jdk"), from_cells(cells, function(cell) paste(c(cell$configuration$mode$jdk, "set-up")[1]), "")
      ),
      "programs of a mode" = several_of_a_kind(
        provenance_of(cells, "jars_sha256"), from_cells(cells, function(cell) paste(cell$cell$study, cell$cell$mode), "")
      )
    )
  )
  mixed <- Filter(function(values) length(unique(values)) > 1, facts)
  if (length(mixed) == 0) return("")
  paste0(
    "**The cells do not come from one setting.** They differ in ", enumerate(names(mixed)),
    ". Differences between modes may be differences between these."
  )
}

#' Each validity rule, with how many cells it was applied to and how many passed.
#'
#' @return data.table: Check, Rule, Passed (`n of m`).
table_checks <- function(cells) {
  checks <- rbindlist(lapply(cells, function(cell) {
    rbindlist(lapply(cell$validity$checks, function(check) {
      data.table(Check = check$id, rule = check$rule, passed = isTRUE(check$passed))
    }))
  }))
  if (nrow(checks) == 0) return(data.table())
  checks[, .(Rule = in_common(unique(rule)), Passed = paste(sum(passed), "of", .N)), by = Check]
}

# A rule may name limits of a mode or a tier: dots stand for those that differ, and the rule's first words where whole sentences do.
in_common <- function(rules) {
  if (length(rules) == 1) return(rules)
  alike <- unique(gsub("\\b[0-9][0-9.]*\\b", "…", rules))
  if (length(alike) < 4) return(paste(alike, collapse = "; or: "))
  paste0(sub(":.*", "", alike[1]), ": as each mode's configuration says")
}

#' How often rules were changed after results.
sentence_protocol <- function(protocol) {
  later <- protocol[version > 1]
  sprintf(
    "Verdicts follow %s of rules. They were changed %s times; %s of the changes came after results were known, and %s of the first versions did. So the rules are not blind: earlier runs shaped them, and a verdict that needs blind rules needs new data. Each table of verdicts names its version.",
    count_of(uniqueN(protocol$rules), "set"), format_number(nrow(later)), format_number(sum(later$after_results)),
    format_number(sum(protocol[version == 1]$after_results))
  )
}

table_protocol <- function(protocol) {
  protocol[, .(Rules = rules, Version = version, Fixed = fixed, Commit = commit, "After results" = ifelse(after_results, "yes", "no"))]
}

#' The heaps and collectors of the servers, by study; a study with more than one heap varies it by mode.
sentence_of_heaps <- function(cells) {
  rows <- rbindlist(lapply(cells, function(cell) {
    # A mode's options stand behind its study's, and the JVM takes the later of two.
    options <- unlist(c(cell$configuration$study$server$jvm_options, cell$configuration$mode$jvm_options))
    heap <- grep("^-Xmx", options, value = TRUE)
    if (length(heap) == 0) return(NULL)
    list(
      study = cell$cell$study, heap = sub("^-Xmx([0-9]+)m$", "\\1 MiB", tail(heap, 1)),
      collector = tail(c("the JVM's default collector", grep("GC$", options, value = TRUE)), 1)
    )
  }))
  if (nrow(rows) == 0) return("No cell names a heap.")
  heaps <- unique(rows)[, .(heap = enumerate(unique(heap), " or ")), by = study][, .(studies = enumerate(as_code(study))), by = heap]
  sprintf("Heaps are %s; collector: %s.", paste(heaps[, sprintf("%s in %s", heap, studies)], collapse = "; "), enumerate(as_code(unique(rows$collector)), " or "))
}

#' The JDKs, and how many modes run on another than the others; the table of modes names them.
sentence_of_jdks <- function(cells) {
  jdks <- data.table(version = provenance_of(cells, "versions", "jdk"), mode = from_cells(cells, function(cell) cell$cell$mode, ""))
  jdks <- unique(jdks[!is.na(version)])[, .(modes = .N), by = version][order(-modes)]
  if (nrow(jdks) == 0) return("No cell names its JDK.")
  others <- jdks[-1, sprintf("; %s runs %s", version, count_of(modes, "mode"))]
  sprintf("The JDK is %s%s.", jdks$version[1], paste(others, collapse = ""))
}

#' The load generators with their versions.
sentence_of_generators <- function(summary) {
  named <- unique(summary[!generator %in% c(NA, "") & !generator_version %in% c(NA, ""), .(generator, generator_version)])
  if (nrow(named) == 0) return("No cell names its generator.")
  sprintf("Loads come from %s.", enumerate(sort(unique(generators_in_words(named)))))
}

#' The machine, in a sentence.
sentence_of_machine <- function(cells) {
  fact <- function(...) distinct(provenance_of(cells, "machine", ...))
  sprintf(
    "The machine: %s, %s CPUs, %s of memory, kernel %s; the server has CPU %s and the generator CPU %s.", fact("cpu_model"), fact("cpus"),
    memory_text(cells), fact("kernel"), distinct(provenance_of(cells, "server_cpus")),
    distinct(provenance_of(cells, "generator_cpus"))
  )
}
