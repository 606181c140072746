package artifact.spring.remote;

import artifact.stacks.common.Options;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/** Reactor Netty's client, on event loops of its own. */
final class EventLoops {

    private static final int UNLIMITED = -1;

    private EventLoops() {}

    static HttpClient client(int loops, Options options) {
        ConnectionProvider connections = ConnectionProvider.builder("remote")
                .maxConnections(options.number("client-connections"))
                // Twice as many as connections may wait by default, and all others fail.
                .pendingAcquireMaxCount(UNLIMITED)
                .build();
        return HttpClient.create(connections).runOn(LoopResources.create("reactor-http", loops, true));
    }
}
