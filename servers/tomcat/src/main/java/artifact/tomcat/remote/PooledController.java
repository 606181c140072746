package artifact.tomcat.remote;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/**
 * The thread of the request waits for the remote, as in {@link BlockingController}, but all requests
 * share one client, whose pool keeps a connection for each that waits: the limit is the threads.
 */
@RestController
@ConditionalOnProperty(name = "remote.client", havingValue = "pooled")
class PooledController implements AutoCloseable {

    private static final int CONNECTIONS = 10_000;

    private final CloseableHttpClient connections = HttpClients.custom()
            .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                    .setMaxConnTotal(CONNECTIONS)
                    // Five by default.
                    .setMaxConnPerRoute(CONNECTIONS)
                    .build())
            .disableAutomaticRetries()
            .build();
    private final RestClient client = RestClient.builder()
            .requestFactory(new HttpComponentsClientHttpRequestFactory(connections))
            .build();
    private final URI remote;

    PooledController(@Value("${remote.url}") URI remote) {
        this.remote = remote;
    }

    @GetMapping(path = "/v1/hello", produces = RemoteClients.TYPE)
    byte[] hello(HttpServletRequest request) {
        URI asked = RemoteClients.asked(remote, request.getQueryString());
        return client.get().uri(asked).retrieve().body(byte[].class);
    }

    @Override
    public void close() throws IOException {
        connections.close();
    }
}
