rules <- read_stack_groups(file.path(analysis_folder, "stack-groups.csv"))
expect_group <- function(group, ...) expect_equal(group_stacks(paste(c(...), collapse = ";"), rules), group)

# Frames as async-profiler 4.5 on JDK 25 gives them.
pool_worker <- c("java/lang/Thread.run_[0]", "java/util/concurrent/ThreadPoolExecutor$Worker.run_[0]", "java/util/concurrent/ThreadPoolExecutor.runWorker_[j]")
virtual_worker <- c("java/util/concurrent/ForkJoinWorkerThread.run_[0]", "java/util/concurrent/ForkJoinPool.runWorker_[j]", "java/lang/VirtualThread.run_[j]")
connection <- "artifact/sockets/server/Connection.run_[j]"
jvm_thread <- c("clone3", "start_thread", "thread_native_entry", "Thread::call_run")

test_that("each kind of stack has its group, with and without kernel frames", {
  expect_group("accept", "Main.main", "java/net/ServerSocket.accept_[1]")
  expect_group("accept", "java/net/ServerSocket.implAccept_[i]", "__GI_accept", "inet_csk_accept_[k]")
  expect_group("thread start", "java/lang/Thread.start_[1]", "JVM_StartThread")
  expect_group("thread start", jvm_thread, "JavaThread::thread_main_inner")
  expect_group("thread start", "clone3", "start_thread", "advise_stack_range")
  expect_group("park and unpark", pool_worker, "java/util/concurrent/ThreadPoolExecutor.getTask_[j]")
  expect_group("park and unpark", "sun/nio/ch/EPollSelectorImpl.doSelect_[j]", "sun/nio/ch/EPoll.wait_[j]")
  expect_group("read and parse", pool_worker, connection, "java/net/Socket$SocketInputStream.read_[i]")
  expect_group("read and parse", pool_worker, connection, "artifact/sockets/http/RequestParser.parse_[j]")
  expect_group("handler", pool_worker, connection, "artifact/sockets/handler/Work.burnCpu_[j]")
  expect_group("write", pool_worker, connection, "sun/nio/ch/SocketDispatcher.write0_[j]", "tcp_sendmsg_[k]")
  expect_group("connection close", pool_worker, connection, "java/net/Socket.close_[i]", "tcp_write_xmit_[k]")
  expect_group("GC", jvm_thread, "WorkerThread::run", "G1EvacuateRegionsTask::work")
  expect_group("GC", jvm_thread, "VMThread::run", "VM_GenCollectForAllocation::doit")
  expect_group("JIT", jvm_thread, "JavaThread::thread_main_inner", "CompileBroker::compiler_thread_loop", "futex_wait_[k]")
  expect_group("kernel other", "asm_exc_page_fault_[k]", "handle_mm_fault_[k]")
  expect_group("JVM other", jvm_thread, "VMThread::run")
})

test_that("the Tomcat application's stacks have their groups on either kind of thread", {
  tomcat <- "org/apache/tomcat/util/net/SocketProcessorBase.run_[j]"
  spring <- "org/springframework/web/servlet/DispatcherServlet.doDispatch_[j]"
  for (worker in list(pool_worker, virtual_worker)) {
    in_tomcat <- function(group, ...) expect_group(group, worker, tomcat, spring, ...)
    in_tomcat("framework")
    in_tomcat("handler", file.path("artifact", "tomcat", "work", "CpuController.burn_[j]"))
    in_tomcat("remote or database", "artifact/tomcat/database/Users.add_[j]", "org/mariadb/jdbc/Statement.execute_[j]", "__GI___send")
    in_tomcat("park and unpark", "artifact/tomcat/remote/BlockingController.hello_[j]", "sun/nio/ch/NioSocketImpl.park_[j]")
    in_tomcat("logging", "ch/qos/logback/classic/Logger.error_[j]", "java/io/FileOutputStream.write_[j]")
    expect_group("read and parse", worker, tomcat, "org/apache/coyote/http11/Http11InputBuffer.parseRequestLine_[j]")
    expect_group("write", worker, tomcat, "org/apache/coyote/http11/Http11OutputBuffer.commit_[j]", "tcp_sendmsg_[k]")
  }
  expect_group("measuring", "artifact/tomcat/telemetry/ThreadStates.sample_[j]", "Thread.run")
  expect_group("remote or database", "io/netty/channel/nio/NioEventLoop.run_[j]", "IOUtil.write_[j]")
})

