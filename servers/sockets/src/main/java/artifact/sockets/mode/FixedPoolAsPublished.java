package artifact.sockets.mode;

import module java.base;
import artifact.sockets.published.PublishedConnection;
import artifact.sockets.server.ListenOptions;
import artifact.sockets.server.Mode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code execute()} throws RejectedExecutionException, which is no IOException, so it leaves the accept loop:
 * the listener is closed, the connection in hand gets neither answer nor close, and the process ends with
 * status 1 once the pool has answered the requests that it holds.
 */
@Command(
        description = "Serves connections by a pool of 10 to 20 threads and a queue of 100, with the traps of the"
                + " published program: a backlog of 50, no Connection field though every answer closes, and a"
                + " listener that ends with the first connection that the pool rejects.")
public final class FixedPoolAsPublished implements Mode {

    @Mixin
    private ListenOptions listen;

    @Override
    public void serve() throws Exception {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                10, 20, 5000, TimeUnit.MILLISECONDS, new ArrayBlockingQueue<>(100),
                Thread.ofPlatform().name("handler-", 0).factory());
        try (ServerSocket listener = listen.listen(ListenOptions.DEFAULT_BACKLOG)) {
            ListenOptions.announce(listener);
            while (!listener.isClosed()) {
                try {
                    pool.execute(new PublishedConnection(listener.accept()));
                } catch (IOException failure) {
                    failure.printStackTrace();
                }
            }
        } finally {
            pool.shutdown();
        }
    }
}
