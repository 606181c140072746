package artifact.spring.remote;

import java.time.Duration;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/** Event loops of Reactor Netty, with a client on them. */
final class Loops implements AutoCloseable {

    private static final int UNLIMITED = -1;

    private final LoopResources loops;

    Loops(int count) {
        loops = LoopResources.create("reactor-http", count, true);
    }

    /** @param connections to all remotes, 500 by default */
    HttpClient client(int connections) {
        ConnectionProvider pool = ConnectionProvider.builder("remote")
                .maxConnections(connections)
                // Twice as many as connections may wait by default, and all others fail.
                .pendingAcquireMaxCount(UNLIMITED)
                .build();
        return HttpClient.create(pool).runOn(loops);
    }

    @Override
    public void close() {
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(1)).block();
    }
}
