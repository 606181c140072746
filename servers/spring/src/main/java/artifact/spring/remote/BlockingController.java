package artifact.spring.remote;

import artifact.stacks.common.Options;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestTemplate;

/**
 * The thread of the request waits for the remote. A RestTemplate for every request, as published; it
 * asks by HttpURLConnection.
 */
@RestController
@ConditionalOnProperty(name = "client", havingValue = "blocking")
class BlockingController {

    private final Options options;

    BlockingController(Options options) {
        this.options = options;
    }

    @GetMapping(path = "/v1/hello", produces = RemoteClients.TYPE)
    byte[] hello(HttpServletRequest request) {
        return new RestTemplate().getForObject(options.remote(request.getQueryString()), byte[].class);
    }
}
