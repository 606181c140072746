# Modes in words, for sentences and the legends of figures: a reader knows no ids.

words_of_default <- c(
  "pool-200-512m" = "200 threads", "virtual-512m" = "virtual threads (512 MiB)", "virtual-2g" = "virtual threads (2 GiB)",
  "virtual-512m-permits-200" = "200 permits before virtual threads (512 MiB)", "virtual-2g-permits-200" = "200 permits before virtual threads (2 GiB)",
  "virtual-512m-connections" = "2,000 connections before virtual threads (512 MiB)", "virtual-512m-close" = "200 permits that close before virtual threads",
  "virtual-512m-503" = "200 permits that answer 503 before virtual threads",
  "platform-50" = "50 threads", "platform-200" = "200 threads", "virtual" = "virtual threads", "virtual-carriers-2" = "two carriers",
  "virtual-carriers-4" = "four carriers", "virtual-carriers-8" = "eight carriers", "virtual-carriers-16" = "16 carriers", "virtual-long-yields" = "long ones that yield", "virtual-long-rests" = "long ones that rest",
  "pool-200-1280m" = "200 threads (1,280 MiB)", "virtual-1280m" = "virtual threads (1,280 MiB)", "virtual-1280m-buffers-2k" = "virtual threads, buffers of 2 KiB (1,280 MiB)", "virtual-1280m-permits-200" = "200 permits before virtual threads (1,280 MiB)",
  "virtual-pool-200-1280m" = "200 virtual threads (1,280 MiB)", "virtual-1280m-connections-200" = "200 connections before virtual threads (1,280 MiB)",
  "virtual-long-threads" = "a thread for the long ones", "tomcat-200" = "200 threads", "tomcat-400" = "400 threads"
)

# The same with other collectors, beside a default run.
words_of_collectors <- local({
  ids <- c("virtual", "virtual-carriers-16", "pool-200-512m", "virtual-512m")
  on <- function(collector, suffix) setNames(paste(words_of_default[ids], "on", collector), paste0(ids, suffix))
  c(on("G1", "-g1"), on("ParallelGC", "-parallel"))
})
mode_words <- c(words_of_default, words_of_collectors)

#' A mode in words; the id, as code, of a mode that has none.
in_words <- function(modes) {
  modes <- as.character(modes)
  unname(fcoalesce(mode_words[modes], as_code(modes)))
}

# For a legend, which sets no code.
mode_labels <- function(modes) gsub("`", "", in_words(modes))
