rules <- read_stack_groups(file.path(analysis_folder, "stack-groups.csv"))
group_of <- function(...) group_stacks(paste(c(...), collapse = ";"), rules)

# Frames as async-profiler 4.5 on JDK 25 gives them.
pool_worker <- c(
  "java/lang/Thread.run_[0]", "java/util/concurrent/ThreadPoolExecutor$Worker.run_[0]",
  "java/util/concurrent/ThreadPoolExecutor.runWorker_[j]"
)
virtual_worker <- c(
  "java/util/concurrent/ForkJoinWorkerThread.run_[0]",
  "java/util/concurrent/ForkJoinPool.runWorker_[j]", "java/lang/VirtualThread.run_[j]"
)
connection <- "artifact/sockets/server/Connection.run_[j]"
jvm_thread <- c("clone3", "start_thread", "thread_native_entry", "Thread::call_run")

test_that("each kind of stack has its group, with and without kernel frames", {
  expect_equal(group_of("Main.main", "java/net/ServerSocket.accept_[1]"), "accept")
  expect_equal(
    group_of("java/net/ServerSocket.implAccept_[i]", "__GI_accept", "inet_csk_accept_[k]"), "accept"
  )
  expect_equal(group_of("java/lang/Thread.start_[1]", "JVM_StartThread"), "thread start")
  expect_equal(group_of(jvm_thread, "JavaThread::thread_main_inner"), "thread start")
  expect_equal(group_of("clone3", "start_thread", "advise_stack_range"), "thread start")
  expect_equal(
    group_of(pool_worker, "java/util/concurrent/ThreadPoolExecutor.getTask_[j]"), "park and unpark"
  )
  expect_equal(
    group_of("sun/nio/ch/EPollSelectorImpl.doSelect_[j]", "sun/nio/ch/EPoll.wait_[j]"),
    "park and unpark"
  )
  expect_equal(
    group_of(pool_worker, connection, "java/net/Socket$SocketInputStream.read_[i]"),
    "read and parse"
  )
  expect_equal(
    group_of(pool_worker, connection, "artifact/sockets/http/RequestParser.parse_[j]"),
    "read and parse"
  )
  expect_equal(
    group_of(pool_worker, connection, "artifact/sockets/handler/Work.burnCpu_[j]"), "handler"
  )
  expect_equal(
    group_of(pool_worker, connection, "sun/nio/ch/SocketDispatcher.write0_[j]", "tcp_sendmsg_[k]"),
    "write"
  )
  expect_equal(
    group_of(pool_worker, connection, "java/net/Socket.close_[i]", "tcp_write_xmit_[k]"),
    "connection close"
  )
  expect_equal(group_of(jvm_thread, "WorkerThread::run", "G1EvacuateRegionsTask::work"), "GC")
  expect_equal(
    group_of(jvm_thread, "VMThread::run", "VM_GenCollectForAllocation::doit"), "GC"
  )
  expect_equal(
    group_of(
      jvm_thread, "JavaThread::thread_main_inner", "CompileBroker::compiler_thread_loop",
      "futex_wait_[k]"
    ),
    "JIT"
  )
  expect_equal(group_of("asm_exc_page_fault_[k]", "handle_mm_fault_[k]"), "kernel other")
  expect_equal(group_of(jvm_thread, "VMThread::run"), "JVM other")
})

test_that("the Tomcat application's stacks have their groups on either kind of thread", {
  tomcat <- "org/apache/tomcat/util/net/SocketProcessorBase.run_[j]"
  spring <- "org/springframework/web/servlet/DispatcherServlet.doDispatch_[j]"
  for (worker in list(pool_worker, virtual_worker)) {
    in_tomcat <- function(...) group_of(worker, tomcat, spring, ...)
    expect_equal(in_tomcat(), "framework")
    expect_equal(in_tomcat(file.path("artifact", "tomcat", "work", "CpuController.burn_[j]")), "handler")
    expect_equal(
      in_tomcat("artifact/tomcat/database/Users.add_[j]", "org/mariadb/jdbc/Statement.execute_[j]", "__GI___send"),
      "remote or database"
    )
    expect_equal(
      in_tomcat("artifact/tomcat/remote/BlockingController.hello_[j]", "sun/nio/ch/NioSocketImpl.park_[j]"),
      "park and unpark"
    )
    expect_equal(
      group_of(worker, tomcat, "org/apache/coyote/http11/Http11InputBuffer.parseRequestLine_[j]"), "read and parse"
    )
    expect_equal(
      group_of(worker, tomcat, "org/apache/coyote/http11/Http11OutputBuffer.commit_[j]", "tcp_sendmsg_[k]"), "write"
    )
    expect_equal(
      in_tomcat("ch/qos/logback/classic/Logger.error_[j]", "java/io/FileOutputStream.write_[j]"), "logging"
    )
  }
  expect_equal(group_of("artifact/tomcat/telemetry/ThreadStates.sample_[j]", "Thread.run"), "measuring")
  expect_equal(group_of("io/netty/channel/nio/NioEventLoop.run_[j]", "IOUtil.write_[j]"), "remote or database")
})

