heap_tables <- function() {
  modes <- CJ(kind = c("virtual", "event-loop"), collector = c("SerialGC", "ZGC"), heap_mib = c(128, 256, 1024), tier = c("remote-500", "order"))[, `:=`(
    study = "demo", comparison = "heaps", mode = paste(kind, collector, heap_mib, sep = "-"), tool = "jmeter", survived = 1,
    throughput_per_s = ifelse(tier == "order", 400, ifelse(kind == "virtual" & heap_mib < 256, 900, 2000)), latency_p99_ms = 120,
    gc_share = ifelse(collector == "ZGC", NA, ifelse(heap_mib == 128 & kind == "virtual" & tier == "remote-500", 0.42, 0.01))
  )]
  requests <- data.table(
    study = "demo", kind = c("virtual", "virtual", "event-loop"), collector = c("SerialGC", "ZGC", "SerialGC"), kib_per_request = c(100, 130, 20),
    base_mib = c(45, 50, 40)
  )
  list(modes = modes, requests = requests)
}

test_that("the heap that is enough, the pauses and the heap of a request are reported", {
  text <- tell_heaps(heap_tables())
  expect_said(
    text, "95 % of what 1,024 MiB do: 256 MiB by SerialGC and 256 MiB by ZGC with virtual threads; 128 MiB by SerialGC",
    "42 % of the time (`virtual-SerialGC-128` at `remote-500`).",
    "with virtual threads 100 KiB (SerialGC) and 130 KiB (ZGC); with event loops 20 KiB (SerialGC).",
    # 50 + 1,000 x 130 / 1,024.
    "at least 180 MiB (base 50 MiB, ZGC)."
  )
  expect_unsaid(text, "still answer")
  negative <- heap_tables()
  negative$requests[collector == "ZGC", base_mib := -5]
  expect_unsaid(tell_heaps(negative), "130 KiB")
})

test_that("a larger heap that served less, or has no valid session, is not passed over", {
  heaps <- heap_tables()
  heaps$modes[kind == "event-loop" & heap_mib == 256 & tier == "remote-500", throughput_per_s := NA]
  expect_said(tell_heaps(heaps), "1,024 MiB by SerialGC and 1,024 MiB by ZGC with event loops")
  # A server of which it is not known whether it survived is none that was lost.
  heaps$modes[1, survived := NA]
  expect_unsaid(tell_heaps(heaps), "still answer")
  heaps$modes[kind == "virtual" & heap_mib == 128, survived := 0]
  expect_said(tell_heaps(heaps), "within 10 s: 256 MiB by SerialGC and 256 MiB by ZGC with virtual threads; 128 MiB by SerialGC")
  heaps$modes[kind == "virtual" & collector == "ZGC" & heap_mib == 1024, survived := 0.5]
  expect_said(tell_heaps(heaps), "256 MiB by SerialGC and none by ZGC with virtual threads")
})

test_that("the figure has a panel a tier and statistic, and throughput of closed loops alone", {
  modes <- heap_tables()$modes
  # An axis spans a factor of two, so that noise is none.
  expect_equal(unique(panels_of_heaps(modes[tier == "order"])[statistic == "throughput_per_s"]$reach), 200)
  modes[tier == "order", tool := "wrk2"]
  points <- panels_of_heaps(modes)
  expect_equal(levels(points$panel), c("order, p99 (ms)", "remote-500, Throughput (1/s)", "remote-500, p99 (ms)"))
  expect_drawn(figure_heaps(points))
})

test_that("pauses of a window in which the server hung are not told", {
  modes <- heap_tables()$modes
  modes[1, `:=`(gc_share = 1.03, survived = 0)]
  expect_unsaid(sentence_of_pauses(modes), "103")
  expect_said(sentence_of_pauses(modes[1, survived := 1]), "103")
})
