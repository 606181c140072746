package artifact.spring.remote;

import java.time.Duration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Clients of the remote at {@code remote.url}: {@code GET /v1/hello} passes its answer on, by the one
 * that {@code client} names. The page that shares one client, and the service, have that of {@code http-client}.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("remote.url")
@Import({
    BlockingController.class,
    PooledController.class,
    WorkerThreadsController.class,
    EventLoopController.class,
    ApacheRemote.class,
    ReactorRemote.class,
    JdkRemote.class,
    BootRemote.class
})
public class RemoteClients {

    /** Bytes of text, whichever client brings them. */
    static final String TYPE = "text/plain;charset=UTF-8";

    /** For an answer to the clients of {@link Remote}. */
    static final Duration TIMEOUT = Duration.ofSeconds(10);
}
