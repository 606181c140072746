package artifact.spring.admission;

import artifact.stacks.common.Options;
import artifact.stacks.common.Permits;
import java.util.concurrent.Executors;
import org.apache.coyote.AbstractProtocol;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/**
 * Limits before the application: {@code permits} of requests in flight, {@code body-bytes} of a request's length.
 * {@code beyond-permits} is what becomes of one request more: it waits, in order of arrival unless
 * {@code fair-permits} is false, is answered with 503 (after {@code permit-wait-ms}), or its connection is closed
 * before it has a thread. {@code virtual-threads} is a fixed pool of virtual ones in place of one for each request:
 * the others wait unread, as before a pool of platform threads.
 */
@Configuration(proxyBeanMethods = false)
public class Admission {

    @Bean
    @ConditionalOnProperty("permits")
    FilterRegistrationBean<PermitsFilter> permits(Options options) {
        boolean waits = !options.is("beyond-permits", "answer-503");
        Permits permits = new Permits(options.number("permits"), options.on("fair-permits"));
        FilterRegistrationBean<PermitsFilter> registration =
                new FilterRegistrationBean<>(new PermitsFilter(permits, waits, options.number("permit-wait-ms")));
        registration.setEnabled(!options.is("beyond-permits", "close"));
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
        // An asynchronous request leaves its thread and would give its permit back unanswered: better refused.
        registration.setAsyncSupported(false);
        return registration;
    }

    @Bean
    @ConditionalOnProperty(name = "beyond-permits", havingValue = "close")
    TomcatConnectorCustomizer handOver(Options options) {
        return HandOver.limitedTo(options.number("permits"));
    }

    @Bean
    @ConditionalOnProperty("virtual-threads")
    TomcatConnectorCustomizer fixedPoolOfVirtualThreads(Options options) {
        int threads = options.number("virtual-threads");
        return connector -> ((AbstractProtocol<?>) connector.getProtocolHandler())
                .setExecutor(Executors.newFixedThreadPool(
                        threads, Thread.ofVirtual().name("pool-", 0).factory()));
    }

    /** Boot hands on a positive limit alone, and Tomcat's own is 8,192. */
    @Bean
    @ConditionalOnProperty(name = "max-connections", havingValue = "-1")
    TomcatConnectorCustomizer noLimitOfConnections() {
        return connector -> connector.setProperty("maxConnections", "-1");
    }

    /**
     * For Tomcat to read from a connection and to write to it: for the connection itself and once more for the request
     * that it serves (Tomcat's documentation, "The HTTP Connector", Java TCP socket attributes).
     */
    @Bean
    @ConditionalOnProperty("buffer-bytes")
    TomcatConnectorCustomizer buffers(Options options) {
        String bytes = String.valueOf(options.number("buffer-bytes"));
        return connector -> {
            connector.setProperty("socket.appReadBufSize", bytes);
            connector.setProperty("socket.appWriteBufSize", bytes);
        };
    }

    @Bean
    @ConditionalOnProperty("body-bytes")
    FilterRegistrationBean<BodyLimit> bodyLimit(Options options) {
        FilterRegistrationBean<BodyLimit> registration =
                new FilterRegistrationBean<>(new BodyLimit(options.number("body-bytes")));
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }
}
