package artifact.spring.remote;

import artifact.stacks.common.Options;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/**
 * The thread of the request goes free, and no thread waits: one event loop of Reactor Netty has all
 * connections to the remote.
 */
@RestController
@ConditionalOnProperty(name = "client", havingValue = "event-loop")
class EventLoopController {

    private final WebClient client;
    private final Options options;

    EventLoopController(Options options) {
        this.options = options;
        client = WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(EventLoops.client(1, options)))
                .build();
    }

    @GetMapping(path = "/v1/hello", produces = RemoteClients.TYPE)
    Mono<byte[]> hello(HttpServletRequest request) {
        URI asked = options.remote(request.getQueryString());
        return client.get().uri(asked).retrieve().bodyToMono(byte[].class);
    }
}
