package artifact.tomcat.remote;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * {@code GET /v1/hello}: asks a slow remote and passes its answer on, by the client that {@code
 * remote.client} names.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("remote.client")
@Import({BlockingController.class, WorkerThreadsController.class, EventLoopController.class})
public class RemoteClients {

    /** Bytes of text, whichever client brings them. */
    static final String TYPE = "text/plain;charset=UTF-8";
}
