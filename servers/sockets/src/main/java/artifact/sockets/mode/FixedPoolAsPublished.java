package artifact.sockets.mode;

import artifact.sockets.published.PublishedConnection;
import artifact.sockets.server.ListenOptions;
import artifact.sockets.server.Mode;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * What the first full queue does here: execute() throws RejectedExecutionException, which is no
 * IOException, so it leaves the accept loop. The listener is closed on the way out, the connection in
 * hand is left without an answer and without a close, the pool is shut down. Requests that it already
 * holds are still answered; then the last thread ends, and so does the process, with status 1.
 */
@Command(
        name = "FixedPoolAsPublished",
        description = "Serves connections by a pool of 10 to 20 threads and a queue of 100, with the traps of the"
                + " published program: a backlog of 50, no Connection field though every answer closes, and a"
                + " listener that ends with the first connection that the pool rejects.")
public final class FixedPoolAsPublished implements Mode {

    /** What {@code new ServerSocket(port)} asks for. */
    private static final int DEFAULT_BACKLOG = 50;

    @Mixin
    private ListenOptions listen;

    @Override
    public void serve() throws IOException {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                10, 20, 5000, TimeUnit.MILLISECONDS, new ArrayBlockingQueue<>(100),
                Thread.ofPlatform().name("handler-", 0).factory());
        try (ServerSocket listener = listen.listen(DEFAULT_BACKLOG)) {
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

    public static void main(String[] args) throws IOException {
        Mode.run(new FixedPoolAsPublished(), args);
    }
}
