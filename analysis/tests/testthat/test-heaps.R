# Folders of cells whose heap and collector are varied.

heap_cell <- function(root, collector, heap_mib, heap = NULL, comparison = "heap-virtual", gc_pause_ms = 100, options = list(`max-connections` = -1), ...) {
  mode <- sprintf("virtual-%s-%d", tolower(collector), heap_mib)
  path <- write_cell(
    root, mode = mode, tier = "order", tool = "wrk2", histogram_ms = 1:10, session = list(id = "one", comparison = comparison),
    configuration = list(
      mode = list(id = mode, kind = "virtual", heap_varied = TRUE, options = options),
      study = list(id = "demo", server = list(jvm_options = list(sprintf("-Xmx%dm", heap_mib), sprintf("-XX:+Use%sGC", collector))))
    ),
    server = list(collections = 3, full_collections = 0, gc_pause_ms = gc_pause_ms), ...
  )
  if (!is.null(heap)) fwrite(heap, file.path(dirname(path), "heap.csv"))
  path
}

collections_at <- function(in_flight, kib = 100, base_mib = 40) {
  data.table(slice = 1, time_s = seq_along(in_flight), kind = "young", after_mib = base_mib + kib / 1024 * in_flight, pause_ms = 5, in_flight)
}

heaps_in <- function(paths, loads = no_overloads()) heaps_of(read_cells(paths), summarise_cells(paths), loads)

test_that("each heap and collector has what it served, and its share of time in pauses", {
  root <- new_folder()
  found <- heaps_in(c(heap_cell(root, "Serial", 128), heap_cell(root, "G1", 128, gc_pause_ms = 400), heap_cell(root, "Z", 256, gc_pause_ms = NULL)))
  expect_columns(
    found, comparison = "heap-virtual", kind = "virtual", collector = c("SerialGC", "G1", "ZGC"), heap_mib = c(128, 128, 256), sessions = 1, counted = 1, survived = 1
  )
  expect_equal(found$throughput_per_s, rep(5, 3))
  expect_equal(found$gc_share[1:2], c(0.05, 0.2))
})

test_that("a session that is not valid counts as one that ran, and a server that answers nothing after an overload did not survive it", {
  root <- new_folder()
  paths <- c(heap_cell(root, "Serial", 128), heap_cell(root, "G1", 128))
  loads <- summarise_cells(paths)[, .(study, mode, tier, tool, session, answered_after_s = c(0.2, NA))]
  expect_columns(heaps_in(paths, loads), collector = c("SerialGC", "G1"), survived = c(1, 0))
  edit_record(paths[2], validity = list(valid = FALSE))
  expect_columns(heaps_in(paths)[collector == "G1"], sessions = 1, counted = 0, throughput_per_s = NA_real_)
})

test_that("comparisons with one collector have no rows", {
  root <- new_folder()
  one <- c(heap_cell(root, "Serial", 512, comparison = "overload"), heap_cell(root, "Serial", 1024, comparison = "overload"))
  expect_equal(nrow(heaps_in(one)), 0)
  expect_equal(nrow(heap_per_request_of(read_cells(one))), 0)
})

test_that("heap a request is the slope within cells, whatever each of them holds without a request", {
  root <- new_folder()
  paths <- c(
    heap_cell(root, "Serial", 512, collections_at(c(0, 1000, 2000))), heap_cell(root, "Serial", 1024, collections_at(c(0, 2000, 4000), base_mib = 90)),
    # A full heap says nothing of a request.
    heap_cell(root, "Serial", 128, rbind(collections_at(c(0, 300, 600)), collections_at(c(3000, 4000), kib = 0, base_mib = 120))),
    heap_cell(root, "G1", 1024, collections_at(seq(0, 4000, 1000), kib = 150)),
    # Too few collections, too few in flight, and no log.
    heap_cell(root, "Z", 1024, collections_at(c(0, 4000))), heap_cell(root, "Z", 512, collections_at(seq(0, 90, 10))), heap_cell(root, "Z", 128)
  )
  expect_columns(
    heap_per_request_of(read_cells(paths)), collector = c("SerialGC", "G1"), cells = c(3, 1), collections = c(9, 5), most_in_flight = 4000, kib_per_request = c(100, 150), base_mib = 40
  )
})

test_that("a limit of connections bounds what is in flight, and -1 is none", {
  slope_with <- function(limit) {
    root <- new_folder()
    paths <- c(heap_cell(root, "Serial", 2048, collections_at(seq(0, 8000, 1000)), options = list(`max-connections` = limit)), heap_cell(root, "G1", 2048))
    heap_per_request_of(read_cells(paths))$most_in_flight
  }
  expect_equal(c(slope_with(2000), slope_with(-1)), c(2000, 8000))
})
