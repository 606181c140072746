package artifact.spring.remote;

import artifact.stacks.common.Options;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/**
 * The thread of the request waits for the remote, as in {@link BlockingController}, but all requests
 * share one client, whose pool keeps a connection for each that waits: the limit is the threads.
 */
@RestController
@ConditionalOnProperty(name = "client", havingValue = "pooled")
class PooledController {

    private final Options options;
    private final RestClient client;

    PooledController(Options options, RestClient client) {
        this.options = options;
        this.client = client;
    }

    @GetMapping(path = "/v1/hello", produces = RemoteClients.TYPE)
    byte[] hello(HttpServletRequest request) {
        return client.get()
                .uri(options.remote(request.getQueryString()))
                .retrieve()
                .body(byte[].class);
    }
}