test_that("of one event loop, serving and asking are separated where frames differ", {
  loop <- c("io/netty/channel/nio/NioEventLoop.run_[0]", "io/netty/channel/CombinedChannelDuplexHandler.channelRead_[j]")
  server <- "reactor/netty/http/server/HttpTrafficHandler.channelRead_[j]"
  reactive <- "org/springframework/web/reactive/DispatcherHandler.handle_[j]"
  client <- "reactor/netty/http/client/HttpClientOperations.onInboundNext_[j]"
  written <- "sun/nio/ch/SocketChannelImpl.write_[j]"
  expect_group("read and parse", loop, "io/netty/handler/codec/http/HttpServerCodec$HttpServerRequestDecoder.decode_[j]")
  expect_group("framework", loop, server, reactive)
  expect_group("write", loop, server, written)
  expect_group("remote or database", loop, server, reactive, client, written)
  expect_group("remote or database", loop, "org/mariadb/r2dbc/client/SimpleClient.sendCommand_[j]")
  expect_group("handler", loop, server, reactive, "artifact/stacks/common/Passwords.derive_[j]", "javax/crypto/Mac.update_[j]")
  expect_group("framework", virtual_worker, "io/helidon/webserver/http1/Http1Connection.handle_[j]")
  expect_group("framework", virtual_worker, "org/eclipse/jetty/server/internal/HttpConnection.onFillable_[j]")
})

test_that("what encloses another is decided by the order of the rules", {
  # A thread that starts another waits for it: that is the price of starting, not of parking.
  expect_group("thread start", "java/lang/Thread.start0_[j]", "os::create_thread", "__x64_sys_futex_[k]")
  # A virtual thread that runs a handler stands on a scheduler's frames.
  expect_group("handler", virtual_worker, connection, "artifact/sockets/handler/Routes.handle_[j]")
  expect_group("park and unpark", virtual_worker)
  expect_group("accept", "artifact/sockets/server/BlockingServer.acceptAll_[j]")
  # A Consumer's method is called accept as well.
  expect_group("write", "artifact/sockets/server/EventLoopServer$$Lambda.accept_[j]", "LoopConnection.flush")
  # Waiting for data within a read is waiting.
  expect_group("park and unpark", virtual_worker, connection, "sun/nio/ch/NioSocketImpl.read_[i]", "java/lang/VirtualThread.park_[j]")
})

# A cell with a profile, whose profiled slice took the server 2 s.
profiled_cell <- function(lines, ..., root = new_folder(), slices = known_slices(server_cpu_s = 2)) {
  path <- write_cell(root, elapsed_ms = 1:10, slices = slices, ...)
  writeLines(lines, file.path(dirname(path), "profile.collapsed"))
  path
}

test_that("CPU time is split by samples, and what was not sampled is shown", {
  # 100 samples of 10 ms are half of it.
  path <- profiled_cell(c("java/net/ServerSocket.accept_[1] 25", "java/net/Socket.close_[1] 75"))
  groups <- group_cell_cpu(read_cell(path), rules)
  expect_equal(groups[group == "accept", c(samples, share, cpu_us_per_request)], c(25, 0.25, 12.5))
  expect_equal(groups[group == "connection close", cpu_us_per_request], 37.5)
  expect_equal(groups[group == unseen_group, cpu_us_per_request], 50)
  expect_equal(sum(groups$cpu_us_per_request, na.rm = TRUE), 100)
})

