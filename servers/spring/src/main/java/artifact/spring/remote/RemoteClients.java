package artifact.spring.remote;

import artifact.stacks.common.Options;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.util.Timeout;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/**
 * Clients of the remote at {@code remote.url}: {@code GET /v1/hello} passes its answer on, by the one
 * that {@code client} names.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("remote.url")
@Import({BlockingController.class, PooledController.class, WorkerThreadsController.class, EventLoopController.class})
public class RemoteClients {

    /** Bytes of text, whichever client brings them. */
    static final String TYPE = "text/plain;charset=UTF-8";

    private static final Timeout TIMEOUT = Timeout.ofSeconds(10);

    /** Made for a page that has it injected. */
    @Bean
    @Lazy
    CloseableHttpClient connections(Options options) {
        int connections = options.number("client-connections");
        return HttpClients.custom()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnTotal(connections)
                        // Five by default.
                        .setMaxConnPerRoute(connections)
                        .build())
                .setDefaultRequestConfig(
                        RequestConfig.custom().setResponseTimeout(TIMEOUT).build())
                // No other client sends a request a second time.
                .disableAutomaticRetries()
                .build();
    }

    @Bean
    @Lazy
    RestClient pooled(CloseableHttpClient connections) {
        return RestClient.builder()
                .requestFactory(new HttpComponentsClientHttpRequestFactory(connections))
                .build();
    }
}
