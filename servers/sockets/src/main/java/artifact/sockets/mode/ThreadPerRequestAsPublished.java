package artifact.sockets.mode;

import module java.base;
import artifact.sockets.published.PublishedConnection;
import artifact.sockets.server.ListenOptions;
import artifact.sockets.server.Mode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The published thread per request, traps included: with a backlog of 50 a burst overflows the accept
 * queue, and the first thread that cannot be started ends the listener.
 */
@Command(
        name = "ThreadPerRequestAsPublished",
        description = "Starts a new platform thread for every connection, with the traps of the published program:"
                + " a backlog of 50, no Connection field though every answer closes, and a listener that ends when a"
                + " thread cannot be started.")
public final class ThreadPerRequestAsPublished implements Mode {

    /** The backlog of {@code new ServerSocket(port)}. */
    private static final int DEFAULT_BACKLOG = 50;

    @Mixin
    private ListenOptions listen;

    @Override
    public void serve() throws IOException {
        long connections = 0;
        try (ServerSocket listener = listen.listen(DEFAULT_BACKLOG)) {
            ListenOptions.announce(listener);
            while (!listener.isClosed()) {
                try {
                    var connection = new PublishedConnection(listener.accept());
                    new Thread(connection, "handler-" + connections++).start();
                } catch (IOException failure) {
                    System.err.println("cannot accept: " + failure.getMessage());
                }
            }
        }
    }

    public static void main(String[] args) throws IOException {
        Mode.run(new ThreadPerRequestAsPublished(), args);
    }
}
