package artifact.spring.remote;

import artifact.stacks.common.Options;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.util.Timeout;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;

/** Apache's HttpClient, by default: the thread that asks writes to the socket and reads from it. */
@Lazy
@ConditionalOnProperty(name = "http-client", havingValue = "apache", matchIfMissing = true)
final class ApacheRemote extends Remote {

    private static final Timeout TIMEOUT = Timeout.of(RemoteClients.TIMEOUT);

    ApacheRemote(Options options) {
        super(new HttpComponentsClientHttpRequestFactory(client(options)));
    }

    private static HttpClient client(Options options) {
        int connections = options.number("client-connections");
        return HttpClients.custom()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnTotal(connections)
                        // Five by default.
                        .setMaxConnPerRoute(connections)
                        .build())
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setResponseTimeout(options.on("response-timeout") ? TIMEOUT : Timeout.DISABLED)
                        .build())
                // No other client sends a request a second time.
                .disableAutomaticRetries()
                .build();
    }
}
