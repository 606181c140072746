package artifact.spring.remote;

import artifact.stacks.common.Options;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.time.Duration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/**
 * The thread of the request goes free, and no thread waits: one event loop of Reactor Netty has all
 * connections to the remote. By default Reactor Netty would have 500 at most, a limit that the other
 * clients do not have.
 */
@RestController
@ConditionalOnProperty(name = "client", havingValue = "event-loop")
class EventLoopController implements AutoCloseable {

    private static final int UNLIMITED = -1;

    private final LoopResources oneLoop = LoopResources.create("reactor-http", 1, true);
    private final WebClient client;
    private final Options options;

    EventLoopController(Options options) {
        this.options = options;
        ConnectionProvider connections = ConnectionProvider.builder("remote")
                .maxConnections(options.number("client-connections"))
                // Twice as many as connections may wait by default, and all others fail.
                .pendingAcquireMaxCount(UNLIMITED)
                .build();
        client = WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(HttpClient.create(connections).runOn(oneLoop)))
                .build();
    }

    @GetMapping(path = "/v1/hello", produces = RemoteClients.TYPE)
    Mono<byte[]> hello(HttpServletRequest request) {
        URI asked = options.remote(request.getQueryString());
        return client.get().uri(asked).retrieve().bodyToMono(byte[].class);
    }

    @Override
    public void close() {
        oneLoop.disposeLater(Duration.ZERO, Duration.ofSeconds(1)).block();
    }
}
