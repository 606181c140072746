package artifact.tomcat.work;

import artifact.tomcat.Options;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * {@code GET /api/lock-test}: sleeps while it holds a lock that nobody else wants, of the kind that
 * {@code lock.kind} names. So nothing waits for a lock, and what differs is what a virtual thread
 * does with its carrier meanwhile.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("lock.kind")
@Import({SynchronizedController.class, ReentrantController.class})
class Locks {

    Locks(Environment environment) {
        Options.requireOneOf(environment, "lock.kind", "synchronized", "reentrant");
    }
}