test_that("of one event loop, serving and asking are separated where frames differ", {
  loop <- c("io/netty/channel/nio/NioEventLoop.run_[0]", "io/netty/channel/CombinedChannelDuplexHandler.channelRead_[j]")
  server <- "reactor/netty/http/server/HttpTrafficHandler.channelRead_[j]"
  reactive <- "org/springframework/web/reactive/DispatcherHandler.handle_[j]"
  client <- "reactor/netty/http/client/HttpClientOperations.onInboundNext_[j]"
  written <- "sun/nio/ch/SocketChannelImpl.write_[j]"
  expect_equal(group_of(loop, "io/netty/handler/codec/http/HttpServerCodec$HttpServerRequestDecoder.decode_[j]"), "read and parse")
  expect_equal(group_of(loop, server, reactive), "framework")
  expect_equal(group_of(loop, server, written), "write")
  expect_equal(group_of(loop, server, reactive, client, written), "remote or database")
  expect_equal(group_of(loop, "org/mariadb/r2dbc/client/SimpleClient.sendCommand_[j]"), "remote or database")
  expect_equal(group_of(loop, server, reactive, "artifact/stacks/common/Passwords.derive_[j]", "javax/crypto/Mac.update_[j]"), "handler")
  expect_equal(group_of(virtual_worker, "io/helidon/webserver/http1/Http1Connection.handle_[j]"), "framework")
  expect_equal(group_of(virtual_worker, "org/eclipse/jetty/server/internal/HttpConnection.onFillable_[j]"), "framework")
})

test_that("what encloses another is decided by the order of the rules", {
  # A thread that starts another waits for it: that is the price of starting, not of parking.
  expect_equal(
    group_of("java/lang/Thread.start0_[j]", "os::create_thread", "__x64_sys_futex_[k]"),
    "thread start"
  )
  # A virtual thread that runs a handler stands on a scheduler's frames.
  expect_equal(
    group_of(virtual_worker, connection, "artifact/sockets/handler/Routes.handle_[j]"), "handler"
  )
  expect_equal(group_of(virtual_worker), "park and unpark")
  accepting <- "artifact/sockets/server/BlockingServer.acceptAll_[j]"
  expect_equal(group_of(accepting), "accept")
  # A Consumer's method is called accept as well.
  expect_equal(
    group_of("artifact/sockets/server/EventLoopServer$$Lambda.accept_[j]", "LoopConnection.flush"),
    "write"
  )
  # Waiting for data within a read is waiting.
  expect_equal(
    group_of(
      virtual_worker, connection, "sun/nio/ch/NioSocketImpl.read_[i]",
      "java/lang/VirtualThread.park_[j]"
    ),
    "park and unpark"
  )
})

write_profile <- function(path, lines) {
  writeLines(lines, file.path(dirname(path), "profile.collapsed"))
}

test_that("CPU time is split by samples, and what was not sampled is shown", {
  path <- write_cell(new_folder(), elapsed_ms = 1:10, slices = known_slices(server_cpu_s = 2))
  # 100 samples of 10 ms are half of the profiled slice's 2 s of CPU time.
  write_profile(path, c("java/net/ServerSocket.accept_[1] 25", "java/net/Socket.close_[1] 75"))
  groups <- group_cell_cpu(read_cell(path), rules)
  expect_equal(groups[group == "accept", c(samples, share, cpu_us_per_request)], c(25, 0.25, 12.5))
  expect_equal(groups[group == "connection close", cpu_us_per_request], 37.5)
  expect_equal(groups[group == unseen_group, cpu_us_per_request], 50)
  expect_equal(sum(groups$cpu_us_per_request, na.rm = TRUE), 100)
})

test_that("a bar is as long as the cell's CPU time per request, however much was compiled", {
  path <- write_cell(new_folder(), elapsed_ms = 1:10, slices = known_slices(server_cpu_s = 2))
  write_profile(path, c("java/net/ServerSocket.accept_[1] 80", "java/net/Socket.close_[1] 40", "C2 CompilerThre;CompileBroker::compiler_thread_loop 60"))
  cell <- read_cell(path)
  groups <- group_cell_cpu(cell, rules)
  expect_true(is.na(groups[group == "JIT", cpu_us_per_request]))
  expect_equal(groups[group == "JIT", c(samples, share)], c(60, 1 / 3))
  pooled <- pool_cpu_groups(groups)
  expect_false("JIT" %in% pooled$group)
  expect_equal(pooled[, sum(cpu_us_per_request)], cell$server$cpu_us_per_request)
  expect_equal(unique(pooled$of), 120)
})

