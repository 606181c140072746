package artifact.spring.remote;

import artifact.stacks.common.Options;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The thread of the request waits for the remote, as in {@link BlockingController}, but all requests
 * share one client, which keeps a connection for each that waits: the limit is the threads.
 */
@RestController
@ConditionalOnProperty(name = "client", havingValue = "pooled")
class PooledController {

    private final Options options;
    private final Remote remote;

    PooledController(Options options, Remote remote) {
        this.options = options;
        this.remote = remote;
    }

    @GetMapping(path = "/v1/hello", produces = RemoteClients.TYPE)
    byte[] hello(HttpServletRequest request) {
        return remote.ask(options.remote(request.getQueryString()));
    }
}
