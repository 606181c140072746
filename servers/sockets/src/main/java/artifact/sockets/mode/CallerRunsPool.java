package artifact.sockets.mode;

import artifact.sockets.server.BlockingServer;
import artifact.sockets.server.Connection;
import artifact.sockets.server.Mode;
import artifact.sockets.server.PoolOptions;
import artifact.sockets.server.ServerOptions;
import java.io.IOException;
import java.util.concurrent.ThreadPoolExecutor;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A pool that rejects no client: when threads and queue are full, the accepting thread serves one
 * request itself. Meanwhile it accepts nothing, and clients wait in the kernel's accept queue.
 */
@Command(
        name = "CallerRunsPool",
        description = "Serves connections by a bounded thread pool with a bounded queue; when both are full, the"
                + " thread that accepts serves one request itself, and meanwhile accepts nothing.")
public final class CallerRunsPool implements Mode {

    @Mixin
    private ServerOptions options;

    @Mixin
    private PoolOptions pool;

    @Override
    public void serve() throws IOException {
        BlockingServer.serve(options, pool.newPool(CallerRunsPool::serveHere));
    }

    /** Does the same as {@link ThreadPoolExecutor.CallerRunsPolicy}, but no client may keep the acceptor for a second request. */
    private static void serveHere(Runnable task, ThreadPoolExecutor pool) {
        ((Connection) task).closeAfterAnswer();
        task.run();
    }

    public static void main(String[] args) throws IOException {
        Mode.run(new CallerRunsPool(), args);
    }
}
