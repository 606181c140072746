package artifact.spring.admission;

import artifact.stacks.common.Options;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/**
 * Limits before the application: {@code permits} of requests in flight, {@code body-bytes} of a request's length.
 * {@code beyond-permits} is what becomes of one request more: it waits in order of arrival, is answered with 503, or
 * its connection is closed before it has a thread.
 */
@Configuration(proxyBeanMethods = false)
public class Admission {

    @Bean
    @ConditionalOnProperty("permits")
    FilterRegistrationBean<PermitsFilter> permits(Options options) {
        boolean waits = !options.is("beyond-permits", "answer-503");
        FilterRegistrationBean<PermitsFilter> registration =
                new FilterRegistrationBean<>(new PermitsFilter(options.number("permits"), waits));
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
    @ConditionalOnProperty("body-bytes")
    FilterRegistrationBean<BodyLimit> bodyLimit(Options options) {
        FilterRegistrationBean<BodyLimit> registration =
                new FilterRegistrationBean<>(new BodyLimit(options.number("body-bytes")));
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }
}
