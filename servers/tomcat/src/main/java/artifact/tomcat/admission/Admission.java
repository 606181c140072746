package artifact.tomcat.admission;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/**
 * {@code requests.permits}: virtual threads that admit no more requests than a pool of that size
 * would. What is left between the two is then the kind of thread.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("requests.permits")
public class Admission {

    @Bean
    FilterRegistrationBean<Permits> permits(@Value("${requests.permits}") int permits) {
        FilterRegistrationBean<Permits> registration = new FilterRegistrationBean<>(new Permits(permits));
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        // An asynchronous request leaves its thread and would give its permit back unanswered: better refused.
        registration.setAsyncSupported(false);
        return registration;
    }
}
