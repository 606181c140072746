package artifact.tomcat.remote;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.LoopResources;

/**
 * The thread of the request goes free, and no thread waits: one event loop of Reactor Netty has all
 * connections to the remote, 500 at most (Reactor Netty's default).
 */
@RestController
@ConditionalOnProperty(name = "remote.client", havingValue = "event-loop")
class EventLoopController implements AutoCloseable {

    private final LoopResources oneLoop = LoopResources.create("reactor-http", 1, true);
    private final WebClient client = WebClient.builder()
            .clientConnector(new ReactorClientHttpConnector(HttpClient.create().runOn(oneLoop)))
            .build();
    private final URI remote;

    EventLoopController(@Value("${remote.url}") URI remote) {
        this.remote = remote;
    }

    @GetMapping(path = "/v1/hello", produces = RemoteClients.TYPE)
    Mono<byte[]> hello(HttpServletRequest request) {
        URI asked = RemoteClients.asked(remote, request.getQueryString());
        return client.get().uri(asked).retrieve().bodyToMono(byte[].class);
    }

    @Override
    public void close() {
        oneLoop.disposeLater(Duration.ZERO, Duration.ofSeconds(1)).block();
    }
}
