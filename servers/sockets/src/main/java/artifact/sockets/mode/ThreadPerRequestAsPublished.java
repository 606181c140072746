package artifact.sockets.mode;

import module java.base;
import artifact.sockets.published.PublishedConnection;
import artifact.sockets.server.ListenOptions;
import artifact.sockets.server.Mode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        description = "Starts a new platform thread for every connection, with the traps of the published program: a"
                + " backlog of 50, which a burst overflows, no Connection field though every answer closes, and a"
                + " listener that ends when a thread cannot be started.")
public final class ThreadPerRequestAsPublished implements Mode {

    @Mixin
    private ListenOptions listen;

    @Override
    public void serve() throws Exception {
        long connections = 0;
        try (ServerSocket listener = listen.listen(ListenOptions.DEFAULT_BACKLOG)) {
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
}