test_that("a bar is as long as the cell's CPU time per request, however much was compiled", {
  cell <- read_cell(profiled_cell(c("java/net/ServerSocket.accept_[1] 80", "java/net/Socket.close_[1] 40", "C2 CompilerThre;CompileBroker::compiler_thread_loop 60")))
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
  profiled <- function(kept) nrow(group_cpu(profiled_cell("java/net/ServerSocket.accept_[1] 100", slices = copy(slices)[kind == "profiled", kept := ..kept]), rules))
  expect_gt(profiled("true"), 0)
  expect_equal(profiled("false"), 0)
  # With several, it is the one that was profiled.
  twice <- rbind(copy(slices)[kind == "profiled", kept := "false"], slices[kind == "profiled"][, start_epoch_s := 40])
  slice_from <- function(second) profiled_slice(read_cell(write_cell(new_folder(), elapsed_ms = 1:10, slices = twice, profile = list(start_epoch_s = second))))
  expect_equal(slice_from(40)$start_epoch_s, 40)
  expect_equal(nrow(slice_from(26)), 0)
})

test_that("a cell that was not sampled has no rows, and a table of such cells its columns", {
  path <- profiled_cell(character(), profile = list(file = NULL))
  expect_null(group_cell_cpu(read_cell(path), rules))
  expect_equal(names(read_back(group_cpu(path, rules), read_cpu_groups)), cpu_group_columns)
})

test_that("pooling adds samples of valid cells alone", {
  root <- new_folder()
  cell <- function(repetition, valid) profiled_cell("java/net/ServerSocket.accept_[1] 200", root = root, repetition = repetition, validity = list(valid = valid))
  pooled <- pool_cpu_groups(group_cpu(mapply(cell, 1:3, c(TRUE, TRUE, FALSE)), rules))[group == "accept"]
  expect_equal(pooled[, c(samples, of, repetitions)], c(400, 400, 2))
})

test_that("rules and profiles that are wrong are refused", {
  path <- tempfile()
  expect_refused <- function(said, read, ...) {
    writeLines(c(...), path)
    expect_error(read(path), said)
  }
  expect_refused("last rule", read_stack_groups, "group,pattern,why", "accept,accept,x")
  expect_refused("not `frame;frame count`", read_collapsed, "frame;frame")
})

test_that("groups of one session have the error of sampling, those of several that between sessions", {
  of_session <- function(mode, repetition, us) {
    data.table(
      study = "demo", mode = mode, tier = "low", tool = "wrk2", repetition = repetition, outcome = "completed",
      valid = TRUE, profiler_engine = "itimer", group = c("accept", "write"), samples = 100, share = 0.5, cpu_us_per_request = us
    )
  }
  one <- pool_cpu_groups(of_session("pool", 1L, 50))
  expect_equal(one$error_us, c(5, 5))
  expect_equal(one$df, c(Inf, Inf))
  several <- pool_cpu_groups(rbindlist(Map(of_session, "pool", 1:3, c(20, 50, 80))))
  expect_equal(several[1, c(error_us, df)], c(30 / sqrt(3), 2))
  # A second session without a profile has no rows, and changes nothing.
  other <- pool_cpu_groups(of_session("thread", 1L, 90))
  expect_equal(moved_groups(other, one)$sessions, c(1, 1))
  expect_gt(moved_groups(other, several)$reach_us[1], moved_groups(other, one)$reach_us[1])
})

test_that("bytes that requests allocate are those of the profiled slice, by group", {
  rules <- data.table(group = c("write", "JVM other"), pattern = c("write", "."), why = "")
  path <- write_cell(
    new_folder(), histogram_ms = 1:4, tool = "wrk2", slices = known_slices()[kind == "profiled", requests_recorded := 50],
    configuration = list(testbed = list(profiler = list(allocation_kib = 64)))
  )
  writeLines(c("main;write 6553600", "main;other 655360", "main;b;write 0"), file.path(dirname(path), "allocation.collapsed"))
  rows <- group_allocations(path, rules)
  # A hundred samples: 10 %.
  expect_equal(rows[group == "write", c(bytes_per_request, error_bytes / bytes_per_request)], c(6553600 / 50, 0.1))
  expect_named(group_allocations(character(), rules), names(no_allocations()))
})