test_that("a profiled slice that a rule left out is not drawn", {
  slices <- known_slices(server_cpu_s = 1)
  profiled <- function(kept) {
    path <- write_cell(new_folder(), elapsed_ms = 1:10, slices = copy(slices)[kind == "profiled", kept := ..kept])
    write_profile(path, "java/net/ServerSocket.accept_[1] 100")
    group_cpu(path, rules)
  }
  expect_gt(nrow(profiled("true")), 0)
  expect_equal(nrow(profiled("false")), 0)
  # With several, it is the one that was profiled.
  twice <- rbind(copy(slices)[kind == "profiled", kept := "false"], slices[kind == "profiled"][, start_epoch_s := 40])
  path <- write_cell(new_folder(), elapsed_ms = 1:10, slices = twice, profile = list(start_epoch_s = 40))
  expect_equal(profiled_slice(read_cell(path))$start_epoch_s, 40)
  path <- write_cell(new_folder(), elapsed_ms = 1:10, slices = twice, profile = list(start_epoch_s = 26))
  expect_equal(nrow(profiled_slice(read_cell(path))), 0)
})

test_that("a cell that was not sampled has no rows, and a table of such cells its columns", {
  path <- write_cell(new_folder(), elapsed_ms = 1:10, profile = list(file = NULL))
  write_profile(path, character())
  expect_null(group_cell_cpu(read_cell(path), rules))
  out <- tempfile(fileext = ".csv")
  write_table(group_cpu(path, rules), out)
  expect_equal(names(read_cpu_groups(out)), cpu_group_columns)
})

test_that("pooling adds samples of valid cells alone", {
  folder <- new_folder()
  paths <- c(
    write_cell(folder, elapsed_ms = 1:10), write_cell(folder, elapsed_ms = 1:10, repetition = 2),
    write_cell(folder, elapsed_ms = 1:10, repetition = 3, validity = list(valid = FALSE))
  )
  for (path in paths) write_profile(path, "java/net/ServerSocket.accept_[1] 200")
  pooled <- pool_cpu_groups(group_cpu(paths, rules))[group == "accept"]
  expect_equal(pooled[, c(samples, of, repetitions)], c(400, 400, 2))
})

test_that("rules and profiles that are wrong are refused", {
  path <- tempfile()
  writeLines(c("group,pattern,why", "accept,accept(,x", "rest,.,x"), path)
  expect_error(read_stack_groups(path), "not a regular expression")
  writeLines(c("group,pattern,why", "accept,accept,x"), path)
  expect_error(read_stack_groups(path), "last rule")
  writeLines("frame;frame", path)
  expect_error(read_collapsed(path), "not `frame;frame count`")
})

test_that("groups of one session have the error of sampling, those of several that between sessions", {
  of_session <- function(mode, repetition, us) {
    data.table(
      study = "demo", mode = mode, tier = "low", tool = "wrk2", repetition = repetition, outcome = "completed",
      valid = TRUE, profiler_engine = "itimer", group = c("accept", "write"), samples = 100,
      share = 0.5, cpu_us_per_request = us
    )
  }
  one <- pool_cpu_groups(of_session("pool", 1L, 50))
  expect_equal(one$error_us, c(5, 5))
  expect_equal(one$df, c(Inf, Inf))
  several <- pool_cpu_groups(rbindlist(Map(of_session, "pool", 1:3, c(20, 50, 80))))
  expect_equal(several$error_us[1], 30 / sqrt(3))
  expect_equal(several$df[1], 2)
  # A second session without a profile has no rows, and changes nothing.
  other <- pool_cpu_groups(of_session("thread", 1L, 90))
  expect_equal(moved_groups(other, one)$sessions, c(1, 1))
  expect_gt(moved_groups(other, several)$reach_us[1], moved_groups(other, one)$reach_us[1])
})

test_that("bytes that requests allocate are those of the profiled slice, by group", {
  rules <- data.table(group = c("write", "JVM other"), pattern = c("write", "."), why = "")
  cell <- function(...) {
    path <- write_cell(
      new_folder(),
      histogram_ms = 1:4, tool = "wrk2",
      slices = rbind(known_slices(), fill = TRUE)[kind == "profiled", requests_recorded := 50],
      configuration = list(testbed = list(profiler = list(allocation_kib = 64))), ...
    )
    writeLines(c("main;write 6553600", "main;other 655360", "main;b;write 0"), file.path(dirname(path), "allocation.collapsed"))
    path
  }
  rows <- group_allocations(cell(), rules)
  expect_equal(rows[group == "write", bytes_per_request], 6553600 / 50)
  # A hundred samples: 10 %.
  expect_equal(rows[group == "write", error_bytes / bytes_per_request], 0.1)
  expect_named(group_allocations(character(), rules), names(no_allocations()))
})
