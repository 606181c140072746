package artifact.tomcat.remote;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestTemplate;

/**
 * The thread of the request waits for the remote. A RestTemplate for every request, as published; it
 * asks by HttpURLConnection.
 */
@RestController
@ConditionalOnProperty(name = "remote.client", havingValue = "blocking")
class BlockingController {

    private final URI remote;

    BlockingController(@Value("${remote.url}") URI remote) {
        this.remote = remote;
    }

    @GetMapping(path = "/v1/hello", produces = RemoteClients.TYPE)
    byte[] hello(HttpServletRequest request) {
        return new RestTemplate().getForObject(RemoteClients.asked(remote, request.getQueryString()), byte[].class);
    }
}
